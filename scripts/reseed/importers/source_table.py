"""A user's table: it knows in which line a mistake stands, and gathers them to tell at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError

SHOWN = 5
#: Columns that a message lists.
LISTED = 20
#: What stands for the path of a table that is in no file.
IN_MEMORY = "The table"
#: How files write a score that is not there.
MISSING = {"", "nan", "na", "n/a", "null", "none", "-"}
#: How files write whether an item was answered right.
_TRUTH = {"true": 1.0, "false": 0.0}
#: Meant as a number, though it is not written as one: `85.3 %`, `0,91`, `0.85 ± 0.02`.
_PLUS_MINUS = r"(?:±|\+/?-)"
_MEANT = rf"[-+]?\d+(?:[.,]\d+)?\s*%?(?:\s*{_PLUS_MINUS}\s*\d+(?:[.,]\d+)?\s*%?)?"


def few(names: list, most: int = SHOWN) -> str:
    """Names as a list, the first of many."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")


@dataclass(frozen=True)
class Layout:
    """What the tool that wrote a table says of it beyond the names of its columns.

    `run_names`: columns with a run's own name, which serve as the model's if nothing better is
    there. `settings`, `metrics`: beginnings of the names of columns of configuration and of scores.
    `own`: the tool's bookkeeping, in lower case. `tracker`: one row a run; without a seed runs are
    independent. `greater_by_default`: what a metric's direction is where its name does not say;
    `directions`: by metric. `positional`: folds are numbered by position, so repeats are not told.
    `derived`: how model and run were made, where no column of the source holds them.
    """

    format: str = "table"
    tracker: bool = False
    run_names: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    greater_by_default: bool | None = None
    directions: dict[str, bool] = field(default_factory=dict)
    positional: bool = False
    derived: str = ""


@dataclass(frozen=True)
class Table:
    """The columns of a file or frame, rows numbered from 0.

    `where` says where each row stands in the source, counted in `place` (line, row). `mistakes`
    gathers what is wrong until `finish`; `notes` what a reader should know of how it was read. A
    table made of another shares both with it.
    """

    path: str
    frame: pd.DataFrame
    where: np.ndarray
    place: str
    layout: Layout = Layout()
    notes: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)

    def with_frame(self, frame: pd.DataFrame, layout: Layout, *notes: str) -> Table:
        """The same source as another frame, whose index holds row numbers of this one."""
        where = self.where[frame.index.to_numpy()]
        frame = frame.reset_index(drop=True)
        self.notes.extend(notes)
        return replace(self, frame=frame, where=where, layout=layout)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.frame.columns)

    @property
    def holds(self) -> str:
        """What columns it has, for a message."""
        return f"It has {few(self.columns, LISTED)}."

    def mistake(self, what: str, fix: str, rows: Iterable[int] = ()) -> None:
        """Note a mistake: its rows, what is wrong, the fix."""
        lines = list(dict.fromkeys(self.where[row] for row in rows))
        where = f"({self._lines(lines)}): " if lines else ""
        text = f"{where}{what}. {fix}"
        if text not in self.mistakes:
            self.mistakes.append(text)

    def refuse(self, what: str, fix: str, rows: Iterable[int] = ()) -> ReseedError:
        """The error of this mistake and of all noted before it."""
        self.mistake(what, fix, rows)
        return self._error()

    def finish(self) -> None:
        """Raise the one ReseedError of all mistakes noted, if there are any."""
        if self.mistakes:
            raise self._error()

    def _error(self) -> ReseedError:
        if len(self.mistakes) == 1:
            text = self.mistakes[0]
            return ReseedError(f"{self.path}{' ' if text.startswith('(') else ': '}{text}")
        lines = [f"  {number}. {text}" for number, text in enumerate(self.mistakes, 1)]
        return ReseedError("\n".join([f"{self.path} has {len(lines)} mistakes:", *lines]))

    def _lines(self, lines: list) -> str:
        """`line 3` or `lines 3, 4, 5, 6, 7 and 12 more`."""
        shown = ", ".join(str(line) for line in lines[:SHOWN])
        more = f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
        return f"{self.place}{'s' if len(lines) > 1 else ''} {shown}{more}"

    def numbers(self, column: str) -> pd.Series:
        """A column as numbers; NaN where the file has none. Text that is no number is a mistake.

        True and False, where there is nothing else, are 1 and 0.
        """
        values = self.frame[column]
        if pd.api.types.is_numeric_dtype(values):
            return values.astype(np.float64)
        text = self.text(column)
        lower = text.str.lower()
        missing = lower.isin(MISSING)
        if lower[~missing].isin(_TRUTH).all():
            return lower.map(_TRUTH).astype(np.float64)
        try:
            return text.where(~missing, "nan").astype(np.float64)
        except ValueError:
            numbers = pd.to_numeric(text.where(~missing), errors="coerce").astype(np.float64)
            bad = numbers.isna() & ~missing
            for value in text[bad].head(1):
                self.mistake(*_no_number(column, value), text.index[bad])
            return numbers

    def as_numbers(self, columns: Iterable[str]) -> pd.DataFrame:
        """The frame with these columns as `numbers`, whose mistakes name them before they are
        stacked into one."""
        return self.frame.assign(**{column: self.numbers(column) for column in columns})

    def text(self, column: str) -> pd.Series:
        """A column as text without surrounding blanks; empty where the file has nothing."""
        values = self.frame[column]
        return values.astype(object).where(values.notna(), "").astype(str).str.strip()

    def joined_text(self, columns: Iterable[str]) -> pd.Series:
        """Several columns as one text, equal where they are equal in each."""
        return reduce(lambda left, right: left + "\x1f" + right, map(self.text, columns))

    def is_numeric(self, column: str, lenient: bool = False) -> bool:
        """Whether a column holds numbers; `lenient`: some, so that a slip hides no metric."""
        values = self.frame[column]
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            return bool(values.notna().any())
        text = self.text(column)
        parsed = pd.to_numeric(text, errors="coerce").notna()
        present = ~text.str.lower().isin(MISSING)
        if lenient:
            return bool(((parsed | text.str.fullmatch(_MEANT)) & present).any())
        return bool(parsed.any() and parsed[present].all())


def _no_number(column: str, value: str) -> tuple[str, str]:
    """What is wrong with a cell, and the fix."""
    holds = f"column {column!r} holds {value!r}, which is"
    if re.search(_PLUS_MINUS, value):
        fix = (
            "Give the runs behind it, each in a row with its seed or fold. What means with their "
            "SD alone show, `reseed means` says (in Python `reseed.compare_means`)."
        )
        return f"{holds} a mean with its spread, not a run", fix
    return f"{holds} not a number", (
        "Write plain numbers with a decimal point (0.853, not 85.3 % or 0,853), and leave the cell "
        "empty where a run failed."
    )
