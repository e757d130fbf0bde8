"""Headings of a table: joined of two lines, or named after the one before them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd

from reseed.metrics.directions import infer_direction
from reseed.readers.cells import is_number
from reseed.readers.source_table import UNNAMED_INDEX, SourceTable, join_names

#: Columns of the widest table that is read.
_MOST_COLUMNS = 20_000


def check_table(table: SourceTable) -> SourceTable:
    """The table; raises ReseedError if a column name is repeated or there are no rows."""
    columns = table.frame.columns
    if len(columns) > _MOST_COLUMNS:
        raise table.error(
            f"has {len(columns):,} columns, and at most {_MOST_COLUMNS:,} are read",
            "Give one row a score, with columns of model, run and score.",
        )
    signs = [not (str(name).strip() or _has_words(table.frame.iloc[:, i]))
             for i, name in enumerate(columns)]  # fmt: skip
    if any(signs):  # arrows and ± in columns of their own
        table = replace(table, frame=table.frame.loc[:, ~np.array(signs)])
        columns = table.frame.columns
    repeated = columns[columns.duplicated()]
    if len(repeated) and (joined := _join_headings(table) or _name_repeated(table)) is not None:
        return check_table(joined)
    if len(repeated):
        name = repeated[0]
        what = f"the column {name!r} more than once" if name else "columns without a name"
        table.add_error(f"has {what}", "Name each column once, in the first line.")
    if table.frame.empty:
        table.add_error("holds no rows", "Each run of a model is one row.")
    table.raise_errors()
    return table


def _has_words(cells: pd.Series) -> bool:
    return bool(cells.astype(str).str.contains(r"\w", regex=True).any())


def _join_headings(table: SourceTable) -> SourceTable | None:
    """The table with one line of headings, where its first row continues them; None elsewhere.

    A blank heading continues the one before it, as merged cells of a spreadsheet do.
    """
    rows = [["" if cell is None else str(cell).strip() for cell in row]
            for row in table.frame.head(2).to_numpy()]  # fmt: skip
    if not rows or any(map(is_number, rows[0])) or not all(rows[0][1:]):
        return None
    above, below = [name.strip() for name in table.columns], rows.pop(0)
    filled = [above[0]]
    for name in above[1:]:
        filled.append(name or filled[-1])
    # pandas writes the names of the levels above its index, and the index's name into a line alone.
    of_index = rows and rows[0][0] and not any(rows[0][1:])
    named = [name for name in (above[0], below[0]) if name not in ("", UNNAMED_INDEX)]
    first = rows[0][0] if of_index else named[0] if len(named) == 1 else UNNAMED_INDEX
    pairs = zip(filled[1:], below[1:], strict=True)
    joined = [first, *(f"{a}_{b}" if a else b for a, b in pairs)]
    if len(set(joined)) < len(joined):
        return None
    frame = table.frame.iloc[2 if of_index else 1 :].set_axis(joined, axis=1)
    note = f"Two lines of headings were joined: {join_names(joined[1:])}."
    return table.with_frame(frame, note, two_headings=True)


def _name_repeated(table: SourceTable) -> SourceTable | None:
    """The table whose repeated headings are named after the one before them; None elsewhere.

    So promptfoo's `Status` behind the column of each model. Names of metrics alone that occur twice
    are a mistake.
    """
    count, stem, names = Counter(table.columns), "", []
    for name in table.columns:
        stem = name if count[name] == 1 else stem
        names.append(name if count[name] == 1 else f"{stem} {name}")
    are_scores = all(infer_direction(name) is not None for name in count if count[name] > 1)
    if are_scores or len(set(names)) < len(names) or not all(table.columns):
        return None
    note = "Headings that are repeated were named after the one before them."
    return table.with_frame(table.frame.set_axis(names, axis=1), note)
