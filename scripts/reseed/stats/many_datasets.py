"""Comparison of models over many datasets: Friedman, Nemenyi, critical-difference diagram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.comparison import merge_rounding_noise
from reseed.stats.inputs import Array, as_finite, check_probability, rescale
from reseed.stats.signed_rank import smallest_signed_rank_p, wilcoxon_p


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
            datasets and 3 models. For two models use `compare_two_models`.
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
    # Noise relative to each score itself, so that a diverged model does not tie all others.
    s = rescale(s, axis=1)[0]
    s = merge_rounding_noise(s, np.abs(s))
    ranks = stats.rankdata(-s if greater_is_better else s, axis=1)
    average = ranks.mean(axis=0)
    chi2, p = 0.0, 1.0
    if np.ptp(s, axis=1).any():
        chi2, p = map(float, stats.friedmanchisquare(*s.T))
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


def critical_difference(n_datasets: int, n_models: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of mean ranks, q_α √(k(k + 1)/(6N)) (Demšar 2006)."""
    q = stats.studentized_range.ppf(1 - alpha, n_models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_models * (n_models + 1) / (6 * n_datasets)))


@dataclass(frozen=True)
class TwoModels:
    """Comparison of two models over datasets; `wins` and `losses` count datasets without ties.

    `difference` is the pseudo-median of the differences (Hodges & Lehmann) if they are
    commensurable, otherwise (wins − losses) / datasets. `p_least` is the smallest possible p-value
    for this number of datasets. `equivalence_p` is NaN without a rope.
    """

    n_datasets: int
    difference: float
    wins: int
    losses: int
    p_value: float
    p_least: float
    equivalence_p: float = float("nan")


def compare_two_models(
    d: ArrayLike, *, commensurable: bool = True, rope: float | None = None
) -> TwoModels:
    """Compare two models over datasets.

    Commensurable differences get the signed-rank test; others get the sign test (exact binomial,
    without ties), which uses only their signs. For several pairs of models, adjust the p-values
    (Holm). With `rope`, `equivalence_p` is the larger p-value of two one-sided signed-rank tests,
    of d + rope > 0 and of d − rope < 0. It is small if the centre of symmetry lies within ±rope.

    Args:
        d: (datasets,) differences of mean scores, positive where the first model is better.
        commensurable: True if the metric has the same meaning on all datasets (accuracy, AUC);
            False for losses in the units of their targets.
        rope: half-width of practical equivalence, in units of d, > 0; only if commensurable.

    Raises:
        ValueError: no datasets, NaN, a bad rope.

    Source: Demšar (2006), sec. 3.1; Benavoli et al. (2016).
    """
    d = as_finite(d, "d", ndim=1)
    if rope is not None and not (rope > 0 and commensurable):
        raise ValueError(f"rope must be a half-width > 0 of commensurable d, got {rope}")
    d, unit = rescale(d)
    if commensurable:  # otherwise differences have different units, and only exact ties count
        d = merge_rounding_noise(d, np.abs(d).max(keepdims=True))
    n, wins, losses = d.size, int((d > 0).sum()), int((d < 0).sum())
    p_least = smallest_signed_rank_p(n)
    if not commensurable:
        untied = wins + losses
        p = float(stats.binomtest(wins, untied).pvalue) if untied else 1.0
        return TwoModels(n, (wins - losses) / n, wins, losses, p, p_least)
    i, j = np.triu_indices(n)
    pseudo_median = float(np.median((d[i] + d[j]) / 2) * unit)
    p_rope = float("nan") if rope is None else _signed_rank_equivalence_p(d, rope / unit)
    return TwoModels(n, pseudo_median, wins, losses, float(wilcoxon_p(d)), p_least, p_rope)


def _signed_rank_equivalence_p(d: Array, rope: float) -> float:
    """Return the larger p-value of the signed-rank tests of d + rope > 0 and rope − d > 0."""
    size = np.abs(d).max(keepdims=True) + rope
    margins = [merge_rounding_noise(rope + sign * d, size) for sign in (1, -1)]
    return float(wilcoxon_p(margins, greater=True).max())


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
