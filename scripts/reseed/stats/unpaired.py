"""Compare models whose seeds are not shared: two independent samples of scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reseed.stats.comparison import rank_sum_p
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)

_HALVINGS = 60  # of [0, 1]: a root to 1e-18
_ENUMERABLE = 20_000  # ways to part both samples together; so many are enumerated under ties


@dataclass(frozen=True)
class UnpairedComparison:
    """Two independent samples of seeds; fields are floats, or arrays over the leading axes.

    `scale` and `df` are Welch's standard error and degrees of freedom; `superiority` is
    P(A > B) + ½ P(A = B).
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


def compare_unpaired(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> UnpairedComparison:
    """Compare two models whose seeds are not shared, vectorised over leading axes.

    Welch's t test and interval for the mean difference; Mann–Whitney (scipy "auto", but exact
    under ties too where at most 20,000 splits are to be enumerated); probability of superiority
    θ = U/(n_a n_b) with Newcombe's score-type interval (Newcombe 2006, method 5), which stays
    inside [0, 1] and has width when the samples do not overlap. If both samples are constant: p
    is 1 for equal and 0 for unequal means, the interval is a point.

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
    bounds = _superiority_interval(theta, n_a, n_b, level)

    pooled, unit = rescale(pooled, axis=-1)
    a, b, unit = pooled[:, :n_a], pooled[:, n_a:], unit[:, 0]
    # From the first value on: equal scores then have variance 0 and their own mean.
    shares = [np.where(np.ptp(x, axis=-1) == 0, 0, x.var(axis=-1, ddof=1)) / x.shape[-1]
              for x in (a, b)]  # fmt: skip
    difference = (a[:, 0] - b[:, 0]) + (a - a[:, :1]).mean(-1) - (b - b[:, :1]).mean(-1)
    test = _welch(difference, *shares, n_a, n_b, level)
    in_unit = [v * unit for v in (difference, test.scale, test.low, test.high)]
    columns = [*in_unit[:2], test.df, test.p, *in_unit[2:], rank_p, theta, *bounds]
    columns = [column.reshape(shape)[()] for column in columns]
    return UnpairedComparison(n_a, n_b, *columns, level)


@dataclass(frozen=True)
class Welch:
    """Welch's test of a difference of two means; floats, or arrays of one shape.

    `scale` and `df`: standard error and degrees of freedom; `low`, `high`: of the difference.
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
    """Welch's t test of two independent samples known by mean, SD (ddof 1) and size alone.

    The arguments broadcast together. Two SDs of 0: p is 1 for equal and 0 for unequal means.

    Raises:
        ValueError: an SD below 0, fewer than two values in a sample, NaN or infinity.
    """
    given = {"mean_a": mean_a, "sd_a": sd_a, "n_a": n_a, "mean_b": mean_b, "sd_b": sd_b, "n_b": n_b}
    values = np.broadcast_arrays(*(as_finite(np.atleast_1d(v), name) for name, v in given.items()))
    mean_a, sd_a, n_a, mean_b, sd_b, n_b = values
    check_probability(level=level)
    if min(sd_a.min(), sd_b.min()) < 0:
        raise ValueError("an SD is below 0")
    if min(n_a.min(), n_b.min()) < 2:
        raise ValueError("a sample has fewer than two values")
    return _welch(mean_a - mean_b, sd_a**2 / n_a, sd_b**2 / n_b, n_a, n_b, level)


def _welch(difference, share_a, share_b, n_a, n_b, level: float) -> Welch:
    """Of the difference of two means and the variance of each of them."""
    scale = np.sqrt(share_a + share_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        # By shares of the sum: squares of small variances would vanish.
        parts = [share / (share_a + share_b) for share in (share_a, share_b)]
        df = 1 / (parts[0] ** 2 / (n_a - 1) + parts[1] ** 2 / (n_b - 1))
        df = np.where(scale > 0, df, n_a + n_b - 2)
        t = np.where(difference == 0, 0.0, difference / scale)
    half = stats.t.isf((1 - level) / 2, df) * scale
    p = 2 * stats.t.sf(np.abs(t), df)
    return Welch(difference, scale, df, p, difference - half, difference + half)


def _mann_whitney(pooled: Array, n_a: int) -> tuple[Array, Array]:
    """U of the first `n_a` of each row and its p-value, each row by the method that suits it."""
    u, p = np.empty((2, len(pooled)))
    tied = (np.diff(np.sort(pooled, axis=-1), axis=-1) == 0).any(axis=-1)
    for chosen in (tied, ~tied):
        if chosen.any():
            rows = pooled[chosen]
            test = stats.mannwhitneyu(rows[:, :n_a], rows[:, n_a:], axis=-1)
            u[chosen], p[chosen] = test.statistic, test.pvalue
    if tied.any() and comb(pooled.shape[1], n_a) <= _ENUMERABLE:
        p[tied] = _rank_sum_enumerated(pooled[tied], n_a)
    return u, np.where(np.ptp(pooled, axis=-1) == 0, 1.0, p)


def _rank_sum_enumerated(pooled: Array, n_a: int) -> Array:
    """Exact p-values by every split of each row, ties included."""
    picks = np.array(list(combinations(range(pooled.shape[1]), n_a)))
    rows = stats.rankdata(pooled, axis=-1)
    return np.array([rank_sum_p(r[picks].sum(axis=1), r[:n_a].sum()) for r in rows])


def _superiority_interval(theta: Array, m: int, n: int, level: float) -> tuple[Array, Array]:
    """Ends where the score statistic reaches the normal quantile, by halving."""
    z, extra = stats.norm.isf((1 - level) / 2), (m + n) / 2 - 1

    def inside(t: Array) -> Array:
        inner = 1 + extra * ((1 - t) / (2 - t) + t / (1 + t))
        return np.abs(theta - t) <= z * np.sqrt(t * (1 - t) * inner / (m * n))

    def root(end: float) -> Array:
        # Inside at theta, outside at the end; at theta = 0 or 1 the end is the root.
        near, far = theta.copy(), np.full_like(theta, end)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            held = inside(middle)
            near, far = np.where(held, middle, near), np.where(held, far, middle)
        return np.where(theta == end, end, near)

    return root(0.0), root(1.0)


def smallest_mann_whitney_p(n_a: int, n_b: int) -> float:
    """Smallest two-sided p-value that the Mann–Whitney test can give with these sizes."""
    check_at_least(1, n_a=n_a, n_b=n_b)
    return min(1.0, 2 / comb(n_a + n_b, n_a))
