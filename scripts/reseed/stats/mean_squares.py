"""Variance components from independent mean squares: intervals, tests and shares of the total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from reseed.stats.inputs import Array, check_at_least, check_probability

MeanSquare = tuple[float, float]  # value, degrees of freedom


@dataclass(frozen=True)
class Component:
    """One variance component, in squared units of the score.

    `raw` is the unbiased moment estimate (it may be negative), `variance` is truncated at 0;
    `low`/`high` bound the variance; `p_value` tests variance = 0; `share` is of the total of the
    truncated components, with its own interval.
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
        """The component of the same scores times `unit`; one too large for float64 is infinite."""
        names = ("raw", "variance", "low", "high")
        with np.errstate(over="ignore"):
            squared = {name: float(np.float64(getattr(self, name)) * unit * unit) for name in names}
        return replace(self, **squared)


def _share(variances: Array) -> Array:
    """Return shares along the last axis; 0/0 (no variance at all) is NaN."""
    total = variances.sum(axis=-1, keepdims=True)
    return np.divide(variances, total, out=np.full_like(variances, np.nan), where=total > 0)


def _mls_interval(
    s1: float, n1: int, s2: float, n2: int, coef: float, level: float
) -> tuple[float, float]:
    """Modified large sample interval of (E s1 − E s2) / coef (Ting et al. 1990)."""
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
    """Return the exact p-value of equal expected mean squares; NaN if both are 0."""
    f = top[0] / low[0] if low[0] > 0 else np.inf if top[0] > 0 else np.nan
    return float(stats.f.sf(f, top[1], low[1]))


def _satterthwaite(squares: Array, df: Array) -> MeanSquare:
    """A sum of independent mean squares, and its approximate degrees of freedom (1946)."""
    total = squares.sum()
    return float(total), float(total**2 / (squares**2 / df).sum()) if total > 0 else float(df.sum())


def approximate_f_test(weights: Array, squares: Array, df: Array) -> float:
    """p-value of Σ weights · E(mean square) = 0, for weights of one size.

    Exact for two mean squares. Of more, the sum of those that add against the sum of those that
    take away (Cochran 1951), with the degrees of freedom of Satterthwaite (1946).
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
    known: tuple[Array, Sequence[float]] | None = None,
) -> tuple[Component, ...]:
    """Components that are sums of independent mean squares, with intervals, tests and shares.

    Intervals: of one mean square exact (χ²); of the difference of two, by the modified large
    sample method; of more, and of all shares, by generalised pivotal quantities. A component of
    one mean square is not tested (NaN).

    Args:
        names: of the components.
        mean_squares: (value, degrees of freedom) each.
        weights: (components, mean squares): each component is its row times the mean squares.
        level: two-sided confidence level.
        n_draws: draws of the generalised pivotal quantities.
        rng: their source.
        known: (estimates, p-values) of the components, where they come from elsewhere.
    """
    check_probability(level=level)
    check_at_least(1, n_draws=n_draws)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    squares, df = (np.array(values, dtype=np.float64) for values in zip(*mean_squares, strict=True))
    # Generalised pivots: each expected mean square is its mean square × df / χ².
    pivots = np.stack([s * f / rng.chisquare(f, n_draws) for s, f in mean_squares], axis=1)
    draws = np.maximum(pivots @ weights.T, 0)
    share_low, share_high = np.quantile(_share(draws), tails, axis=0)
    raw = weights @ squares if known is None else known[0]
    variance = np.maximum(raw, 0)
    intervals, tests = [], []
    for row, pivot in zip(weights, draws.T, strict=True):
        up, down = np.flatnonzero(row > 0), np.flatnonzero(row < 0)
        if up.size == 1 and not down.size:
            intervals.append(row[up] * squares[up] * df[up] / stats.chi2.ppf(tails[::-1], df[up]))
            tests.append(np.nan)
            continue
        if up.size == down.size == 1:
            (top,), (low,) = up, down
            coefficient = 1 / row[top]
            intervals.append(
                _mls_interval(squares[top], df[top], squares[low], df[low], coefficient, level)
            )
        else:
            intervals.append(np.quantile(pivot, tails))
        tests.append(approximate_f_test(row, squares, df))
    columns = [raw, variance, *np.transpose(intervals)]
    columns += [tests if known is None else known[1], _share(variance), share_low, share_high]
    return tuple(
        Component(name, *map(float, row))
        for name, row in zip(names, np.transpose(columns), strict=True)
    )
