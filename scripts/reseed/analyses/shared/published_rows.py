"""Numbers that papers 2 and 3 printed, put beside the arms that carry them here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reseed.core.errors import ReseedError


def read_published(folder: Path | None, name: str, columns: Sequence[str]) -> pd.DataFrame:
    """A table of published numbers; ReseedError where it is not there or lacks a column."""
    path = Path(folder or ".") / f"{name}.csv"
    if folder is None or not path.is_file():
        held = ", ".join(sorted(p.stem for p in Path(folder).glob("*.csv"))) if folder else "none"
        raise ReseedError(f"published table {name!r} is not in {folder}: it holds {held}")
    table = pd.read_csv(path)
    absent = [column for column in columns if column not in table]
    if absent:
        raise ReseedError(f"{path} lacks the columns {absent}")
    return table


def published_row(table: pd.DataFrame, where: dict) -> pd.Series | None:
    """The one row of a published table with these values; None where there is none.

    Raises ReseedError for a column that the table does not have.
    """
    for column in where:
        if column not in table:
            raise ReseedError(f"published numbers have no column {column!r}: {list(table)}")
    chosen = table
    for column, value in where.items():
        chosen = chosen[chosen[column].astype(str) == str(value)]
    return chosen.iloc[0] if len(chosen) else None
