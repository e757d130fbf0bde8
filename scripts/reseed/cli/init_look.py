"""What `reseed init` finds in a table of data before it writes a study: a line a column.

Values decide. What they leave open is asked, all at once, and nothing is written.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype
from pandas.util import hash_pandas_object

from reseed.core.dates import DATE
from reseed.core.errors import ReseedError
from reseed.data import columns
from reseed.data.leaks import find_leaks, is_whole

#: Words for the parts of a table that was split before.
_PARTS = {
    "train": ("train", "training"), "test": ("test", "testing"),
    "validation": ("valid", "validation", "val", "dev"),
}  # fmt: skip
#: Rows of a text column that are counted, and mean words of a text that is no category.
_ROWS, _WORDS = 2_000, 4
#: Rows of a class, or groups, below which it is rare.
RARE = 10
#: Rows that are looked at first, and columns that are hashed first.
_SAMPLE, _FEW = 20_000, 8
_NONE = "none"
_ASK = {
    "group": "Split by it: --group {0}; if new rows are of the same values: --group none",
    "time": "Test on the last fifth of them: --time {0}; on random rows: --time none",
}


@dataclass
class Look:
    """What a table of data holds.

    fields: those of the dataset's file: drop, group, time, official, or kind and text.
    dates: columns that are read by their parts.
    lines: what was found. questions: what must be answered first.
    csv: arguments of `pandas.read_csv`; None for Parquet.
    """

    task: str = ""
    csv: dict[str, str] | None = None
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


def look(options: argparse.Namespace, frame: pd.DataFrame, task: str) -> Look:
    """Look at each column of a table with a target.

    Raises ReseedError with every open question, and if no feature is left.
    """
    given = [options.group, options.time, options.text]
    for name in (*options.keep, *options.leave_out, *given):
        if name not in (None, _NONE):
            columns.require_column(str(options.data), frame, name, "named")
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
    looked_at = frame[[*plain, *found.dates]]
    _choose_text(options, texts, plain, found)
    _choose_split(options, looked_at, frame[options.target], found)
    if not (plain or "text" in found.fields or found.dates or found.questions):
        raise ReseedError(
            f"{options.data}: no column is left to predict {options.target!r}. "
            f"{' '.join(found.lines)} Keep one: --keep COLUMN"
        )
    if options.time not in (None, _NONE):
        columns.rank_times(str(options.data), frame[options.time])
    for name in filter(None, [found.fields.get("group"), *found.fields.get("text", [])]):
        if empty := int(frame[name].isna().sum()):
            found.questions.append(f"{name} is empty in {empty} rows: fill them, or remove them")
    if found.questions:
        print(*found.lines, sep="\n")
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
    if empty := int(frame[options.target].isna().sum()):
        found.lines.append(f"{options.target}: empty in {empty} rows, which are left out")
        frame = frame.dropna(subset=[options.target])
    alike = frame
    for names in (frame.columns[:_FEW], frame.columns):  # few rows are alike in the first columns
        hashes = hash_pandas_object(alike[names], index=False)
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
    if columns.is_date(present):
        found.dates.append(name)
        found.lines.append(f"{name}: dates, read as numbers of year, month, day, weekday and hour")
        return True
    is_words = present.map(type).eq(str).all()
    if is_words and all(map(DATE.fullmatch, present)):  # `is_date` takes those in ISO format
        if options.time is None:
            found.questions.append(
                f"{name} holds dates such as {present.iloc[0]!r}: write them as 2024-01-31, to "
                f"split by them; on random rows, if the order does not matter: --time none"
            )
        return _drop(found, name, "holds dates that are not written as 2024-01-31")
    if is_words and (parts := _find_parts(present)):
        found.fields["official"] = {"column": name} | parts
        shown = ", ".join(f"{part}: {len(frame[values.isin(v)])}" for part, v in parts.items())
        found.lines.append(f"{name}: names the parts of a split, which is used ({shown} rows)")
        return True
    if len(present) > 20 and present.is_unique and is_whole(present):
        return _drop(found, name, f"another whole number in each row (keep it: --keep {name})")
    try:
        columns.convert_feature(str(options.data), values, False)
    except columns.UnusableColumn as error:
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
    if values.nunique() > len(_PARTS):
        return None
    parts: dict[str, list[Any]] = {}
    for value in values.unique():
        part = next((part for part, words in _PARTS.items() if value.strip().lower() in words), "")
        parts.setdefault(part, []).append(value)
    return parts if {"train", "test"} <= {*parts} and "" not in parts else None


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
    for kind, name, text in find_leaks(features, target, found.task):
        if kind == "group" and (options.group or found.fields.keys() & {"official", "text"}):
            break
        if kind == "group" or options.time is None:
            found.questions.append(f"{text}. {_ASK[kind].format(name)}")
