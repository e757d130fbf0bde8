"""Rank correlation of two variables, with or without control variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, check_probability


@dataclass(frozen=True)
class PartialCorrelation:
    """Rank correlation with its interval and p-value.

    `r`, `low`, `high` and `p_value` are NaN if the controls explain one variable completely. `n`
    and `controls` count the observations and the control variables.
    """

    r: float
    low: float
    high: float
    p_value: float
    n: int
    controls: int
    level: float


def partial_rank_correlation(
    x: ArrayLike, y: ArrayLike, controls: ArrayLike | None = None, level: float = 0.95
) -> PartialCorrelation:
    """Compute the rank correlation of x and y given `controls`.

    Without controls this is Spearman's ρ. With controls it is the correlation of the residuals of
    a least squares fit on normal scores Φ⁻¹(rank/(n+1)) of all variables. Normal scores remove a
    common cause completely if the joint distribution is normal up to monotone transformations;
    ranks would not, because a sum of ranks is not the rank of a sum.

    The interval uses Fisher's z with variance (1 + r²/2)/(n − k − 3) (Bonett & Wright 2000). The
    p-value uses Student's t with n − k − 2 degrees of freedom.

    Args:
        x, y: (n,) values.
        controls: (n, k) values, or None.
        level: two-sided confidence level of the interval.

    Raises:
        ValueError: NaN, unequal lengths, or n < k + 5.
    """
    x, y = as_finite(x, "x", ndim=1), as_finite(y, "y", ndim=1)
    check_probability(level=level)
    n = x.size
    z = np.empty((n, 0)) if controls is None else as_finite(controls, "controls", ndim=2)
    if y.size != n or len(z) != n:
        raise ValueError(
            f"x, y and controls must have the same number of rows: {n}, {y.size}, {len(z)}"
        )
    k = z.shape[1]
    if n < k + 5:
        raise ValueError(f"{n} values are too few for {k} controls: at least {k + 5} are needed")
    ranks = _normal_scores if k else stats.rankdata
    design = np.column_stack([np.ones(n), *(ranks(column) for column in z.T)])
    ranked = np.column_stack([ranks(x), ranks(y)])
    fitted = design @ np.linalg.lstsq(design, ranked, rcond=None)[0]
    u, v = (ranked - fitted).T
    # Residuals below this norm are rounding noise: the controls explain the variable completely.
    noise = 1e-9 * np.linalg.norm(ranked)
    if np.linalg.norm(u) < noise or np.linalg.norm(v) < noise:
        nan = float("nan")
        return PartialCorrelation(nan, nan, nan, nan, n, k, level)
    r = float(np.clip(u @ v / np.linalg.norm(u) / np.linalg.norm(v), -1, 1))
    df = n - k - 2
    t = r * np.sqrt(df / max(1 - r * r, 1e-300))
    half = stats.norm.isf((1 - level) / 2) * np.sqrt((1 + r * r / 2) / (n - k - 3))
    centre = np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15))
    low, high = np.tanh([centre - half, centre + half])
    return PartialCorrelation(r, float(low), float(high), float(2 * stats.t.sf(abs(t), df)), n, k,
                              level)  # fmt: skip


def _normal_scores(x: Array) -> Array:
    return stats.norm.ppf(stats.rankdata(x) / (x.size + 1))
