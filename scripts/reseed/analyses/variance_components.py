"""Variance of the score split into model seed, data seed and the rest, from a crossed grid."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.analyses.data import CELL, MODEL_SEED, Cell, Data, cells
from reseed.options import Count, Level, Strict
from reseed.stats.variance import CrossedVariance, crossed_variance, crossed_variance_unbalanced

COLUMNS = [
    *CELL, "metric", "n", "failed", "data_seeds", "model_seeds", "level", "method", "mean", "total",
    "component", "raw", "variance", "sd", "low", "high", "p_value", "share", "share_low",
    "share_high", "reason",
]  # fmt: skip


class Options(Strict):
    """level: of the intervals.
    n_draws: draws behind those of the shares.
    """

    level: Level = 0.95
    n_draws: Count = 10_000


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a cell and component: `model_seed`, `data_seed`, `residual`.

    Only cells that cross model seeds with data seeds have components; others are left out. The
    residual holds the interaction: there is one trial a pair, for a repeated pair is bitwise equal.
    A grid with holes (failed trials) is estimated by REML. Where nothing can be estimated, one row
    with the component "none" says the reason.
    """
    crossed = (cell for cell in cells(data) if cell.key["varied"].count("+"))
    rows = [row for cell in crossed for row in _rows(cell, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(cell: Cell, options: dict) -> list[dict]:
    level = options.get("level", 0.95)
    scores = cell.scores
    model_seed = scores.groupby(MODEL_SEED).ngroup().rename("model_seed")
    shared = cell.key | {
        "metric": cell.metric,
        "n": len(scores),
        "failed": cell.failed,
        "data_seeds": scores["data_seed"].nunique(),
        "model_seeds": model_seed.nunique(),
        "level": level,
    }
    try:
        found = _split(cell, model_seed, level, options.get("n_draws", 10_000))
    except ValueError as error:
        return [shared | {"component": "none", "reason": str(error)}]
    shared |= {"method": found.method, "mean": found.mean, "total": found.total}
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
        for part in found.components
    ]


def _split(cell: Cell, model_seed: pd.Series, level: float, n_draws: int) -> CrossedVariance:
    scores = cell.scores
    if scores.empty:
        raise ValueError("every trial failed")
    grid = scores.assign(model_seed=model_seed).pivot(
        index="model_seed", columns="data_seed", values="score"
    )
    draws = {"level": level, "n_draws": n_draws, "rng": cell.rng("variance components")}
    if grid.isna().any(axis=None):
        return crossed_variance_unbalanced(
            scores["score"], model_seed, scores["data_seed"], **draws
        )
    return crossed_variance(grid.to_numpy(), **draws)
