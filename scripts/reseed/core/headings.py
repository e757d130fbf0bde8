"""What a user may say that the headings, or the rows, of a table of scores are."""

from __future__ import annotations

from typing import Literal, get_args

#: What the headings of columns of scores are; empty: their names say it.
Headings = Literal[
    "", "fold", "seed", "data_seed", "repeat", "repetition", "model", "dataset", "item"
]
#: What a row is, where no column says it; or which of several rows of a run are read: the last, or
#: their mean;
#: empty: a column says it.
Rows = Literal["", "fold", "seed", "data_seed", "repetition", "dataset", "item", "last", "mean"]
HEADINGS: tuple[str, ...] = get_args(Headings)[1:]
ROWS: tuple[str, ...] = get_args(Rows)[1:]
