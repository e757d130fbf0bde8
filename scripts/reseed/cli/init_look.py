"""What `reseed init` finds in a table of data before it writes a study: a line a column.

Values decide. A column of row numbers, of dates, of long texts, of names of parts, or of an
identifier whose rows resemble each other is not a feature, and rows must not be split as if it
were none. What the values leave open is asked, all at once, and nothing is written.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reseed.core.errors import ReseedError

if TYPE_CHECKING:
    import pandas as pd

#: Words for the parts of a table that was split before.
_PARTS = {
    "train": ("train", "training"),
    "validation": ("valid", "validation", "val", "dev"),
    "test": ("test", "testing"),
}
#: Rows of a text column that are counted. Rows of a class, or groups, below which it is rare.
_ROWS, RARE = 2_000, 10
#: Rows that are looked at first, and columns.
_SAMPLE, _FEW = 20_000, 8
#: Mean words of a text that is no category.
_WORDS = 4
#: Lines that are printed.
_MOST_LINES = 40
_NONE = "none"
#: A date that `reseed.data.columns` does not read.
_OTHER_DATE = r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b.*|\d{4}/\d.*"
_ASK = {
    "group": "Split by it: --group {0}; if new rows are of the same values: --group none",
    "time": "Test on the last fifth of them: --time {0}; on random rows, if the order does not "
    "matter: --time none",
}


@dataclass
class Look:
    """What a table of data holds.

    fields: those of the dataset's file: drop, group, time, official, or kind and text.
    dates: columns that are read by their parts.
    lines: what was found. questions: what must be answered first.
    csv: arguments of `pandas.read_csv`.
    """

    task: str = ""
    csv: dict[str, str] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    dates: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    @property
    def apart(self) -> list[str]:
        """Columns beside the target that are no features."""
        group, time, official = map(self.fields.get, ("group", "time", "official"))
        named = [*self.fields.get("drop", []), group, time, official and official["column"]]
        return list(dict.fromkeys(filter(None, named)))

    def show(self) -> None:
        """Print what was found."""
        for line in self.lines[:_MOST_LINES]:
            print(line)
        if len(self.lines) > _MOST_LINES:
            print(f"and {len(self.lines) - _MOST_LINES} more columns")


def look(options: argparse.Namespace, frame: pd.DataFrame, task: str) -> Look:
    """Look at each column of a table with a target.

    Raises ReseedError with every open question, and if no feature is left.
    """
    from pandas.api.types import is_numeric_dtype

    from reseed.data.columns import require_column

    given = [options.group, options.time, options.text]
    for name in (*options.keep, *options.leave_out, *given):
        if name not in (None, _NONE):
            require_column(str(options.data), frame, name, "named")
    found = Look(task)
    frame, features = _look_at_rows(options, frame, found), []
    few = frame.sample(min(len(frame), _SAMPLE), random_state=0)
    for name in frame.columns.drop(options.target):
        # What holds for all rows holds for a few, which are faster.
        is_placed = _is_placed(options, few, name, Look())
        if not (is_placed and _is_placed(options, frame, name, found)):
            features.append(name)
    texts = [name for name in features if _is_text(few[name])]
    plain = [name for name in features if name not in texts]
    columns = [*plain, *found.dates]
    _choose_text(options, texts, plain, found)
    _choose_split(options, frame[columns], frame[options.target], found)
    if not (plain or "text" in found.fields or found.dates or found.questions):
        raise ReseedError(
            f"{options.data}: no column is left to predict {options.target!r}. "
            f"{' '.join(found.lines)} Keep one: --keep COLUMN"
        )
    needed = [*map(found.fields.get, ("group", "time")), *found.fields.get("text", [])]
    for name in filter(None, needed):
        if empty := int(frame[name].isna().sum()):
            found.questions.append(f"{name} is empty in {empty} rows: fill them, or remove them")
    if found.questions:
        found.show()
        asked = "\n  ".join(found.questions)
        raise ReseedError(f"{options.data}: nothing is written before you say:\n  {asked}")
    for name in plain:
        values, empty = frame[name], int(frame[name].isna().sum())
        kind = "numbers" if is_numeric_dtype(values.dtype) else f"{values.nunique()} categories"
        gaps = f", empty in {empty} rows (the median, or a category of its own)" if empty else ""
        found.lines.append(f"{name}: feature, {kind}{gaps}")
    return found


def _look_at_rows(options: argparse.Namespace, frame: pd.DataFrame, found: Look) -> pd.DataFrame:
    """Say what is odd about rows and target; return the rows with a target."""
    from pandas.util import hash_pandas_object

    empty = int(frame[options.target].isna().sum())
    if empty:
        found.lines.append(f"{options.target}: empty in {empty} rows, which are left out")
        frame = frame.dropna(subset=[options.target])
    alike = frame
    for columns in (frame.columns[:_FEW], frame.columns):  # few rows are alike in the first columns
        hashes = hash_pandas_object(alike[columns], index=False)
        alike, repeated = alike[hashes.duplicated(keep=False)], int(hashes.duplicated().sum())
    if repeated:
        found.lines.append(
            f"{repeated} of {len(frame)} rows repeat an earlier one, so a random split may test on "
            "rows of training"
        )
    if found.task != "regression":
        counts = frame[options.target].value_counts()
        if counts.iloc[-1] < RARE:
            found.lines.append(
                f"{options.target}: only {counts.iloc[-1]} rows of class {counts.index[-1]!r}: a "
                "score of it depends on where they fall, and splits do not keep its share"
            )
    return frame


def _is_placed(options: argparse.Namespace, frame: pd.DataFrame, name: str, found: Look) -> bool:
    """Whether the column is no feature, which is then said or asked."""
    from reseed.data.columns import UnusableColumn, convert_feature, is_date

    values = frame[name]
    present = values.dropna()
    if name in options.keep:
        return False
    if name in (options.group, options.time):  # it is no feature besides
        return True
    if name in options.leave_out:
        return _drop(found, name, "as you said")
    if (count := present.nunique()) < 2:
        return _drop(found, name, "holds one value" if count else "holds no values")
    if is_date(present):
        found.dates.append(name)
        found.lines.append(f"{name}: dates, read as numbers of year, month, day, weekday and hour")
        return True
    if _is_text_of(_OTHER_DATE, present):
        if options.time is None:
            found.questions.append(
                f"{name} holds dates such as {present.iloc[0]!r}: write them as 2024-01-31, to "
                f"split by them; on random rows, if the order does not matter: --time none"
            )
        return _drop(found, name, "holds dates that are not written as 2024-01-31")
    if parts := _find_parts(present):
        found.fields["official"] = {"column": name} | parts
        shown = ", ".join(f"{part}: {len(frame[values.isin(v)])}" for part, v in parts.items())
        found.lines.append(f"{name}: names the parts of a split, which is used ({shown} rows)")
        return True
    if _is_row_number(present):
        return _drop(
            found, name, f"holds another whole number in each row (keep it: --keep {name})"
        )
    try:
        convert_feature(str(options.data), values, False)
    except UnusableColumn as error:
        return not _is_text(values) and _drop(found, name, error.reason)
    except ReseedError:  # preparation names the field that mends it
        pass
    return False


def _drop(found: Look, name: str, reason: str) -> bool:
    found.fields.setdefault("drop", []).append(name)
    found.lines.append(f"{name}: left out, {reason}")
    return True


def _find_parts(values: pd.Series) -> dict[str, list[Any]] | None:
    """The values of each part of a split, if the values are words for parts alone."""
    if not values.map(type).eq(str).all() or values.nunique() > len(_PARTS):
        return None
    parts: dict[str, list[Any]] = {}
    for value in values.unique():
        part = next((part for part, words in _PARTS.items() if value.strip().lower() in words), "")
        parts.setdefault(part, []).append(value)
    return parts if {"train", "test"} <= {*parts} and "" not in parts else None


def _is_row_number(values: pd.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        return False
    return values.is_unique and len(values) > 20 and bool((values % 1 == 0).all())


def _is_text_of(pattern: str, values: pd.Series) -> bool:
    return values.map(type).eq(str).all() and values.str.fullmatch(pattern).all()


def _is_text(values: pd.Series) -> bool:
    present = values.dropna()
    if not present.map(type).eq(str).all():
        return False
    words = present.head(_ROWS).str.count(r"\S+").mean()
    return bool(words >= _WORDS and present.nunique() > len(present) / 2)


def _choose_text(
    options: argparse.Namespace, texts: list[str], plain: list[str], found: Look
) -> None:
    """Texts are read where there is nothing else, or where the user says so."""
    chosen = options.text
    if chosen is None and not plain and texts:
        [chosen, *others] = texts
        if others:
            named = ", or ".join(f"--text {name}" for name in texts)
            found.questions.append(f"{', '.join(texts)} hold texts, and models read one: {named}")
    if chosen in (None, _NONE):
        for name in texts:
            _drop(found, name, f"holds texts (models that read them alone: --text {name})")
        return
    found.lines.append(f"{chosen}: texts, which models read by their words")
    for name in (*plain, *texts, *found.dates):
        if name != chosen:
            _drop(found, name, "not read beside texts")
    plain.clear()
    found.dates.clear()
    found.fields.pop("drop", None)
    found.fields |= {"kind": "texts", "text": [chosen]}


def _choose_split(
    options: argparse.Namespace, features: pd.DataFrame, target: pd.Series, found: Look
) -> None:
    """Ask where a random split of the rows would test on what training has seen."""
    if options.group not in (None, _NONE):
        found.fields["group"] = options.group
        found.lines.append(f"{options.group}: no value of it is on both sides of a split")
    if options.time not in (None, _NONE):
        found.fields["time"] = options.time
        found.lines.append(f"{options.time}: the last fifth of its values is the test set")
    from reseed.data.leaks import find_leaks

    for kind, name, text in find_leaks(features, target, found.task):
        if kind == "group" and (options.group or found.fields.keys() & {"official", "text"}):
            break
        if kind == "group" or options.time is None:
            found.questions.append(f"{text}. {_ASK[kind].format(name)}")
