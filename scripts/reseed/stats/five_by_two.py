"""5×2 cross-validated tests of two learners: Dietterich's t and Alpaydın's combined F."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, check_probability, rescale


@dataclass(frozen=True)
class FiveByTwo:
    """Combined F with (10, 5) degrees of freedom and Dietterich's t with 5; arrays (...).

    `fold_sd` is the SD of the difference of single folds within repeats, in score units.
    """

    mean_difference: Array
    f: Array
    f_p: Array
    t: Array
    t_p: Array
    fold_sd: Array


def five_by_two(differences: ArrayLike) -> FiveByTwo:
    """Test equality of expected scores with five repeats of twofold cross-validation.

    p_ij is the difference in repeat i and fold j, and s_i² = (p_i1 − p̄_i)² + (p_i2 − p̄_i)².

    - F = Σ p_ij² / (2 Σ s_i²) ~ F(10, 5) (Alpaydın 1999).
    - t = p_11 / √(Σ s_i²/5) ~ t(5) (Dietterich 1998). It depends on which fold is first.

    Both assume that p_ij are Gaussian and nearly independent. The two training sets of a repeat
    are disjoint halves, which makes this plausible.

    Args:
        differences: (..., 5, 2) score(A) − score(B).

    Returns:
        Statistics over the leading axes. p is 1 if all differences are 0, and 0 if they are equal
        and not 0. `mean_difference` is in score units.

    Raises:
        ValueError: another shape, NaN or infinity.
    """
    p = as_finite(differences, "differences")
    if p.ndim < 2 or p.shape[-2:] != (5, 2):
        raise ValueError(f"differences must be (..., 5 repeats, 2 folds), they have {p.shape}")
    p, unit = rescale(p, axis=(-1, -2))
    variance = ((p - p.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-1, -2))
    squares, first = (p**2).sum(axis=(-1, -2)), p[..., 0, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.where(squares == 0, 0.0, squares / (2 * variance))[()]
        t = np.where(first == 0, 0.0, first / np.sqrt(variance / 5))[()]
    mean = (p * unit).mean(axis=(-1, -2))
    fold_sd = np.sqrt(variance / 5) * np.asarray(unit).reshape(np.shape(variance))
    return FiveByTwo(mean, f, stats.f.sf(f, 10, 5), t, 2 * stats.t.sf(np.abs(t), 5), fold_sd[()])


def detectable_by_f(alpha: float = 0.05, target_power: float = 0.8) -> float:
    """Return the smallest true difference that the F test finds, in SDs of a fold's difference.

    For independent Gaussian p_ij with mean δ and SD σ, Σ p_ij² = Σ (2 p̄_i² + s_i²). So 2F − 1 is
    the ratio of 2 Σ p̄_i²/5 and Σ s_i²/5: a noncentral F(5, 5) with noncentrality 10 δ²/σ².

    Args:
        alpha: level of the test, below 1/2.
        target_power: required power, above `alpha`.

    Raises:
        ValueError: a bad `alpha` or `target_power`.
    """
    check_probability(alpha=alpha, target_power=target_power)
    if not alpha < min(0.5, target_power):
        raise ValueError(f"alpha must be below 0.5 and below the power, got {alpha}")
    bound = 2 * stats.f.isf(alpha, 10, 5) - 1

    def missing(shift: float) -> float:
        return float(stats.ncf.sf(bound, 5, 5, 10 * shift**2)) - target_power

    largest = 1.0
    while missing(largest) < 0:
        largest *= 2
    return float(optimize.brentq(missing, 0, largest))
