"""Headings of a table: joined of two lines, or named after the one before them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pandas as pd

from reseed.readers.cells import MISSING, is_number
from reseed.readers.names import ALL_RUN_COLUMNS, find_role
from reseed.readers.source_table import UNNAMED_INDEX, SourceTable, join_names

#: The start of a footnote: a sign, or a word for one.
_REMARK = re.compile(r"[*†‡§¶#(]|(notes?|sources?|legend|n\.b\.)\b", re.I)
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
    if len(columns) > 2 and (remarks := _count_remarks(table.frame)):
        note = f"Left out below the table: {table.frame.iloc[-remarks, 0]!r}."
        table = table.with_frame(table.frame.iloc[:-remarks], note)
        columns = table.frame.columns
    repeated = columns[columns.duplicated()]
    if len(repeated) and (joined := _join_headings(table)) is not None:
        return check_table(joined)
    if len(repeated):
        name = repeated[0]
        what = f"the column {name!r} more than once" if name else "columns without a name"
        table.add_error(f"has {what}", "Name each column once, in the first line.")
    if table.frame.empty:
        table.add_error("holds no rows", "Each run of a model is one row.")
    table.raise_errors()
    return table


def _count_remarks(frame: pd.DataFrame) -> int:
    """Last rows with a footnote in the first cell, and nothing in the others."""
    count = 0
    for first, *others in frame.iloc[::-1].itertuples(index=False):
        is_alone = all(str(cell).strip().lower() in MISSING for cell in others)
        if not (is_alone and _REMARK.match(str(first).strip())):
            break
        count += 1
    return count


def _has_words(cells: pd.Series) -> bool:
    return bool(cells.astype(str).str.contains(r"\w", regex=True).any())


def _join_headings(table: SourceTable) -> SourceTable | None:
    """The table with one line of headings, where its first row continues them; None elsewhere.

    A blank heading continues the one before it, as merged cells of a spreadsheet do.
    """
    rows = [["" if cell is None else str(cell).strip() for cell in row]
            for row in table.frame.head(2).to_numpy()]  # fmt: skip
    if not rows:
        return None
    above, below = [name.strip() for name in table.columns], rows.pop(0)
    # pandas writes the names of the levels above its index, and those of the index into a line.
    of_index = [*takewhile(bool, rows[0])] if rows and not rows[0][-1] else []
    width = len(of_index) or 1
    numbers = any(map(is_number, below))
    role = find_role(below[0])
    is_run = role is not None and role[0] in ALL_RUN_COLUMNS  # `seed, 0, 1, 0, 1`
    if not all(below[width:]) or (numbers and not is_run):
        return None
    filled = above[width - 1 : width]
    for name in above[width:]:
        filled.append(name or filled[-1])
    names = (above[0], "" if numbers else below[0])
    named = [name for name in names if name not in ("", UNNAMED_INDEX)]
    index = of_index or [named[0] if len(named) == 1 else UNNAMED_INDEX]
    runs = f"{below[0]} " if numbers else ""
    pairs = zip(filled[1:], below[width:], strict=True)
    joined = [*index, *(f"{a}_{runs}{b}" if a else b for a, b in pairs)]
    if len(set(joined)) < len(joined):
        return None
    frame = table.frame.iloc[2 if of_index else 1 :].set_axis(joined, axis=1)
    note = f"Two lines of headings were joined: {join_names(joined[width:])}."
    return table.with_frame(frame, note)
