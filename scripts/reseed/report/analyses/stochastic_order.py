"""Almost stochastic order of every pair of arms, from their scores over seeds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import nan

import pandas as pd

from reseed.comparison.claims.typed_row import ComparedRow
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Count, Level, Share, Strict
from reseed.report.analyses.shared.arms import ARM
from reseed.report.analyses.shared.data import Cell, Data, cells, group_by_key
from reseed.stats.stochastic_order import detectable_shift, stochastic_order


@dataclass(frozen=True)
class OrderRow(ComparedRow):
    """A row of this analysis; `analyse` documents the columns."""

    metric: str = ""
    arm_a: str = ""
    arm_b: str = ""
    n_a: float = nan
    n_b: float = nan
    failed: float = nan
    ratio: float = nan
    lower: float = nan
    upper: float = nan
    level: float = nan
    threshold: float = nan
    dominates: bool = False
    n_boot: float = nan
    detectable: float = nan
    reason: str = ""


class Options(Strict):
    """metric: metric to compare by (None: the dataset's primary metric).
    level: confidence level of the intervals.
    threshold: A dominates if the bound is below it (Dror et al. also use 0.2).
    n_boot: resamples of the bound.
    """

    metric: str | None = None
    level: Level = 0.95
    threshold: Share = 0.5
    n_boot: Count = 1000


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an ordered pair: a `ratio` near 0 means that A's distribution lies above B's.

    `dominates`: the upper bound at `level` is below `threshold`. The whole
    distribution counts, not only the mean. `detectable`: smallest shift between two Gaussians, in
    SDs, that is shown with a power of 80 %. Seeds are independent samples of each arm; shared seeds
    are not used. Only cells that vary one seed are compared. Levels hold for one ordered pair, not
    for all pairs together.
    """
    every = cells(data, options.metric)
    groups = group_by_key(
        (cell for cell in every if cell.varies_one_seed), COMPARISON_COLUMNS
    ).values()
    rows = [_row(a, b, options) for group in groups for a, b in permutations(group, 2)]
    return OrderRow.make_table(rows)


def _row(a: Cell, b: Cell, options: Options) -> Row:
    row = {name: a.key[name] for name in COMPARISON_COLUMNS} | {
        "metric": a.metric,
        "arm_a": a.key[ARM],
        "arm_b": b.key[ARM],
        "n_a": a.values.size,
        "n_b": b.values.size,
        "failed": a.failed + b.failed,
        "threshold": options.threshold,
        "dominates": False,
        "reason": "",
    }
    if min(row["n_a"], row["n_b"]) < 2:
        return row | {"reason": "fewer than two seeds finished"}
    order = stochastic_order(
        a.sign * a.values, b.sign * b.values,
        options.level, options.n_boot,
        rng=a.rng(f"stochastic order/{b.key[ARM]}"),
    )  # fmt: skip
    return row | {
        "ratio": order.ratio,
        "lower": order.lower,
        "upper": order.upper,
        "level": order.level,
        "n_boot": order.n_boot,
        "dominates": order.upper < row["threshold"],
        "detectable": detectable_shift(row["n_a"], row["n_b"], options.level, options.threshold),
    }
