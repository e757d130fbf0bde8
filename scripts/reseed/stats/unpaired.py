"""Comparison of two models without shared seeds: two independent samples of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from reseed.stats import distributions as stats
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)
from reseed.stats.roots import brentq
from reseed.stats.signed_rank import rank_sum_p

_BISECTIONS = 60  # of [0, 1]: a root to 1e-18
_MAX_ENUMERATED = 20_000  # splits of the pooled samples that are enumerated if there are ties


@dataclass(frozen=True)
class UnpairedComparison:
    """Comparison of two independent samples of seeds; arrays over the leading axes, or scalars.

    `scale` and `df` are Welch's standard error and degrees of freedom. `superiority` is
    P(A > B) + ½ P(A = B). Differences and `scale` are in score units.
    """

    n_a: int
    n_b: int
    mean_difference: Array
    scale: Array
    df: Array
    welch_p: Array
    low: Array
    high: Array
    mann_whitney_p: Array
    superiority: Array
    superiority_low: Array
    superiority_high: Array
    level: float


def equal_spread_p(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the p-value of the Brown–Forsythe test of equal spreads: Levene's, of medians.

    Where seeds are shared and move both models the same way, it is conservative.

    Args:
        a: (..., n_a) scores, n_a >= 3.
        b: (..., n_b) scores, n_b >= 3; the same leading axes.

    Returns:
        (...) p-values; 1 where neither sample has any spread.

    Source: Brown and Forsythe (1974).
    """
    a, b = as_finite(a, "a", min_size=3), as_finite(b, "b", min_size=3)
    (a, b), _ = _rescale_both(a, b)
    distances = [np.abs(x - np.median(x, axis=-1, keepdims=True)) for x in (a, b)]
    n_a, n_b = a.shape[-1], b.shape[-1]
    between = (distances[0].mean(axis=-1) - distances[1].mean(axis=-1)) ** 2 * n_a * n_b
    within = sum(z.var(axis=-1) * z.shape[-1] for z in distances) * (n_a + n_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stats.f.sf(between / within * (n_a + n_b - 2), 1, n_a + n_b - 2)
    return np.where(np.isnan(p), 1.0, p)


def _rescale_both(a: Array, b: Array) -> tuple[list[Array], Array]:
    """Both samples divided by a common power of two, row by row."""
    pooled, unit = rescale(np.concatenate([a, b], axis=-1), axis=-1)
    return np.split(pooled, [a.shape[-1]], axis=-1), unit


@dataclass(frozen=True)
class Dunnett:
    """Dunnett's test of several models against a baseline; (models,), differences in score units.

    `low` and `high` are simultaneous: all cover together with `level`.
    """

    difference: Array
    p_value: Array
    low: Array
    high: Array
    level: float


def compare_with_baseline(
    samples: Sequence[ArrayLike], baseline: ArrayLike, level: float = 0.95
) -> Dunnett:
    """Compute Dunnett's many-to-one comparison of means, sample − baseline.

    It assumes independent seeds, Gaussian scores and equal SDs (see `equal_spread_p`). The
    probabilities are integrals over two dimensions: `scipy.stats.dunnett` draws random points, and
    its interval does not always converge.

    Args:
        samples: scores of each model, (n,) each, n >= 2.
        baseline: (m,) scores of the baseline, m >= 2.
        level: simultaneous two-sided confidence level.

    Raises:
        ValueError: fewer than two scores, NaN or infinity, or no spread in any sample.

    Source: Dunnett (1955).
    """
    check_probability(level=level)
    control = as_finite(baseline, "baseline", ndim=1, min_size=2)
    values = [as_finite(x, "samples", ndim=1, min_size=2) for x in samples]
    if all(np.ptp(x) == 0 for x in (control, *values)):
        raise ValueError("no sample has any spread")
    _, unit = rescale(np.concatenate([control, *values]))
    scaled = [x / unit for x in (control, *values)]
    sizes = np.array([x.size for x in scaled])
    df = int(sizes.sum() - sizes.size)
    variance = sum(((x - x.mean()) ** 2).sum() for x in scaled) / df
    difference = np.array([x.mean() for x in scaled[1:]]) - scaled[0].mean()
    se = np.sqrt(variance * (1 / sizes[1:] + 1 / sizes[0]))
    loads = np.sqrt(sizes[1:] / (sizes[1:] + sizes[0]))
    p = np.array([_max_t_tail(abs(t), loads, df) for t in difference / se])
    critical = brentq(lambda c: _max_t_tail(c, loads, df) - (1 - level), 0, 1e6)
    half = critical * se * unit
    mean = difference * unit
    return Dunnett(mean, p, mean - half, mean + half, level)


def _max_t_tail(c: float, loads: Array, df: int) -> float:
    """Return P(max |T_i| > c) of Student variables with correlations loads_i loads_j."""
    (z, weights), (s, shares) = _gauss_points(df)
    residual = np.sqrt(1 - loads**2)
    common = loads * z[:, None, None]
    inside = ndtr((c * s[:, None] + common) / residual) - ndtr((common - c * s[:, None]) / residual)
    given_s = (weights / weights.sum()) @ inside.prod(axis=-1)
    return float(1 - given_s @ shares / 2)


@cache
def _gauss_points(df: int) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Points and weights of the integrals over a Gaussian variable and over an SD of `df`."""
    u, shares = np.polynomial.legendre.leggauss(64)  # over the quantiles of the SD, in [-1, 1]
    sds = np.sqrt(stats.chi2.ppf((u + 1) / 2, df) / df)
    return np.polynomial.hermite_e.hermegauss(80), (sds, shares)


def compare_unpaired(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> UnpairedComparison:
    """Compare two models without shared seeds, vectorised over leading axes.

    - Mean difference: Welch's t test and interval.
    - Mann–Whitney test: SciPy's method "auto", but also exact with ties if there are at most
      20,000 splits.
    - Probability of superiority θ = U/(n_a n_b) with Newcombe's score-type interval (Newcombe 2006,
      method 5). It stays inside [0, 1] and has positive width if the samples do not overlap.

    If both samples are constant, the interval of the difference is a point, and Welch's p is 1 for
    equal means, otherwise 0.

    Args:
        a: (..., n_a) scores of independent seeds, n_a >= 2.
        b: (..., n_b) scores of other independent seeds, n_b >= 2; the same leading axes.
        level: two-sided confidence level.

    Raises:
        ValueError: fewer than two values in a sample, NaN or infinity.
    """
    a, b = as_finite(a, "a", min_size=2), as_finite(b, "b", min_size=2)
    if a.shape[:-1] != b.shape[:-1]:
        raise ValueError(f"a and b must have the same leading axes: {a.shape} and {b.shape}")
    check_probability(level=level)
    n_a, n_b, shape = a.shape[-1], b.shape[-1], a.shape[:-1]
    pooled = np.concatenate([a, b], axis=-1).reshape(-1, n_a + n_b)
    u, rank_p = _mann_whitney(pooled, n_a)
    theta = u / (n_a * n_b)
    theta_low, theta_high = _superiority_interval(theta, n_a, n_b, level)

    pooled, unit = rescale(pooled, axis=-1)
    a, b, unit = pooled[:, :n_a], pooled[:, n_a:], unit[:, 0]
    # Relative to the first value, so that equal scores have variance 0 and an exact mean.
    variance_a, variance_b = (
        np.where(np.ptp(x, axis=-1) == 0, 0, x.var(axis=-1, ddof=1)) / x.shape[-1] for x in (a, b)
    )
    difference = (a[:, 0] - b[:, 0]) + (a - a[:, :1]).mean(-1) - (b - b[:, :1]).mean(-1)
    test = _welch(difference, variance_a, variance_b, n_a, n_b, level)

    def in_shape(values: Array) -> Array:
        return values.reshape(shape)[()]

    return UnpairedComparison(
        n_a=n_a,
        n_b=n_b,
        mean_difference=in_shape(difference * unit),
        scale=in_shape(test.scale * unit),
        df=in_shape(test.df),
        welch_p=in_shape(test.p),
        low=in_shape(test.low * unit),
        high=in_shape(test.high * unit),
        mann_whitney_p=in_shape(rank_p),
        superiority=in_shape(theta),
        superiority_low=in_shape(theta_low),
        superiority_high=in_shape(theta_high),
        level=level,
    )


@dataclass(frozen=True)
class Welch:
    """Welch's test of a difference of two means; arrays of one shape.

    `scale` and `df` are standard error and degrees of freedom; `low` and `high` are the interval
    of the difference.
    """

    difference: Array
    scale: Array
    df: Array
    p: Array
    low: Array
    high: Array


def welch_of_means(
    mean_a: ArrayLike,
    sd_a: ArrayLike,
    n_a: ArrayLike,
    mean_b: ArrayLike,
    sd_b: ArrayLike,
    n_b: ArrayLike,
    level: float = 0.95,
) -> Welch:
    """Compute Welch's t test of two independent samples from their means, SDs and sizes.

    The arguments broadcast together. If both SDs are 0, p is 1 for equal means, otherwise 0.

    Args:
        mean_a, mean_b: means, in score units.
        sd_a, sd_b: SDs with ddof=1, >= 0.
        n_a, n_b: sample sizes, at least 2.
        level: two-sided confidence level.

    Raises:
        ValueError: an SD below 0, fewer than two values in a sample, NaN or infinity.
    """
    arguments = {
        "mean_a": mean_a, "sd_a": sd_a, "n_a": n_a, "mean_b": mean_b, "sd_b": sd_b, "n_b": n_b
    }  # fmt: skip
    mean_a, sd_a, n_a, mean_b, sd_b, n_b = np.broadcast_arrays(
        *(as_finite(np.atleast_1d(v), name) for name, v in arguments.items())
    )
    check_probability(level=level)
    if min(sd_a.min(), sd_b.min()) < 0:
        raise ValueError("an SD is below 0")
    if min(n_a.min(), n_b.min()) < 2:
        raise ValueError("a sample has fewer than two values")
    return _welch(mean_a - mean_b, sd_a**2 / n_a, sd_b**2 / n_b, n_a, n_b, level)


def _welch(
    difference: Array,
    variance_a: Array,
    variance_b: Array,
    n_a: int | Array,
    n_b: int | Array,
    level: float,
) -> Welch:
    """Return Welch's test of a difference of two means with the variances of the means."""
    scale = np.sqrt(variance_a + variance_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Shares of the sum, because squares of small variances would underflow.
        shares = [variance / (variance_a + variance_b) for variance in (variance_a, variance_b)]
        df = 1 / (shares[0] ** 2 / (n_a - 1) + shares[1] ** 2 / (n_b - 1))
        df = np.where(scale > 0, df, n_a + n_b - 2)
        t = np.where(difference == 0, 0.0, difference / scale)
    half = stats.t.isf((1 - level) / 2, df) * scale
    p = 2 * stats.t.sf(np.abs(t), df)
    return Welch(difference, scale, df, p, difference - half, difference + half)


def _mann_whitney(pooled: Array, n_a: int) -> tuple[Array, Array]:
    """Return U of the first `n_a` values of each row and its p-value.

    Rows with and without ties are tested separately, because SciPy uses one method per call.
    """
    u, p = np.empty((2, len(pooled)))
    tied = (np.diff(np.sort(pooled, axis=-1), axis=-1) == 0).any(axis=-1)
    for has_method in (tied, ~tied):
        if has_method.any():
            rows = pooled[has_method]
            test = stats.mannwhitneyu(rows[:, :n_a], rows[:, n_a:], axis=-1)
            u[has_method], p[has_method] = test.statistic, test.pvalue
    if tied.any() and comb(pooled.shape[1], n_a) <= _MAX_ENUMERATED:
        p[tied] = _rank_sum_enumerated(pooled[tied], n_a)
    return u, np.where(np.ptp(pooled, axis=-1) == 0, 1.0, p)


def _rank_sum_enumerated(pooled: Array, n_a: int) -> Array:
    """Return exact p-values by enumeration of all splits of each row, with or without ties."""
    members = np.array(list(combinations(range(pooled.shape[1]), n_a)))
    rows = stats.rankdata(pooled, axis=-1)
    return np.array([rank_sum_p(r[members].sum(axis=1), r[:n_a].sum()) for r in rows])


def _superiority_interval(theta: Array, m: int, n: int, level: float) -> tuple[Array, Array]:
    """Return the ends where the score statistic equals the normal quantile, by bisection."""
    z, extra = stats.norm.isf((1 - level) / 2), (m + n) / 2 - 1

    def is_inside(t: Array) -> NDArray[np.bool_]:
        inner = 1 + extra * ((1 - t) / (2 - t) + t / (1 + t))
        return np.abs(theta - t) <= z * np.sqrt(t * (1 - t) * inner / (m * n))

    def root(end: float) -> Array:
        # theta is inside and the end is outside; for theta = 0 or 1 the end is the root.
        inner, outer = theta.copy(), np.full_like(theta, end)
        for _ in range(_BISECTIONS):
            middle = (inner + outer) / 2
            inside = is_inside(middle)
            inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
        return np.where(theta == end, end, inner)

    return root(0.0), root(1.0)


def smallest_mann_whitney_p(n_a: int, n_b: int) -> float:
    """Return the smallest possible two-sided Mann–Whitney p-value for these sample sizes."""
    check_at_least(1, n_a=n_a, n_b=n_b)
    return min(1.0, 2 / comb(n_a + n_b, n_a))
