"""Mean ranks over many datasets: Friedman, Nemenyi, critical-difference diagram (Demšar 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.comparison import merge_rounding_noise
from reseed.stats.inputs import Array, as_finite, check_probability, rescale


@dataclass(frozen=True)
class ManyDatasets:
    """Content of a critical-difference diagram; models are column indices of the scores.

    `average_ranks` is (models,) and `nemenyi_p` is (models, models). `cliques` are the maximal
    groups of models, best first, whose average ranks lie within the critical difference (the bars
    of the diagram).
    """

    n_datasets: int
    average_ranks: Array
    friedman_chi2: float
    friedman_p: float
    iman_davenport_f: float
    iman_davenport_p: float
    critical_difference: float
    nemenyi_p: Array
    cliques: tuple[tuple[int, ...], ...]
    alpha: float


def compare_over_datasets(
    scores: ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05
) -> ManyDatasets:
    """Compute the Friedman test and Nemenyi's post-hoc test over datasets (Demšar 2006).

    Rank 1 is best; ties get average ranks. Friedman's χ² is corrected for ties (SciPy); it is 0
    with p = 1 if all models tie on every dataset. Iman–Davenport's F = (N−1)χ² / (N(k−1) − χ²) is
    less conservative. Nemenyi's critical difference is q_α √(k(k+1)/(6N)), where q_α is the
    studentised range quantile with infinite degrees of freedom, divided by √2.

    Args:
        scores: (datasets, models), one score (a mean over folds and seeds) per cell; at least 2
            datasets and 3 models.
        greater_is_better: False for losses.
        alpha: significance level of the critical difference.

    Raises:
        ValueError: too few datasets or models, NaN (a model missing on a dataset).
    """
    s = as_finite(scores, "scores", ndim=2, min_size=3)
    n, k = s.shape
    if n < 2:
        raise ValueError(f"at least 2 datasets are needed, got {n}")
    check_probability(alpha=alpha)
    ranks = rank_within(s if greater_is_better else -s)
    average = ranks.mean(axis=0)
    chi2, p = 0.0, 1.0
    if np.ptp(ranks, axis=1).any():
        chi2, p = map(float, stats.friedmanchisquare(*ranks.T))
    denominator = n * (k - 1) - chi2
    f = (n - 1) * chi2 / denominator if denominator > 1e-9 else float("inf")
    f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))

    se = np.sqrt(k * (k + 1) / (6 * n))
    cd = critical_difference(n, k, alpha)
    i, j = np.triu_indices(k, 1)
    nemenyi = np.eye(k)
    gap = np.abs(average[i] - average[j]) / se * np.sqrt(2)
    nemenyi[i, j] = nemenyi[j, i] = np.clip(stats.studentized_range.sf(gap, k, np.inf), 0, 1)
    return ManyDatasets(n, average, chi2, p, f, f_p, cd, nemenyi, cliques(average, cd), alpha)


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
