"""A user's table with the line of each row; errors are collected and raised at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.plain_text import CONTROLS, show_controls
from reseed.readers.cells import (
    GRADES,
    MISSING,
    describe_bad_number,
    find_marks,
    is_nearly_number,
    is_number,
    read_percentages,
    read_written,
)
from reseed.readers.proposals import FirstOf, Fix, Problem, Proposal, TableError

#: Names, and rows, that a message shows before it counts the rest.
MAX_SHOWN = 5
#: Columns that a message lists.
MAX_COLUMNS_SHOWN = 20
#: `path` of a table that was not read from a file.
IN_MEMORY = "The table"
#: Name that pandas gives to an index without a name that was written as a column.
UNNAMED = re.compile(r"Unnamed: \d+")
UNNAMED_INDEX = "Unnamed: 0"
_SURROGATE = re.compile("[\ud800-\udfff]")


def join_names(names: Sequence[Any], most: int = MAX_SHOWN) -> str:
    """The first `most` names as one text, with `…` if there are more."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")


@dataclass(frozen=True)
class Layout:
    """What the tool that wrote a table defines beyond the names of its columns.

    format: a value of the option `format`.
    is_tracker: one row a run; runs without a seed are independent of each other.
    is_log: a log of an evaluation harness; what it states of `directions` is not overruled.
    run_name_columns: columns with a run's name, used as the model if there is nothing better.
    setting_prefixes, metric_prefixes: prefixes of columns of configuration and of scores.
    bookkeeping: the tool's own columns, in lower case.
    greater_by_default: direction of metrics whose name does not state it.
    directions: direction by metric, as the tool states it.
    two_headings: headings were joined of two lines.
    is_positional: folds are numbered by position, so that repeats cannot be recognised.
    derived: how model and run were derived, if no column of the source holds them.
    """

    format: str = "table"
    is_tracker: bool = False
    is_log: bool = False
    run_name_columns: tuple[str, ...] = ()
    setting_prefixes: tuple[str, ...] = ()
    metric_prefixes: tuple[str, ...] = ()
    bookkeeping: frozenset[str] = frozenset()
    greater_by_default: bool | None = None
    directions: dict[str, bool] = field(default_factory=dict)
    two_headings: bool = False
    is_positional: bool = False
    derived: str = ""


@dataclass(frozen=True)
class SourceTable:
    """The columns of a file or frame, rows numbered from 0.

    path: the file, or `IN_MEMORY`.
    row_labels: where each row is in the source, counted in `row_noun` (line, row, file).
    notes: how the table was read.
    problems: what is wrong, until `raise_errors`. Tables derived from this one share these lists.
    """

    path: str
    frame: pd.DataFrame
    row_labels: np.ndarray
    row_noun: str
    layout: Layout = Layout()
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _texts: dict[str, pd.Series] = field(init=False, repr=False, default_factory=dict)
    _numeric: dict[tuple[str, bool], bool] = field(init=False, repr=False, default_factory=dict)

    def with_frame(self, frame: pd.DataFrame, *notes: str, **layout: Any) -> SourceTable:
        """The same source with another frame, whose index holds row numbers of this one.

        layout: fields of its layout that change.
        """
        row_labels = self.row_labels[frame.index.to_numpy()]
        frame = frame.reset_index(drop=True)
        self.notes.extend(notes)
        changed = replace(self.layout, **layout)
        return replace(self, frame=frame, row_labels=row_labels, layout=changed)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.frame.columns)

    @property
    def unnamed(self) -> list[str]:
        """Columns that pandas wrote for an index without a name."""
        return [*filter(UNNAMED.fullmatch, self.columns)]

    @property
    def column_list(self) -> str:
        """A sentence that lists the columns."""
        return f"It has {join_names(self.columns, MAX_COLUMNS_SHOWN)}."

    def ask(self, what: str, fix: Fix, rows: Iterable[Any] = ()) -> None:
        """Collect an error that is a question: it is known what the table holds, but not this."""
        self.add_error(what, fix, rows, is_question=True)

    def add_error(
        self, what: str, fix: Fix, rows: Iterable[Any] = (), is_question: bool = False
    ) -> None:
        """Collect an error: what is wrong, how to fix it, and in which rows."""
        labels = list(dict.fromkeys(self.row_labels[row] for row in rows))
        sentences = (fix,) if isinstance(fix, str | Proposal | FirstOf) else tuple(fix)
        where = self._format_rows(labels) if labels else ""
        problem = Problem(what, sentences, where, is_question)
        if problem not in self.problems:
            self.problems.append(problem)

    def error(self, what: str, fix: Fix, rows: Iterable[Any] = ()) -> TableError:
        """One error of this problem and of all collected before it, to be raised."""
        self.add_error(what, fix, rows)
        return TableError(self.path, self.problems)

    def raise_errors(self) -> None:
        """Raise one ReseedError of all collected errors, if there are any."""
        if self.problems:
            raise TableError(self.path, self.problems)

    def _format_rows(self, labels: list[Any]) -> str:
        """`line 3` or `lines 3, 4, 5, 6, 7 and 12 more`."""
        shown = ", ".join(str(label) for label in labels[:MAX_SHOWN])
        more = f" and {len(labels) - MAX_SHOWN} more" if len(labels) > MAX_SHOWN else ""
        return f"{self.row_noun}{'s' if len(labels) > 1 else ''} {shown}{more}"

    def numbers(self, column: str) -> pd.Series:
        """A column as numbers, NaN where a cell is empty; other text is an error.

        A column of nothing but True and False (pass and fail, …) becomes 1 and 0, one of Inspect's
        grades a share, and so does one of percentages with their sign.
        """
        values = self.frame[column]
        if pd.api.types.is_any_real_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
            return values.astype(np.float64)
        text = self.text(column)
        lower = text.str.lower()
        missing = lower.isin(MISSING)
        if marks := find_marks(lower[~missing]):
            return lower.map(marks).astype(np.float64)
        if self.holds_grades(column):
            self._note(f"Column {column!r} was read as grades: {_describe_grades(text)}.")
            return text.map(GRADES).astype(np.float64)
        present = text[~missing]
        if (plain := self._read_present(column, present)) is not None:
            return pd.Series(plain, present.index).astype(np.float64).reindex(text.index)
        numbers = pd.to_numeric(text.where(~missing), errors="coerce").astype(np.float64)
        bad = numbers.isna() & ~missing
        for value in text[bad].head(1):
            self.add_error(*describe_bad_number(column, value), text.index[bad])
        return numbers

    def _read_present(self, column: str, text: pd.Series) -> list[str] | None:
        """Cells as texts of numbers, with a note on what was changed; None if one is no number."""
        cells = text.to_list()
        if all(map(is_number, cells)):
            return cells
        # Percentages are shares, unless the heading has their sign too.
        if (shares := read_percentages(cells, "%" not in column)) is not None:
            if "%" not in column:
                self._note(
                    f"Column {column!r} holds percentages and was read as shares ({cells[0]})."
                )
            return shares
        if (written := read_written(cells)) is None:
            return None
        if written.left_out:
            self._note(f"Column {column!r} was read without {written.left_out}.")
        return written.cells

    def _note(self, text: str) -> None:
        """Add a note that is not there yet: a column may be read several times."""
        if text not in self.notes:
            self.notes.append(text)

    def holds_grades(self, column: str) -> bool:
        """Whether a column holds grades of Inspect and nothing else: greater is better."""
        cells = {*self.text(column).unique()}
        others = cells - {*GRADES}
        return bool({"C", "I"} & cells) and {cell.lower() for cell in others} <= MISSING

    def holds_hits(self, column: str) -> bool:
        """Whether a column holds 0 and 1, or marks of right and wrong, in every cell."""
        cells = {*self.text(column).unique()}
        return cells <= {"0", "1", "0.0", "1.0"} or bool(find_marks(map(str.lower, cells)))

    def with_numbers(self, columns: Iterable[str]) -> pd.DataFrame:
        """The frame with these columns as `numbers`, so that errors name the original column."""
        return self.frame.assign(**{column: self.numbers(column) for column in columns})

    def text(self, column: str) -> pd.Series:
        """A column as text without surrounding blanks; empty where a cell is missing."""
        if column not in self._texts:
            values = self.frame[column].astype(object)
            cells = [
                "" if missing else str(cell).strip()
                for cell, missing in zip(values, values.isna(), strict=True)
            ]
            shown = [show_controls(cell) if CONTROLS.search(cell) else cell for cell in cells]
            if any(map(_SURROGATE.search, shown)):  # no file can hold half a character
                shown = [_SURROGATE.sub("?", cell) for cell in shown]
            self._texts[column] = pd.Series(shown, values.index, dtype="str")
        return self._texts[column]

    def joined_text(self, columns: Iterable[str]) -> pd.Series:
        """Several columns as one text, equal where all of them are equal."""
        return reduce(lambda left, right: left + "\x1f" + right, map(self.text, columns))

    def is_whole(self, column: str) -> bool:
        """Whether a column holds whole numbers alone."""
        numbers = pd.to_numeric(self.text(column), errors="coerce")
        return bool((numbers % 1 == 0).all())

    def is_numeric(self, column: str, lenient: bool = False) -> bool:
        """Whether a column holds numbers; `lenient`: whether at least one cell is nearly one."""
        key = (column, lenient)
        if key not in self._numeric:
            self._numeric[key] = self._find_numeric(column, lenient)
        return self._numeric[key]

    def _find_numeric(self, column: str, lenient: bool) -> bool:
        values = self.frame[column]
        if pd.api.types.is_any_real_numeric_dtype(values):
            return bool(values.notna().any())
        present = [cell for cell in self.text(column) if cell.lower() not in MISSING]
        if lenient and any(map(is_nearly_number, present)):
            return True
        return bool(present) and (
            all(map(is_number, present))
            or read_percentages(present, are_shares=False) is not None
            or read_written(present) is not None
        )


def _describe_grades(text: pd.Series) -> str:
    """The grades that occur with their scores: `C is 1, I is 0`."""
    return ", ".join(f"{grade} is {value:g}" for grade, value in GRADES.items() if grade in {*text})
