"""Compare models by paired fold-wise scores, all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from reseed.stats.bootstrap import resample_counts
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)

_CHUNK = 4_000_000  # replicates held at a time
_ENUMERABLE = 13  # sign patterns of up to this many differences are all enumerated (8,192)


def differences(a: ArrayLike, b: ArrayLike) -> Array:
    """Return a − b with rounding noise removed, so that ties and zeros are seen as such.

    0.9 − 0.8 and 0.8 − 0.7 differ in the 17th digit; rank tests would take them for untied.
    Noise is what is within about 1e-12 of the typical (median) size of the scores on the last axis:
    of the largest, one diverged run would make ties of all others.
    """
    a, b = np.broadcast_arrays(as_finite(a, "a"), as_finite(b, "b"))
    # By a power of two first, so that neither the difference nor its unit leaves float64.
    sizes, power = rescale(np.maximum(np.abs(a), np.abs(b)), axis=-1)
    typical = np.median(sizes, axis=-1, keepdims=True)
    typical = np.where(typical > 0, typical, sizes.max(axis=-1, keepdims=True))
    return merge_rounding_noise(a / power - b / power, typical) * power


def merge_rounding_noise(x: Array, size: Array) -> Array:
    """`x` (..., n) where what noise alone sets apart is one value.

    size: of the numbers that `x` was computed from. Magnitudes on the last axis that follow each
    other, from 0 on, within about 1e-12 of it are the least of them. Nothing is rounded to a grid:
    two equal ones could lie on either side of a half, and the others would be moved by more than
    noise.
    """
    sizes = np.abs(x)
    order = np.argsort(sizes, axis=-1)
    rising = np.take_along_axis(sizes, order, axis=-1)
    apart = np.ldexp(1.0, np.maximum(np.frexp(size)[1] - 40, -1022))
    apart = np.take_along_axis(np.broadcast_to(apart, x.shape), order, axis=-1)
    starts = np.diff(rising, axis=-1, prepend=0.0) > apart
    least = np.maximum.accumulate(np.where(starts, rising, 0.0), axis=-1)
    tied = np.empty_like(sizes)
    np.put_along_axis(tied, order, least, axis=-1)
    return np.copysign(tied, x)


def pair_differences(scores: ArrayLike) -> Array:
    """Return differences of all pairs i < j, (..., pairs, folds), of scores (..., models, folds).

    Pairs are in the order of `np.triu_indices(models, 1)`: (0,1), (0,2), …, (1,2), …
    """
    s = as_finite(scores, "scores")
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
    p = as_finite(p_values, "p_values")
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p-values must lie in [0, 1]")
    order = np.argsort(p, axis=-1)
    stepped = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    adjusted = np.empty_like(p)
    running = np.minimum(np.maximum.accumulate(stepped, axis=-1), 1)
    np.put_along_axis(adjusted, order, running, axis=-1)
    return adjusted


def wilcoxon_p(d: ArrayLike, *, greater: bool = False) -> Array:
    """Wilcoxon signed-rank p-values of differences, vectorised over leading axes.

    Zeros are dropped; only zeros give p = 1. Of the others row by row what
    `scipy.stats.wilcoxon(method="auto")` gives: exact by enumeration up to 13 differences, ties
    included; else the exact null without ties up to 50; else the normal approximation with tie
    correction. (With the zeros SciPy counts a row of many zeros as long enough to approximate:
    five differences of one sign beside 15 zeros give 0.043, where the least possible is 0.0625.)

    Args:
        d: (..., n) differences, as from `differences` (ties must be exact).
        greater: one-sided, against a centre of at most 0.

    Returns:
        (...) p-values.
    """
    a = as_finite(d, "differences")
    rows = a.reshape(-1, a.shape[-1])
    # The greatest first, so that the zeros of a row are its end.
    rows = np.take_along_axis(rows, np.argsort(-np.abs(rows), axis=-1), axis=-1)
    sizes = np.count_nonzero(rows, axis=-1)
    p = np.ones(len(rows))
    for n in np.unique(sizes[sizes > 0]):
        p[sizes == n] = _signed_rank(rows[sizes == n, :n], greater)
    return p.reshape(a.shape[:-1])[()]


def _signed_rank(d: Array, greater: bool) -> Array:
    """p-values (rows,) of differences (rows, n) without zeros, by falling size."""
    if d.shape[1] <= _ENUMERABLE:
        return _signed_rank_enumerated(d, greater)
    p = np.empty(len(d))
    exact = (np.diff(np.abs(d), axis=1) != 0).all(axis=1) & (d.shape[1] <= 50)
    for chosen, method in ((exact, "exact"), (~exact, "asymptotic")):
        if chosen.any():
            way = "greater" if greater else "two-sided"
            p[chosen] = stats.wilcoxon(d[chosen], axis=1, method=method, alternative=way).pvalue
    return p


def _signed_rank_enumerated(d: Array, greater: bool) -> Array:
    """Exact p-values by all 2ⁿ sign patterns, ties included."""
    n = d.shape[1]
    ranks = stats.rankdata(np.abs(d), axis=1)
    patterns = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
    p = np.empty(len(d))
    for start in range(0, len(d), 256):
        block = ranks[start : start + 256]
        null = block @ patterns.T
        observed = (block * (d[start : start + 256] > 0)).sum(axis=1)[:, None]
        p[start : start + 256] = rank_sum_p(null, observed, greater=greater)
    return p


def rank_sum_p(null: Array, observed: Array, *, greater: bool = False) -> Array:
    """p-values (...) of rank sums `observed` (..., 1) among all their arrangements (..., n)."""
    # Rank sums are multiples of 1/2: half a half is a safe slack for rounding.
    upper, lower = (null >= observed - 0.25).mean(-1), (null <= observed + 0.25).mean(-1)
    return upper if greater else np.minimum(1, 2 * np.minimum(upper, lower))


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
    a, unit = rescale(as_finite(d, "differences", min_size=2), axis=-1)
    if not (np.isfinite(test_train_ratio) and test_train_ratio >= 0):
        raise ValueError(f"test_train_ratio must be n_test / n_train >= 0: {test_train_ratio}")
    check_probability(level=level)
    j, mean = a.shape[-1], a.mean(axis=-1)
    constant = np.ptp(a, axis=-1) == 0
    variance = np.where(constant, 0, a.var(axis=-1, ddof=1))
    scale = np.sqrt((1 / j + test_train_ratio) * variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / scale)[()]
    half = stats.t.isf((1 - level) / 2, j - 1) * scale
    p = 2 * stats.t.sf(np.abs(t), j - 1)
    unit = unit[..., 0]
    return CorrectedT(t, p, (mean - half) * unit, (mean + half) * unit, scale * unit, j - 1)


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
    mean = test.low / 2 + test.high / 2
    # Without spread the posterior is a point: a vanishing scale puts all of it on one side.
    scale = np.where(test.scale > 0, test.scale, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        below = stats.t.cdf((-rope - mean) / scale, test.df)
        above = stats.t.sf((rope - mean) / scale, test.df)
    return Posterior(below, 1 - below - above, above)


def bca_mean_interval(
    d: ArrayLike, level: float = 0.95, n_boot: int = 10_000, *, rng: np.random.Generator
) -> tuple[Array, Array]:
    """BCa interval of the mean difference, resampling folds (Efron 1987) [protocol, sec. 3.2].

    Leading axes share the resamples, so a row's interval does not depend on the rows beside it;
    they are taken in blocks of bounded memory. It treats folds as independent, which overlapping
    training sets are not: at ten folds it covers about 0.9 where they are, 0.7 in repeated
    cross-validation (see `error_rates`). A row of equal differences gives a point.
    """
    a, unit = rescale(as_finite(d, "differences", min_size=2), axis=-1)
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    n = a.shape[-1]
    rows = a.reshape(-1, n)
    mean = rows.mean(axis=-1)
    low, high = mean.copy(), mean.copy()
    # Single precision: 1e-7 of the spread is far below the Monte Carlo error of a quantile.
    weights = (resample_counts(n_boot, n, rng=rng) / n).T.astype(np.float32)
    (varied,) = np.nonzero(np.ptp(rows, axis=-1) > 0)
    step = max(1, _CHUNK // n_boot)
    for start in range(0, len(varied), step):
        chosen = varied[start : start + step]
        centred = rows[chosen] - mean[chosen, None]
        sd = centred.std(axis=-1, keepdims=True)
        shape = centred / sd
        boot = shape.astype(np.float32) @ weights
        skew = (shape**3).sum(axis=-1) / (6 * (shape**2).sum(axis=-1) ** 1.5)
        ends = _bca_quantiles(boot, skew, level)
        low[chosen], high[chosen] = (mean[chosen] + sd[:, 0] * end for end in ends)
    shape, unit = a.shape[:-1], unit[..., 0]
    return low.reshape(shape) * unit, high.reshape(shape) * unit


def _bca_quantiles(boot: Array, acceleration: Array, level: float) -> Array:
    """Ends (2, rows) of BCa intervals of a statistic that is 0 on the data itself.

    boot: (rows, n_boot) replicates, sorted in place. acceleration: (rows,).
    """
    n_boot = boot.shape[1]
    boot.sort(axis=1)
    noise = 1e-6  # of single precision: a replicate equal to the statistic counts as one half
    below = (np.count_nonzero(boot < -noise, axis=1) + np.count_nonzero(boot <= noise, axis=1)) / 2
    # Clipped away from 0 and 1: with all replicates on one side the bias would be infinite.
    z0 = stats.norm.ppf(np.clip(below / n_boot, 0.5 / n_boot, 1 - 0.5 / n_boot))
    z = z0 + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])[:, None]
    position = stats.norm.cdf(z0 + z / (1 - acceleration * z)) * (n_boot - 1)
    left = np.clip(position.astype(np.int64), 0, n_boot - 2)
    rows = np.arange(len(boot))
    values = boot[rows, left].astype(np.float64), boot[rows, left + 1].astype(np.float64)
    return values[0] + (position - left) * (values[1] - values[0])


def equivalence_p(mean: ArrayLike, scale: ArrayLike, df: ArrayLike, rope: float) -> Array:
    """Two one-sided t tests: p-value of "the difference is beyond ±rope" (Schuirmann 1987).

    The larger of the two one-sided p-values. At most α exactly where the 1 − 2α interval lies
    within ±rope. `scale` is the standard error of `mean`; at 0 the mean itself decides.

    Args:
        mean: differences.
        scale: their standard errors, as `CorrectedT.scale`.
        df: degrees of freedom.
        rope: half-width of the region of practical equivalence, in score units, > 0.
    """
    if not rope > 0:
        raise ValueError(f"rope must be a half-width > 0, got {rope}")
    room = rope - np.abs(as_finite(mean, "mean") if np.ndim(mean) else np.float64(mean))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(room == 0, 0.0, room / scale)
    return stats.t.sf(t, df)


@dataclass(frozen=True)
class PairedComparison:
    """Pairs of models on the same folds; every field but `n` and `df` is (pairs,).

    Differences are score(first) − score(second); `cohens_dz` is Cohen's d of paired differences,
    mean / SD of the differences. `bayes_*` are posterior shares of the difference below −rope,
    within ±rope, above rope; `equivalence_p` is NaN at rope = 0.
    """

    n: int
    df: int
    mean: Array
    sd: Array
    cohens_dz: Array
    bca_low: Array
    bca_high: Array
    wilcoxon_p: Array
    t: Array
    t_p: Array
    scale: Array
    low: Array
    high: Array
    equivalence_p: Array
    bayes_below: Array
    bayes_equivalent: Array
    bayes_above: Array


def compare_paired(
    d: ArrayLike,
    test_train_ratio: float,
    *,
    rope: float = 0.0,
    level: float = 0.95,
    n_boot: int = 10_000,
    rng: np.random.Generator,
) -> PairedComparison:
    """Every paired analysis of every row of differences [protocol, sec. 3.2], all at once.

    d_z = mean / SD of the differences, SD with ddof=1; 0 if all are 0, ±inf if all are equal. Two
    folds are the minimum; below six the signed-rank test can never reach 0.05.

    Args:
        d: (pairs, folds) differences, as from `pair_differences`; folds × repeats flattened.
        test_train_ratio: n_test / n_train; 1/(k−1) for k-fold cross-validation.
        rope: half-width of practical equivalence, score units; 0 for none.
        level: of all intervals (each for itself, not adjusted for the number of pairs).
        n_boot: paired resamples of the folds.
        rng: their source.

    Raises:
        ValueError: fewer than 2 folds, NaN or infinity, bad ratio, rope or level.
    """
    d = as_finite(d, "differences", ndim=2, min_size=2)
    test = nadeau_bengio(d, test_train_ratio, level)
    posterior = bayesian_correlated_t(d, test_train_ratio, rope)
    small, unit = rescale(d, axis=-1)
    mean = small.mean(axis=-1)
    sd = np.where(np.ptp(small, axis=-1) == 0, 0, small.std(axis=-1, ddof=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        dz = np.where(mean == 0, 0.0, mean / sd)
    mean, sd = mean * unit[:, 0], sd * unit[:, 0]
    within = equivalence_p(mean, test.scale, test.df, rope) if rope > 0 else np.full(len(d), np.nan)
    bca = bca_mean_interval(d, level, n_boot, rng=rng)
    return PairedComparison(
        d.shape[1], test.df, mean, sd, dz, *bca, wilcoxon_p(d), test.t, test.p_value, test.scale,
        test.low, test.high, within, posterior.below, posterior.equivalent, posterior.above,
    )  # fmt: skip


def smallest_signed_rank_p(n: int) -> float:
    """Smallest two-sided p-value that the signed-rank test can give with n differences."""
    check_at_least(1, n=n)
    return 0.5 ** (n - 1)


def reject(p_adjusted: Array, alpha: float) -> NDArray[np.bool_]:
    """Decide at level `alpha`, the boundary included, as statsmodels does."""
    return np.asarray(p_adjusted) <= alpha
