"""Variance components of the score over crossed seeds: main effects, interactions, residual."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Cell, Data, cells
from reseed.core.schemas import CELL_COLUMNS, MODEL_SEED_COLUMNS, Row
from reseed.plugins.options import Count, Level, Strict
from reseed.stats.factorial_variance import factorial_variance
from reseed.stats.variance import CrossedVariance, crossed_variance, crossed_variance_unbalanced

COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "factors", "levels", "least_levels", "level", "method",
    "mean", "total", "component", "raw", "variance", "sd", "low", "high", "p_value", "share",
    "share_low", "share_high", "reason",
]  # fmt: skip


class Options(Strict):
    """level: confidence level of the intervals.
    n_draws: draws for the intervals of the shares.
    """

    level: Level = 0.95
    n_draws: Count = 10_000


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a cell and component: each crossed seed, their interactions, and `residual`.

    `factors` are the seeds that vary: two or more of `model_seed`, or its roles (`init`, `order`,
    `dropout`, `augment`), and `data_seed`. `levels` counts each ("10×10"); `least_levels` is the
    smallest count. Cells that vary one seed have no components and are left out.

    There is one trial a combination, as a repeated trial is bitwise equal. So the residual contains
    the interaction of all factors: two factors have no further interaction, three have those of two
    (`init:order`). An incomplete grid (failed trials) is estimated by REML for two factors, else by
    Henderson's method 1, which has no intervals. If nothing can be estimated, one row with the
    component "none" has the `reason`.
    """
    crossed = (cell for cell in cells(data) if not cell.varies_one_seed)
    rows = [row for cell in crossed for row in _rows(cell, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _factors(cell: Cell) -> dict[str, pd.Series]:
    """The seeds that vary, by name, the data seed last."""
    scores, varied = cell.scores, cell.key["varied"].split("+")
    factors = {role: scores[role] for role in MODEL_SEED_COLUMNS if role in varied}
    if "model" in varied:
        factors["model_seed"] = scores.groupby(MODEL_SEED_COLUMNS).ngroup()
    if "data" in varied:
        factors["data_seed"] = scores["data_seed"]
    return factors


def _rows(cell: Cell, options: Options) -> list[Row]:
    level = options.level
    factors = _factors(cell)
    levels = [seeds.nunique() for seeds in factors.values()]
    shared = cell.key | {
        "metric": cell.metric,
        "n": len(cell.scores),
        "failed": cell.failed,
        "factors": ", ".join(factors),
        "levels": "×".join(map(str, levels)),
        "least_levels": min(levels),
        "level": level,
    }
    try:
        result = _estimate_components(cell, factors, level, options.n_draws)
    except ValueError as error:
        return [shared | {"component": "none", "reason": str(error)}]
    shared |= {"method": result.method, "mean": result.mean, "total": result.total}
    return [
        shared
        | {
            "component": part.name,
            "raw": part.raw,
            "variance": part.variance,
            "sd": np.sqrt(part.variance),
            "low": part.low,
            "high": part.high,
            "p_value": part.p_value,
            "share": part.share,
            "share_low": part.share_low,
            "share_high": part.share_high,
            "reason": "",
        }
        for part in result.components
    ]


def _estimate_components(
    cell: Cell, factors: dict[str, pd.Series], level: float, n_draws: int
) -> CrossedVariance:
    scores, names = cell.scores["score"], tuple(factors)
    if scores.empty:
        raise ValueError("every trial failed")
    rng = cell.rng("variance components")
    codes = [np.unique(seeds, return_inverse=True)[1] for seeds in factors.values()]
    grid = np.full([code.max() + 1 for code in codes], np.nan)
    grid[tuple(codes)] = scores
    if len(names) > 2:
        return factorial_variance(grid, names, level=level, n_draws=n_draws, rng=rng)
    first, second = names
    if np.isnan(grid).any():
        return crossed_variance_unbalanced(
            scores, factors[first], factors[second], (first, second),
            level=level, n_draws=n_draws, rng=rng,
        )  # fmt: skip
    return crossed_variance(grid, (first, second), level=level, n_draws=n_draws, rng=rng)
