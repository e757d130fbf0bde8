"""How many seeds (and folds): for a wanted interval width or a wanted detectable difference.

Normal-theory planning from pilot trials, and the ensemble size rule of Banerjee et al., section
V-A2. Rules that may be checked after every new seed are in `reseed.stats.sequential`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from reseed.stats.inputs import (
    Array,
    as_finite,
    as_real,
    as_unmasked,
    check_at_least,
    check_probability,
    rescale,
)

_MAX_SEEDS = 1_000_000


def _positive(**values: ArrayLike) -> None:
    for name, value in values.items():
        if not np.all(np.isfinite(as_real(value, name)) & (as_real(value, name) > 0)):
            raise ValueError(f"{name} must be a positive number, got {value}")


def pilot_sd(pilot: ArrayLike, assurance: float | None = None) -> float:
    """SD over seeds from pilot scores (m,), or its upper confidence limit.

    A pilot SD is too low about half of the time. With `assurance`, e.g. 0.8, the upper limit
    s sqrt((m - 1) / chi2_{1 - assurance, m - 1}) is returned: for Gaussian scores it is at least
    the true SD with that probability, and so often the plan made with it has at least the planned
    power, or the planned half-width at the true SD (the SD of the final seeds varies about it).

    Raises ValueError on NaN, fewer than two scores, or a constant pilot (no spread to plan from).
    """
    pilot = as_finite(pilot, "pilot", ndim=1, min_size=2)
    pilot, unit = rescale(pilot)
    if np.ptp(pilot) == 0:
        raise ValueError("all pilot scores are equal: run more pilot seeds to see any spread")
    sd, df = float(pilot.std(ddof=1) * unit), pilot.size - 1
    if assurance is None:
        return sd
    check_probability(assurance=assurance)
    return sd * float(np.sqrt(df / stats.chi2.ppf(1 - assurance, df)))


def _seeds(n: ArrayLike) -> Array:
    n = as_finite(np.atleast_1d(n), "n").reshape(np.shape(n))
    check_at_least(2, n=n.min())
    return n


def half_width(sd: ArrayLike, n: ArrayLike, level: float = 0.95) -> Array:
    """Half-width t sd / sqrt(n) of the t interval of a mean over n >= 2 seeds; shape of n, sd."""
    check_probability(level=level)
    n, sd = _seeds(n), as_finite(np.atleast_1d(sd), "sd").reshape(np.shape(sd))
    if sd.min() < 0:
        raise ValueError(f"sd must not be negative, got {sd.min()}")
    return stats.t.ppf((1 + level) / 2, n - 1) * sd / np.sqrt(n)


def _t_power(effect: ArrayLike, df: ArrayLike, alpha: float) -> Array:
    """Two-sided power of a t test whose statistic is noncentral t (effect, df).

    Its square is noncentral F (1, df, effect^2); SciPy's noncentral t is NaN for some effects
    above 15, its noncentral F is not.
    """
    effect = as_real(effect, "effect")
    return stats.ncf.sf(stats.t.isf(alpha / 2, df) ** 2, 1, df, effect**2)


def power(
    difference: ArrayLike, sd: ArrayLike, n: ArrayLike, alpha: float = 0.05, paired: bool = True
) -> Array:
    """Power of the two-sided t test for a mean difference with n seeds; shape of all three.

    paired: n pairs sharing their seeds, sd that of the paired differences. Otherwise n seeds for
    each of two models with independent seeds, sd that of one model's scores (equal for both).
    """
    n = _seeds(n)
    _positive(sd=sd)
    check_probability(alpha=alpha)
    if not np.isfinite(difference).all():
        raise ValueError(f"difference must be a finite number, got {difference}")
    runs, df = (n, n - 1) if paired else (n / 2, 2 * n - 2)
    return _t_power(np.asarray(difference) / np.asarray(sd) * np.sqrt(runs), df, alpha)


def detectable_effect(df: ArrayLike, target_power: float = 0.8, alpha: float = 0.05) -> Array:
    """Smallest true difference, in standard errors, that a two-sided t test finds often enough.

    The noncentrality at which the test with `df` degrees of freedom has `target_power`; times the
    standard error of the mean difference it is the smallest difference a design could have found.
    Unlike power at the observed difference it is not the p-value in other words (Hoenig & Heisey
    2001). Shape of df. With no overlap of splits to correct for it is exact; for the corrected
    resampled t test it holds as far as its correlation does.
    """
    shape, df = np.shape(df), as_finite(np.atleast_1d(df), "df")
    if df.min() <= 0:
        raise ValueError(f"df must be positive, got {df.min()}")
    check_probability(target_power=target_power, alpha=alpha)
    if target_power <= alpha:
        raise ValueError(f"target_power must exceed alpha, got {target_power} and {alpha}")
    unique, where = np.unique(df, return_inverse=True)
    low, high = np.zeros_like(unique), np.full_like(unique, 1.0)
    while (short := _t_power(high, unique, alpha) < target_power).any():
        high = np.where(short, 2 * high, high)
    for _ in range(30):  # a billionth of the bracket
        middle = (low + high) / 2
        short = _t_power(middle, unique, alpha) < target_power
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high[where].reshape(shape)[()]


@dataclass(frozen=True)
class SeedPlan:
    """Number of seeds that reaches a target.

    n: seeds (for each model). achieved: half-width or power at n. curve_n, curve: the same
    quantity over a range of seeds around n, for plotting.
    """

    n: int
    target: float
    achieved: float
    curve_n: NDArray[np.int64]
    curve: Array


def _smallest(value: Callable[[ArrayLike], Array], reached, target: float) -> SeedPlan:
    """Smallest n >= 2 with reached(value(n)), for a `value` that improves with n."""
    last = 2
    while not reached(value(last)):
        last *= 2
        if last > _MAX_SEEDS:
            raise ValueError(f"more than {_MAX_SEEDS} seeds would be needed: relax the target")
    first = max(2, last // 2)
    n = first + int(np.argmax(reached(value(np.arange(first, last + 1)))))
    curve_n = np.unique(np.geomspace(2, max(2 * n, 10), 60).round().astype(np.int64))
    return SeedPlan(n, target, float(value(n)), curve_n, value(curve_n))


def seeds_for_half_width(sd: float, target: float, level: float = 0.95) -> SeedPlan:
    """Fewest seeds whose t interval of the mean has half-width <= `target` at this `sd`.

    Raises ValueError if sd or target is not positive, or a million seeds do not suffice.
    """
    _positive(sd=sd, target=target)
    check_probability(level=level)
    return _smallest(lambda n: half_width(sd, n, level), lambda w: w <= target, target)


def seeds_for_difference(
    difference: float, sd: float, target_power: float = 0.8, alpha: float = 0.05,
    paired: bool = True,
) -> SeedPlan:  # fmt: skip
    """Fewest seeds for which the two-sided t test finds `difference` with `target_power`.

    See `power` for sd and paired. Raises ValueError as `seeds_for_half_width`.
    """
    _positive(sd=sd, difference=abs(difference))
    check_probability(target_power=target_power, alpha=alpha)
    return _smallest(
        lambda n: power(difference, sd, n, alpha, paired), lambda p: p >= target_power, target_power
    )


@dataclass(frozen=True)
class GridPlan:
    """Cheapest crossed design, seeds x folds, that reaches a target.

    value: (len(seeds), len(folds)) half-width or power of every design considered.
    """

    n_seeds: int
    n_folds: int
    achieved: float
    seeds: NDArray[np.int64]
    folds: NDArray[np.int64]
    value: Array


def grid_standard_error(
    var_seed: float, var_fold: float, var_residual: float, seeds: ArrayLike, folds: ArrayLike
) -> tuple[Array, Array]:
    """Standard error and degrees of freedom of the grand mean of seeds x folds trials.

    Crossed random effects: Var = var_seed / a + var_fold / b + var_residual / (a b) for a seeds
    and b folds, both at least 2 and broadcast together. Satterthwaite's degrees of freedom with
    the expected mean squares. Components: `variance.crossed_variance` of a pilot grid, clipped at
    0; for a comparison those of the paired differences. Folds are taken as independent draws of
    the data; overlapping cross-validation folds are not, and make this optimistic.
    """
    components = as_real([var_seed, var_fold, var_residual], "variance components")
    if not (np.isfinite(components).all() and components.min() >= 0 and components.max() > 0):
        raise ValueError(f"variance components must be >= 0 and not all 0, got {components}")
    a, b = as_real(seeds, "seeds"), as_real(folds, "folds")
    if a.size == 0 or b.size == 0 or a.min() < 2 or b.min() < 2:
        raise ValueError("a crossed design needs at least two seeds and two folds")
    by_seed, by_fold = var_residual + b * var_seed, var_residual + a * var_fold
    total = by_seed + by_fold - var_residual
    spread = by_seed**2 / (a - 1) + by_fold**2 / (b - 1) + var_residual**2 / ((a - 1) * (b - 1))
    return np.sqrt(total / (a * b)), total**2 / spread


def plan_grid(
    var_seed: float,
    var_fold: float,
    var_residual: float,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    target_power: float = 0.8,
    alpha: float = 0.05,
    max_seeds: int = 200,
    max_folds: int = 50,
) -> GridPlan:
    """Fewest trials (seeds x folds; of ties the fewest folds) that reach a target.

    Give `half_width` (of the 1 - alpha interval of the grand mean) or `difference` (found with
    `target_power` by the two-sided test at alpha). See `grid_standard_error` for the components.
    Raises ValueError if no design within max_seeds x max_folds reaches it, saying the best one.
    """
    if (half_width is None) == (difference is None):
        raise ValueError("give either half_width or difference")
    check_probability(alpha=alpha, target_power=target_power)
    seeds, folds = np.arange(2, max_seeds + 1), np.arange(2, max_folds + 1)
    se, df = grid_standard_error(var_seed, var_fold, var_residual, seeds[:, None], folds)
    if half_width is not None:
        _positive(half_width=half_width)
        value, best = stats.t.isf(alpha / 2, df) * se, np.min
        reached = value <= half_width
    else:
        _positive(difference=abs(difference))
        value, best = _t_power(difference / se, df, alpha), np.max
        reached = value >= target_power
    if not reached.any():
        raise ValueError(f"out of reach within {max_seeds} seeds x {max_folds} folds: the best is "
                         f"{best(value):.4g}")  # fmt: skip
    cost = np.where(reached, seeds[:, None] * folds, np.inf)
    j, i = np.unravel_index(cost.T.argmin(), cost.T.shape)
    return GridPlan(int(seeds[i]), int(folds[j]), float(value[i, j]), seeds, folds, value)


@dataclass(frozen=True)
class EnsembleSize:
    """Smallest reliable ensemble size, None if none of `sizes` is; the arrays are (sizes,).

    share: of ensembles with alpha-hat <= threshold; low, high: its Clopper–Pearson interval.
    """

    size: int | None
    sizes: NDArray[np.int64]
    share: Array
    low: Array
    high: Array


def ensemble_size(
    sizes: Sequence[int], alpha_hats: Sequence[ArrayLike], threshold: float,
    share: float = 1.0, level: float = 0.95,
) -> EnsembleSize:  # fmt: skip
    """Smallest ensemble size from which on `share` of the ensembles have alpha-hat <= threshold.

    Banerjee et al., section V-A2 and table I. "From which on": every larger size tried must
    reach the share too. sizes: ascending. alpha_hats: one array (ensembles,) for each size.
    The intervals take ensembles as independent; those that share members are not.
    """
    sizes = np.asarray(as_unmasked(sizes, "sizes"))
    if sizes.size == 0 or len(alpha_hats) != sizes.size or (np.diff(sizes) <= 0).any():
        raise ValueError("sizes must be ascending, with one array of alpha-hats for each")
    if not 0 < share <= 1:
        raise ValueError(f"share must lie in (0, 1], got {share}")
    levels = [as_finite(a, f"alpha_hats of size {k}", ndim=1)
              for k, a in zip(sizes, alpha_hats, strict=True)]  # fmt: skip
    intervals = []
    for values in levels:
        test = stats.binomtest(int((values <= threshold).sum()), values.size)
        exact = test.proportion_ci(level, method="exact")
        intervals.append((test.statistic, exact.low, exact.high))
    shares, low, high = np.array(intervals).T
    onward = np.logical_and.accumulate((shares >= share)[::-1])[::-1]
    size = int(sizes[onward.argmax()]) if onward.any() else None
    return EnsembleSize(size, sizes, shares, low, high)
