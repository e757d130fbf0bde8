"""Empirical CDFs, the reference function and Dvoretzky–Kiefer–Wolfowitz (DKW) thresholds.

Source: Banerjee et al., "Measuring training variability from stochastic optimization using robust
nonparametric testing", sections II-C and III, eqs. 7–15. The printed formulas of eqs. 13–15 are
rebuilt here from their proofs (appendix A) and checked by simulation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from reseed.stats.inputs import Array, as_finite, as_real, check_at_least, check_probability


@dataclass(frozen=True)
class ReferenceFunction:
    """Average of the eCDFs of several models on samples of the same size (eq. 8).

    `points` (N,) are the pooled and sorted values of all models. `interpolate` connects the steps
    by straight lines, which gives the paper's continuous reference (appendix B-B). Tied values
    remain jumps: a value that occurs m times has a jump of (m - 1) / N, and the smallest value one
    of m / N, because F is 0 to its left. Atoms (clipped logit gaps, discrete scores) are therefore
    preserved. Without ties this is the interpolation of the paper.
    """

    points: Array
    interpolate: bool = True

    def limits(self, x: ArrayLike) -> tuple[Array, Array]:
        """Return the left limit F(x-) and the value F(x), each of the shape of `x`."""
        x = as_real(x)
        z, size = self.points, self.points.size
        after = np.searchsorted(z, x, side="right")
        below = z[np.maximum(after - 1, 0)]
        tied = (after > 0) & (below == x)
        before = after.copy()
        before[tied] = np.searchsorted(z, x[tied], side="left")
        if not self.interpolate:
            return before / size, after / size
        is_between = (after > 0) & (after < size)
        width = np.where(is_between, z[np.minimum(after, size - 1)] - below, 1.0)
        value = (after + np.where(is_between, (x - below) / width, 0.0)) / size
        first_of_tie = np.where(before > 0, before + 1, 0) / size
        return np.where(tied, first_of_tie, value), value

    def __call__(self, x: ArrayLike) -> Array:
        """Return F(x), of the shape of `x`."""
        return self.limits(np.atleast_1d(x))[1].reshape(np.shape(x))


def reference_function(samples: ArrayLike, interpolate: bool = True) -> ReferenceFunction:
    """Return the reference function of `samples` (models, items) or (items,).

    Raises:
        ValueError: NaN, infinite or empty input.
    """
    pooled = np.sort(as_finite(samples, "samples"), axis=None)
    return ReferenceFunction(pooled, interpolate)


def wei_dudley_constant(n: int) -> float:
    """Return the constant C of the two-sample DKW bound for sizes (n, n).

    C is 2 from n = 458, 2.16863 from n = 4, and e below (Wei & Dudley 2012, theorem 1).
    """
    return math.e if n < 4 else 2.16863 if n < 458 else 2.0


def dkw_threshold(n: int, epsilon: float) -> float:
    """Return the DKW–Massart threshold t: P(sup |F_n - F| > t) <= 2 exp(-2 n t^2) = epsilon."""
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n)
    return math.sqrt(math.log(2 / epsilon) / (2 * n))


def two_sample_threshold(n: int, m: int, epsilon: float) -> float:
    """Return the two-sample DKW threshold t: P(sup |F_n - G_m| > t) <= epsilon if F = G.

    For n = m it is sqrt(ln(C / epsilon) / n) with the Wei–Dudley C (eqs. 14–15). For n != m no
    constant is proven. The sum of two one-sample thresholds at epsilon / 2 is valid but larger.
    """
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n, m=m)
    if n == m:
        return math.sqrt(math.log(wei_dudley_constant(n) / epsilon) / n)
    return dkw_threshold(n, epsilon / 2) + dkw_threshold(m, epsilon / 2)


def algorithm_threshold(n: int, epsilon: float = 0.01) -> float:
    """Return the threshold of the authors' code for Algorithm 1: sqrt(ln(2 / epsilon) / n) + 1 / n.

    The term 1/n accounts for the interpolation of the reference (eq. 57). The code uses C = 2 for
    every n, which is slightly too small below n = 458. A valid threshold for any n is
    `two_sample_threshold(n, n, epsilon) + 1 / n`.
    """
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n)
    return math.sqrt(math.log(2 / epsilon) / n) + 1 / n
