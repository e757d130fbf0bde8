"""5×2 cross-validated tests of two learners: Dietterich's t and Alpaydın's combined F."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reseed.stats.inputs import Array, as_finite, rescale


@dataclass(frozen=True)
class FiveByTwo:
    """Combined F with (10, 5) degrees of freedom and Dietterich's t with 5; arrays (...)."""

    mean_difference: Array
    f: Array
    f_p: Array
    t: Array
    t_p: Array


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
    return FiveByTwo(mean, f, stats.f.sf(f, 10, 5), t, 2 * stats.t.sf(np.abs(t), 5))
