"""Comparison of the range of scores with the range of Gaussian samples of the same size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtri, gammaln, log_ndtr, ndtr

from reseed.stats import distributions as stats
from reseed.stats.inputs import (
    Array,
    as_finite,
    as_real,
    check_at_least,
    check_probability,
    rescale,
)

_CHUNK = 4_000_000  # random numbers held in memory at once: about 100 MB


def expected_gaussian_range(n: ArrayLike) -> Array:
    """Return the expected max − min of `n` independent standard normal values, in SD.

    E = ∫ 1 − Φ(x)ⁿ − (1−Φ(x))ⁿ dx (Tippett 1925). The integrand is smooth and vanishes at both
    ends, so the trapezoidal rule is exact up to rounding errors (for n up to 1e40).

    Args:
        n: sample sizes, scalar or array of integers >= 1.

    Returns:
        The shape of `n`: 0 at n=1, 1.128 at 2, 4.498 at 50, 7.70 at 10,000.
    """
    size = as_real(n, "n")
    if size.size == 0 or not np.all((size >= 1) & (size <= 1e40) & (size == np.floor(size))):
        raise ValueError(f"sample sizes must be integers from 1 to 1e40, got {n}")
    unique, where = np.unique(size, return_inverse=True)
    x = np.linspace(-15, 15, 6001)
    log_cdf = stats.norm.logcdf(x)
    # −expm1 computes 1 − Φⁿ accurately where Φ is close to 1. The other term is its reflection.
    upper = -np.expm1(unique[:, None] * log_cdf)
    integrand = upper - np.exp(unique[:, None] * log_cdf[::-1])
    return (integrand.sum(axis=1) * (x[1] - x[0]))[where].reshape(size.shape)[()]


@cache  # the groups of a study share a few sizes
def gaussian_range_interval(n: int, level: float = 0.95, df: float = np.inf) -> tuple[float, float]:
    """Return the central interval of the range of `n` Gaussian values, in SD.

    With `df`, the SD is estimated from other values with so many degrees of freedom: these are
    quantiles of the studentised range (Tukey). P(R <= r) = n ∫ φ(x) (Φ(x+r) − Φ(x))ⁿ⁻¹ dx is
    computed by the trapezoidal rule, averaged over quantiles of the estimated SD and inverted by
    bisection, to 1e-4 (`scipy.stats.studentized_range` takes 0.4 s to import, 0.25 s for a pair).

    Raises:
        ValueError: n < 2, df < 1 or a bad level.
    """
    check_at_least(2, n=n)
    check_at_least(1, df=df)
    check_probability(level=level)
    x, r = np.linspace(-9, 9, 301), np.linspace(0, 14, 5601)
    mass = np.maximum(ndtr(x + r[:, None]) - ndtr(x), 1e-300)
    log_density = np.log(n) - x**2 / 2 - np.log(2 * np.pi) / 2
    below = np.exp(log_density + (n - 1) * np.log(mass)).sum(axis=1) * (x[1] - x[0])
    ranks = (np.arange(10_000) + 0.5) / 10_000
    sd = np.array([1.0]) if np.isinf(df) else np.sqrt(chdtri(df, ranks) / df)

    def quantile(q: float) -> float:
        low, high = 0.0, 1e4
        for _ in range(60):
            middle = (low + high) / 2
            is_below = np.interp(middle * sd, r, below).mean() < q
            low, high = (middle, high) if is_below else (low, middle)
        return high

    return quantile((1 - level) / 2), quantile((1 + level) / 2)


@lru_cache(maxsize=64)  # the groups of a study share a few sizes
def _studentised(n: int, n_sim: int, seed: int, df: float = np.inf) -> tuple[Array, Array]:
    """Return range / SD and excess kurtosis of `n_sim` samples of size `n` of Student's t.

    df: degrees of freedom; infinite for Gaussian samples.
    """
    rng, step = np.random.default_rng(seed), max(1, _CHUNK // n)
    parts = []
    for done in range(0, n_sim, step):
        shape = min(step, n_sim - done), n
        z = rng.standard_normal(shape) if np.isinf(df) else rng.standard_t(df, shape)
        parts.append((np.ptp(z, axis=1) / z.std(axis=1, ddof=1), _excess_kurtosis(z)))
    ratio, kurtosis = zip(*parts, strict=True)
    return np.concatenate(ratio), np.concatenate(kurtosis)


def _excess_kurtosis(z: Array) -> Array:
    """Return the excess kurtosis G2 along the last axis, which is unbiased under normality.

    It equals `scipy.stats.kurtosis(bias=False)`, which is slower.
    """
    n = z.shape[-1]
    c = z - z.mean(axis=-1, keepdims=True)
    c *= c
    m2 = c.mean(axis=-1)
    c *= c
    g2 = c.mean(axis=-1) / m2**2 - 3
    return (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g2 + 6)


def _tail_p(null: Array, observed: float) -> tuple[float, float]:
    """Return Monte Carlo p-values (upper, two-sided), never 0 (Davison & Hinkley 1997, 4.11)."""
    tolerance = 1e-9 * max(1.0, abs(observed))
    upper = (1 + np.count_nonzero(null >= observed - tolerance)) / (1 + null.size)
    lower = (1 + np.count_nonzero(null <= observed + tolerance)) / (1 + null.size)
    return float(upper), float(min(1.0, 2 * min(upper, lower)))


def _anderson_darling(z: Array) -> tuple[float, float]:
    """Return A² of (n,) values with mean 0 and SD 1, and its p-value for a Gaussian sample.

    Mean and SD are estimated (case 3); the p-value is the approximation of D'Agostino & Stephens
    1986, table 4.9, with their factor for small samples. It is 0 where the fit ends (A² > 13).
    """
    n, ordered = z.size, np.sort(z)
    weights = (2 * np.arange(1, n + 1) - 1) / n
    statistic = -n - float(np.sum(weights * (log_ndtr(ordered) + log_ndtr(-ordered[::-1]))))
    a = statistic * (1 + 0.75 / n + 2.25 / n**2)
    if a < 0.2:
        p = -np.expm1(-13.436 + 101.14 * a - 223.73 * a**2)
    elif a < 0.34:
        p = -np.expm1(-8.318 + 42.796 * a - 59.938 * a**2)
    elif a < 0.6:
        p = np.exp(0.9177 - 4.279 * a - 1.38 * a**2)
    else:
        p = np.exp(1.2937 - 5.709 * a + 0.0186 * a**2) if a <= 13 else 0.0
    return statistic, float(p)


@dataclass(frozen=True)
class Normality:
    """Omnibus normality test and excess kurtosis.

    `tail` is "heavier", "lighter" or "as Gaussian".
    """

    n: int
    test: str
    statistic: float
    p_value: float
    excess_kurtosis: float
    excess_kurtosis_se: float
    excess_kurtosis_p: float
    tail: str


@dataclass(frozen=True)
class GaussianRange:
    """Observed range, in SD of the sample, compared with Gaussian samples of the same size.

    `ratio` = observed / expected, with the interval `low` to `high` at `level`. `p_larger` is
    one-sided for a larger range, `p_value` two-sided.
    """

    n: int
    observed: float
    expected: float
    ratio: float
    low: float
    high: float
    level: float
    p_larger: float
    p_value: float
    n_sim: int
    normality: Normality


def range_against_gaussian(
    x: ArrayLike, *, alpha: float = 0.05, n_sim: int = 4000, seed: int = 0, level: float = 0.95
) -> GaussianRange:
    """Test whether the range of `x` is consistent with a Gaussian sample of the same size.

    The statistic is the internally studentised range R/s (David, Hartley & Pearson 1954). By
    Basu's theorem R/s and s are independent for Gaussian samples. The expectation is therefore
    exactly E[R] / E[s] = `expected_gaussian_range(n)` / c4(n). P-values are Monte Carlo with
    `n_sim` Gaussian samples and SE √(p(1−p)/n_sim). The interval of the ratio inverts the two-sided
    test in the model that R/s is `ratio` times that of a Gaussian sample.

    Normality is tested with Shapiro–Wilk up to n = 5,000 and with Anderson–Darling (estimated mean
    and SD) for larger n. The tail is "heavier" or "lighter" if the excess kurtosis G2 is
    significant at `alpha` (two-sided, same Monte Carlo samples), otherwise "as Gaussian". The SE
    of G2 is exact under normality. "as Gaussian" does not prove normality: the test has little
    power for small n.

    Args:
        x: (seeds,) scores, at least 4 and not all equal.
        alpha: significance level of `tail`.
        n_sim: number of Gaussian samples.
        seed: seed of the Gaussian samples; calls with equal n share the samples.
        level: confidence level of the interval of the ratio.

    Raises:
        ValueError: fewer than 4 values, all values equal, NaN or infinity.
    """
    a, _ = rescale(as_finite(x, ndim=1, min_size=4))
    check_probability(alpha=alpha, level=level)
    check_at_least(2, n_sim=n_sim)
    n, centred = a.size, a - a.mean()
    sd = centred.std(ddof=1)
    # Relative to the size of the scores, because constant scores can have an SD of rounding noise.
    if sd <= 1e-13 * np.abs(a).max():
        raise ValueError(f"all {n} values are equal: there is no spread to compare")
    z = centred / sd
    null_ratio, null_kurtosis = _studentised(n, n_sim, seed)

    observed = float(np.ptp(z))
    c4 = np.sqrt(2 / (n - 1)) * np.exp(gammaln(n / 2) - gammaln((n - 1) / 2))
    expected = float(expected_gaussian_range(n) / c4)
    p_larger, p_two_sided = _tail_p(null_ratio, observed)
    upper, lower = np.quantile(null_ratio, [(1 + level) / 2, (1 - level) / 2])

    if n <= 5000:
        test, (statistic, p) = "Shapiro-Wilk", stats.shapiro(z)
    else:
        test, (statistic, p) = "Anderson-Darling", _anderson_darling(z)
    g2 = float(_excess_kurtosis(z))
    _, g2_p = _tail_p(null_kurtosis, g2)
    tail = "as Gaussian" if g2_p > alpha else "heavier" if g2 > 0 else "lighter"
    g1_se = np.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    g2_se = float(2 * g1_se * np.sqrt((n * n - 1) / ((n - 3) * (n + 5))))
    normality = Normality(n, test, float(statistic), float(p), g2, g2_se, g2_p, tail)
    ratio, low, high = (float(observed / size) for size in (expected, upper, lower))
    return GaussianRange(
        n, observed, expected, ratio, low, high, level, p_larger, p_two_sided, n_sim, normality
    )


@dataclass(frozen=True)
class TailPower:
    """Power of the tests of `range_against_gaussian` against Student's t with `df`.

    `range` is that of `p_larger`, `tail` that of a heavier tail.
    """

    n: int
    df: float
    alpha: float
    range: float
    tail: float


def tail_power(
    n: int, *, df: float = 3.0, alpha: float = 0.05, n_sim: int = 4000, seed: int = 0
) -> TailPower:
    """Simulate the power of the tests of `range_against_gaussian` against heavy tails.

    Args:
        n: number of seeds, at least 4.
        df: degrees of freedom of Student's t, whose samples are tested.
        alpha: significance level.
        n_sim: samples of t, and Gaussian samples behind the critical values.
        seed: seed of the samples.

    Raises:
        ValueError: n < 4 or a bad `alpha`, `n_sim` or `df`.
    """
    check_at_least(4, n=n)
    check_at_least(2, n_sim=n_sim)
    check_probability(alpha=alpha)
    if not df > 0:
        raise ValueError(f"df must be positive, got {df}")
    null = _studentised(n, n_sim, seed)
    ratio, kurtosis = _studentised(n, n_sim, seed + 1, df)
    # As in the tests: the range is one-sided, the kurtosis two-sided.
    is_wide = ratio > np.quantile(null[0], 1 - alpha)
    is_heavy = kurtosis > np.quantile(null[1], 1 - alpha / 2)
    return TailPower(n, df, alpha, float(is_wide.mean()), float(is_heavy.mean()))


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
        value = gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1)
        return np.where(is_valid, value, -np.inf)

    is_largest = np.exp(
        log_choose(below, k[:, None] - 1.0) - log_choose(np.array(float(n)), k[:, None] * 1.0)
    )
    # By symmetry the same weights give the minimum. Centring preserves digits.
    centred = x - x.mean()
    return (is_largest @ (centred - centred[::-1])).reshape(np.shape(sizes))
