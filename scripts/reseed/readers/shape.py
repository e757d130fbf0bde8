"""What values, labels and headings say: kinds of columns, odd ones, runs in labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pandas as pd

from reseed.readers.names import (
    ALL_RUN_COLUMNS,
    PARTS,
    find_metric,
    normalize_name,
    parse_label,
    strip_arrow,
)
from reseed.readers.source_table import SourceTable

#: A column that differs so much in size from most holds something else.
_SIZE = 10
#: Rounding of a printed mean, in units of its last digit.
_ROUNDING = 0.51
#: Decimal digits of chance against it from which equal numbers are no coincidence.
_LEAST_EVIDENCE = 5
_DATE = re.compile(
    r"\d{4}-\d\d?(-\d\d?)?([ T]|$)|\d\d?[./]\d\d?[./](\d\d){1,2}( |$)|\d{4}-?Q[1-4]$"
)
#: Columns among which a mean is looked for.
_MOST_COLUMNS = 500
#: Columns among which the difference of two is looked for.
_MOST_CROSSED = 20


def is_unique(table: SourceTable, columns: Sequence[str]) -> bool:
    """Whether no two rows are equal in these columns."""
    if not columns:
        return len(table.frame) < 2
    return not table.joined_text(columns).duplicated().any()


class Shape:
    """What the values of each column of a table are."""

    def __init__(self, table: SourceTable):
        self.table = table
        self._levels: dict[str, int] = {}

    def levels(self, column: str) -> int:
        """The number of different values, without missing ones."""
        if column not in self._levels:
            text = self.table.text(column)
            self._levels[column] = text[text != ""].nunique()
        return self._levels[column]

    def numbers(self, column: str) -> pd.Series | None:
        """The column as numbers; None if it holds others."""
        return self.table.parse(column).numbers

    def is_number(self, column: str) -> bool:
        """Whether a column holds numbers, or marks such as yes and no."""
        return self.numbers(column) is not None

    def are_hits(self, column: str) -> bool:
        """Whether a column holds nothing but yes and no, or the like."""
        return self.table.parse(column).are_hits

    def has_fractions(self, column: str) -> bool:
        """Whether a column holds numbers that are not whole."""
        numbers = self.numbers(column)
        return numbers is not None and bool((numbers.dropna() % 1 != 0).any())

    def counts_rows(self, column: str) -> bool:
        """Whether a column holds consecutive whole numbers, each once: labels, no scores."""
        numbers = self.numbers(column)
        return (
            numbers is not None and not self.are_hits(column) and len(numbers) > 2
            and bool((numbers.diff().iloc[1:] == 1).all())
        )  # fmt: skip

    def are_dates(self, column: str) -> bool:
        """Whether all labels of a column are dates, with or without a time."""
        return all(map(_DATE.match, self.table.text(column).drop_duplicates()))

    def may_label(self, column: str) -> bool:
        """Whether a column may name rows: it varies, and holds no fractions and no marks."""
        return (
            not self.has_fractions(column) and not self.are_hits(column)
            and find_metric(column) is None and self.levels(column) > 1
        )  # fmt: skip

    def may_number(self, column: str) -> bool:
        """Whether a column may count runs: whole numbers, or labels such as `Fold01`."""
        if self.is_number(column):
            return not self.has_fractions(column)
        labels = self.table.text(column).unique()
        return all(parts.runs and not parts.rest for parts in map(parse_label, labels))

    def kind(self, column: str) -> str:
        """`hits` (0 and 1 alone), `whole` or `real`."""
        numbers = self.numbers(column)
        values = set() if numbers is None else set(numbers.dropna().unique())
        if self.are_hits(column) or values <= {0, 1}:
            return "hits"
        return "real" if self.has_fractions(column) else "whole"

    def list_odd(self, columns: Sequence[str]) -> list[str]:
        """Columns that differ from most in kind, or tenfold in size; 0 and 1 may be scores."""
        kinds = {c: self.kind(c) for c in columns}
        sizes = {c: float(np.nanmedian(np.abs(self.table.numbers(c)))) for c in columns}
        counts = [*kinds.values()]
        most = max(sorted(set(counts)), key=counts.count)
        marks = {c for c in columns if self.are_hits(c)}
        same = [
            c for c in columns
            if kinds[c] == most or ({kinds[c], most} == {"hits", "real"} and c not in marks)
        ]  # fmt: skip
        middle = sorted(sizes[c] for c in same)[len(same) // 2]
        return [
            c for c in columns
            if c not in same
            or (middle and sizes[c] and not 1 / _SIZE < sizes[c] / middle < _SIZE)
        ]  # fmt: skip


def find_heading_runs(headings: Sequence[str]) -> dict[str, dict[str, str]]:
    """Headings that name a run alone, or a run and a metric: `repeat1_fold3`, `seed_3`."""
    found, rests = {}, {}
    for heading in headings:
        runs, rest = parse_label(normalize_name(heading))
        runs = {name: number for name, number in runs.items() if name in ALL_RUN_COLUMNS}
        is_score = rest in ("", "score", "test_score", *PARTS) or find_metric(rest) is not None
        if runs and is_score:
            found[heading], rests[heading] = runs, rest
    kinds = {frozenset(runs) for runs in found.values()}
    numbers = {(rests[c], *sorted(runs.items())) for c, runs in found.items()}
    is_one_each = len(numbers) == len(found) > 1
    return found if is_one_each and len(kinds) == 1 else {}


class Crossed(NamedTuple):
    """A name and a metric, of which a heading consists."""

    name: str
    metric: str


def split_headings(headings: Sequence[str], metric: str = "") -> dict[str, Crossed]:
    """Headings that each join a name and a known metric (or `metric`): `rf~ROC`, `accuracy_svm`.

    Empty unless all do, for several names.
    """
    found: dict[str, Crossed] = {}
    wanted = normalize_name(metric)
    for heading in headings:
        words = [w for w in re.split(r"\s*~\s*|[_ ]+|\s-\s", strip_arrow(heading).strip()) if w]
        for word, rest in ((words[-1], words[:-1]), (words[0], words[1:])):
            is_metric = find_metric(word) is not None or normalize_name(word) == wanted
            if rest and is_metric:
                found[heading] = Crossed(" ".join(rest), word)
                break
        else:
            return {}
    names = {one.name for one in found.values()}
    plain = [{*normalize_name(name).split("_")} <= PARTS or not re.search(r"[^\W\d_]", name)
             for name in names]  # fmt: skip
    return found if len(names) > 1 and not any(plain) else {}


def find_mean(values: np.ndarray, digits: np.ndarray, at_end: bool = False) -> int | None:
    """The column of a matrix that holds, in each row, the mean of all others, as printed.

    Not where chance would do: with few or coarse numbers a column may equal the mean of others.

    Args:
        values: numbers; NaN where there is none.
        digits: of each row, the decimals with which it was printed.
        at_end: whether only the first and the last column are asked for, which needs less evidence.
    """
    count = np.isfinite(values).sum(axis=1, keepdims=True)
    if values.shape[1] < 4 or (count < values.shape[1]).any():
        return None
    others = (values.sum(axis=1, keepdims=True) - values) / (count - 1)
    near = (np.abs(values - others) <= _ROUNDING * 10.0 ** -digits[:, None]).all(axis=0)
    spread = values.std(axis=1) * 10.0**digits
    ends = [0, len(near) - 1] if at_end else [*range(len(near))]
    found = [i for i in ends if near[i]]
    least = _LEAST_EVIDENCE / (2 if at_end else 1)
    if not found or np.log10(np.maximum(spread, 1.0)).sum() < least:
        return None
    return found[-1]


def find_summary_row(table: SourceTable, columns: Sequence[str]) -> int | None:
    """The row that holds in each of these columns the mean of all other rows; None without one."""
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return None
    digits = _count_decimals(table, columns)
    if not digits.min():
        return None
    return find_mean(np.stack([table.numbers(c).to_numpy() for c in columns]), digits, True)


def find_summary_column(table: SourceTable, columns: Sequence[str]) -> str | None:
    """The column that holds in each row the mean of all the others; None without one."""
    if not 4 <= len(columns) <= _MOST_COLUMNS:
        return None
    values = np.stack([table.numbers(c).to_numpy() for c in columns], axis=1)
    digits = np.full(len(values), _count_decimals(table, columns).max())
    found = find_mean(values, digits, True)
    return None if found is None else columns[found]


def find_difference(table: SourceTable, columns: Sequence[str]) -> str | None:
    """The smallest column that holds in each row the difference of two others; None without one."""
    if not 3 <= len(columns) <= _MOST_CROSSED:
        return None
    values = {c: table.numbers(c).to_numpy() for c in columns}
    digits = int(_count_decimals(table, columns).max())
    sizes = {c: float(np.nanmedian(np.abs(x))) for c, x in values.items()}
    for column in sorted(columns, key=sizes.__getitem__):
        own = values[column]
        evidence = len(own) * np.log10(max(np.nanstd(own) * 10.0**digits, 1.0))
        for a, b in permutations([c for c in columns if c != column], 2):
            gaps = np.abs(values[a] - values[b] - own)
            if evidence >= _LEAST_EVIDENCE and (gaps <= 3 * _ROUNDING * 10.0**-digits).all():
                return column
    return None


def _count_decimals(table: SourceTable, columns: Sequence[str]) -> np.ndarray:
    """The most decimals with which numbers of each column are written."""
    most = [
        max((len(one.strip("% ").partition(".")[2]) for one in table.text(c)), default=0)
        for c in columns
    ]
    return np.array(most or [0])
