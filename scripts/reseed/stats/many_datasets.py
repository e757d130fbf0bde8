"""Compare several models over many datasets: Friedman, Nemenyi, critical-difference diagram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reseed.stats.comparison import merge_rounding_noise, smallest_signed_rank_p, wilcoxon_p
from reseed.stats.inputs import Array, as_finite, check_probability, rescale


@dataclass(frozen=True)
class ManyDatasets:
    """Numbers of a critical-difference diagram; models are column indices of the scores.

    `cliques` are the maximal groups of models, best first, whose average ranks all lie within
    the critical difference: what the diagram joins by a bar.
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
    """Friedman test and Nemenyi's post-hoc test of models over datasets (Demšar 2006).

    Rank 1 is best; ties get average ranks. Friedman's χ² is corrected for ties (scipy), and is 0
    with p = 1 if every dataset ties all models. Iman–Davenport's F = (N−1)χ² / (N(k−1) − χ²) is
    less conservative. Nemenyi: CD = q_α √(k(k+1)/(6N)), q_α the studentised range quantile at
    infinite degrees of freedom over √2.

    Args:
        scores: (datasets, models), one score (a mean over folds and seeds) per cell; at least 2
            datasets and 3 models. With two models use the Wilcoxon test over datasets instead.
        greater_is_better: False for losses.
        alpha: level of the critical difference.

    Raises:
        ValueError: too few datasets or models, NaN (a model missing on a dataset).
    """
    s = as_finite(scores, "scores", ndim=2, min_size=3)
    n, k = s.shape
    if n < 2:
        raise ValueError(f"at least 2 datasets are needed, got {n}")
    check_probability(alpha=alpha)
    # Each by its own size: one model that diverged makes no ties of the others.
    s = rescale(s, axis=1)[0]
    s = merge_rounding_noise(s, np.abs(s))
    ranks = stats.rankdata(-s if greater_is_better else s, axis=1)
    average = ranks.mean(axis=0)
    chi2, p = 0.0, 1.0
    if np.ptp(s, axis=1).any():
        chi2, p = map(float, stats.friedmanchisquare(*s.T))
    room = n * (k - 1) - chi2
    f = (n - 1) * chi2 / room if room > 1e-9 else float("inf")
    f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))

    se = np.sqrt(k * (k + 1) / (6 * n))
    cd = float(stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2) * se)
    i, j = np.triu_indices(k, 1)
    nemenyi = np.eye(k)
    gap = np.abs(average[i] - average[j]) / se * np.sqrt(2)
    nemenyi[i, j] = nemenyi[j, i] = np.clip(stats.studentized_range.sf(gap, k, np.inf), 0, 1)
    return ManyDatasets(n, average, chi2, p, f, f_p, cd, nemenyi, cliques(average, cd), alpha)


@dataclass(frozen=True)
class TwoModels:
    """Two models over datasets; `wins` and `losses` count datasets, ties are in neither.

    `difference` is the pseudo-median of the differences (Hodges & Lehmann) where they are
    commensurable, else (wins − losses) / datasets. `p_least` is the smallest p-value that this
    test can give with so many datasets. `equivalence_p` is NaN without a region.
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
    """Compare two models over datasets (Demšar 2006, sec. 3.1; Benavoli et al. 2016).

    Signed-rank test of the differences where a difference means the same on every dataset; else
    sign test (exact binomial, ties left out), which asks only for its sign. For several pairs
    adjust the p-values (Holm). With `rope`, `equivalence_p` is the larger p of two one-sided
    signed-rank tests, of d + rope > 0 and of d − rope < 0: small where the differences' centre of
    symmetry lies within ±rope.

    Args:
        d: (datasets,) differences of mean scores, positive where the first model is better.
        commensurable: one metric with one meaning on all datasets (accuracy, AUC); not losses in
            the units of their targets.
        rope: half-width of practical equivalence, in units of d, > 0; commensurable d only.

    Raises:
        ValueError: no datasets, NaN, a bad rope.
    """
    d = as_finite(d, "d", ndim=1)
    if rope is not None and not (rope > 0 and commensurable):
        raise ValueError(f"rope must be a half-width > 0 of commensurable d, got {rope}")
    d, unit = rescale(d)
    if commensurable:  # else each has a size of its own, and none is noise beside another
        d = merge_rounding_noise(d, np.abs(d).max())
    n, wins, losses = d.size, int((d > 0).sum()), int((d < 0).sum())
    floor = smallest_signed_rank_p(n)
    if not commensurable:
        untied = wins + losses
        p = float(stats.binomtest(wins, untied).pvalue) if untied else 1.0
        return TwoModels(n, (wins - losses) / n, wins, losses, p, floor)
    i, j = np.triu_indices(n)
    middle = float(np.median((d[i] + d[j]) / 2) * unit)
    within = float("nan") if rope is None else _within(d, rope / unit)
    return TwoModels(n, middle, wins, losses, float(wilcoxon_p(d)), floor, within)


def _within(d: Array, rope: float) -> float:
    sides = [merge_rounding_noise(rope + sign * d, np.abs(d).max() + rope) for sign in (1, -1)]
    return float(wilcoxon_p(sides, greater=True).max())


def cliques(average_ranks: ArrayLike, critical_difference: float) -> tuple[tuple[int, ...], ...]:
    """Return maximal groups of two or more models within `critical_difference` of each other.

    A group's ranks differ by less than the critical difference; groups inside others are left out.
    """
    ranks = as_finite(average_ranks, "average_ranks", ndim=1)
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    ends = np.searchsorted(ordered, ordered + critical_difference - 1e-12, side="left")
    ends = np.maximum(ends, np.arange(1, ranks.size + 1))
    fresh = np.r_[True, ends[1:] > ends[:-1]]  # else it lies inside the group before
    return tuple(
        tuple(int(m) for m in order[start:end])
        for start, end, new in zip(range(ranks.size), ends, fresh, strict=True)
        if new and end - start > 1
    )
