"""Comparison of two models without shared seeds: two independent samples of scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, check_probability, rescale


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


def welch(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Welch:
    """Compute Welch's t test of two independent samples, vectorised over leading axes.

    If both samples are constant, the interval of the difference is a point, and p is 1 for equal
    means, otherwise 0.

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
    n_a, n_b = a.shape[-1], b.shape[-1]
    pooled, unit = rescale(np.concatenate([a, b], axis=-1), axis=-1)
    a, b, unit = pooled[..., :n_a], pooled[..., n_a:], unit[..., 0]
    # Relative to the first value, so that equal scores have variance 0 and an exact mean.
    variance_a, variance_b = (
        np.where(np.ptp(x, axis=-1) == 0, 0, x.var(axis=-1, ddof=1)) / x.shape[-1] for x in (a, b)
    )
    difference = a[..., 0] - b[..., 0]
    difference = difference + (a - a[..., :1]).mean(-1) - (b - b[..., :1]).mean(-1)
    test = _welch(difference, variance_a, variance_b, n_a, n_b, level)
    return Welch(
        test.difference * unit,
        test.scale * unit,
        test.df,
        test.p,
        test.low * unit,
        test.high * unit,
    )


def superiority(a: ArrayLike, b: ArrayLike) -> tuple[float, float]:
    """Return P(A > B) + ½ P(A = B), the Mann–Whitney U over n_a n_b, and P(A = B).

    Args:
        a, b: (n_a,) and (n_b,) scores.
    """
    ordered = np.sort(as_finite(b, "b", ndim=1))
    first = as_finite(a, "a", ndim=1)
    below, up_to = (np.searchsorted(ordered, first, side) for side in ("left", "right"))
    ties = float((up_to - below).mean()) / ordered.size
    return float(below.mean()) / ordered.size + ties / 2, ties


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
