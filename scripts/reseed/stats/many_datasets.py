"""Mean ranks over many datasets: the critical-difference diagram (Demšar 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.comparison import merge_rounding_noise
from reseed.stats.inputs import Array, as_finite, rescale


def rank_within(scores: ArrayLike) -> Array:
    """Return the rank of each model on each dataset, (datasets, models); 1 is the greatest score.

    Ties get average ranks. Rounding noise is relative to each score itself, so that a diverged
    model does not tie all others.
    """
    s = rescale(as_finite(scores, "scores", ndim=2), axis=1)[0]
    return stats.rankdata(-merge_rounding_noise(s, np.abs(s)), axis=1)


def critical_difference(n_datasets: int, n_models: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks, q_α √(k(k + 1)/(6N)) (Demšar 2006)."""
    q = stats.studentized_range.ppf(1 - alpha, n_models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_models * (n_models + 1) / (6 * n_datasets)))


def cliques(average_ranks: ArrayLike, critical_difference: float) -> tuple[tuple[int, ...], ...]:
    """Return the maximal groups of models whose ranks differ by less than `critical_difference`.

    Groups have two or more models and are not subsets of other groups.

    Args:
        average_ranks: (models,).
        critical_difference: of Nemenyi's test.

    Returns:
        Model indices per group, best model first.
    """
    ranks = as_finite(average_ranks, "average_ranks", ndim=1)
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    ends = np.searchsorted(ordered, ordered + critical_difference - 1e-12, side="left")
    ends = np.maximum(ends, np.arange(1, ranks.size + 1))
    is_maximal = np.r_[True, ends[1:] > ends[:-1]]  # otherwise a subset of the previous group
    return tuple(
        tuple(int(m) for m in order[start:end])
        for start, end, maximal in zip(range(ranks.size), ends, is_maximal, strict=True)
        if maximal and end - start > 1
    )
