"""What a result shows in every output: the answer, a row a model or dataset, next steps, notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan

import pandas as pd

from reseed.verdicts.formatting import add_unit, count_interval_decimals, format_number


@dataclass(frozen=True)
class ResultRow:
    """One model, pair or dataset, with its estimate.

    name: the model, `a – b`, or the dataset.
    verdict: in at most a few words, or empty.
    estimate: the estimate with its interval as text, such as `−3.3 points [−4.1, −2.5]`.
    value, low, high: the same as numbers, for the picture; NaN where there are none.
    cells: further cells by heading; those that matter least are last.
    dataset: where the row holds, if there are several.
    scores: of single runs, for the picture.
    mean: of the scores.
    """

    name: str
    verdict: str
    estimate: str
    value: float = nan
    low: float = nan
    high: float = nan
    cells: Mapping[str, str] = field(default_factory=dict)
    dataset: str = ""
    scores: Sequence[float] = ()
    mean: float = nan


@dataclass(frozen=True)
class Shown:
    """A result as all outputs show it.

    title: heading of the page.
    answer: sentences that come first.
    rows: the component that every output has; `noun` and `heading` name its first columns.
    pairs: every compared pair, shown where it is asked for.
    next_steps: title and text of what to do now.
    tables: numbers by name; the first is written as CSV, all are in the JSON text.
    notes: how the source was read, and limits.
    null: value without an effect, drawn as a line; NaN: none.
    """

    title: str
    answer: Sequence[str]
    rows: Sequence[ResultRow]
    tables: Mapping[str, pd.DataFrame]
    notes: Sequence[str]
    noun: str = "Model"
    heading: str = "Difference"
    pairs: Sequence[ResultRow] = ()
    next_steps: Mapping[str, str] = field(default_factory=dict)
    null: float = 0.0

    def frame(self) -> pd.DataFrame:
        """The rows as text cells."""
        return tabulate(self.rows, self.noun, self.heading)


def tabulate(rows: Sequence[ResultRow], noun: str, heading: str) -> pd.DataFrame:
    """Rows as text cells; the columns of datasets and verdicts only where they say something."""
    has_datasets = len({row.dataset for row in rows}) > 1
    has_verdicts = any(row.verdict for row in rows)
    has_estimates = any(row.estimate for row in rows)
    return pd.DataFrame(
        [
            ({"Dataset": row.dataset} if has_datasets else {})
            | {noun: row.name}
            | ({"Verdict": row.verdict} if has_verdicts else {})
            | ({heading: row.estimate} if has_estimates else {})
            | dict(row.cells)
            for row in rows
        ]
    )


def group_rows(rows: Sequence[ResultRow], most: int) -> list[tuple[str, list[ResultRow]]]:
    """The first rows by dataset, which is empty if there is one."""
    by_dataset: dict[str, list[ResultRow]] = {}
    for row in rows[:most]:
        by_dataset.setdefault(row.dataset, []).append(row)
    is_one = len({row.dataset for row in rows}) < 2
    return [("" if is_one else name, part) for name, part in by_dataset.items()]


def find_ends(rows: Iterable[ResultRow], null: float) -> tuple[float, float]:
    """The ends of the axis that the intervals of all rows share."""
    known = [x for row in rows for x in (row.value, row.low, row.high, null) if isfinite(x)]
    return (min(known), max(known)) if known else (0.0, 1.0)


def format_estimate(value: float, low: float, high: float, unit: str = "") -> str:
    """`3.3 points [2.9, 3.8]`; a dash for a missing number; no interval where nothing varies."""
    if not isfinite(value):
        return "–"
    decimals = count_interval_decimals(low, high) if high > low else 1 if unit == "%" else 3
    text = add_unit(format_number(value, decimals), unit)
    if not (isfinite(low) and isfinite(high) and low < high):
        return text
    return f"{text} [{format_number(low, decimals)}, {format_number(high, decimals)}]"
