"""Number of seeds and folds for a required interval width or detectable difference.

Normal-theory planning from pilot trials.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats import distributions as stats
from reseed.stats.inputs import (
    Array,
    as_finite,
    as_real,
    check_at_least,
    check_probability,
    rescale,
)

_MAX_SEEDS = 1_000_000


def _check_positive(**values: ArrayLike) -> None:
    for name, value in values.items():
        if not np.all(np.isfinite(as_real(value, name)) & (as_real(value, name) > 0)):
            raise ValueError(f"{name} must be a positive number, got {value}")


def pilot_sd(pilot: ArrayLike, assurance: float | None = None) -> float:
    """Return the SD over seeds of pilot scores, or its upper confidence limit.

    A pilot SD is too small about half of the time. With `assurance` (for example 0.8) the result
    is the upper limit s sqrt((m - 1) / chi2_{1 - assurance, m - 1}). For Gaussian scores it is at
    least the true SD with that probability. A plan based on it then has at least the planned
    power, or the planned half-width at the true SD, with that probability.

    Args:
        pilot: (m,) scores, at least two.
        assurance: confidence of the upper limit; None returns the SD itself.

    Raises:
        ValueError: NaN, fewer than two scores, or constant scores.
    """
    pilot = as_finite(pilot, "pilot", ndim=1, min_size=2)
    pilot, unit = rescale(pilot)
    if np.ptp(pilot) == 0:
        raise ValueError("all pilot scores are equal: run more pilot seeds to estimate the SD")
    sd, df = float(pilot.std(ddof=1) * unit), pilot.size - 1
    if assurance is None:
        return sd
    check_probability(assurance=assurance)
    return sd * float(np.sqrt(df / stats.chi2.ppf(1 - assurance, df)))


def _as_seed_counts(n: ArrayLike) -> Array:
    n = as_finite(np.atleast_1d(n), "n").reshape(np.shape(n))
    check_at_least(2, n=n.min())
    return n


def t_power(effect: ArrayLike, df: ArrayLike, alpha: float) -> Array:
    """Return the two-sided power of a t test whose statistic is noncentral t (effect, df).

    `effect` is the true difference in standard errors; it broadcasts with `df`. The square of the
    statistic is noncentral F (1, df, effect^2), which is used because SciPy's noncentral t is NaN
    for some effects above 15.
    """
    effect = as_real(effect, "effect")
    return stats.ncf.sf(stats.t.isf(alpha / 2, df) ** 2, 1, df, effect**2)


def df_per_run(sd_a: ArrayLike, sd_b: ArrayLike) -> Array:
    """Return Welch's degrees of freedom divided by n − 1, for n runs of each of two models.

    (s_a² + s_b²)²/(s_a⁴ + s_b⁴): 2 for equal SDs, 1 if one of them is 0. The SDs are not both 0.

    Source: Welch (1947).
    """
    a, b = np.square(as_real(sd_a, "sd_a")), np.square(as_real(sd_b, "sd_b"))
    return (a + b) ** 2 / (a**2 + b**2)


def power(
    difference: ArrayLike, sd: ArrayLike, n: ArrayLike, alpha: float = 0.05, paired: bool = True,
    sd_b: ArrayLike | None = None,
) -> Array:  # fmt: skip
    """Return the power of the two-sided t test for a mean difference.

    Args:
        difference: true mean difference, in the unit of `sd`.
        sd: SD of the paired differences; if not paired, SD of the scores of each model.
        n: number of pairs with shared seeds; if not paired, number of seeds of each model.
        alpha: significance level. For the strictest step of Holm's procedure over m pairs, or for
            Bonferroni's, it is the family's level divided by m.
        paired: whether the two models share their seeds.
        sd_b: SD of the second model's scores, if not paired (None: as `sd`).

    Returns:
        The shape of `difference`, `sd` and `n` broadcast together.
    """
    n = _as_seed_counts(n)
    _check_positive(sd=sd)
    check_probability(alpha=alpha)
    if not np.isfinite(difference).all():
        raise ValueError(f"difference must be a finite number, got {difference}")
    if paired:
        if sd_b is not None:
            raise ValueError("sd_b is the SD of a second sample: paired differences have one SD")
        return t_power(np.asarray(difference) / np.asarray(sd) * np.sqrt(n), n - 1, alpha)
    second = np.asarray(sd if sd_b is None else sd_b)
    _check_positive(sd_b=second)
    error = np.sqrt((np.square(sd) + np.square(second)) / n)
    df = (n - 1) * df_per_run(sd, second)
    return t_power(np.asarray(difference) / error, df, alpha)


def detectable_effect(df: ArrayLike, target_power: float = 0.8, alpha: float = 0.05) -> Array:
    """Return the smallest true difference, in standard errors, detected with `target_power`.

    It is the noncentrality at which a two-sided t test with `df` degrees of freedom has
    `target_power`. Multiplied by the standard error of the mean difference, it is the smallest
    difference that a design can detect. Power at the observed difference would only be a function
    of the p-value (Hoenig & Heisey 2001). The result is exact for independent trials; for the
    corrected resampled t test it depends on the assumed correlation.

    Args:
        df: degrees of freedom, scalar or array.
        target_power: required power, above `alpha`.
        alpha: significance level.

    Returns:
        The shape of `df`.
    """
    shape, df = np.shape(df), as_finite(np.atleast_1d(df), "df")
    if df.min() <= 0:
        raise ValueError(f"df must be positive, got {df.min()}")
    check_probability(target_power=target_power, alpha=alpha)
    if target_power <= alpha:
        raise ValueError(f"target_power must exceed alpha, got {target_power} and {alpha}")
    unique, where = np.unique(df, return_inverse=True)
    low, high = np.zeros_like(unique), np.full_like(unique, 1.0)
    while (is_low := t_power(high, unique, alpha) < target_power).any():
        high = np.where(is_low, 2 * high, high)
    for _ in range(30):  # bisection to a billionth of the bracket
        middle = (low + high) / 2
        is_low = t_power(middle, unique, alpha) < target_power
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return high[where].reshape(shape)[()]


def seeds_for_difference(
    difference: float, sd: float, target_power: float = 0.8, alpha: float = 0.05,
    paired: bool = True, sd_b: float | None = None,
) -> int:  # fmt: skip
    """Return the smallest number of seeds, at least 2, at which `difference` has `target_power`.

    Arguments as in `power`.

    Raises:
        ValueError: sd not positive, difference 0, or more than a million seeds needed.
    """
    _check_positive(sd=sd, difference=abs(difference))
    check_probability(target_power=target_power, alpha=alpha)

    def is_reached(n: ArrayLike) -> NDArray[np.bool_]:
        return power(difference, sd, n, alpha, paired, sd_b) >= target_power

    last = 2
    while not is_reached(last):
        last *= 2
        if last > _MAX_SEEDS:
            raise ValueError(f"more than {_MAX_SEEDS} seeds would be needed: relax the target")
    first = max(2, last // 2)
    return first + int(np.argmax(is_reached(np.arange(first, last + 1))))
