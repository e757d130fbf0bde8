"""What a result shows in every output: the answer, one row a pair or model, tables and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan

import pandas as pd

from reseed.comparison.claims.designs import SIGN
from reseed.comparison.claims.formatting import (
    add_unit,
    count_interval_decimals,
    format_number,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.readers.source_table import join_names

#: Rows whose verdicts are printed as sentences; of more rows, tables have all.
MOST_SENTENCES = 3


@dataclass(frozen=True)
class ResultRow:
    """One pair of models, or one model, with its estimate.

    name: `a – b`, or the model.
    estimate: the estimate with its interval as text, such as `3.3 points [2.9, 3.8]`.
    value, low, high: the same as numbers, for the picture; NaN where there are none.
    cells: further cells by heading.
    dataset: where the row holds, if there are several.
    verdict: in one or more sentences, or empty.
    """

    name: str
    estimate: str
    value: float = nan
    low: float = nan
    high: float = nan
    cells: Mapping[str, str] = field(default_factory=dict)
    dataset: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Shown:
    """A result as all outputs show it.

    title: heading of the page.
    answer: sentences that come first.
    rows: the component that every output has; `noun` and `heading` name its first two columns.
    tables: numbers by name; the first is written as CSV, all are in the JSON text.
    boards: tables of text that stand before the rows, by heading.
    notes: how the source was read, and limits.
    null: value without an effect, drawn as a line; NaN: none.
    figures: names of the figures, the first one first.
    """

    title: str
    answer: Sequence[str]
    rows: Sequence[ResultRow]
    tables: Mapping[str, pd.DataFrame]
    notes: Sequence[str]
    noun: str = "Comparison"
    heading: str = "Difference [interval]"
    boards: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    null: float = 0.0
    figures: Mapping[str, str] = field(default_factory=dict)

    def frame(self, most: int | None = None) -> pd.DataFrame:
        """The first rows as text cells; the column of datasets only if there are several."""
        named = len({row.dataset for row in self.rows}) > 1
        return pd.DataFrame(
            [
                ({"Dataset": row.dataset} if named else {})
                | {self.noun: row.name, self.heading: row.estimate}
                | dict(row.cells)
                for row in self.rows[:most]
            ]
        )

    @property
    def text_columns(self) -> int:
        """Number of leading columns of `frame` that are names."""
        return 1 + (len({row.dataset for row in self.rows}) > 1)

    @property
    def sentences(self) -> list[str]:
        """The verdicts of the rows."""
        return [row.verdict for row in self.rows if row.verdict]

    def ends(self) -> tuple[float, float]:
        """The ends of the axis that all pictures share."""
        known = [x for row in self.rows for x in (row.value, row.low, row.high) if isfinite(x)]
        known += [self.null] if isfinite(self.null) else []
        return (min(known), max(known)) if known else (0.0, 1.0)


def build_pair_row(row: PairRow, cells: Mapping[str, str]) -> ResultRow:
    """The row of a pair: its difference with interval, and `cells`.

    Over datasets there is no difference with an interval to draw.
    """
    value, low, high = (nan, nan, nan) if row.design == "datasets" else row.shown_difference
    name = f"{row.model_a} – {row.model_b}"
    return ResultRow(name, show_difference(row), value, low, high, cells, row.dataset, row.verdict)


def show_difference(row: PairRow) -> str:
    """`3.3 points [2.9, 3.8]`; over datasets mean ranks, or the datasets that count for a sign."""
    if row.metric == "rank":
        return f"{row.mean_a:.2f} – {row.mean_b:.2f}"
    if row.test == SIGN.test:  # its difference counts datasets and has no unit
        return f"{row.wins:.0f} of {row.n:.0f} datasets"
    return format_estimate(*row.shown_difference, row.unit)


def format_estimate(value: float, low: float, high: float, unit: str = "") -> str:
    """`3.3 points [2.9, 3.8]`; a dash for a missing number; no interval where nothing varies."""
    if not isfinite(value):
        return "–"
    decimals = count_interval_decimals(low, high) if high > low else 3
    text = add_unit(format_number(value, decimals), unit)
    if not (isfinite(low) and isfinite(high) and low < high):
        return text
    return f"{text} [{format_number(low, decimals)}, {format_number(high, decimals)}]"


def note_two_procedures(pairs: pd.DataFrame) -> list[str]:
    """The pairs for which Holm's procedure and that over both directions fall on two sides of α."""
    sides = [pairs[name] <= pairs["alpha"] for name in ("p_adjusted", "p_holm")]
    apart = pairs[(sides[0] != sides[1]) & pairs["p_holm"].notna()]
    if apart.empty:
        return []
    names = [f"{row.model_a} – {row.model_b}" for row in apart.itertuples()]
    return [
        f"Holm over the pairs (`p_holm`) and over both directions of each (`p_adjusted`, which "
        f"decides) fall on different sides of α: {join_names(names)}."
    ]
