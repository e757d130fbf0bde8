"""A user's table with the line of each row; errors are collected and raised at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reseed.core.dates import DATE
from reseed.core.plain_text import CONTROLS, show_controls
from reseed.readers.cells import (
    MISSING,
    describe_bad_number,
    find_marks,
    is_number,
    read_percentages,
    read_written,
)
from reseed.readers.names import ALL_RUN_COLUMNS, Label, find_metric, parse_label
from reseed.readers.question import Part, Problem, TableError

#: Names, and rows, that a message shows before it counts the rest.
MAX_SHOWN = 5
#: Columns that a message lists.
MAX_COLUMNS_SHOWN = 20
#: `path` of a table that was not read from a file.
IN_MEMORY = "The table"
#: Name that pandas gives to an index without a name that was written as a column.
UNNAMED = re.compile(r"Unnamed: \d+")
UNNAMED_INDEX = "Unnamed: 0"
#: A column that differs so much in size from most holds something else.
_SIZE = 10
_SURROGATE = re.compile("[\ud800-\udfff]")


def join_names(names: Sequence[Any], most: int = MAX_SHOWN) -> str:
    """The first `most` names as one text, with `…` if there are more."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")


@dataclass(frozen=True)
class Layout:
    """What is known of a table beyond its columns.

    format: the layout, or the tool whose files were converted.
    is_log: a log of an evaluation harness; what it states of `directions` is not overruled.
    directions: direction by metric, as the source states it.
    is_positional: folds are numbered by position, so that repeats cannot be recognised.
    derived: how model and run were derived, if no column of the source holds them.
    stated: Reseed's name → the column that the source itself states: a converter, or a path.
    files: the number of files. parts: what is open in their paths.
    """

    format: str = "table"
    is_log: bool = False
    directions: Mapping[str, bool] = field(default_factory=dict)
    is_positional: bool = False
    derived: str = ""
    stated: Mapping[str, str] = field(default_factory=dict)
    files: int = 1
    parts: tuple[Part, ...] = ()


class Parsed(NamedTuple):
    """A column as numbers: None if it holds none; `bad`: text among more numbers.

    are_hits: nothing but yes and no, true and false, or the like. note: what was changed.
    """

    numbers: pd.Series | None
    are_hits: bool = False
    note: str = ""
    bad: pd.Series | None = None


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
    _parsed: dict[str, Parsed] = field(init=False, repr=False, default_factory=dict)
    _coded: dict[str, tuple[np.ndarray, pd.Index]] = field(
        init=False, repr=False, default_factory=dict
    )

    def with_frame(self, frame: pd.DataFrame, *notes: str, **layout: Any) -> SourceTable:
        """The same source with another frame, whose index holds row numbers of this one.

        layout: fields of its layout that change.
        """
        row_labels = self.row_labels[frame.index.to_numpy()]
        frame = frame.reset_index(drop=True)
        self.notes.extend(notes)
        changed = replace(self.layout, **layout)
        return replace(self, frame=frame, row_labels=row_labels, layout=changed)

    def assign(self, **columns: Any) -> SourceTable:
        """The table with more columns, or others in their place."""
        return self._share(replace(self, frame=self.frame.assign(**columns)), {*columns})

    def copy(self) -> SourceTable:
        """The same table, with notes and problems of its own."""
        return self._share(replace(self, notes=[], problems=[]))

    def _share(self, table: SourceTable, changed: Set[str] = frozenset()) -> SourceTable:
        """A table that knows what this one knows of columns that did not change."""
        for name in ("_texts", "_parsed", "_coded"):
            own = getattr(self, name)
            getattr(table, name).update({c: own[c] for c in own.keys() - changed})
        return table

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.frame.columns)

    @property
    def column_list(self) -> str:
        """A sentence that lists the columns."""
        return f"It has {join_names(self.columns, MAX_COLUMNS_SHOWN)}."

    def note(self, text: str) -> None:
        """Add a note that is not there yet."""
        if text not in self.notes:
            self.notes.append(text)

    def add_error(self, what: str, fix: str | Iterable[str], rows: Iterable[Any] = ()) -> None:
        """Collect an error: what is wrong, how to fix it, and in which rows."""
        labels = list(dict.fromkeys(self.row_labels[row] for row in rows))
        text = fix if isinstance(fix, str) else " ".join(filter(None, fix))
        shown = ", ".join(str(label) for label in labels[:MAX_SHOWN])
        more = f" and {len(labels) - MAX_SHOWN} more" if len(labels) > MAX_SHOWN else ""
        where = f"{self.row_noun}{'s' if len(labels) > 1 else ''} {shown}{more}" if labels else ""
        problem = Problem(what, text, where)
        if problem not in self.problems:
            self.problems.append(problem)

    def error(self, what: str, fix: str | Iterable[str], rows: Iterable[Any] = ()) -> TableError:
        """One error of this problem and of all collected before it, to be raised."""
        self.add_error(what, fix, rows)
        return TableError(self.path, self.problems)

    def raise_errors(self) -> None:
        """Raise one ReseedError of all collected errors, if there are any."""
        if self.problems:
            raise TableError(self.path, self.problems)

    def parse(self, column: str) -> Parsed:
        """A column as numbers, if every cell that is not missing is one, or a mark."""
        if column not in self._parsed:
            self._parsed[column] = self._parse(column)
        return self._parsed[column]

    def _parse(self, column: str) -> Parsed:
        values = self.frame[column]
        if pd.api.types.is_bool_dtype(values):
            return Parsed(values.astype(np.float64), are_hits=True)
        if pd.api.types.is_any_real_numeric_dtype(values):
            return Parsed(values.astype(np.float64) if values.notna().any() else None)
        # Equal cells are read once: a million rows have few models, seeds or marks.
        text = self.text(column)
        codes, levels = self._code(column)
        is_known = np.array([level.lower() not in MISSING for level in levels], dtype=bool)
        cells, note = levels[is_known].tolist(), ""
        if not cells:
            return Parsed(None)

        def parsed(numbers: Iterable[Any], **facts: Any) -> Parsed:
            by_level = np.full(len(levels), np.nan)
            by_level[is_known] = [float(one) for one in numbers]
            return Parsed(pd.Series(by_level[codes], text.index), **facts)

        if marks := find_marks({cell.lower() for cell in cells}):
            return parsed((marks[cell.lower()] for cell in cells), are_hits=True)
        plain: Sequence[str] | None = cells if all(map(is_number, cells)) else None
        # Percentages are shares, unless the heading has their sign too.
        if plain is None:
            plain = read_percentages(cells, "%" not in column)
            if plain is not None and "%" not in column:
                note = f"Column {column!r} holds percentages and was read as shares ({cells[0]})."
        if plain is None and (written := read_written(cells)) is not None:
            plain, left_out = written
            note = f"Column {column!r} was read without {left_out}." if left_out else ""
        if plain is not None:
            return parsed(plain, note=note)
        is_bad = np.array([not is_number(level) for level in levels]) & is_known
        bad = text[is_bad[codes]]
        return Parsed(None, bad=bad if len(bad) <= 0.5 * is_known[codes].sum() else None)

    def numbers(self, column: str) -> pd.Series:
        """A column as numbers, NaN where a cell is empty; other text is an error."""
        parsed = self.parse(column)
        if parsed.note:
            self.note(parsed.note)
        if parsed.numbers is not None:
            return parsed.numbers
        text = self.text(column)
        bad = text[~(text.str.lower().isin(MISSING) | text.map(is_number))]
        for value in bad.head(1):
            self.add_error(*describe_bad_number(column, value), bad.index)
        return pd.to_numeric(text, errors="coerce").astype(np.float64)

    def is_numeric(self, column: str) -> bool:
        """Whether a column holds numbers."""
        return self.parse(column).numbers is not None

    def text(self, column: str) -> pd.Series:
        """A column as text without surrounding blanks; empty where a cell is missing."""
        if column not in self._texts:
            cells = levels = self.frame[column]
            codes = np.arange(len(cells))
            # Values of several types may be equal and yet different as text, as 1 and True are.
            if cells.dtype != object or pd.api.types.infer_dtype(cells, skipna=False) == "string":
                codes, index = pd.factorize(cells)
                levels = index.to_series()
            known = zip(levels.astype(object), levels.notna(), strict=True)
            texts = [*(str(one).strip() if is_known else "" for one, is_known in known), ""]
            shown = [show_controls(one) if CONTROLS.search(one) else one for one in texts]
            if any(map(_SURROGATE.search, shown)):  # no file can hold half a character
                shown = [_SURROGATE.sub("?", one) for one in shown]
            is_kept = cells.dtype == "str" and shown[:-1] == [*levels]
            self._texts[column] = (
                cells if is_kept and cells.notna().all()
                else pd.Series(shown, dtype="str").take(codes).set_axis(cells.index)
            )  # fmt: skip
        return self._texts[column]

    def _code(self, column: str) -> tuple[np.ndarray, pd.Index]:
        """The number of each row's label, and the labels."""
        if column not in self._coded:
            self._coded[column] = pd.factorize(self.text(column))
        return self._coded[column]

    def labels(self, column: str) -> list[str]:
        """The different texts of a column, in their order; one may be empty."""
        return list(self._code(column)[1])

    def groups(self, columns: Iterable[str]) -> pd.Series:
        """A number for each row, equal where rows are equal in all of these columns."""
        keys = [self._code(column)[0] for column in columns]
        if not keys:
            return pd.Series(0, self.frame.index)
        return self.frame.groupby(keys, sort=False).ngroup()

    def is_unique(self, columns: Sequence[str]) -> bool:
        """Whether no two rows are equal in these columns."""
        return not self.groups(columns).duplicated().any()

    def levels(self, column: str) -> int:
        """Number of different labels; missing ones do not count."""
        return len({*self.labels(column)} - {""})

    def are_hits(self, column: str) -> bool:
        """Whether a column holds nothing but yes and no, or the like."""
        return self.parse(column).are_hits

    def has_fractions(self, column: str) -> bool:
        """Whether a column holds numbers that are not whole."""
        numbers = self.parse(column).numbers
        return numbers is not None and bool((numbers.dropna() % 1 != 0).any())

    def counts_rows(self, column: str) -> bool:
        """Whether a column holds consecutive whole numbers, each once: labels, no scores."""
        numbers = self.parse(column).numbers
        return (
            numbers is not None and not self.are_hits(column) and len(numbers) > 2
            and bool((numbers.diff().iloc[1:] == 1).all())
        )  # fmt: skip

    def are_dates(self, column: str) -> bool:
        """Whether all labels of a column are dates, with or without a time."""
        return all(map(DATE.fullmatch, self.labels(column)))

    def may_label(self, column: str) -> bool:
        """Whether a column may name rows: it varies, and holds no fractions and no marks."""
        return (
            not self.has_fractions(column) and not self.are_hits(column)
            and find_metric(column) is None and self.levels(column) > 1
        )  # fmt: skip

    def may_number(self, column: str) -> bool:
        """Whether a column may count runs: whole numbers, or labels such as `Fold01`."""
        if self.is_numeric(column):
            return not self.has_fractions(column)
        labels = map(parse_label, self.labels(column))
        return all(label.runs and not label.rest for label in labels)

    def read_runs(self, column: str) -> dict[str, Label]:
        """What the labels of a column say, if all name the same runs; else empty."""
        labels = {text: parse_label(text) for text in self.labels(column)}
        kinds = {frozenset(one.runs) for one in labels.values()}
        kind = kinds.pop() if len(kinds) == 1 else frozenset()
        return labels if kind and kind <= {*ALL_RUN_COLUMNS} else {}

    def kind(self, column: str) -> str:
        """`hits` (0 and 1 alone), `whole` or `real`."""
        numbers = self.parse(column).numbers
        values = set() if numbers is None else set(numbers.dropna().unique())
        if self.are_hits(column) or values <= {0, 1}:
            return "hits"
        return "real" if self.has_fractions(column) else "whole"

    def list_odd(self, columns: Sequence[str]) -> list[str]:
        """Columns that differ from most in kind, or tenfold in size; 0 and 1 may be scores."""
        kinds = {c: self.kind(c) for c in columns}
        sizes = {c: float(np.nanmedian(np.abs(self.numbers(c)))) for c in columns}
        counts = [*kinds.values()]
        most = max(sorted(set(counts)), key=counts.count)
        same = [
            c for c in columns
            if kinds[c] == most
            or ({kinds[c], most} == {"hits", "real"} and not self.are_hits(c))
        ]  # fmt: skip
        middle = sorted(sizes[c] for c in same)[len(same) // 2]
        return [
            c for c in columns
            if c not in same
            or (middle and sizes[c] and not 1 / _SIZE < sizes[c] / middle < _SIZE)
        ]  # fmt: skip

    def decimals(self, columns: Sequence[str]) -> np.ndarray:
        """The most decimals with which numbers of each column are written."""
        most = [
            max((len(one.strip("% ").partition(".")[2]) for one in self.labels(c)), default=0)
            for c in columns
        ]
        return np.array(most or [0])
