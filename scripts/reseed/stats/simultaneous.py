"""Simultaneous intervals of several differences that agree with Holm's procedure.

A verdict names the better model, so m comparisons test 2m one-sided hypotheses: each difference is
at most 0, and at least 0. Holm's procedure over all 2m controls wrong directions too, under any
dependence. Its acceptance regions by the set of differences that are 0 give simultaneous intervals
(Strassburger & Bretz 2008; Guilbaud 2008). No intervals with two finite ends agree with Holm's
procedure over the m two-sided hypotheses: it spends all of α on the differences not yet rejected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, check_probability


def holm_in_both_directions(p_values: ArrayLike) -> Array:
    """Return two-sided p-values adjusted by Holm over the 2m one-sided hypotheses of m differences.

    The k-th smallest of m is multiplied by m − (k − 1)/2; Holm over two-sided hypotheses multiplies
    it by m − (k − 1). At most α leads to the claim of a difference with the sign observed; all such
    claims are right with probability 1 − α.

    Args:
        p_values: (m,) two-sided p-values of tests with symmetric rejection regions.

    Raises:
        ValueError: empty, NaN, or outside [0, 1].
    """
    p = as_finite(p_values, "p_values", ndim=1)
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p-values must lie in [0, 1]")
    order = np.argsort(p)
    stepped = p[order] * (p.size - np.arange(p.size) / 2)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted


def intervals_of_holm(
    difference: ArrayLike,
    se: ArrayLike,
    p_adjusted: ArrayLike,
    quantile: Callable[[float], Array],
    alpha: float = 0.05,
) -> tuple[Array, Array]:
    """Return intervals that cover all differences together with probability 1 − `alpha` or more.

    An interval excludes 0, or ends there (0 itself is then outside), exactly if `p_adjusted` is at
    most `alpha`. With r of m rejected, the tail of each end is alpha/(2m − r), and the near end of
    a rejected difference is 0. If all are rejected, near ends may exceed 0: their tail is
    alpha/(m(m + 1)).

    Args:
        difference: (m,) estimates.
        se: (m,) standard errors, positive.
        p_adjusted: (m,) p-values from `holm_in_both_directions`.
        quantile: returns the value (m,) that estimate/se exceeds with a given probability, at most
            1/2, if the true difference is 0.
        alpha: 1 minus the simultaneous confidence level.
    """
    check_probability(alpha=alpha)
    estimate, size = as_finite(difference, "difference", ndim=1), as_finite(se, "se", ndim=1)
    is_rejected = np.asarray(p_adjusted) <= alpha
    m, rejected = estimate.size, int(is_rejected.sum())
    if rejected == m:
        far, near = quantile(alpha / (m + 1)), quantile(alpha / (m * (m + 1)))
    else:
        far = near = quantile(alpha / (2 * m - rejected))
    distance = np.abs(estimate)
    low, high = distance - near * size, distance + far * size
    # Without a claim the end is below 0 but for rounding errors.
    beyond = np.maximum(low, 0) if rejected == m else np.zeros(m)
    low = np.where(is_rejected, beyond, np.minimum(low, -np.finfo(np.float64).tiny))
    is_negative = estimate < 0
    return np.where(is_negative, -high, low), np.where(is_negative, -low, high)
