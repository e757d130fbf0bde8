"""How far scores of repeated trainings spread, and whether a Gaussian would spread as far."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import gammaln
from statsmodels.stats.diagnostic import normal_ad

from reseed.stats.inputs import (
    Array,
    as_finite,
    as_real,
    check_at_least,
    check_probability,
    rescale,
)

_CHUNK = 4_000_000  # numbers drawn at a time: bounds memory at about 100 MB
# Fewest values for an interval of the SD (below, its end is over three times the SD) and of the
# IQR (below, the bootstrap covers 0.80 to 0.90 instead of 0.95).
_MIN_FOR_SD, _MIN_FOR_IQR = 5, 10
_ROUNDING = 1 + 1e-9  # a probability that is the level's own but for rounding reaches the level


@dataclass(frozen=True)
class Spread:
    """Descriptive spread; every field but `n` is in the unit of the scores or is unit-free.

    Each field is a float for one sample, an array for a stack of samples.
    """

    n: int
    median: Array
    iqr: Array
    range: Array
    relative_variation: Array
    mean: Array
    sd: Array
    min: Array
    max: Array


def spread(x: ArrayLike, axis: int = -1) -> Spread:
    """Summarise scores along `axis` [Raste et al., Table 3; Picard, Table 1].

    `iqr` is the difference of the quartiles by linear interpolation (numpy's default, type 7);
    `relative_variation` = range / |median| (the paper's range / median for positive metrics), NaN
    where the median is 0; `sd` has ddof=1 and is NaN for a single value.

    Args:
        x: scores, any shape; `axis` holds the seeds.
        axis: the axis to summarise; it is dropped from every field.

    Raises:
        ValueError: empty input, NaN or infinity.
    """
    a, unit = rescale(as_finite(np.moveaxis(np.atleast_1d(as_real(x)), axis, -1)), axis=-1)
    n = a.shape[-1]
    # Taken from the first value on: equal scores then have exactly their own mean, and SD 0.
    start = a[..., :1]
    q1, median, q3 = np.quantile(a, [0.25, 0.5, 0.75], axis=-1)
    low, high = a.min(axis=-1), a.max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(median == 0, np.nan, (high - low) / np.abs(median))[()]
    mean = start[..., 0] + (a - start).mean(axis=-1)
    sd = (a - start).std(axis=-1, ddof=1) if n > 1 else np.full_like(low, np.nan)[()]
    in_unit = (v * unit[..., 0] for v in (median, q3 - q1, high - low, mean, sd, low, high))
    median, iqr, width, mean, sd, low, high = in_unit
    return Spread(n, median, iqr, width, relative, mean, sd, low, high)


@dataclass(frozen=True)
class SpreadIntervals:
    """Lower and upper ends of intervals, field by field as in `Spread`; NaN where there is none."""

    level: float
    n_boot: int
    low: Spread
    high: Spread


def spread_intervals(
    x: ArrayLike, level: float = 0.95, n_boot: int = 2000, *, rng: np.random.Generator
) -> SpreadIntervals:
    """Intervals over seeds for the fields of `spread` that can have one at this n.

    `median`: order statistics, exact and distribution-free (none below 6 seeds at 95 %). `mean`: t.
    `sd`: `variance_limits` (none below 5). `iqr`: percentile bootstrap, none below 10 seeds, where
    it covers 0.80 to 0.90 instead of 0.95. `range`, `relative_variation`, `min` and `max` have
    none at any n: a resample never reaches beyond the observed extremes. What can be said honestly
    about extremes is in `range_content` (distribution-free) and `range_against_gaussian`.
    Measured coverage: `docs/methods.md`.

    Args:
        x: (seeds,) scores of one cell, independent across seeds; at least 2.
        level: two-sided confidence level.
        n_boot: bootstrap resamples.
        rng: source of the resamples.

    Raises:
        ValueError: fewer than two values, NaN or infinity; bad `level` or `n_boot`.
    """
    a, unit = rescale(as_finite(x, ndim=1, min_size=2))
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    n = a.size
    ends = {f.name: np.full(2, np.nan) for f in fields(Spread)[1:]}
    ends["median"] = np.array(median_interval(a, level))
    half = stats.t.isf((1 - level) / 2, n - 1) * spread(a).sd / np.sqrt(n)
    ends["mean"] = spread(a).mean + np.array([-half, half])
    if n >= _MIN_FOR_SD:
        ends["sd"] = np.sqrt(variance_limits(a, level))
    if n >= _MIN_FOR_IQR:
        step = max(1, _CHUNK // n)
        parts = [
            _iqr(a[rng.integers(0, n, (min(step, n_boot - done), n))])
            for done in range(0, n_boot, step)
        ]
        ends["iqr"] = np.quantile(np.concatenate(parts), [(1 - level) / 2, (1 + level) / 2])
    low, high = (Spread(n, **{k: float(v[i] * unit) for k, v in ends.items()}) for i in (0, 1))
    return SpreadIntervals(level, n_boot, low, high)


def _iqr(a: Array) -> Array:
    """Difference of the quartiles along the last axis, as `spread` has it."""
    low, high = np.quantile(a, [0.25, 0.75], axis=-1)
    return high - low


def variance_limits(x: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """χ² interval of the variance, its degrees of freedom lowered for heavy tails.

    Var(s²) = σ⁴(κ/n + 2/(n−1)), κ the excess kurtosis, so s² has about df = 2/(κ/n + 2/(n−1))
    degrees of freedom (O'Neill 2014); κ is estimated, and taken as 0 where negative. With κ = 0
    it is the usual interval, exact for Gaussian values.

    Args:
        x: (n,) values, n >= 2; below 4 the kurtosis is taken as 0.
        level: two-sided confidence level.

    Raises:
        ValueError: fewer than two values, NaN or infinity, bad level.
    """
    a, unit = rescale(as_finite(x, ndim=1, min_size=2))
    check_probability(level=level)
    n, observed = a.size, a.var(ddof=1)
    if np.ptp(a) == 0:
        return 0.0, 0.0
    kurtosis = max(0.0, float(stats.kurtosis(a, bias=False))) if n > 3 else 0.0
    df = 2 / (kurtosis / n + 2 / (n - 1))
    tail = (1 - level) / 2
    low, high = observed * df / stats.chi2.isf([tail, 1 - tail], df) * unit * unit
    return float(low), float(high)


def median_interval(x: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Order statistics that hold the median with at least `level` (sign test inverted).

    Distribution-free, and exact in that its coverage is known: 0.969 at six values (their range).
    NaN where even the extremes do not reach the level.

    Raises:
        ValueError: NaN or infinity, bad level.
    """
    a = np.sort(as_finite(x, ndim=1))
    check_probability(level=level)
    k = median_rank(a.size, level)
    if k < 1:
        return float("nan"), float("nan")
    return float(a[k - 1]), float(a[a.size - k])


def median_rank(n: int, level: float) -> int:
    """Rank k of the order statistics k and n + 1 − k that hold the median; 0 where none do.

    The largest k with P(fewer than k of n values below the median) <= (1 − level) / 2.
    """
    return int(stats.binom.ppf((1 - level) / 2 * _ROUNDING, n, 0.5))


def next_median_interval(x: ArrayLike, n_next: int, level: float = 0.95) -> tuple[float, float]:
    """Order statistics that hold the median of `n_next` new seeds with at least `level`.

    Distribution-free: of `n_next` new values as many lie below the k-th of n as a beta-binomial
    (n_next; k, n + 1 − k) has (Fligner & Wolfe 1979). Wider than `median_interval`, which holds the
    median of all seeds. NaN where even the extremes do not reach the level.

    Args:
        x: (n,) values.
        n_next: new values, independent of these and of the same law.
        level: least probability.

    Raises:
        ValueError: NaN or infinity, bad level, no new value.
    """
    a = np.sort(as_finite(x, ndim=1))
    check_probability(level=level)
    check_at_least(1, n_next=n_next)
    ranks = np.arange(1, a.size // 2 + 1)
    # The median of an even number lies below a value only if the lower of its two middle ones does.
    beyond = stats.betabinom.sf((n_next + 1) // 2 - 1, n_next, ranks, a.size + 1 - ranks)
    k = int(np.count_nonzero(beyond <= (1 - level) / 2 * _ROUNDING))
    if k < 1:
        return float("nan"), float("nan")
    return float(a[k - 1]), float(a[a.size - k])


@dataclass(frozen=True)
class RangeContent:
    """Share of all seeds whose score lies within the observed min to max."""

    n: int
    level: float
    expected: float
    lower: float


def range_content(n: int, level: float = 0.95) -> RangeContent:
    """Distribution-free content of the observed range of `n` independent seeds (Wilks 1941).

    For any continuous score distribution the share of seeds inside [min, max] is Beta(n−1, 2):
    (n−1)/(n+1) on average, and at least `lower` with confidence `level`. With ties it holds as a
    lower bound. It is the honest counterpart of an interval for the range.

    Raises:
        ValueError: n < 2 or a level outside (0, 1).
    """
    check_at_least(2, n=n)
    check_probability(level=level)
    lower = float(stats.beta.ppf(1 - level, n - 1, 2))
    return RangeContent(n, level, (n - 1) / (n + 1), lower)


def expected_gaussian_range(n: ArrayLike) -> Array:
    """Expected max − min of `n` independent standard normal values, in SD (Tippett 1925).

    E = ∫ 1 − Φ(x)ⁿ − (1−Φ(x))ⁿ dx over the real line; the trapezoidal rule is exact to rounding for
    this smooth integrand that vanishes at both ends (valid to n = 1e40).

    Args:
        n: sample sizes, scalar or array of integers >= 1.

    Returns:
        The shape of `n`: 0 at n=1, 1.128 at 2, 4.498 at 50, 7.70 at 10,000.
    """
    size = as_real(n, "n")
    if size.size == 0 or not np.all((size >= 1) & (size <= 1e40) & (size == np.floor(size))):
        raise ValueError(f"sample sizes must be integers from 1 to 1e40, got {n}")
    unique, where = np.unique(size, return_inverse=True)
    x = np.linspace(-15, 15, 6001)
    log_cdf = stats.norm.logcdf(x)
    # −expm1 keeps 1 − Φⁿ accurate where Φ is close to 1; the mirror term is its reflection.
    upper = -np.expm1(unique[:, None] * log_cdf)
    integrand = upper - np.exp(unique[:, None] * log_cdf[::-1])
    return (integrand.sum(axis=1) * (x[1] - x[0]))[where].reshape(size.shape)[()]


@lru_cache(maxsize=64)  # the cells of a study have the same few sizes
def _gaussian_null(n: int, n_sim: int, seed: int) -> tuple[Array, Array]:
    """Return range / SD and excess kurtosis of `n_sim` Gaussian samples of size `n`."""
    rng, step = np.random.default_rng(seed), max(1, _CHUNK // n)
    parts = []
    for done in range(0, n_sim, step):
        z = rng.standard_normal((min(step, n_sim - done), n))
        parts.append((np.ptp(z, axis=1) / z.std(axis=1, ddof=1), _excess_kurtosis(z)))
    ratio, kurtosis = zip(*parts, strict=True)
    return np.concatenate(ratio), np.concatenate(kurtosis)


def _excess_kurtosis(z: Array) -> Array:
    """Return the unbiased-under-normality G2 along the last axis, without scipy's overhead."""
    n = z.shape[-1]
    c = z - z.mean(axis=-1, keepdims=True)
    c *= c
    m2 = c.mean(axis=-1)
    c *= c
    g2 = c.mean(axis=-1) / m2**2 - 3
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6)


def _tail_p(null: Array, observed: float) -> tuple[float, float]:
    """Return Monte Carlo p-values (upper, two-sided), never 0 (Davison & Hinkley 1997, 4.11)."""
    slack = 1e-9 * max(1.0, abs(observed))
    upper = (1 + np.count_nonzero(null >= observed - slack)) / (1 + null.size)
    lower = (1 + np.count_nonzero(null <= observed + slack)) / (1 + null.size)
    return float(upper), float(min(1.0, 2 * min(upper, lower)))


@dataclass(frozen=True)
class Normality:
    """Omnibus normality test and the weight of the tails."""

    n: int
    test: str
    statistic: float
    p_value: float
    excess_kurtosis: float
    excess_kurtosis_se: float
    excess_kurtosis_p: float
    tail: str


@dataclass(frozen=True)
class GaussianRange:
    """Observed range, in SD of the sample, against that of a Gaussian sample of the same size."""

    n: int
    observed: float
    expected: float
    ratio: float
    p_larger: float
    p_value: float
    n_sim: int
    normality: Normality


def range_against_gaussian(
    x: ArrayLike, *, alpha: float = 0.05, n_sim: int = 4000, seed: int = 0
) -> GaussianRange:
    """Test whether the range of `x` is what a Gaussian sample of that size gives.

    The statistic is the internally studentised range R/s (David, Hartley & Pearson 1954). By
    Basu's theorem R/s and s are independent for a Gaussian sample, so its expectation is exactly
    E[R] / E[s] = `expected_gaussian_range(n)` / c4(n); the p-values (one-sided for a larger range,
    and two-sided) are Monte Carlo with `n_sim` Gaussian samples, SE √(p(1−p)/n_sim).

    The normality check is Shapiro–Wilk up to n = 5,000 and Anderson–Darling (Stephens' case of
    estimated mean and SD) beyond. The tail is "heavier" or "lighter" when the excess kurtosis G2
    is significant at `alpha` (two-sided, same Monte Carlo samples), else "as Gaussian";
    its SE is the exact one under normality. "as Gaussian" is no proof: small n hides much.

    Args:
        x: (seeds,) scores, at least 4 and not all equal.
        alpha: level of the tail verdict.
        n_sim: Gaussian samples drawn.
        seed: of the Gaussian samples, which all calls for one size share.

    Raises:
        ValueError: fewer than 4 values, all values equal, NaN or infinity.
    """
    a, _ = rescale(as_finite(x, ndim=1, min_size=4))
    check_probability(alpha=alpha)
    check_at_least(2, n_sim=n_sim)
    n, centred = a.size, a - a.mean()
    sd = centred.std(ddof=1)
    # Relative to the size of the scores: a constant column must not pass by rounding noise.
    if sd <= 1e-13 * np.abs(a).max():
        raise ValueError(f"all {n} values are equal: there is no spread to compare")
    z = centred / sd
    null_ratio, null_kurtosis = _gaussian_null(n, n_sim, seed)

    observed = float(np.ptp(z))
    c4 = np.sqrt(2 / (n - 1)) * np.exp(gammaln(n / 2) - gammaln((n - 1) / 2))
    expected = float(expected_gaussian_range(n) / c4)
    p_larger, p_two_sided = _tail_p(null_ratio, observed)

    if n <= 5000:
        test, (statistic, p) = "Shapiro-Wilk", stats.shapiro(z)
    else:
        test, (statistic, p) = "Anderson-Darling", normal_ad(z)
    g2 = float(_excess_kurtosis(z))
    _, g2_p = _tail_p(null_kurtosis, g2)
    tail = "as Gaussian" if g2_p > alpha else "heavier" if g2 > 0 else "lighter"
    g1_se = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    g2_se = float(2 * g1_se * np.sqrt((n * n - 1) / ((n - 3) * (n + 5))))
    normality = Normality(n, test, float(statistic), float(p), g2, g2_se, g2_p, tail)
    return GaussianRange(
        n, observed, expected, observed / expected, p_larger, p_two_sided, n_sim, normality
    )
