"""Where the variance of scores comes from when several seeds are crossed: each, and what they do
together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_real, rescale
from reseed.stats.mean_squares import Component, components
from reseed.stats.variance import CrossedVariance

Effect = tuple[int, ...]  # the axes that a main effect (one) or an interaction (more) is of


def factorial_variance(
    y: ArrayLike,
    names: Sequence[str],
    level: float = 0.95,
    *,
    n_draws: int = 10_000,
    rng: np.random.Generator,
) -> CrossedVariance:
    """Variance components of crossed random factors: main effects, interactions, residual.

    One score a cell: y = μ + Σ over sets of factors of a random effect of that set, all independent
    (for three: a + b + c + ab + ac + bc + rest). The interaction of all factors cannot be told
    from the error, and is `residual`. Components stand in the order of the size of their sets,
    interactions called `a:b`.

    A complete grid: the ANOVA moment estimators (Searle, Casella & McCulloch 1992, ch. 4), which
    by inversion of the expected mean squares E MS(S) = Σ over T ⊇ S of n(T) σ²(T), n(T) scores a
    cell of T, are σ²(S) = Σ over T ⊇ S of ±MS(T) / n(S), the sign that of |T| − |S|. Intervals and
    tests as in `mean_squares.components`. A grid with holes (NaN): Henderson's method 1 (1953;
    Searle et al., ch. 5), unbiased too and equal to it where nothing is missing; it has no
    intervals and no tests (NaN).

    Args:
        y: an axis a factor, at least two, each of 2 levels or more; NaN where there is no score.
        names: of the factors.
        level: two-sided confidence level.
        n_draws: draws behind the intervals of shares and of main effects.
        rng: their source.

    Raises:
        ValueError: fewer axes or levels, infinite scores, a level without any score, or so many
            holes that components cannot be told apart.
    """
    a = as_real(y, "y")
    if a.ndim < 2 or min(a.shape) < 2 or len(names) != a.ndim:
        raise ValueError(f"y needs two named axes or more, each of at least 2: {a.shape}, {names}")
    there = ~np.isnan(a)
    if not np.isfinite(a[there]).all():
        raise ValueError("y holds infinite values: leave failed trials out")
    axes = tuple(range(a.ndim))
    if any(not there.any(axis=_without(axes, (i,))).all() for i in axes):
        raise ValueError("a seed has no score at all: leave it out")
    some, unit = rescale(a[there])
    # Centred, so that a constant grid gives exact zeros and not rounding noise.
    shift = some.flat[0]
    values = np.zeros(a.shape)
    values[there] = some - shift
    effects = [e for size in axes for e in combinations(axes, size + 1)]
    called = [":".join(names[i] for i in effect) for effect in effects[:-1]] + ["residual"]
    if there.all():
        squares, weights = _mean_squares(values, effects), _inverse(a.shape, effects)
        parts = components(called, squares, weights, level, n_draws, rng)
    else:
        parts = _without_intervals(called, _henderson(values, there, effects))
    parts = tuple(part.in_unit(unit) for part in parts)
    mean = float((values.sum() / there.sum() + shift) * unit)
    method = "anova" if there.all() else "henderson"
    return CrossedVariance(mean, parts, level, int(there.sum()), method)


def _without(axes: Effect, effect: Effect) -> Effect:
    return tuple(i for i in axes if i not in effect)


def _mean_squares(values: Array, effects: list[Effect]) -> list[tuple[float, int]]:
    """(mean square, degrees of freedom) of each effect of a complete grid."""
    axes, shape, found = tuple(range(values.ndim)), values.shape, []
    for effect in effects:
        cells = values
        for i in axes:
            mean = cells.mean(axis=i, keepdims=True)
            cells = cells - mean if i in effect else mean
        df = prod(shape[i] - 1 for i in effect)
        replicates = prod(shape[i] for i in _without(axes, effect))
        found.append((replicates * float((cells**2).sum()) / df, df))
    return found


def _inverse(shape: tuple[int, ...], effects: list[Effect]) -> Array:
    """(effects, effects): each component from the mean squares."""
    axes = tuple(range(len(shape)))
    weights = np.zeros((len(effects), len(effects)))
    for row, effect in enumerate(effects):
        replicates = prod(shape[i] for i in _without(axes, effect))
        for column, other in enumerate(effects):
            if set(effect) <= set(other):
                weights[row, column] = (-1) ** (len(other) - len(effect)) / replicates
    return weights


def _henderson(values: Array, there: Array, effects: list[Effect]) -> Array:
    """Components (effects,) by equating Σ total² / n of every effect's cells to its expectation.

    Raises ValueError where that has no one solution.
    """
    axes = tuple(range(values.ndim))
    every = [(), *effects]

    def sums(x: Array, effect: Effect) -> Array:
        return x.sum(axis=_without(axes, effect), keepdims=True)

    uncorrected = np.zeros(len(every))
    expected = np.zeros((len(every), len(every)))
    for row, effect in enumerate(every):
        count = sums(there, effect)
        inverse = np.divide(1.0, count, out=np.zeros(count.shape), where=count > 0)
        uncorrected[row] = (sums(values, effect) ** 2 * inverse).sum()
        for column, other in enumerate(every):
            together = sums(there, tuple(sorted({*effect, *other})))
            expected[row, column] = (together.astype(np.float64) ** 2 * inverse).sum()
    # Every row holds the number of scores times μ²: what is above the first row has none.
    system, right = (expected - expected[0])[1:, 1:], (uncorrected - uncorrected[0])[1:]
    if np.linalg.matrix_rank(system) < len(effects):
        raise ValueError("too many runs are missing: components cannot be told apart")
    return np.linalg.solve(system, right)


def _without_intervals(names: list[str], raw: Array) -> tuple[Component, ...]:
    variance, none = np.maximum(raw, 0), float("nan")
    total = variance.sum()
    return tuple(
        Component(
            name, float(estimate), float(kept), none, none, none,
            float(kept / total) if total > 0 else none, none, none,
        )
        for name, estimate, kept in zip(names, raw, variance, strict=True)
    )  # fmt: skip
