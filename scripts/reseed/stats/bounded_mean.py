"""Lower bound of the mean of bounded values, also where few or none of them vary.

A t test of a mean trusts the observed variance. Scores near their end hardly vary in a small
sample: 60 items without a single loss have variance 0, although a loss on one item in 20 is missed
with probability .05. Gaffke's test needs no variance: it adds one value at the lower end to the
sample, and weighs all by uniform spacings, so that without a loss it is the rule of three, and for
shares the exact binomial test of Clopper and Pearson.

Source: Gaffke (2005), "Three test statistics for a nonparametric one-sided hypothesis on the mean
of a nonnegative variable", Mathematical Methods of Statistics 14; Learned-Miller and Thomas (2019).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, check_probability
from reseed.stats.roots import brentq

_MANY = 300  # distinct values, from which the integrand is nearly Gaussian
_BLOCK = 2_000_000  # complex numbers held in memory at once


def bounded_mean_p(
    values: ArrayLike, bound: float, *, least: float, sizes: ArrayLike | None = None
) -> float:
    """Return the p-value that the true mean is at most `bound`.

    It is P(Σ w_i (x_i − bound) <= 0) over uniform weights w, where x has `least` as a further
    value. No distribution of independent values is known for which it rejects too often.

    Args:
        values: (units,) independent values, each at least `least`: items, or means of clusters.
        bound: hypothetical mean.
        least: smallest possible value.
        sizes: (units,) number of items of each unit; the mean is that over items. None: all equal.

    Raises:
        ValueError: NaN, no value, a value below `least`, or sizes that are not above 0.
    """
    x = as_finite(values, "values", ndim=1, min_size=1)
    size = np.ones(x.size) if sizes is None else as_finite(sizes, "sizes", ndim=1)
    if size.shape != x.shape or size.min() <= 0:
        raise ValueError(f"sizes must be above 0, one for each of {x.size} values")
    if x.min() < least - 1e-9 * max(abs(least), 1):
        raise ValueError(f"values below {least}, which is said to be the smallest possible")
    terms = np.append(size * (x - bound), size.max() * (least - bound))
    return _exponential_sum_tail(-terms)


def bounded_mean_limit(
    values: ArrayLike, alpha: float, *, least: float, sizes: ArrayLike | None = None
) -> float:
    """Return the lower confidence limit of the mean at level 1 − `alpha`: where p is `alpha`."""
    check_probability(alpha=alpha)
    x = as_finite(values, "values", ndim=1, min_size=1)
    span = float(x.max()) - least
    if span <= 0:
        return least

    def excess(share: float) -> float:
        return bounded_mean_p(x, least + share * span, least=least, sizes=sizes) - alpha

    return least + span * float(brentq(excess, 0.0, 1.0, xtol=1e-7))


def _exponential_sum_tail(coefficients: Array) -> float:
    """Return P(Σ c_i E_i >= 0) for independent standard exponential E.

    The inverse Laplace transform of exp(K(s))/s, K(s) = −Σ log(1 − c_i s), along a vertical line
    near the saddle point of K, where the integrand falls fastest.
    """
    c, counts = np.unique(coefficients[coefficients != 0], return_counts=True)
    if c.size == 0 or c[0] > 0:
        return 1.0
    if c[-1] < 0:
        return 0.0
    c = c / np.abs(c).max()
    ends = 1 / c[0], 1 / c[-1]

    def slope(s: float) -> float:
        return float((counts * c / (1 - c * s)).sum())

    inside = 1 - 1e-12
    saddle = float(brentq(slope, ends[0] * inside, ends[1] * inside, xtol=1e-15))
    width = 1 / np.sqrt(float((counts * (c / (1 - c * saddle)) ** 2).sum()))
    if abs(saddle) < width / 2:  # away from the pole at 0
        saddle = min(width / 2, ends[1] / 2)
    return (saddle < 0) + _integrate(c, counts.astype(np.float64), saddle, width)


def _integrate(c: Array, counts: Array, saddle: float, width: float) -> float:
    """Return the integral of Re(exp(K(s))/s)/π over s = saddle + iy, y > 0, by y = width·sinh t."""
    peak = -float(counts @ np.log1p(-c * saddle))
    far = 2.0
    while -float(counts @ np.log(np.abs(1 - c * (saddle + 1j * width * np.sinh(far))))) > peak - 36:
        far += 0.5  # the integrand is negligible from there
    t = np.linspace(0, far, 48 if c.size > _MANY else 256)  # the error falls exponentially
    s = saddle + 1j * width * np.sinh(t)
    exponent = np.zeros(t.size, complex)
    step = max(1, _BLOCK // t.size)
    for start in range(0, c.size, step):
        part = slice(start, start + step)
        exponent -= counts[part] @ np.log1p(-c[part, None] * s[None])
    heights = (np.exp(exponent) / s).real * width * np.cosh(t)
    heights[0] /= 2
    return float(heights.sum() * (t[1] - t[0]) / np.pi)
