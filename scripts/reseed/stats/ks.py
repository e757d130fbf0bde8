"""Empirical CDFs, the reference function and Dvoretzky–Kiefer–Wolfowitz (DKW) thresholds.

Source: Banerjee et al., "Measuring training variability from stochastic optimization using robust
nonparametric testing", sections II-C and III, eqs. 7–16 and 24–33. The printed formulas of
eqs. 13–16 and 24–33 are rebuilt here from their proofs (appendix A) and checked by simulation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reseed.stats.inputs import as_finite, as_real, check_at_least, check_probability


def ecdf(sample, x) -> np.ndarray:
    """Right-continuous empirical CDF of `sample` (n,) at the points `x` (any shape) (eq. 7)."""
    points = np.sort(as_finite(sample, "sample", ndim=1))
    return np.searchsorted(points, as_real(x), side="right") / points.size


@dataclass(frozen=True)
class ReferenceFunction:
    """Average of the eCDFs of several models, all on samples of the same size (eq. 8).

    points: (N,) the models' values pooled and sorted. interpolate: join the steps by straight
    lines, as the paper does to get a continuous reference (appendix B-B). A value that occurs m
    times keeps a jump of (m - 1) / N, the smallest one of m / N (F is 0 to its left), so atoms
    (clipped logit gaps, discrete scores) stay atoms; without ties this is the paper's
    interpolation.
    """

    points: np.ndarray
    interpolate: bool = True

    def limits(self, x) -> tuple[np.ndarray, np.ndarray]:
        """Left limit F(x-) and value F(x), each of the shape of `x`."""
        x = as_real(x)
        z, size = self.points, self.points.size
        after = np.searchsorted(z, x, side="right")
        below = z[np.maximum(after - 1, 0)]
        tied = (after > 0) & (below == x)
        before = after.copy()
        before[tied] = np.searchsorted(z, x[tied], side="left")
        if not self.interpolate:
            return before / size, after / size
        inside = (after > 0) & (after < size)
        width = np.where(inside, z[np.minimum(after, size - 1)] - below, 1.0)
        value = (after + np.where(inside, (x - below) / width, 0.0)) / size
        first_of_tie = np.where(before > 0, before + 1, 0) / size
        return np.where(tied, first_of_tie, value), value

    def __call__(self, x) -> np.ndarray:
        """F(x), of the shape of `x`."""
        return self.limits(np.atleast_1d(x))[1].reshape(np.shape(x))


def reference_function(samples, interpolate: bool = True) -> ReferenceFunction:
    """Reference function of `samples` (models, items), or of one model's sample (items,).

    Raises ValueError on NaN, infinite or empty input.
    """
    pooled = np.sort(as_finite(samples, "samples"), axis=None)
    return ReferenceFunction(pooled, interpolate)


def ks_distance(sample, reference: ReferenceFunction) -> float:
    """Kolmogorov–Smirnov distance sup |F_n - F_0| of `sample` (n,) to `reference`."""
    x = np.sort(as_finite(sample, "sample", ndim=1))
    left, right = reference.limits(x)
    k = np.arange(x.size)
    return float(max((left - k / x.size).max(), ((k + 1) / x.size - right).max()))


def wei_dudley_constant(n: int) -> float:
    """Smallest C of Wei & Dudley (2012, theorem 1) in the two-sample DKW bound for sizes (n, n).

    e for any n, 2.16863 from n = 4, 2 from n = 458.
    """
    return math.e if n < 4 else 2.16863 if n < 458 else 2.0


def dkw_threshold(n: int, epsilon: float) -> float:
    """One-sample DKW–Massart: P(sup |F_n - F| > t) <= 2 exp(-2 n t^2) = epsilon, solved for t."""
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n)
    return math.sqrt(math.log(2 / epsilon) / (2 * n))


def reference_threshold(n: int, n_models: int, epsilon: float) -> float:
    """Theorem 1 (eq. 13): the average of `n_models` eCDFs of n items lies within this distance
    of the average of the models' true CDFs with probability 1 - epsilon (union over models).
    """
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n, n_models=n_models)
    return math.sqrt(math.log(2 * n_models / epsilon) / (2 * n))


def two_sample_threshold(n: int, m: int, epsilon: float) -> float:
    """Two-sample DKW threshold (eqs. 14–15): P(sup |F_n - G_m| > t) <= epsilon if F = G.

    n = m: sqrt(ln(C / epsilon) / n) with the Wei–Dudley C. For n != m no constant is proven, so
    it is the sum of two one-sample thresholds at epsilon / 2: valid, and wider.
    """
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n, m=m)
    if n == m:
        return math.sqrt(math.log(wei_dudley_constant(n) / epsilon) / n)
    return dkw_threshold(n, epsilon / 2) + dkw_threshold(m, epsilon / 2)


def proxy_threshold(n: int, n_models: int, epsilon: float, epsilon_reference: float) -> float:
    """Corollary 1 (eq. 16): threshold against the *expected* CDF through the reference function.

    Sum of eqs. 15 and 13; exceeded with probability at most epsilon + epsilon_reference.
    """
    return two_sample_threshold(n, n, epsilon) + reference_threshold(n, n_models, epsilon_reference)


def algorithm_threshold(n: int, epsilon: float = 0.01) -> float:
    """Threshold of the authors' code for Algorithm 1: sqrt(ln(2 / epsilon) / n) + 1 / n.

    The 1/n pays for the interpolation of the reference (eq. 57). C = 2 whatever n, so below
    n = 458 it is slightly optimistic; there use `two_sample_threshold(n, n, epsilon) + 1 / n`.
    """
    check_probability(epsilon=epsilon)
    check_at_least(1, n=n)
    return math.sqrt(math.log(2 / epsilon) / n) + 1 / n


@dataclass(frozen=True)
class ContaminationBound:
    """What an accepted robust test says about the model's true CDF F (eqs. 28–33).

    With probability `confidence` some CDF H has sup |F - (1 - alpha) F_ref - alpha H| <= radius,
    F_ref being the expected CDF of the training process. l1_radius = radius x support length
    bounds the integral of the same difference.
    """

    alpha: float
    radius: float
    l1_radius: float
    confidence: float


def contamination_bound(
    alpha: float,
    threshold: float,
    n: int,
    n_models: int,
    epsilon: float = 0.01,
    epsilon_reference: float = 0.01,
    support_length: float = 30.0,
) -> ContaminationBound:
    """Contamination bound for a candidate accepted at trimming level `alpha` (eqs. 32–33).

    threshold: delta of decision (27) against the step reference; an interpolated one is off by at
    most 1 / (n n_models), to be added. n: items in each sample. support_length: length of the
    interval holding the measurement (logit gaps clipped to ±15: 30).

    A trimming within `threshold` of the reference puts the candidate's eCDF within
    (1 - alpha) threshold of the contaminated reference (eqs. 29–31); eqs. 25 and 26 add the
    distance of each eCDF to its own CDF.
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha must lie in [0, 1), got {alpha}")
    if threshold < 0 or support_length <= 0:
        raise ValueError("threshold must not be negative and support_length must be positive")
    to_reference = threshold + reference_threshold(n, n_models, epsilon_reference)
    radius = dkw_threshold(n, epsilon) + (1 - alpha) * to_reference
    confidence = max(0.0, 1 - epsilon - epsilon_reference)
    return ContaminationBound(alpha, radius, radius * support_length, confidence)
