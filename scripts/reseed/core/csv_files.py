"""CSV files for people, who may open them in a spreadsheet program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseed.core.atomic import replace_atomically

if TYPE_CHECKING:
    import pandas as pd

#: Characters with which a spreadsheet program starts a formula, or skips to one; also full-width.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


def write_csv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table without its index, in one step, as `format_csv` gives it."""
    with replace_atomically(path) as temporary:
        temporary.write_bytes(format_csv(frame).encode())


def format_csv(frame: pd.DataFrame) -> str:
    """A table without its index as CSV. No cell of text is a formula.

    A text that a spreadsheet program would take for a formula gets a leading apostrophe (OWASP, CSV
    injection). Numbers are written as they are.
    """
    return str(escape_formulas(frame).to_csv(index=False, lineterminator="\n"))


def escape_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before each text that looks like a formula, headers included."""
    escaped = frame.rename(columns=_escape)
    for number, kind in enumerate(frame.dtypes):
        if kind.kind not in "biufcmM":
            cells = frame.iloc[:, number]
            if kind == "str":  # which repeats few texts
                escaped.isetitem(number, cells.map({one: _escape(one) for one in cells.unique()}))
            else:
                escaped.isetitem(number, [_escape(cell) for cell in cells])
    return escaped


def _escape(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    # pandas does not quote a carriage return, and programs start a new row after it.
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) and not _is_number(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
