"""Variance components of scores over several crossed seeds: main effects and interactions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.inputs import Array, as_real, rescale
from reseed.stats.mean_squares import Component, components
from reseed.stats.variance import CrossedVariance

#: Axes of a main effect (one axis) or an interaction (several).
Effect = tuple[int, ...]


def factorial_variance(
    y: ArrayLike,
    names: Sequence[str],
    level: float = 0.95,
    *,
    n_draws: int = 10_000,
    rng: np.random.Generator,
) -> CrossedVariance:
    """Estimate variance components of crossed random factors: effects, interactions, residual.

    Model, with one score per cell: y = μ + Σ of one random effect per set of factors, all
    independent (three factors: a + b + c + ab + ac + bc + rest). The interaction of all factors is
    not identifiable and is part of `residual`. Components are sorted by the size of their sets;
    interactions are named `a:b`.

    Complete grid: ANOVA moment estimators (Searle, Casella & McCulloch 1992, ch. 4). The expected
    mean squares are E MS(S) = Σ over T ⊇ S of n(T) σ²(T), where n(T) is the number of scores per
    cell of T. Their inversion gives σ²(S) = Σ over T ⊇ S of (−1)^(|T| − |S|) MS(T) / n(S).
    Intervals and tests are those of `mean_squares.components`.

    Incomplete grid (NaN): Henderson's method 1 (1953; Searle et al., ch. 5). It is unbiased and
    equals the ANOVA estimators on a complete grid. It has no intervals and no tests (NaN).

    Args:
        y: one axis per factor, at least two axes with at least 2 levels; NaN where a score is
            missing.
        names: names of the factors.
        level: two-sided confidence level.
        n_draws: draws for the intervals of shares and of main effects.
        rng: generator of the draws.

    Returns:
        Components in squared units of the score.

    Raises:
        ValueError: fewer axes or levels, infinite scores, a level without scores, or too many
            missing scores to separate the components.
    """
    a = as_real(y, "y")
    if a.ndim < 2 or min(a.shape) < 2 or len(names) != a.ndim:
        raise ValueError(f"y needs two named axes or more, each of at least 2: {a.shape}, {names}")
    present = ~np.isnan(a)
    if not np.isfinite(a[present]).all():
        raise ValueError("y holds infinite values: leave failed trials out")
    axes = tuple(range(a.ndim))
    if any(not present.any(axis=_without(axes, (i,))).all() for i in axes):
        raise ValueError("a seed has no score at all: leave it out")
    scores, unit = rescale(a[present])
    # Shifted to start at 0, so that a constant grid gives exact zeros without rounding noise.
    shift = scores.flat[0]
    values = np.zeros(a.shape)
    values[present] = scores - shift
    effects = [e for size in axes for e in combinations(axes, size + 1)]
    effect_names = [":".join(names[i] for i in effect) for effect in effects[:-1]] + ["residual"]
    if present.all():
        squares, weights = _mean_squares(values, effects), _component_weights(a.shape, effects)
        parts = components(effect_names, squares, weights, level, n_draws, rng)
    else:
        parts = _without_intervals(effect_names, _henderson(values, present, effects))
    parts = tuple(part.in_unit(unit) for part in parts)
    mean = float((values.sum() / present.sum() + shift) * unit)
    method = "anova" if present.all() else "henderson"
    return CrossedVariance(mean, parts, level, int(present.sum()), method)


def _without(axes: Effect, effect: Effect) -> Effect:
    return tuple(i for i in axes if i not in effect)


def _mean_squares(values: Array, effects: list[Effect]) -> list[tuple[float, int]]:
    """Return (mean square, degrees of freedom) of each effect of a complete grid."""
    axes, shape, squares = tuple(range(values.ndim)), values.shape, []
    for effect in effects:
        cells = values
        for i in axes:
            mean = cells.mean(axis=i, keepdims=True)
            cells = cells - mean if i in effect else mean
        df = prod(shape[i] - 1 for i in effect)
        replicates = prod(shape[i] for i in _without(axes, effect))
        squares.append((replicates * float((cells**2).sum()) / df, df))
    return squares


def _component_weights(shape: tuple[int, ...], effects: list[Effect]) -> Array:
    """Return (effects, effects) weights of the mean squares in each component."""
    axes = tuple(range(len(shape)))
    weights = np.zeros((len(effects), len(effects)))
    for row, effect in enumerate(effects):
        replicates = prod(shape[i] for i in _without(axes, effect))
        for column, other in enumerate(effects):
            if set(effect) <= set(other):
                weights[row, column] = (-1) ** (len(other) - len(effect)) / replicates
    return weights


def _henderson(values: Array, present: NDArray[np.bool_], effects: list[Effect]) -> Array:
    """Return components (effects,) by equating Σ total² / n over cells to its expectation.

    Raises:
        ValueError: the equations have no unique solution.
    """
    axes = tuple(range(values.ndim))
    every = [(), *effects]

    def sums(x: NDArray, effect: Effect) -> NDArray:
        return x.sum(axis=_without(axes, effect), keepdims=True)

    uncorrected = np.zeros(len(every))
    expected = np.zeros((len(every), len(every)))
    for row, effect in enumerate(every):
        count = sums(present, effect)
        inverse = np.divide(1.0, count, out=np.zeros(count.shape), where=count > 0)
        uncorrected[row] = (sums(values, effect) ** 2 * inverse).sum()
        for column, other in enumerate(every):
            joint = sums(present, tuple(sorted({*effect, *other})))
            expected[row, column] = (joint.astype(np.float64) ** 2 * inverse).sum()
    # Every row contains the number of scores times μ²; subtracting the first row removes it.
    system, right = (expected - expected[0])[1:, 1:], (uncorrected - uncorrected[0])[1:]
    if np.linalg.matrix_rank(system) < len(effects):
        raise ValueError("too many runs are missing: components cannot be separated")
    return np.linalg.solve(system, right)


def _without_intervals(names: list[str], raw: Array) -> tuple[Component, ...]:
    variances, nan = np.maximum(raw, 0), float("nan")
    total = variances.sum()
    return tuple(
        Component(
            name=name,
            raw=float(estimate),
            variance=float(variance),
            low=nan,
            high=nan,
            p_value=nan,
            share=float(variance / total) if total > 0 else nan,
            share_low=nan,
            share_high=nan,
        )
        for name, estimate, variance in zip(names, raw, variances, strict=True)
    )
