"""Cells of arms over their seeds: rows as asked for, and a title that names what differs."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.arms import arm_title
from reseed.exhibits.data import ExhibitData

#: What one cell shares, beside its arm.
PLACE = ["experiment", "varied", "dataset", "scheme", "test_ratio", "hyperparameters_source"]
CELL = [*PLACE, "arm"]
_WORDS = {"test_ratio": "test ratio ", "varied": "varied: "}


def chosen(data: ExhibitData, options: dict) -> pd.DataFrame:
    """The analysis's rows of `options["experiments"]` and `options["arms"]` (all if not given)."""
    rows = data.rows(options.get("experiments"))
    if rows.empty or not options.get("arms"):
        return rows
    return rows[rows["arm"].isin(options["arms"])]


def cell_title(data: ExhibitData, rows: pd.DataFrame, cell: pd.Series | dict) -> str:
    """The arm; where arms alone do not tell the cells apart, what differs of dataset and place."""
    parts = [arm_title(data, cell["arm"])]
    names = [name for name in CELL if name in rows]
    if len(rows[names].drop_duplicates()) == rows["arm"].nunique():
        return parts[0]
    for name in PLACE:
        if name not in rows or rows[name].nunique(dropna=False) < 2:
            continue
        if name == "dataset":
            parts.append(data.dataset(cell[name]))
        elif name == "experiment":
            parts.append(data.experiment(cell[name]))
        elif name != "varied" or rows["experiment"].nunique() < 2:
            parts.append(f"{_WORDS.get(name, '')}{cell[name]}")
    return ", ".join(parts)


def cells(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each cell, in order of appearance."""
    keys = [name for name in CELL if name in rows]
    return [
        (cell_title(data, rows, part.iloc[0]), part)
        for _, part in rows.groupby(keys, sort=False, dropna=False)
    ]
