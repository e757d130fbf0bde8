"""Check and type the columns of a raw table. Nothing here is fitted on the rows.

Encoders, imputers and scalers are part of a trial, which fits them on its training rows.
"""

import datetime
import decimal
import difflib
import numbers
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.dates import DATE
from reseed.core.errors import ReseedError

#: The name that pandas gives to a column without one, such as the index that `to_csv` writes.
_UNNAMED = r"Unnamed: \d+"
_MANY_LEVELS = 50
_YAML_WORDS = ". YAML reads yes, no, on and off as booleans: write such a class in quotes"
_NUMBER = (numbers.Real, np.bool_, decimal.Decimal)


class UnusableColumn(ReseedError):
    """A column that is no feature as it stands: text of the place, the reason and the fix.

    Attributes:
        reason: what the column holds, such as "has a different text in every row".
    """

    def __init__(self, column: str, reason: str, fix: str):
        super().__init__(f"{column} {reason}: {fix}")
        self.reason = reason


def require_column(where: str, frame: pd.DataFrame, name: str, role: str) -> pd.Series:
    """Return a column. Raises ReseedError with the names of similar columns."""
    if name in frame:
        return frame[name]
    similar = difflib.get_close_matches(str(name), map(str, frame.columns), n=3, cutoff=0.5)
    hint = (
        f"did you mean {', '.join(similar)}?" if similar else f"columns: {', '.join(frame.columns)}"
    )
    raise ReseedError(f"{where}: {role} column {name!r} is not in the table; {hint}")


def rank_times(where: str, values: pd.Series) -> np.ndarray:
    """Rank of the time of each row, 0 for the first. Raises ReseedError for rows without one."""
    times = values
    if not pd.api.types.is_numeric_dtype(values.dtype):
        times = pd.to_datetime(values, errors="coerce", format="ISO8601", utc=True)
    if (missing := np.flatnonzero(times.isna())).size:
        raise ReseedError(
            f"{where}: {missing.size} rows have no time in {values.name!r} (first in row "
            f"{missing[0] + 1}): write dates as 2024-01-31, or numbers, or remove these rows"
        )
    return np.unique(times.to_numpy(), return_inverse=True)[1].astype(np.int64)


def is_date(values: pd.Series) -> bool:
    """Whether all present values are dates, as texts such as 2024-01-31."""
    present = values.dropna()
    if pd.api.types.is_datetime64_any_dtype(present.dtype):
        return True
    return bool(len(present)) and all(
        isinstance(one, datetime.date)
        or (isinstance(one, str) and (match := DATE.fullmatch(one)) and match["iso"])
        for one in present
    )


def split_date(where: str, values: pd.Series) -> pd.DataFrame:
    """Parts of dates as numbers: those of year, month, day, weekday and hour that vary."""
    dates = pd.to_datetime(values, errors="coerce", format="ISO8601", utc=True)
    if (bad := np.flatnonzero(dates.isna() & values.notna())).size:
        raise ReseedError(
            f"{where}: column {values.name!r} holds {values.iloc[bad[0]]!r} in row {bad[0] + 1}, "
            "which is no date: correct it, or list the column under drop"
        )
    parts = {
        f"{values.name}_{part}": getattr(dates.dt, part).astype("float64")
        for part in ("year", "month", "day", "weekday", "hour")
    }
    return pd.DataFrame({name: one for name, one in parts.items() if one.nunique() > 1})


def format_label(value: object) -> str:
    """Return a class label as text; 1, 1.0 and "1" of a file or YAML are the same label."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_):
        exact: Any = value  # a float has no room for every integer
        return str(int(exact)) if float(value).is_integer() else repr(float(value))
    return str(value)


def encode_target(
    where: str, values: pd.Series, task: str, positive: object | None
) -> tuple[np.ndarray, list[str] | None]:
    """Return the target as float64 (regression) or int64 codes, and the labels in code order.

    Binary: the positive class has code 1. Without `positive` it is the last in sorted order, as in
    scikit-learn. Raises ReseedError for missing values, for a constant target, and for one that
    does not fit the task.
    """
    column = f"{where}: target column {values.name!r}"
    if positive is not None and task != "binary":
        raise ReseedError(
            f"{column}: positive: {positive!r} names one of two classes; the task is {task}"
        )
    missing = np.flatnonzero(values.isna())
    if missing.size:
        raise ReseedError(
            f"{column} is empty in {missing.size} of {len(values)} rows (first in row "
            f"{missing[0] + 1}): remove these rows"
        )
    if task == "regression":
        return _encode_numbers(column, values), None
    if pd.api.types.is_float_dtype(values.dtype):
        fractional = values[values % 1 != 0]
        if len(fractional) and values.nunique() > _MANY_LEVELS:
            raise ReseedError(
                f"{column} holds {values.nunique()} distinct numbers such as {fractional.iloc[0]}, "
                f"but the task is {task}: set task: regression"
            )
    levels = sorted(values.unique(), key=lambda v: (isinstance(v, str), v))
    classes = list(
        dict.fromkeys(map(format_label, levels))
    )  # 1 and "1" of two files are the same class
    if len(classes) < 2:
        raise ReseedError(f"{column} has one class only ({classes[0]!r}): two are needed")
    if len(classes) > max(_MANY_LEVELS, len(values) / 2):
        raise ReseedError(
            f"{column} has {len(classes)} classes in {len(values)} rows, such as {classes[0]!r}: "
            "classes must repeat. For task: regression write plain numbers, without units"
        )
    if task == "binary" and len(classes) != 2:
        raise ReseedError(
            f"{column} has {len(classes)} classes ({', '.join(classes[:6])}), "
            "but the task is binary: set task: multiclass (or regression)"
        )
    if task == "multiclass" and len(classes) == 2:
        raise ReseedError(f"{column} has two classes ({', '.join(classes)}): set task: binary")
    if task == "binary" and positive is not None:
        if format_label(positive) not in classes:
            raise ReseedError(
                f"{column}: positive: {positive!r} is not one of its classes {', '.join(classes)}"
                + _YAML_WORDS * (isinstance(positive, bool) and not {"True", "False"} & {*classes})
            )
        if classes.index(format_label(positive)) == 0:
            classes = classes[::-1]
    codes = {level: classes.index(format_label(level)) for level in levels}
    return values.map(codes).to_numpy(dtype=np.int64), classes


def _encode_numbers(column: str, values: pd.Series) -> np.ndarray:
    if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype):
        bad = values[pd.to_numeric(values, errors="coerce").isna()] if len(values) else values
        value = bad.iloc[0] if len(bad) else values.iloc[0]
        raise ReseedError(
            f"{column} holds {value!r}, but the task is regression: "
            "set task: binary or multiclass, or correct the column"
        )
    target = values.to_numpy(dtype=np.float64)
    if not np.isfinite(target).all():
        row = int(np.flatnonzero(~np.isfinite(target))[0])
        raise ReseedError(f"{column} holds {target[row]} in row {row + 1}: remove this row")
    if np.ptp(target) == 0:
        raise ReseedError(f"{column} holds one value only ({target[0]}): two are needed")
    return target


def convert_feature(where: str, values: pd.Series, categorical: bool) -> tuple[pd.Series, str]:
    """Return a feature as float64 or text, and its kind (numeric or categorical).

    Raises ReseedError for values that a model cannot use: durations, infinities, other objects.
    """
    column = f"{where}: column {values.name!r}"
    dtype = values.dtype
    if re.fullmatch(_UNNAMED, str(values.name)):
        fix = "is it a row number? List it under drop, or name it"
        raise UnusableColumn(column, "has no name in the file", fix)
    if values.isna().all():
        raise UnusableColumn(column, "holds no values", "list it under drop")
    if pd.api.types.is_timedelta64_dtype(dtype):
        raise UnusableColumn(column, "holds durations", "turn them into numbers or drop it")
    if not categorical and pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise UnusableColumn(column, "holds complex numbers", "split or drop it")
        series = values.astype("float64")
        infinite = np.flatnonzero(np.isinf(series))
        if infinite.size:
            raise ReseedError(
                f"{column} holds {series.iloc[infinite[0]]} in row {infinite[0] + 1}: "
                "replace it by a number or leave it empty"
            )
        return series, "numeric"
    present = values.dropna()
    types = present.map(type).unique()
    if not categorical and all(issubclass(t, _NUMBER) for t in types):
        return values.astype("float64"), "numeric"  # booleans with gaps, decimals
    unusable = [t for t in types if not issubclass(t, (str, *_NUMBER))]
    if unusable:
        holds = f"holds a {unusable[0].__name__} (such as {str(present.iloc[0])!r:.60})"
        fix = "turn it into numbers or text, or list it under drop"
        raise UnusableColumn(column, holds, fix)
    text = present.map(format_label).astype("str")
    if not categorical:
        _check_text(column, text)
    return text.reindex(values.index).astype("str"), "categorical"


def convert_features(
    where: str, frame: pd.DataFrame, categorical: Sequence[str] = ()
) -> pd.DataFrame:
    """Return features as float64 or text, and dates by their parts. Raises ReseedError."""
    typed: dict[str, pd.Series] = {}
    for name, values in frame.items():
        if str(name) not in categorical and is_date(values):
            typed |= dict(split_date(where, values).items())
        else:
            typed[str(name)] = convert_feature(where, values, name in categorical)[0]
    return pd.DataFrame(typed)


def _check_text(column: str, text: pd.Series) -> None:
    """Raise ReseedError for numbers with text among them, and for identifiers."""
    numeric = pd.to_numeric(text, errors="coerce").notna()
    if numeric.mean() >= 0.5:
        bad = text[~numeric]
        example = f"{bad.iloc[0]!r} in row {bad.index[0] + 1}" if len(bad) else repr(text.iloc[0])
        raise ReseedError(
            f"{column} is text, but mostly numbers; {len(bad)} values are not ({example}): "
            "correct them, or list the mark under options.missing, or the column under "
            "options.categorical"
        )
    levels = text.nunique()
    if levels > _MANY_LEVELS and levels == len(text):
        raise UnusableColumn(
            column,
            f"has a different text in every row, such as {text.iloc[0]!r}",
            "is it an identifier? List it under drop, or under options.categorical to keep it",
        )
