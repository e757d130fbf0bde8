"""Check and type the columns of a raw table. Nothing here is learnt from the rows' values.

Encoders, imputers and scalers belong to the trial, where they are fitted on its training rows.
"""

import decimal
import difflib
import numbers
import re

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError

# What pandas calls a column without a name, as `to_csv` writes the index.
_NAMELESS = r"Unnamed: \d+"
_DATE = r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?"
_MANY_LEVELS = 50
_YAML_WORDS = ". YAML reads yes, no, on and off as truth values: write such a class in quotes"
_NUMBER = (numbers.Real, np.bool_, decimal.Decimal)


def require_column(where: str, frame: pd.DataFrame, name: str, role: str) -> pd.Series:
    """The column, or an error that names the nearest ones."""
    if name in frame:
        return frame[name]
    near = difflib.get_close_matches(str(name), map(str, frame.columns), n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"columns: {', '.join(frame.columns)}"
    raise ReseedError(f"{where}: {role} column {name!r} is not in the table; {hint}")


def format_label(value: object) -> str:
    """A class label as text: 1, 1.0, True and "1" of a file or a YAML mean what they show."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def encode_target(
    where: str, values: pd.Series, task: str, positive: object | None
) -> tuple[np.ndarray, list[str] | None]:
    """Target as float64 (regression) or int64 codes, and the class labels in code order.

    Binary: the positive class is code 1; without ``positive`` it is the last in sorted order, as in
    scikit-learn. Raises ReseedError on missing values, a constant target or one unfit for the task.
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
        return _numbers_target(column, values), None
    if pd.api.types.is_float_dtype(values.dtype):
        fractional = values[values % 1 != 0]
        if len(fractional) and values.nunique() > _MANY_LEVELS:
            raise ReseedError(
                f"{column} holds {values.nunique()} distinct numbers such as {fractional.iloc[0]}, "
                f"but the task is {task}: set task: regression"
            )
    levels = sorted(values.unique(), key=lambda v: (isinstance(v, str), v))
    classes = list(dict.fromkeys(map(format_label, levels)))  # 1 and "1" of two files are one class
    if len(classes) < 2:
        raise ReseedError(f"{column} has one class only ({classes[0]!r}): nothing to learn")
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
                f"{column}: positive: {positive!r} is none of its classes {', '.join(classes)}"
                + _YAML_WORDS * (isinstance(positive, bool) and not {"True", "False"} & {*classes})
            )
        if classes.index(format_label(positive)) == 0:
            classes = classes[::-1]
    codes = {level: classes.index(format_label(level)) for level in levels}
    return values.map(codes).to_numpy(dtype=np.int64), classes


def _numbers_target(column: str, values: pd.Series) -> np.ndarray:
    if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype):
        bad = values[pd.to_numeric(values, errors="coerce").isna()] if len(values) else values
        found = bad.iloc[0] if len(bad) else values.iloc[0]
        raise ReseedError(
            f"{column} holds {found!r}, but the task is regression: "
            "set task: binary or multiclass, or mend the column"
        )
    target = values.to_numpy(dtype=np.float64)
    if not np.isfinite(target).all():
        row = int(np.flatnonzero(~np.isfinite(target))[0])
        raise ReseedError(f"{column} holds {target[row]} in row {row + 1}: remove this row")
    if np.ptp(target) == 0:
        raise ReseedError(f"{column} holds one value only ({target[0]}): nothing to learn")
    return target


def convert_feature(where: str, values: pd.Series, categorical: bool) -> tuple[pd.Series, str]:
    """The feature as float64 or text, and its kind; refuses what a model could not use."""
    column = f"{where}: column {values.name!r}"
    dtype = values.dtype
    if re.fullmatch(_NAMELESS, str(values.name)):
        raise ReseedError(
            f"{column} has no name in the file: a row number that was written along? List it under "
            "drop, or give it a name"
        )
    if values.isna().all():
        raise ReseedError(f"{column} holds no value at all: list it under drop")
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        raise _is_date(column, values.dropna().iloc[0])
    if not categorical and pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise ReseedError(f"{column} holds complex numbers: split or drop it")
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
        return values.astype("float64"), "numeric"  # truth values with gaps, decimals
    odd = [t for t in types if not issubclass(t, (str, *_NUMBER))]
    if odd:
        raise ReseedError(
            f"{column} holds a {odd[0].__name__} (such as {str(present.iloc[0])!r:.60}): "
            "turn it into numbers or text, or list it under drop"
        )
    text = present.map(format_label).astype("str")
    if not categorical:
        _refuse_unlikely_text(column, text)
    return text.reindex(values.index).astype("str"), "categorical"


def _refuse_unlikely_text(column: str, text: pd.Series) -> None:
    if text.str.fullmatch(_DATE).all():
        raise _is_date(column, text.iloc[0])
    numeric = pd.to_numeric(text, errors="coerce").notna()
    if numeric.mean() >= 0.5:
        bad = text[~numeric]
        found = f"{bad.iloc[0]!r} in row {bad.index[0] + 1}" if len(bad) else repr(text.iloc[0])
        raise ReseedError(
            f"{column} is text, but mostly numbers; {len(bad)} values are not ({found}): mend "
            "them, name the mark under options.missing, or the column under options.categorical"
        )
    levels = text.nunique()
    if levels > _MANY_LEVELS and levels == len(text):
        raise ReseedError(
            f"{column} has a different text in every row, such as {text.iloc[0]!r}: an identifier? "
            "List it under drop, or under options.categorical to keep it"
        )


def _is_date(column: str, found: object) -> ReseedError:
    return ReseedError(
        f"{column} holds dates ({str(found)!r}): a model needs numbers. List it under drop, "
        "or put what matters (year, month, hour, days since …) into columns of its own"
    )
