"""Compare models: paired fold-wise scores, all pairs at once; unpaired samples of seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from reseed.stats.spread import Array, at_least, finite, probability

_ENUMERABLE = 13  # sign patterns of up to this many differences are all enumerated (8,192)


def differences(a: ArrayLike, b: ArrayLike) -> Array:
    """Return a − b with rounding noise removed, so that ties and zeros are seen as such.

    0.9 − 0.8 and 0.8 − 0.7 differ in the 17th digit; rank tests would take them for untied.
    Differences are rounded to 1e-12 of the largest absolute score on the last axis.
    """
    a, b = np.broadcast_arrays(finite(a, "a"), finite(b, "b"))
    return without_noise(a - b, np.maximum(np.abs(a), np.abs(b)).max(axis=-1, keepdims=True))


def without_noise(x: Array, largest: Array) -> Array:
    """Round `x` to 1e-12 of `largest`, the size of the numbers it was computed from."""
    unit = np.where(largest > 0, largest, 1) * 1e-12
    return np.round(x / unit) * unit


def pair_differences(scores: ArrayLike) -> Array:
    """Return differences of all pairs i < j, (..., pairs, folds), of scores (..., models, folds).

    Pairs are in the order of `np.triu_indices(models, 1)`: (0,1), (0,2), …, (1,2), …
    """
    s = finite(scores, "scores")
    if s.ndim < 2 or s.shape[-2] < 2:
        raise ValueError(f"scores must be (models, folds) with at least 2 models: {s.shape}")
    i, j = np.triu_indices(s.shape[-2], 1)
    return differences(s[..., i, :], s[..., j, :])


def holm(p_values: ArrayLike) -> Array:
    """Holm's step-down adjusted p-values over the last axis (Holm 1979); leading axes are batches.

    Same as statsmodels' multipletests("holm"), which is far too slow inside a simulation.

    Raises:
        ValueError: empty, NaN, or outside [0, 1].
    """
    p = finite(p_values, "p_values")
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p-values must lie in [0, 1]")
    order = np.argsort(p, axis=-1)
    stepped = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    adjusted = np.empty_like(p)
    running = np.minimum(np.maximum.accumulate(stepped, axis=-1), 1)
    np.put_along_axis(adjusted, order, running, axis=-1)
    return adjusted


def _signed_rank_enumerated(d: Array) -> Array:
    """Exact signed-rank p-values (rows, n) by all 2ⁿ sign patterns, ties and zeros included."""
    nonzero = d != 0
    # Zeros are dropped (Wilcoxon): they hold the lowest ranks, which the others give back.
    ranks = stats.rankdata(np.abs(d), axis=-1) - (~nonzero).sum(axis=-1, keepdims=True)
    ranks = np.where(nonzero, ranks, 0)
    n = d.shape[-1]
    patterns = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
    p = np.empty(len(d))
    for start in range(0, len(d), 256):
        block = ranks[start : start + 256]
        null = block @ patterns.T
        observed = (block * (d[start : start + 256] > 0)).sum(axis=-1)[:, None]
        # Rank sums are multiples of 1/2: half a half is a safe slack for rounding.
        upper, lower = (null >= observed - 0.25).mean(-1), (null <= observed + 0.25).mean(-1)
        p[start : start + 256] = np.minimum(1, 2 * np.minimum(upper, lower))
    return p


def wilcoxon_p(d: ArrayLike) -> Array:
    """Two-sided Wilcoxon signed-rank p-values of differences, vectorised over leading axes.

    Row by row what `scipy.stats.wilcoxon(method="auto")` gives (which picks its method once for
    a whole batch): exact by enumeration up to 13 differences, ties and zeros included; else the
    exact null without ties or zeros up to 50; else the normal approximation with tie
    correction. Zeros are dropped; only zeros give p = 1.

    Args:
        d: (..., n) differences, as from `differences` (ties must be exact).

    Returns:
        (...) p-values.
    """
    a = finite(d, "differences")
    rows, n = a.reshape(-1, a.shape[-1]), a.shape[-1]
    if n <= _ENUMERABLE:
        return _signed_rank_enumerated(rows).reshape(a.shape[:-1])[()]
    p = np.ones(len(rows))
    ordered = np.sort(np.abs(rows), axis=-1)
    tied = (ordered[:, 0] == 0) | (np.diff(ordered, axis=-1) == 0).any(axis=-1)
    exact = ~tied & (n <= 50)
    approximate = ~exact & (ordered[:, -1] > 0)
    for chosen, method in ((exact, "exact"), (approximate, "asymptotic")):
        if chosen.any():
            p[chosen] = stats.wilcoxon(rows[chosen], axis=-1, method=method).pvalue
    return p.reshape(a.shape[:-1])[()]


@dataclass(frozen=True)
class CorrectedT:
    """Nadeau–Bengio corrected resampled t test; fields are arrays over the leading axes."""

    t: Array
    p_value: Array
    low: Array
    high: Array
    scale: Array
    df: int


def nadeau_bengio(d: ArrayLike, test_train_ratio: float, level: float = 0.95) -> CorrectedT:
    """Corrected resampled t test of the mean of overlapping-fold differences.

    t = d̄ / √((1/J + n_test/n_train) s²), J − 1 degrees of freedom (Nadeau & Bengio 2003). For
    k-fold cross-validation, repeated or not, n_test/n_train = 1/(k−1). A ratio of 0 is the
    ordinary paired t test. If all differences are equal (s = 0): p is 1 at d̄ = 0, else 0, and
    the interval is a point.

    Args:
        d: (..., J) differences, J >= 2.
        test_train_ratio: n_test / n_train, >= 0.
        level: two-sided confidence level of the interval for the mean difference.
    """
    a = finite(d, "differences", min_size=2)
    if not (np.isfinite(test_train_ratio) and test_train_ratio >= 0):
        raise ValueError(f"test_train_ratio must be n_test / n_train >= 0: {test_train_ratio}")
    probability(level=level)
    j, mean = a.shape[-1], a.mean(axis=-1)
    constant = np.ptp(a, axis=-1) == 0
    variance = np.where(constant, 0, a.var(axis=-1, ddof=1))
    scale = np.sqrt((1 / j + test_train_ratio) * variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / scale)[()]
    half = stats.t.isf((1 - level) / 2, j - 1) * scale
    p = 2 * stats.t.sf(np.abs(t), j - 1)
    return CorrectedT(t, p, mean - half, mean + half, scale, j - 1)


@dataclass(frozen=True)
class Posterior:
    """Posterior shares of the mean difference below, inside and above the region of equivalence."""

    below: Array
    equivalent: Array
    above: Array


def bayesian_correlated_t(d: ArrayLike, test_train_ratio: float, rope: float) -> Posterior:
    """Bayesian correlated t test (Corani & Benavoli 2015; Benavoli et al. 2017, sec. 4.1).

    The posterior of the mean difference is Student t with J − 1 degrees of freedom, location d̄
    and squared scale (1/J + ρ/(1−ρ)) s², ρ = n_test/(n_test + n_train): numerically the
    distribution of `nadeau_bengio`, read as a posterior under a flat prior.

    Args:
        d: (..., J) differences.
        test_train_ratio: n_test / n_train.
        rope: half-width of the region of practical equivalence, in score units, >= 0.
    """
    if not rope >= 0:
        raise ValueError(f"rope must be a half-width >= 0, got {rope}")
    test = nadeau_bengio(d, test_train_ratio)
    mean = (test.low + test.high) / 2
    # Without spread the posterior is a point: a vanishing scale puts all of it on one side.
    scale = np.where(test.scale > 0, test.scale, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        below = stats.t.cdf((-rope - mean) / scale, test.df)
        above = stats.t.sf((rope - mean) / scale, test.df)
    return Posterior(below, 1 - below - above, above)


def bca_mean_interval(
    d: ArrayLike, level: float = 0.95, n_boot: int = 10_000, *, rng: np.random.Generator
) -> tuple[Array, Array]:
    """BCa interval of the mean difference, resampling folds [protocol, sec. 3.2].

    Leading axes share the resamples. It treats folds as independent, which overlapping training
    sets are not: at ten folds it covers about 0.9 where they are, 0.7 in repeated
    cross-validation (see `error_rates`). A row of equal differences gives a point.
    """
    a = finite(d, "differences", min_size=2)
    probability(level=level)
    at_least(2, n_boot=n_boot)
    rows = a.reshape(-1, a.shape[-1])
    low = rows.mean(axis=-1)
    high = low.copy()
    spread = np.ptp(rows, axis=-1) > 0
    if spread.any():
        batch = max(1, 4_000_000 // rows.size)
        ci = stats.bootstrap(
            (rows[spread],), np.mean, axis=-1, vectorized=True, method="BCa",
            confidence_level=level, n_resamples=n_boot, batch=batch, rng=rng,
        ).confidence_interval  # fmt: skip
        low[spread], high[spread] = ci.low, ci.high
    return low.reshape(a.shape[:-1])[()], high.reshape(a.shape[:-1])[()]


@dataclass(frozen=True)
class PairComparison:
    """Model `a` against model `b` on the same folds; differences are score(a) − score(b).

    `*_holm` are adjusted over all pairs of the call. `bayes_*` are posterior shares of the
    difference below −rope, within ±rope, above rope.
    """

    a: int
    b: int
    n_folds: int
    mean_difference: float
    sd_difference: float
    cohens_d: float
    bca_low: float
    bca_high: float
    wilcoxon_p: float
    wilcoxon_p_holm: float
    corrected_t: float
    corrected_t_p: float
    corrected_t_p_holm: float
    corrected_low: float
    corrected_high: float
    bayes_below: float
    bayes_equivalent: float
    bayes_above: float


def compare_all_pairs(
    scores: ArrayLike,
    test_train_ratio: float,
    *,
    rope: float = 0.01,
    level: float = 0.95,
    n_boot: int = 10_000,
    rng: np.random.Generator,
) -> list[PairComparison]:
    """Every paired analysis of every pair [protocol, sec. 3.2], and the corrected ones beside.

    Cohen's d = mean / SD of the differences, SD with ddof=1; 0 if all are 0, ±inf if all are
    equal. Two folds are the minimum; below six the signed-rank test can never reach 0.05.

    Args:
        scores: (models, folds) of one metric, folds × repeats flattened, same folds for all.
        test_train_ratio: n_test / n_train; 1/(k−1) for k-fold cross-validation.
        rope: half-width of practical equivalence, score units.
        level: of all intervals (each for itself, not adjusted for the number of pairs).
        n_boot: paired resamples of the folds.
        rng: their source.

    Returns:
        One entry a pair, in the order of `np.triu_indices(models, 1)`.

    Raises:
        ValueError: fewer than 2 models or folds, NaN or infinity.
    """
    s = finite(scores, "scores", ndim=2, min_size=2)
    d = pair_differences(s)
    mean = d.mean(axis=-1)
    sd = np.where(np.ptp(d, axis=-1) == 0, 0, d.std(axis=-1, ddof=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        cohen = np.where(mean == 0, 0.0, mean / sd)
    test = nadeau_bengio(d, test_train_ratio, level)
    posterior = bayesian_correlated_t(d, test_train_ratio, rope)
    p = wilcoxon_p(d)
    columns = (
        mean, sd, cohen, *bca_mean_interval(d, level, n_boot, rng=rng), p, holm(p),
        test.t, test.p_value, holm(test.p_value), test.low, test.high,
        posterior.below, posterior.equivalent, posterior.above,
    )  # fmt: skip
    pairs = np.transpose(np.triu_indices(len(s), 1))
    return [
        PairComparison(int(i), int(j), s.shape[1], *map(float, row))
        for (i, j), row in zip(pairs, np.transpose(columns), strict=True)
    ]


@dataclass(frozen=True)
class UnpairedComparison:
    """Two independent samples of seeds; `superiority` is P(A > B) + ½ P(A = B)."""

    n_a: int
    n_b: int
    mean_difference: float
    welch_p: float
    low: float
    high: float
    mann_whitney_p: float
    superiority: float
    superiority_low: float
    superiority_high: float
    level: float


def compare_unpaired(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> UnpairedComparison:
    """Compare two models whose seeds are not shared.

    Welch's t test and interval for the mean difference; Mann–Whitney (scipy "auto");
    probability of superiority θ = U/(n_a n_b) with Newcombe's score-type interval (Newcombe 2006,
    method 5), which stays inside [0, 1] and has width when the samples do not overlap. If both
    samples are constant: p is 1 for equal and 0 for unequal means, the interval is a point.

    Args:
        a: (n_a,) scores of independent seeds, n_a >= 2.
        b: (n_b,) scores of other independent seeds, n_b >= 2.
        level: two-sided confidence level.

    Raises:
        ValueError: fewer than two values in a sample, NaN or infinity.
    """
    a, b = finite(a, "a", ndim=1, min_size=2), finite(b, "b", ndim=1, min_size=2)
    probability(level=level)
    difference = float(a.mean() - b.mean())
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        difference = float(a[0] - b[0])
        welch_p, low, high = float(difference == 0), difference, difference
    else:
        welch = stats.ttest_ind(a, b, equal_var=False)
        welch_p = float(welch.pvalue)
        low, high = map(float, welch.confidence_interval(level))
    tied = np.ptp(np.concatenate([a, b])) == 0
    u = stats.mannwhitneyu(a, b)
    theta = float(u.statistic / (a.size * b.size))
    bounds = _superiority_interval(theta, a.size, b.size, level)
    rank_p = 1.0 if tied else float(u.pvalue)
    return UnpairedComparison(
        a.size, b.size, difference, welch_p, low, high, rank_p, theta, *bounds, level
    )


def _superiority_interval(theta: float, m: int, n: int, level: float) -> tuple[float, float]:
    z, extra = stats.norm.isf((1 - level) / 2), (m + n) / 2 - 1

    def excess(t: float) -> float:
        inner = 1 + extra * ((1 - t) / (2 - t) + t / (1 + t))
        return abs(theta - t) - z * np.sqrt(t * (1 - t) * inner / (m * n))

    def root(function: Callable[[float], float], end: float) -> float:
        # Starts beside theta, where the excess is negative: at theta = 0 or 1 it is a root itself.
        near = theta + (end - theta) * 1e-12
        return end if theta == end else float(optimize.brentq(function, *sorted((end, near))))

    return root(excess, 0.0), root(excess, 1.0)


def reject(p_adjusted: Array, alpha: float) -> NDArray[np.bool_]:
    """Decide at level `alpha`, the boundary included, as statsmodels does."""
    return np.asarray(p_adjusted) <= alpha
