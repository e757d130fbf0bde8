"""Variance components of two crossed roles of the model seed, for scores and for items.

Beyond Banerjee et al., who vary initial weights and batch order one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, SplitOptions, select_outputs
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, MODEL_SEED_COLUMNS, Row
from reseed.plugins.options import Count, Level, Positive
from reseed.stats.variance import crossed_variance

from papers.banerjee.item_variance import item_components
from papers.banerjee.logit_gaps import logit_gaps

READS = "predictions"


COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "measure", "n", "failed", "items", "first", "second", "first_levels",
    "second_levels", "sd", "component", "variance", "share", "share_low", "share_high", "level",
    "reason",
]  # fmt: skip
_COMPONENT = ("component", "variance", "share", "share_low", "share_high")


class Options(SplitOptions):
    """gap_bound: logit gaps are clipped to ± this.
    level: confidence level of the intervals.
    n_draws: draws for the intervals of the shares of accuracy.
    """

    gap_bound: Positive = 15.0
    level: Level = 0.95
    n_draws: Count = 10_000


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm, measure and component: the two roles that vary, and `residual`.

    Measures: `accuracy` over the grid of runs, with the intervals of
    `stats.variance.crossed_variance`; `correct` and `gap`, item by item: whether it is classified
    correctly, and its clipped logit gap, components averaged over items (`item_components`). `sd`
    is the total SD. An arm without a complete grid of two roles is one row with its `reason`.
    """
    rows = [row for one in select_outputs(data, options) for row in _rows(one, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(one: Outputs, options: Options) -> Iterator[Row]:
    level = options.level
    cell = one.key | {"n": one.n, "failed": one.failed, "items": len(one.y_true), "level": level}
    try:
        roles, order = _grid(one)
        correct = one.correct.astype(np.float64)[order]
        gaps = logit_gaps(one, options.gap_bound)[order]
        accuracy = crossed_variance(
            correct.mean(axis=2),
            roles,
            level,
            n_draws=options.n_draws,
            rng=one.rng("roles"),
        )
        by_item = {
            "correct": item_components(correct, roles, level),
            "gap": item_components(gaps, roles, level),
        }
    except ValueError as error:
        yield cell | {"reason": str(error)}
        return
    cell |= {"first": roles[0], "second": roles[1], "reason": ""}
    cell |= {"first_levels": order.shape[0], "second_levels": order.shape[1]}
    measures = {
        "accuracy": (
            math.sqrt(accuracy.total),
            [(c.name, c.raw, c.share, c.share_low, c.share_high) for c in accuracy.components],
        )
    }
    for measure, parts in by_item.items():
        columns = (parts.names, parts.variances, parts.shares, parts.low, parts.high)
        measures[measure] = parts.sd, list(zip(*columns, strict=True))
    for measure, (sd, components) in measures.items():
        for component in components:
            values = dict(zip(_COMPONENT, component, strict=True))
            yield cell | {"measure": measure, "sd": sd} | values


def _grid(one: Outputs) -> tuple[tuple[str, str], np.ndarray]:
    """Both roles that vary, and the row of the run at each pair of their seeds."""
    seeds = np.array(one.seeds)
    varying = [k for k in range(seeds.shape[1]) if len(set(seeds[:, k])) > 1]
    if len(varying) != 2:
        names = ", ".join(MODEL_SEED_COLUMNS[k] for k in varying) or "none"
        raise ValueError(f"needs exactly two roles that are crossed; varied: {names}")
    levels = [sorted(set(seeds[:, k])) for k in varying]
    row_of = {tuple(seeds[row, varying]): row for row in range(len(seeds))}
    absent = [(a, b) for a in levels[0] for b in levels[1] if (a, b) not in row_of]
    if absent:
        raise ValueError(f"the grid has holes: {len(absent)} pairs of seeds without a run")
    order = np.array([[row_of[a, b] for b in levels[1]] for a in levels[0]])
    return tuple(MODEL_SEED_COLUMNS[k] for k in varying), order
