"""Almost stochastic order of the score distributions of two models.

A dominates B if every quantile of A is at least that of B. The violation ratio is the share of the
squared quantile differences where this fails.

Source: del Barrio, Cuesta-Albertos & Matrán (2018); Dror, Shlomov & Reichart (2019), "Deep
dominance".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.comparison import differences
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)


def violation_ratio(a: ArrayLike, b: ArrayLike) -> Array:
    """Return ε(A, B) = ∫_{A⁻¹<B⁻¹} (A⁻¹ − B⁻¹)² / ∫ (A⁻¹ − B⁻¹)² over quantiles, exactly.

    ε(B, A) = 1 − ε(A, B).

    Args:
        a: (..., n) scores.
        b: (..., m) scores.

    Returns:
        (...) ratios: 0 if A dominates, 1 if B dominates, 1/2 if the two samples are equal.
    """
    a, b = np.sort(as_finite(a, "a"), axis=-1), np.sort(as_finite(b, "b"), axis=-1)
    return _ratio_of_sorted(a, b)


def _ratio_of_sorted(a: Array, b: Array) -> Array:
    n, m = a.shape[-1], b.shape[-1]
    # Empirical quantile functions are steps: both are constant between neighbouring jumps.
    ends = np.unique(np.concatenate([np.arange(1, n + 1) * m, np.arange(1, m + 1) * n]))
    widths = np.diff(np.concatenate([[0], ends])) / (n * m)
    difference, _ = rescale(differences(a[..., (ends - 1) // m], b[..., (ends - 1) // n]), axis=-1)
    squares = difference**2 * widths
    total = squares.sum(axis=-1)
    violated = np.where(difference < 0, squares, 0).sum(axis=-1)
    return np.where(total > 0, violated / np.where(total > 0, total, 1), 0.5)


@dataclass(frozen=True)
class StochasticOrder:
    """Violation ratio of "A dominates B" with one-sided bounds of confidence `level`.

    `upper` is an upper bound of the violation ratio, `lower` a lower bound. With the usual
    threshold, A almost dominates B if `upper` < 0.5.
    """

    ratio: float
    lower: float
    upper: float
    level: float
    n_boot: int


def stochastic_order(
    a: ArrayLike, b: ArrayLike, level: float = 0.95, n_boot: int = 1000, *,
    rng: np.random.Generator,
) -> StochasticOrder:  # fmt: skip
    """Compute one-sided bounds of the violation ratio: expanded bootstrap percentiles.

    Both samples are resampled to the size n of the smaller one: quantiles of samples of different
    sizes differ under skew though the distributions are equal. The percentiles are expanded for n
    to Φ(±t √(n/(n−1))), with Student's t of n − 1 degrees of freedom (Hesterberg 2015). The bound
    of the source is ε + z SD of the bootstrap. Because ε is bounded and skewed, that bound claims
    dominance in 10 to 23 % of cases with true ratio 1/2 (5 to 50 seeds; nominal 5 %). This one
    does in 3 to 6 %.

    Args:
        a: (n,) scores over independent seeds, greater is better; n >= 2.
        b: (m,) scores over independent seeds; m >= 2.
        level: one-sided confidence level.
        n_boot: number of resamples, at least 2.
        rng: generator of the resamples.

    Raises:
        ValueError: fewer than two scores, NaN or infinity; bad `level` or `n_boot`.
    """
    a, b = as_finite(a, "a", ndim=1, min_size=2), as_finite(b, "b", ndim=1, min_size=2)
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    ratio = float(violation_ratio(a, b))
    n = min(a.size, b.size)
    drawn = (x[rng.integers(0, x.size, (n_boot, n))] for x in (a, b))
    high = _expanded(level, n)
    lower, upper = np.quantile(violation_ratio(*drawn), [1 - high, high])
    return StochasticOrder(ratio, float(lower), float(upper), level, n_boot)


def _expanded(level: float, n: int) -> float:
    """The percentile of the bootstrap that bounds with this confidence (Hesterberg 2015)."""
    return float(stats.norm.cdf(stats.t.ppf(level, n - 1) * np.sqrt(n / (n - 1))))
