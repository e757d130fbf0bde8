"""Ranks that the verdicts on all pairs leave possible [Mogstad et al. 2024]."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.typing import SeriesGroupBy

from reseed.verdicts.decide import TESTED
from reseed.verdicts.designs import RANK_FLIPS, SIGN_FLIPS
from reseed.verdicts.pair import is_over_datasets, is_shown

#: Fewest models that are ranked.
MIN_RANKED = 3


def bound_ranks(
    models: Sequence[str], verdicts: pd.DataFrame
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lowest and highest rank of each model, from verdicts on every pair of them [sec. 3].

    The intervals hold at once at the level at which the verdicts do.

    Args:
        models: (models,) names.
        verdicts: one row a pair: `model_a`, the better one, `model_b` and `outcome`.

    Returns:
        Lowest and highest rank, (models,) each; 1 is best.
    """
    place = {model: number for number, model in enumerate(models)}
    is_better = np.zeros((len(place), len(place)), dtype=bool)
    differ = verdicts[is_shown(verdicts)]
    is_better[differ["model_a"].map(place), differ["model_b"].map(place)] = True
    return 1 + is_better.sum(axis=0), len(models) - is_better.sum(axis=1)


def format_ranks(low: int, high: int) -> str:
    """The ranks of one model: `2`, or `1 to 3`."""
    return f"{low}" if low == high else f"{low} to {high}"


def choose_ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """The pairs by which models are ranked: over all datasets if all were compared there."""
    ranked = rows[is_ranked_over_datasets(rows)]
    return ranked if len(ranked) else rows[~is_over_datasets(rows)]


def is_ranked_over_datasets(rows: pd.DataFrame) -> pd.Series:
    """Whether a pair is one of all pairs of models that were compared over many datasets."""
    return rows["test"].isin([SIGN_FLIPS.test, RANK_FLIPS.test]) & rows["mean_a"].notna()


def group_means(part: pd.DataFrame) -> SeriesGroupBy:
    """The means of each model, one for each pair with it."""
    sides = [part[[f"model_{s}", f"mean_{s}"]].set_axis(["model", "mean"], axis=1) for s in "ab"]
    return pd.concat(sides).groupby("model", sort=False)["mean"]


def order_means(part: pd.DataFrame) -> pd.Series:
    """The mean of each model over its pairs, the best first."""
    is_less_better = not next(part.itertuples()).greater_is_better
    return group_means(part).mean().dropna().sort_values(ascending=is_less_better, kind="stable")


def rank_models(part: pd.DataFrame) -> pd.DataFrame:
    """Model, mean, rank and interval of the rank in one setting, the best first.

    Empty with fewer than three models, or if a pair has no verdict.
    """
    means = order_means(part)
    count = len(means)
    decided = part[part["outcome"].isin(TESTED)]
    if count < MIN_RANKED or len(decided) < count * (count - 1) // 2:
        return pd.DataFrame()
    low, high = bound_ranks(list(means.index), decided)
    is_less_better = not next(part.itertuples()).greater_is_better
    rank = means.rank(method="min", ascending=is_less_better).astype(int)
    return pd.DataFrame(
        {"model": means.index, "mean": means.to_numpy(), "rank": rank.to_numpy(),
         "low": low, "high": high}
    )  # fmt: skip
