"""Extremes over seeds: growth of the range with the number of seeds, percentile of one score.

The question is Picard's; expected ranges follow Tippett (1925).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from reseed.stats.inputs import Array, as_finite


def expected_subset_range(x: ArrayLike, sizes: ArrayLike) -> Array:
    """Return the exact expected range of a random subset of `x`, for each subset size.

    In a subset of k drawn without replacement, x₍ᵢ₎ is the largest with probability
    C(i−1, k−1)/C(n, k). The result is a U-statistic: it is unbiased for the expected range of k
    new seeds, for any distribution.

    Args:
        x: (n,) scores.
        sizes: subset sizes from 2 to n, scalar or array.

    Returns:
        The shape of `sizes`, in the unit of the scores.

    Raises:
        ValueError: sizes that are not integers from 2 to n; NaN.
    """
    x = np.sort(as_finite(x, "x", ndim=1, min_size=2))
    k = np.atleast_1d(np.asarray(sizes))
    if k.dtype.kind not in "iu" or k.min() < 2 or k.max() > x.size:
        raise ValueError(f"sizes must be integers from 2 to the {x.size} scores, got {sizes}")
    n, below = x.size, np.arange(x.size, dtype=np.float64)

    def log_choose(a: Array, b: Array) -> Array:
        is_valid = a >= b
        a = np.where(is_valid, a, b)
        value = special.gammaln(a + 1) - special.gammaln(b + 1) - special.gammaln(a - b + 1)
        return np.where(is_valid, value, -np.inf)

    is_largest = np.exp(
        log_choose(below, k[:, None] - 1.0) - log_choose(np.array(float(n)), k[:, None] * 1.0)
    )
    # By symmetry the same weights give the minimum. Centring preserves digits.
    centred = x - x.mean()
    return (is_largest @ (centred - centred[::-1])).reshape(np.shape(sizes))
