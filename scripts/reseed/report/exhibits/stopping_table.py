"""Number of runs after which each pair was decided, by assumption on the scores."""

from __future__ import annotations

import math

import pandas as pd

from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.stopping import StopRow
from reseed.report.exhibits.stopping_figure import (
    NOTHING,
    PAIR,
    claim_settled,
    describe_overlap,
    describe_pair,
    settled_at,
)
from reseed.report.rendering import coverage
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.numbers import NONE, interval, interval_decimals
from reseed.report.rendering.settings import footnote_pairs, group_by_setting, in_unit, pair_title
from reseed.report.rendering.tables import Rows, Table

DRAWS = ("stopping",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair, a section for each setting."""
    rows = data.require_rows(NOTHING, options.experiments)
    lines, raw = Rows(), []
    for title, setting in group_by_setting(data, rows):
        for _, part in setting.groupby(PAIR, sort=False):
            last = StopRow.of(part.iloc[-1])
            _, low, high = last.shown_difference
            known = math.isfinite(low) and high > low
            places = interval_decimals([(low, high)]) if known else 2
            line = {
                "Pair": pair_title(data, last),
                "Runs of each": f"{last.n:.0f}",
                "Interval now": interval(low, high, places) or NONE,
                "Settled, Gaussian": _at(settled_at(last)),
                "Outcome": _outcome(data, last),
                "Settled, symmetric": _at(last.e_stopped_at),
                "Settled, bounded": _at(last.bounded_stopped_at),
            }
            lines.add(line, f"{title}, {in_unit(last.metric, last.unit)}")
            raw.append(part.iloc[-1])
    text = (
        "Number of runs after which the pair was settled, allowing for a look after every run."
        " Gaussian: t-mixture confidence sequence; symmetric: e-value against differences that are"
        " symmetric about 0, of any tails; bounded: empirical-Bernstein sequence, which assumes"
        " only the bounds and seldom settles small differences. All claims on a dataset hold"
        f" together: α is divided by its number of pairs. {coverage.COLLAPSES}"
    )
    table = pd.DataFrame(raw)
    return lines.table(
        data,
        table,
        footnote_pairs(
            data, table.rename(columns={"model_a": "model"}), text, describe_overlap(rows)
        ),
        claims=claim_settled(data, rows),
    )


def _outcome(data: ExhibitData, row: StopRow) -> str:
    if math.isfinite(settled_at(row)):
        return describe_pair(data, row)
    if row.reason == "precise enough":
        return f"{row.outcome}, precise enough at {row.stopped_at:.0f}"
    return row.outcome


def _at(value: float) -> str:
    return f"at {value:.0f}" if math.isfinite(value) else "not yet"
