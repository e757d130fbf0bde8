"""When to stop adding seeds: a confidence sequence for a mean, valid however often one looks.

The t-mixture sequence: the Bayes factor of the two-sided t test with a N(0, scale^2) prior on the
effect size (Gönen et al. 2005; Rouder et al. 2009) is a test martingale under the right-Haar prior
on the unknown SD (Hendriksen, de Heide & Grünwald 2021; Wang & Ramdas 2024), so by Ville's
inequality it ever exceeds 1 / alpha with probability at most alpha. Inverting it gives intervals
that *all* cover the mean at once with probability 1 - alpha.

Guarantee: finite-sample and at any stopping rule for independent Gaussian scores of unknown mean
and SD; approximate otherwise, as a t interval is. Scores of one training recipe over seeds are
close to Gaussian; scores over overlapping folds are not independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, as_real, check_probability, rescale


def t_boundary(n: ArrayLike, alpha: float = 0.05, scale: float = 1.0) -> Array:
    """|t| statistic at which the mixture Bayes factor reaches 1 / alpha after n values; of n's
    shape, infinite for the first few n.

    With r = 1 + n scale^2 and A = (sqrt(r) / alpha)^(2 / n): t^2 = (n - 1)(A - 1) / (1 - A / r)
    where A < r.
    """
    check_probability(alpha=alpha)
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"scale must be a positive number, got {scale}")
    n = as_real(n, "n")
    r = 1 + n * scale**2
    a = np.exp((np.log(r) - 2 * np.log(alpha)) / n)
    open_end = (a >= r) | (n < 2)
    square = (n - 1) * (a - 1) / np.where(open_end, 1.0, 1 - a / r)
    return np.where(open_end, np.inf, np.sqrt(np.where(open_end, 0.0, square)))


@dataclass(frozen=True)
class ConfidenceSequence:
    """Running mean and its interval after each value; arrays (..., n), infinite at first."""

    mean: Array
    low: Array
    high: Array
    alpha: float


def mean_confidence_sequence(
    x: ArrayLike, alpha: float = 0.05, scale: float = 1.0
) -> ConfidenceSequence:
    """Confidence sequence of the mean of x (..., n), in the order in which the seeds were run.

    x: scores, or paired differences. scale: prior SD of mean / SD; it decides at which n the
    intervals are narrowest, never whether they are valid. Raises ValueError on NaN or empty x.
    While all values are equal the interval stays infinite: no spread has been seen to judge by.
    """
    x, unit = rescale(as_finite(x, "x"), axis=-1)
    n = np.arange(1, x.shape[-1] + 1)
    # Centred on the first value: the running sum of squares then keeps its digits.
    start = x[..., :1]
    total = np.cumsum(x - start, axis=-1)
    squares = np.maximum(np.cumsum((x - start) ** 2, axis=-1) - total**2 / n, 0)
    mean = start + total / n
    boundary = t_boundary(n, alpha, scale)
    se = np.sqrt(squares / np.maximum(n - 1, 1) / n)
    bounded = np.isfinite(boundary) & (squares > 0)
    width = np.where(bounded, np.where(bounded, boundary, 0.0) * se, np.inf)
    in_unit = (values * unit for values in (mean, mean - width, mean + width))
    return ConfidenceSequence(*in_unit, alpha)


@dataclass(frozen=True)
class Stop:
    """Where a sequential rule stops: n values seen, None if it has not yet; and why.

    reason: "different from 0", "equivalent", "precise enough" or "continue". low, high: the
    interval at that point.
    """

    n: int | None
    reason: str
    low: float
    high: float


def stopping_point(
    x: ArrayLike, alpha: float = 0.05, scale: float = 1.0, *,
    half_width: float | None = None, rope: float | None = None,
) -> Stop:  # fmt: skip
    """First n at which the paired differences x (n,) settle the comparison.

    Stops when the interval excludes 0, or lies inside (-rope, rope), or has half-width at most
    `half_width`, whichever comes first. Every interval of the sequence covers at once, so
    whichever rule stops, the interval at that point misses the mean with probability at most
    alpha (guarantee and its limits: see the module).
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
