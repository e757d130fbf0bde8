"""Numbers written as text in a dataset: decimal commas, thousands separators, units."""

from __future__ import annotations

import re
from collections.abc import Collection

import pandas as pd

_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?|[-+]?\d+").fullmatch
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+|[-+]?\d+").fullmatch
#: A number with thousands separators, a currency sign or a percent sign.
_NUMBER_LIKE = re.compile(
    r"[-+]?[$€£]?\s*\d{1,3}(?:[.,' ]?\d{3})*(?:[.,]\d+)?\s*[%$€£]?|[-+]?\d+[.,]?\d*\s*%?"
).fullmatch
#: Share of the distinct cells that look like numbers in a column that a note names.
_MOST_CELLS = 0.9


def convert_decimal_commas(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Numbers of the columns of text in which a comma is the decimal sign, and a note on them.

    A column is converted if all its cells are such numbers and at least one comma cannot separate
    thousands: `1,234` alone stays text.
    """
    converted = {}
    for name in _list_text_columns(frame):
        cells = frame[name].dropna().astype(str).str.strip()
        unique = cells.unique()
        has_decimals = any("," in cell and not _THOUSANDS(cell) for cell in unique)
        if has_decimals and all(map(_DECIMAL_COMMA, unique)):
            numbers = cells.str.replace(",", ".").astype("float64")
            converted[name] = numbers.reindex(frame.index)
    if not converted:
        return frame, []
    names = ", ".join(map(str, converted))
    return frame.assign(**converted), [f"the comma was read as the decimal sign of {names}"]


def describe_number_like_columns(
    frame: pd.DataFrame, categorical: Collection[str] = ()
) -> list[str]:
    """A note that names columns of text whose cells look like numbers: they become categories.

    categorical: columns that are categories by the user's choice, which are not named.
    """
    columns = []
    for name in _list_text_columns(frame):
        cells = [cell for cell in map(str.strip, frame[name].dropna().unique()) if cell]
        other = [cell for cell in cells if not _NUMBER_LIKE(cell)]
        is_named = name not in categorical and bool(cells)
        if is_named and len(other) <= (1 - _MOST_CELLS) * len(cells):
            columns.append(f"{name} ({[*other, *cells][0]!r})")
    if not columns:
        return []
    return [
        f"text that looks like numbers was read as categories: {', '.join(columns)}; write plain "
        "numbers, or name marks of missing values in `missing`"
    ]


def _list_text_columns(frame: pd.DataFrame) -> list[str]:
    is_text = [
        pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype)
        for dtype in frame.dtypes
    ]
    names = [name for name, one in zip(frame.columns, is_text, strict=True) if one]
    return [n for n in names if frame[n].dropna().map(lambda cell: isinstance(cell, str)).all()]
