"""Every pair of arms on one test set: the verdict over seeds and items, and its numbers."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reseed.plugins.options import Experiments, Names
from reseed.report.rendering import coverage
from reseed.report.rendering.arms import add_metric, group_title
from reseed.report.rendering.data import (
    ExhibitData,
    footnote,
    list_reasons,
    require_rows,
    select_primary,
)
from reseed.report.rendering.numbers import (
    NONE,
    fixed,
    interval,
    interval_decimals,
    percent,
    several,
)  # fmt: skip
from reseed.report.rendering.settings import (
    p_cell,
    pair_title,
)
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.verdicts.decide import label_outcome
from reseed.verdicts.designs import SEEDS_AND_ITEMS
from reseed.verdicts.formatting import format_level

#: Appended to sentences on more than the intervals.
_COVERS = coverage.CROSSED.replace("It covers", "These intervals cover", 1)
NOTHING = "No two models have per-item outputs on the same test set."


def select_compared(data: ExhibitData, options: PairOptions) -> pd.DataFrame:
    """Rows with a result, of the primary metric or of the option `metrics`."""
    rows = data.measured(options.experiments)
    if options.metrics and len(rows):
        return rows[rows["metric"].isin(options.metrics)]
    return rows if rows.empty else select_primary(rows)


def _explain_absence(options: PairOptions) -> str:
    """The reason why no pair is shown."""
    metrics = options.metrics
    return f"{NOTHING[:-1]}, compared by {several(metrics)}." if metrics else NOTHING


DRAWS = ("item_pairs",)


class PairOptions(Experiments):
    """metrics: those shown (None: the primary one)."""

    metrics: Names | None = None


Options = PairOptions


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair, a section for each test set."""
    rows = require_rows(select_compared(data, options), _explain_absence(options))
    reasons = list_reasons(data.rows(options.experiments))
    lines = Rows()
    shown = rows.rename(columns={"arm_a": "model_a", "arm_b": "model_b"})
    for number, row in enumerate(shown.itertuples()):
        section = add_metric(data, group_title(data, rows, rows.iloc[number]), row.metric)
        lines.add(_line(data, row), section)
    level = 1 - next(rows.itertuples()).alpha
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows.drop(columns=["experiment"]),
            f"Intervals of {format_level(level)} and p hold for all pairs of a test set at once.",
            "Over seeds and items: t interval of the mean difference of crossed samples of seeds"
            " and items. With one run a side the seeds cannot be judged.",
            "One run says A: share of pairs of single runs of which a test over the items alone"
            " would call the model named first better.",
            coverage.at(level, _COVERS),
            describe_failures(rows),
            f"Left out: {'; '.join(reasons)}." if reasons else "",
        ),
        text_columns=1,
    )


def _line(data: ExhibitData, row: Any) -> TableRow:
    difference, low, high = (row.factor * end for end in (row.difference, row.low, row.high))
    places = interval_decimals([(low, high)])
    has_seeds = row.scope == SEEDS_AND_ITEMS.design
    return {
        "Pair": pair_title(data, row),
        "Verdict": label_outcome(row),
        "Difference": fixed(difference, places),
        "Interval": interval(low, high, places) or NONE,
        "p": p_cell(row.p_adjusted),
        "Runs": f"{row.runs_a:.0f} + {row.runs_b:.0f}",
        "Items": f"{row.items:,.0f}",
        "Seeds' share": percent(row.seed_share) if has_seeds else "not known",
        "p, runs swapped": p_cell(row.permutation_p),
        "p, items swapped": p_cell(row.swap_p),
        "One run says A": percent(row.single_a),
        "One run says B": percent(row.single_b),
    }


def describe_failures(rows: pd.DataFrame) -> str:
    """Sentence on the failed runs of the pairs shown."""
    most = rows["failed"].max()
    return f"Failed runs (left out): {most:.0f} at most in a pair." if most else "No run failed."
