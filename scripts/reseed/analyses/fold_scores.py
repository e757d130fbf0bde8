"""Mean score of each model over folds, with intervals (the protocol's Tables 1 and 2)."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.pairing import ModelGroup, group_models
from reseed.core.schemas import COMPARISON_COLUMNS, MODEL_SEED_COLUMNS, SPLIT_COLUMNS, Row
from reseed.plugins.options import Count, Level, Strict
from reseed.stats.comparison import (
    OVERLAP_FACTOR,
    bca_mean_interval,
    crossed_seeds,
    nadeau_bengio,
)
from reseed.stats.weighted_t import upper_quantile

COLUMNS = [
    *COMPARISON_COLUMNS, "arm", "metric", "greater_is_better", "folds", "runs", "failed", "mean",
    "sd_folds", "sd_seeds", "bca_low", "bca_high", "low", "high", "limit", "level", "n_boot",
    "train_seconds", "single_seed", "single",
]  # fmt: skip


class Options(Strict):
    """level: confidence level of the intervals.
    n_boot: resamples of the splits.
    single_seed: model seed of the single run that is shown for comparison.
    """

    level: Level = 0.95
    n_boot: Count = 10_000
    single_seed: Annotated[int, Field(ge=0)] = 42


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm of a setting with several splits; seeds are averaged within a split first.

    - `bca_low`, `bca_high`: BCa bootstrap over splits, as in the protocol, which treats
      overlapping splits as independent.
    - `low`, `high`: t interval with Nadeau and Bengio's correction for the overlap, with the factor
      of `stats.comparison.OVERLAP_FACTOR`; seeds that are crossed with splits are a factor too.
    - `limit`: two new runs, each on a split and with a seed of its own, differ by less with the
      probability `level`, for Gaussian scores.
    - `sd_seeds`: SD over seeds within a split, root mean square over splits.
    - `single`: score of the run of `single_seed` on the first split.
    """
    rows = [_row(group, arm, options) for group in group_models(data) for arm in group.models]
    return pd.DataFrame([row for row in rows if row], columns=COLUMNS)


def _row(group: ModelGroup, arm: str, options: Options) -> Row | None:
    trials = group.trials[group.trials[ARM] == arm]
    splits = trials.groupby(SPLIT_COLUMNS, sort=True)["score"]
    means, level = splits.mean().to_numpy(), options.level
    if len(means) < 2:
        return None
    n_boot, rng = options.n_boot, group.rng("folds", arm)
    bca_low, bca_high = bca_mean_interval(means, level, n_boot, rng=rng)
    overlap, count = OVERLAP_FACTOR * group.test_train_ratio, len(means)
    corrected = nadeau_bengio(means, overlap)
    cells = (trials.groupby(names).ngroup() for names in (SPLIT_COLUMNS, MODEL_SEED_COLUMNS))
    seeds, seeds_df = crossed_seeds(trials["score"], *cells)
    within = splits.var(ddof=1).dropna()
    of_mean = [(float(corrected.scale**2), corrected.df), (float(seeds**2), seeds_df)]
    of_run = [(means.var(ddof=1) * (1 + overlap), corrected.df)]
    if len(within):
        of_run.append((within.mean(), seeds_df or len(trials) - count))
    half, limit = (
        upper_quantile((1 - level) / 2, parts) * np.sqrt(sum(part for part, _ in parts))
        if corrected.scale > 0
        else 0.0
        for parts in (of_mean, of_run)
    )
    seed = options.single_seed
    return group.key | {
        "arm": arm,
        "metric": group.metric,
        "greater_is_better": group.greater_is_better,
        "folds": count,
        "runs": len(trials),
        "failed": group.failed[arm],
        "mean": means.mean(),
        "sd_folds": means.std(ddof=1),
        "sd_seeds": float(np.sqrt(within.mean())) if len(within) else np.nan,
        "bca_low": float(bca_low),
        "bca_high": float(bca_high),
        "low": float(means.mean() - half),
        "high": float(means.mean() + half),
        "limit": float(np.sqrt(2) * limit),
        "level": level,
        "n_boot": n_boot,
        "train_seconds": trials["train_seconds"].sum() if "train_seconds" in trials else np.nan,
        "single_seed": seed,
        "single": _single_score(trials, seed),
    }


def _single_score(trials: pd.DataFrame, seed: int) -> float:
    first = trials.sort_values(SPLIT_COLUMNS)[SPLIT_COLUMNS].iloc[0]
    at_first = (trials[SPLIT_COLUMNS] == first).all(axis=1)
    runs = trials[at_first & (trials[MODEL_SEED_COLUMNS] == seed).all(axis=1)]
    return float(runs["score"].iloc[0]) if len(runs) else np.nan
