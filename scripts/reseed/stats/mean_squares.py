"""Variance components from independent mean squares: intervals, tests and shares of the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, check_at_least, check_probability

#: (value, degrees of freedom).
MeanSquare = tuple[float, float]


@dataclass(frozen=True)
class Component:
    """One variance component, in squared units of the score.

    `raw` is the unbiased moment estimate, which may be negative; `variance` is truncated at 0.
    `low` and `high` bound the variance; `p_value` tests variance = 0. `share` is relative to the
    total of the truncated components, with the interval `share_low`, `share_high`.
    """

    name: str
    raw: float
    variance: float
    low: float
    high: float
    p_value: float
    share: float
    share_low: float
    share_high: float

    def in_unit(self, unit: float) -> Component:
        """Return the component of scores multiplied by `unit`; overflow gives infinity."""

        def in_squared_unit(variance: float) -> float:
            return float(np.float64(variance) * unit * unit)

        with np.errstate(over="ignore"):
            return replace(
                self,
                raw=in_squared_unit(self.raw),
                variance=in_squared_unit(self.variance),
                low=in_squared_unit(self.low),
                high=in_squared_unit(self.high),
            )


def _share(variances: Array) -> Array:
    """Return shares of the total along the last axis; NaN where the total is 0."""
    total = variances.sum(axis=-1, keepdims=True)
    return np.divide(variances, total, out=np.full_like(variances, np.nan), where=total > 0)


def _mls_interval(
    s1: float, n1: int, s2: float, n2: int, coef: float, level: float
) -> tuple[float, float]:
    """Return the modified large sample interval of (E s1 − E s2) / coef (Ting et al. 1990).

    s1 and s2 are independent mean squares with n1 and n2 degrees of freedom.
    """
    a = (1 - level) / 2
    upper1, lower1 = stats.chi2.isf(a, n1) / n1, stats.chi2.ppf(a, n1) / n1
    upper2, lower2 = stats.chi2.isf(a, n2) / n2, stats.chi2.ppf(a, n2) / n2
    g1, g2, h1, h2 = 1 - 1 / upper1, 1 - 1 / upper2, 1 / lower1 - 1, 1 / lower2 - 1
    f_upper, f_lower = stats.f.isf(a, n1, n2), stats.f.ppf(a, n1, n2)
    g12 = ((f_upper - 1) ** 2 - (g1 * f_upper) ** 2 - h2**2) / f_upper
    h12 = ((1 - f_lower) ** 2 - (h1 * f_lower) ** 2 - g2**2) / f_lower
    down = (g1 * s1) ** 2 + (h2 * s2) ** 2 + g12 * s1 * s2
    up = (h1 * s1) ** 2 + (g2 * s2) ** 2 + h12 * s1 * s2
    low = (s1 - s2 - np.sqrt(max(down, 0.0))) / coef
    high = (s1 - s2 + np.sqrt(max(up, 0.0))) / coef
    return max(0.0, low), max(0.0, high)


def f_test(top: MeanSquare, low: MeanSquare) -> float:
    """Return the exact p-value of E(top) = E(low) against E(top) > E(low); NaN if both are 0."""
    f = top[0] / low[0] if low[0] > 0 else np.inf if top[0] > 0 else np.nan
    return float(stats.f.sf(f, top[1], low[1]))


def _satterthwaite(squares: Array, df: Array) -> MeanSquare:
    """Return a sum of independent mean squares and its degrees of freedom (Satterthwaite 1946)."""
    total = squares.sum()
    return float(total), float(total**2 / (squares**2 / df).sum()) if total > 0 else float(df.sum())


def approximate_f_test(weights: Array, squares: Array, df: Array) -> float:
    """Return the p-value of Σ weights · E(mean square) = 0, for weights of equal absolute value.

    It is exact for two mean squares. For more, the sum with positive weights is tested against the
    sum with negative weights (Cochran 1951), with Satterthwaite's degrees of freedom (1946).
    """
    top, low = (_satterthwaite(squares[side], df[side]) for side in (weights > 0, weights < 0))
    return f_test(top, low)


def components(
    names: Sequence[str],
    mean_squares: Sequence[MeanSquare],
    weights: Array,
    level: float,
    n_draws: int,
    rng: np.random.Generator,
    estimates: tuple[Array, Sequence[float]] | None = None,
) -> tuple[Component, ...]:
    """Compute variance components from independent mean squares.

    The interval of a component with one mean square is exact (χ²). A difference of two uses the
    modified large sample method. Components of more mean squares, and all shares, use generalised
    pivotal quantities. A component with one mean square has no test (NaN).

    Args:
        names: names of the components.
        mean_squares: (value, degrees of freedom) of each mean square.
        weights: (components, mean squares); a component is its row times the mean squares.
        level: two-sided confidence level.
        n_draws: draws of the generalised pivotal quantities.
        rng: generator of the draws.
        estimates: estimates and p-values of the components, if they were computed in another way.

    Returns:
        One component per name, in the unit of the mean squares.
    """
    check_probability(level=level)
    check_at_least(1, n_draws=n_draws)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    squares, df = (np.array(values, dtype=np.float64) for values in zip(*mean_squares, strict=True))
    # Generalised pivots: each expected mean square is its mean square × df / χ².
    pivots = np.stack([s * f / rng.chisquare(f, n_draws) for s, f in mean_squares], axis=1)
    draws = np.maximum(pivots @ weights.T, 0)
    share_low, share_high = np.quantile(_share(draws), tails, axis=0)
    raw = weights @ squares if estimates is None else estimates[0]
    variance = np.maximum(raw, 0)
    intervals: list[Array] = []
    p_values: list[float] = []
    for row, pivot in zip(weights, draws.T, strict=True):
        up, down = np.flatnonzero(row > 0), np.flatnonzero(row < 0)
        if up.size == 1 and not down.size:
            intervals.append(row[up] * squares[up] * df[up] / stats.chi2.ppf(tails[::-1], df[up]))
            p_values.append(np.nan)
            continue
        if up.size == down.size == 1:
            (top,), (low,) = up, down
            coefficient = 1 / row[top]
            mls = _mls_interval(squares[top], df[top], squares[low], df[low], coefficient, level)
            intervals.append(np.array(mls))
        else:
            intervals.append(np.quantile(pivot, tails))
        p_values.append(approximate_f_test(row, squares, df))
    low, high = np.transpose(intervals)
    if estimates is not None:
        p_values = list(estimates[1])
    columns = [raw, variance, low, high, p_values, _share(variance), share_low, share_high]
    return tuple(
        Component(name, *map(float, row))
        for name, row in zip(names, np.transpose(columns), strict=True)
    )
