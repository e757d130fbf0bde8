"""Spread of scores over repeated trainings, and comparison of their range with a Gaussian's."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from reseed.stats import distributions as stats
from reseed.stats.inputs import (
    Array,
    as_finite,
    as_real,
    check_at_least,
    check_probability,
    rescale,
)

_CHUNK = 4_000_000  # random numbers held in memory at once: about 100 MB
# Smallest n for an interval of the SD (below, its upper end exceeds three times the SD) and of the
# IQR (below, the bootstrap covers 0.80 to 0.90 instead of 0.95).
_MIN_FOR_SD, _MIN_FOR_IQR = 5, 10
_ROUNDING_NOISE = 1e-12  # a range below this share of the values is a rounding error
_ROUNDING = 1 + 1e-9  # probabilities equal to the level up to rounding errors reach the level


@dataclass(frozen=True)
class Spread:
    """Descriptive statistics; a float each for one sample, an array for a stack of samples.

    `n` is the sample size and `relative_variation` has no unit; all others are in score units.
    """

    n: int
    median: float | Array
    iqr: float | Array
    range: float | Array
    relative_variation: float | Array
    mean: float | Array
    sd: float | Array
    min: float | Array
    max: float | Array


def spread(x: ArrayLike, axis: int = -1) -> Spread:
    """Summarise scores along `axis` [Raste et al., Table 3; Picard, Table 1].

    `iqr` is the difference of the quartiles by linear interpolation (numpy's default, type 7).
    `relative_variation` = range / |median| (for positive metrics the paper's range / median); it is
    NaN where the median is 0. `sd` has ddof=1 and is NaN for a single value.

    Args:
        x: scores, any shape.
        axis: axis of the seeds; fields have the shape of `x` without it.

    Raises:
        ValueError: empty input, NaN or infinity.
    """
    a, unit = rescale(as_finite(np.moveaxis(np.atleast_1d(as_real(x)), axis, -1)), axis=-1)
    n = a.shape[-1]
    # Relative to the first value, so that equal scores have an exact mean and SD 0.
    start = a[..., :1]
    q1, median, q3 = np.quantile(a, [0.25, 0.5, 0.75], axis=-1)
    low, high = a.min(axis=-1), a.max(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(median == 0, np.nan, (high - low) / np.abs(median))[()]
    mean = start[..., 0] + (a - start).mean(axis=-1)
    sd = (a - start).std(axis=-1, ddof=1) if n > 1 else np.full_like(low, np.nan)[()]
    unit = unit[..., 0]
    return Spread(
        n=n,
        median=median * unit,
        iqr=(q3 - q1) * unit,
        range=(high - low) * unit,
        relative_variation=relative,
        mean=mean * unit,
        sd=sd * unit,
        min=low * unit,
        max=high * unit,
    )


@dataclass(frozen=True)
class SpreadIntervals:
    """Lower and upper ends of the intervals of the fields of `Spread`; NaN without an interval."""

    level: float
    n_boot: int
    low: Spread
    high: Spread


def spread_intervals(
    x: ArrayLike, level: float = 0.95, n_boot: int = 2000, *, rng: np.random.Generator
) -> SpreadIntervals:
    """Compute intervals over seeds for the fields of `spread` that can have one at this n.

    - `median`: order statistics, exact and distribution-free; none below 6 seeds at 95 %.
    - `mean`: Student's t.
    - `sd`: `variance_limits`; none below 5 seeds.
    - `iqr`: percentile bootstrap; none below 10 seeds, where its coverage is 0.80 to 0.90 instead
      of 0.95.
    - `range`, `relative_variation`, `min`, `max`: none, because a resample never exceeds the
      observed extremes. Use `range_content` (distribution-free) and `range_against_gaussian`.

    `docs/methods` lists the measured coverage.

    Args:
        x: (seeds,) scores, independent over seeds; at least 2.
        level: two-sided confidence level.
        n_boot: number of bootstrap resamples, at least 2.
        rng: generator of the resamples.

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
    low, high = (
        Spread(n, **{name: float(end[i] * unit) for name, end in ends.items()}) for i in (0, 1)
    )
    return SpreadIntervals(level, n_boot, low, high)


def _iqr(a: Array) -> Array:
    """Return the difference of the quartiles along the last axis, as in `spread`."""
    low, high = np.quantile(a, [0.25, 0.75], axis=-1)
    return high - low


def variance_limits(x: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Return the χ² interval of the variance, with fewer degrees of freedom for heavy tails.

    Var(s²) = σ⁴(κ/n + 2/(n−1)), where κ is the excess kurtosis. s² therefore has approximately
    df = 2/(κ/n + 2/(n−1)) degrees of freedom (O'Neill 2014). Negative estimates of κ are set to 0.
    For κ = 0 this is the usual interval, which is exact for Gaussian values.

    Args:
        x: (n,) values, n >= 2; κ is 0 for n < 4.
        level: two-sided confidence level.

    Returns:
        Lower and upper end, in squared units of `x`.

    Raises:
        ValueError: fewer than two values, NaN or infinity, bad level.
    """
    a, unit = rescale(as_finite(x, ndim=1, min_size=2))
    check_probability(level=level)
    if np.ptp(a) == 0:
        return 0.0, 0.0
    df, tail = _variance_df(a), (1 - level) / 2
    low, high = a.var(ddof=1) * df / stats.chi2.isf([tail, 1 - tail], df) * unit * unit
    return float(low), float(high)


def _variance_df(a: Array) -> float:
    """Return the degrees of freedom of the variance of values that are not all equal."""
    n = a.size
    kurtosis = max(0.0, float(stats.kurtosis(a, bias=False))) if n > 3 else 0.0
    return 2 / (kurtosis / n + 2 / (n - 1))


@dataclass(frozen=True)
class SdRatio:
    """Ratio of the SDs of two independent samples: interval and test of a ratio of 1.

    `detectable` is the smallest ratio above 1 that the test finds with a power of 80 %.
    """

    ratio: float
    low: float
    high: float
    p_value: float
    detectable: float
    level: float


def sd_ratio(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> SdRatio:
    """Compare the SDs of two independent samples, SD(a) / SD(b).

    s_a²/s_b² is taken as F-distributed with the degrees of freedom of `variance_limits`, which are
    lower for heavy tails. For Gaussian values it is the usual F test.

    Args:
        a, b: (n,) values of independent seeds, at least 5 each and not all equal.
        level: two-sided confidence level; the test has level 1 − `level`.

    Raises:
        ValueError: fewer than 5 values, equal values, NaN or infinity, bad level.
    """
    check_probability(level=level)
    samples = [rescale(as_finite(x, name, ndim=1, min_size=_MIN_FOR_SD))
               for x, name in ((a, "a"), (b, "b"))]  # fmt: skip
    if any(np.ptp(x) <= _ROUNDING_NOISE * np.abs(x).max() for x, _ in samples):
        raise ValueError("all values of a sample are equal: its SD is 0")
    (sd_a, sd_b), df = (
        [x.std(ddof=1) * unit for x, unit in samples],
        [_variance_df(x) for x, _ in samples],
    )
    f, tail = (sd_a / sd_b) ** 2, (1 - level) / 2
    low, high = f / stats.f.isf([tail, 1 - tail], *df)
    p = 2 * min(stats.f.sf(f, *df), stats.f.cdf(f, *df))
    detectable = stats.f.isf(tail, *df) / stats.f.ppf(0.2, *df)
    ratio, low, high, detectable = (float(np.sqrt(x)) for x in (f, low, high, detectable))
    return SdRatio(ratio, low, high, float(min(1.0, p)), detectable, level)


def ratio_limits(
    a: tuple[float, float, float], b: tuple[float, float, float]
) -> tuple[float, float]:
    """Return the interval of a / b from two independent positive estimates with intervals.

    Method of variance estimates recovery on the logarithms (Zou and Donner 2008): each end of
    log a − log b combines the distances to the two ends that pull it there. For the SDs of Gaussian
    samples it is close to the interval of the F test (`tests/stats`).

    Args:
        a, b: (estimate, low, high).

    Returns:
        Lower and upper end; NaN where an estimate has no interval or an end is not positive.
    """
    if not all(math.isfinite(end) and end > 0 for end in (*a, *b)):
        return math.nan, math.nan
    (x, x_low, x_high), (y, y_low, y_high) = np.log(a), np.log(b)
    low = x - y - math.hypot(x - x_low, y_high - y)
    high = x - y + math.hypot(x_high - x, y - y_low)
    return math.exp(low), math.exp(high)


def median_interval(x: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Return order statistics that contain the median with probability at least `level`.

    The interval inverts the sign test. It is distribution-free and its coverage is known exactly:
    0.969 for six values (their range). Both ends are NaN if the extremes do not reach the level.

    Args:
        x: (n,) values.
        level: two-sided confidence level.

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
    """Return the rank k such that order statistics k and n + 1 − k contain the median; 0 if none.

    It is the largest k with P(fewer than k of n values below the median) <= (1 − level) / 2.
    """
    below = special.bdtr(np.arange(n), n, 0.5)
    return int(np.count_nonzero(below < (1 - level) / 2 * _ROUNDING))


def next_median_interval(x: ArrayLike, n_next: int, level: float = 0.95) -> tuple[float, float]:
    """Return order statistics that contain the median of `n_next` new values with at least `level`.

    The interval is distribution-free: the number of new values below the k-th of n order
    statistics is beta-binomial (n_next; k, n + 1 − k) (Fligner & Wolfe 1979). It is wider than
    `median_interval`, which covers the population median. Both ends are NaN if the extremes do not
    reach the level.

    Args:
        x: (n,) values.
        n_next: number of new values, independent and from the same distribution.
        level: smallest probability.

    Raises:
        ValueError: NaN or infinity, bad level, no new value.
    """
    a = np.sort(as_finite(x, ndim=1))
    check_probability(level=level)
    check_at_least(1, n_next=n_next)
    ranks = np.arange(1, a.size // 2 + 1)
    # The median of an even number lies below a value only if its lower middle value does.
    beyond = stats.betabinom.sf((n_next + 1) // 2 - 1, n_next, ranks, a.size + 1 - ranks)
    k = int(np.count_nonzero(beyond <= (1 - level) / 2 * _ROUNDING))
    if k < 1:
        return float("nan"), float("nan")
    return float(a[k - 1]), float(a[a.size - k])


def next_difference_limit(sd: float, n: int, level: float = 0.95) -> float:
    """Return the difference that two new Gaussian values exceed with probability 1 − `level`.

    (x₁ − x₂) / (s √2) has Student's t with n − 1 degrees of freedom, so √2 t is the quantile of the
    studentised range of two values: the repeatability limit of ISO 5725-6, for an estimated SD.

    Args:
        sd: SD (ddof 1) of `n` independent values.
        n: their number, at least 2.
        level: probability of a smaller difference.

    Returns:
        The limit, in units of `sd`.

    Raises:
        ValueError: n < 2 or a level outside (0, 1).

    Example:
        >>> round(next_difference_limit(1.0, 10), 3)
        3.199
    """
    check_at_least(2, n=n)
    check_probability(level=level)
    return float(sd * math.sqrt(2) * stats.t.isf((1 - level) / 2, n - 1))


@dataclass(frozen=True)
class RangeContent:
    """Share of all possible seeds with scores between the observed minimum and maximum.

    `expected` is its mean and `lower` its lower bound with confidence `level`.
    """

    n: int
    level: float
    expected: float
    lower: float


def range_content(n: int, level: float = 0.95) -> RangeContent:
    """Compute the distribution-free content of the range of `n` independent seeds (Wilks 1941).

    For any continuous score distribution the share of seeds inside [min, max] is Beta(n−1, 2). Its
    mean is (n−1)/(n+1). With ties, the results are lower bounds. This replaces an interval for the
    range, which does not exist.

    Raises:
        ValueError: n < 2 or a level outside (0, 1).
    """
    check_at_least(2, n=n)
    check_probability(level=level)
    lower = float(stats.beta.ppf(1 - level, n - 1, 2))
    return RangeContent(n, level, (n - 1) / (n + 1), lower)
