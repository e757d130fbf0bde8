"""Stopping rules for adding seeds: a confidence sequence for a mean, valid at any sample size.

The t-mixture sequence inverts the Bayes factor of the two-sided t test with a N(0, scale^2) prior
on the effect size (Gönen et al. 2005; Rouder et al. 2009). Under the right-Haar prior on the
unknown SD it is a test martingale (Hendriksen, de Heide & Grünwald 2021; Wang & Ramdas 2024). By
Ville's inequality it ever exceeds 1 / alpha with probability at most alpha. Therefore *all*
intervals together cover the mean with probability 1 - alpha.

The guarantee holds in finite samples and under any stopping rule, for independent Gaussian scores
of unknown mean and SD. Otherwise it is approximate, like a t interval. Scores of one training
procedure over seeds are close to Gaussian; scores over overlapping folds are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, as_real, check_probability, rescale


def t_boundary(n: ArrayLike, alpha: float = 0.05, scale: float = 1.0) -> Array:
    """Return the |t| statistic at which the mixture Bayes factor is 1 / alpha after n values.

    With r = 1 + n scale^2 and A = (sqrt(r) / alpha)^(2 / n), t^2 = (n - 1)(A - 1) / (1 - A / r) if
    A < r. Otherwise (small n) the boundary is infinite.

    Args:
        n: numbers of values, scalar or array.
        alpha: error probability.
        scale: prior SD of the effect size mean / SD, > 0.

    Returns:
        The shape of `n`.
    """
    check_probability(alpha=alpha)
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"scale must be a positive number, got {scale}")
    n = as_real(n, "n")
    r = 1 + n * scale**2
    a = np.exp((np.log(r) - 2 * np.log(alpha)) / n)
    is_infinite = (a >= r) | (n < 2)
    square = (n - 1) * (a - 1) / np.where(is_infinite, 1.0, 1 - a / r)
    return np.where(is_infinite, np.inf, np.sqrt(np.where(is_infinite, 0.0, square)))


@dataclass(frozen=True)
class ConfidenceSequence:
    """Running mean and its interval after each value, (..., n); infinite for the first values."""

    mean: Array
    low: Array
    high: Array
    alpha: float


def mean_confidence_sequence(
    x: ArrayLike, alpha: float = 0.05, scale: float = 1.0
) -> ConfidenceSequence:
    """Return the confidence sequence of the mean of scores or paired differences.

    While all values are equal the interval is infinite, because the SD cannot be estimated.

    Args:
        x: (..., n) values in the order in which the seeds were run.
        alpha: error probability.
        scale: prior SD of the effect size mean / SD. It determines the n at which intervals are
            narrowest, not their validity.

    Raises:
        ValueError: NaN or empty x, bad alpha or scale.
    """
    a, unit = rescale(as_finite(x, "x"), axis=-1)
    n = np.arange(1, a.shape[-1] + 1)
    # Shifted to start at 0, which preserves the digits of the running sum of squares.
    start = a[..., :1]
    total = np.cumsum(a - start, axis=-1)
    squares = np.maximum(np.cumsum((a - start) ** 2, axis=-1) - total**2 / n, 0)
    mean = start + total / n
    boundary = t_boundary(n, alpha, scale)
    se = np.sqrt(squares / np.maximum(n - 1, 1) / n)
    is_finite = np.isfinite(boundary) & (squares > 0)
    width = np.where(is_finite, np.where(is_finite, boundary, 0.0) * se, np.inf)
    return ConfidenceSequence(mean * unit, (mean - width) * unit, (mean + width) * unit, alpha)


@dataclass(frozen=True)
class Stop:
    """Result of a sequential stopping rule.

    `n` is the number of values at which it stops, or None. `reason` is "different from 0",
    "equivalent", "precise enough" or "continue". `low` and `high` are the interval at that point.
    """

    n: int | None
    reason: str
    low: float
    high: float


def stopping_point(
    x: ArrayLike, alpha: float = 0.05, scale: float = 1.0, *,
    half_width: float | None = None, rope: float | None = None,
) -> Stop:  # fmt: skip
    """Return the first n at which paired differences decide the comparison.

    The rule stops when the interval excludes 0, lies inside (-rope, rope), or has half-width at
    most `half_width`, whichever is first. All intervals of the sequence cover together. The
    interval at the stopping point therefore misses the mean with probability at most alpha (see
    the module for assumptions).

    Args:
        x: (n,) paired differences in the order of the seeds.
        alpha: error probability.
        scale: as in `mean_confidence_sequence`.
        half_width: required half-width, in the unit of x; None for no such rule.
        rope: half-width of practical equivalence, in the unit of x; None for no such rule.

    Raises:
        ValueError: NaN, or a half-width or rope that is not positive.
    """
    for name, value in {"half_width": half_width, "rope": rope}.items():
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be positive, got {value}")
    sequence = mean_confidence_sequence(as_finite(x, "x", ndim=1), alpha, scale)
    low, high = sequence.low, sequence.high
    rules = {"different from 0": (low > 0) | (high < 0)}
    if rope is not None:
        rules["equivalent"] = (low > -rope) & (high < rope)
    if half_width is not None:
        rules["precise enough"] = high - low <= 2 * half_width
    met = np.array(list(rules.values()))
    if not met.any():
        return Stop(None, "continue", float(low[-1]), float(high[-1]))
    n = int(met.any(axis=0).argmax())
    reason = list(rules)[int(met[:, n].argmax())]
    return Stop(n + 1, reason, float(low[n]), float(high[n]))
