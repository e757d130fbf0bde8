"""Variance components from independent mean squares: intervals, tests and shares of the total."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from reseed.stats.inputs import Array, at_least, probability

MeanSquare = tuple[float, int]  # value, degrees of freedom


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


def components(
    raw: Array,
    lines: list[tuple[str, MeanSquare, MeanSquare, float]],
    bottom: MeanSquare,
    p_values: list[float],
    level: float,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[Component, ...]:
    """Put intervals and shares to the estimates `raw`, in the order of `lines`, residual last."""
    probability(level=level)
    at_least(1, n_draws=n_draws)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    intervals = [_mls_interval(*top, *low, c, level) for _, top, low, c in lines]
    intervals.append(tuple(bottom[0] * bottom[1] / stats.chi2.ppf(tails[::-1], bottom[1])))

    # Generalised pivots: each expected mean square is its mean square × df / χ².
    tops = [s * df / rng.chisquare(df, n_draws) for s, df in [*(x[1] for x in lines), bottom]]
    # Of each line's bottom: the cross term (third top) below both factors, else the last one.
    below = [tops[2], tops[2], tops[-1]]
    draws = [(t - b) / x[3] for t, b, x in zip(tops, below, lines, strict=False)] + [tops[-1]]
    shares = _share(np.maximum(np.stack(draws, axis=1), 0))
    share_low, share_high = np.quantile(shares, tails, axis=0)

    variance = np.maximum(raw, 0)
    names = [*(line[0] for line in lines), "residual"]
    columns = [raw, variance, *np.transpose(intervals), [*p_values, np.nan]]
    columns += [_share(variance), share_low, share_high]
    return tuple(
        Component(name, *map(float, row))
        for name, row in zip(names, np.transpose(columns), strict=True)
    )
