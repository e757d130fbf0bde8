"""Alpha-trimmed Kolmogorov–Smirnov distance, the robust test, and alpha-hat, exact and on a grid.

An alpha-trimming of a sample reweights it with weights of at most 1 / (n (1 - alpha)). Alpha-hat is
the smallest alpha for which some trimming of the candidate lies within delta of the reference in
sup distance.

Source: Banerjee et al., sections III-B, III-C, IV-A, theorem 2 and Algorithm 1 (theorem 2 is by
del Barrio, Inouzhe & Matrán 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from reseed.stats.inputs import Array, as_finite

from papers.banerjee.ks import ReferenceFunction, algorithm_threshold

#: Grid of trimming levels in the authors' code.
AUTHORS_GRID = (0.0, 0.01, 0.025, 0.05, 0.075, *(i / 20 for i in range(2, 10)))
#: Value of the authors' code if no level of the grid is accepted: "at least 0.5".
GRID_EXCEEDED = 0.5
_ROUNDING = 1e-12  # tolerance for rounding errors of CDF values


def _limits(sample: ArrayLike, reference: ReferenceFunction) -> tuple[Array, Array]:
    return reference.limits(np.sort(as_finite(sample, "candidate"), axis=-1))


def _check_delta(delta: float) -> None:
    if not delta >= 0:
        raise ValueError(f"delta must be a non-negative number, got {delta}")


def trimmed_distance(f0_left: Array, f0: Array, alpha: float) -> Array:
    """Return the alpha-trimmed KS distance by theorem 2 (eqs. 52–56), in O(n).

    Args:
        f0_left, f0: (..., n) left limit and value of the reference CDF at the sorted sample; they
            are equal where the reference is continuous.
        alpha: trimming level, 0 <= alpha < 1.

    Returns:
        (...) distances.
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha must lie in [0, 1), got {alpha}")
    remaining = 1 - alpha
    n = f0.shape[-1]
    k = np.arange(n)
    upper = f0_left - k / (n * remaining)
    lower = f0 - (k + 1) / (n * remaining)
    lead = (*f0.shape[:-1], 1)
    suffix_max = np.maximum.accumulate(upper[..., ::-1], axis=-1)[..., ::-1]
    prefix_min = np.minimum.accumulate(lower, axis=-1)
    up = np.concatenate([suffix_max, np.full(lead, -alpha / remaining)], axis=-1)
    lo = np.concatenate([np.zeros(lead), prefix_min], axis=-1)
    h = np.clip((up + lo) / 2, -alpha / remaining, 0)
    return np.maximum((upper - h[..., :-1]).max(-1), (h[..., 1:] - lower).max(-1))


def trimming_level(f0_left: Array, f0: Array, delta: float) -> Array:
    """Return the smallest alpha whose trimmed distance is at most `delta`, exactly (no grid).

    Cumulative trimmed weights W_0 = 0 <= ... <= W_n = 1 must satisfy L_k <= W_k <= U_k and
    increase by at most c = 1 / (n (1 - alpha)) per step. This is possible if and only if L <= U
    and c >= (L_k - U_j) / (k - j) for all j < k. The largest such slope is computed by Newton's
    method for fractional programs (Dinkelbach 1967), with O(n) per iteration. Each iteration at
    least halves the remaining gap or the denominator, so there are at most O(log n), in practice
    fewer than ten. The result is an exact maximum without a tolerance.

    Args:
        f0_left, f0: (..., n) as in `trimmed_distance`.
        delta: threshold, >= 0.

    Returns:
        (...) levels in [0, 1]. 1.0 means that no reweighting of the sample comes within delta,
        because the reference has mass where the sample has no points.
    """
    _check_delta(delta)
    shape, n = f0.shape[:-1], f0.shape[-1]
    f0_left, f0 = f0_left.reshape(-1, n), f0.reshape(-1, n)
    edge = np.zeros((len(f0), 1))
    low = np.hstack([np.maximum(f0_left - delta, 0), edge + 1])
    high = np.hstack([edge, np.minimum(f0 + delta, 1)])
    feasible = (low <= high + _ROUNDING).all(axis=1)
    alpha = np.ones(len(f0))
    alpha[feasible] = 1 - 1 / (n * _largest_slope(low[feasible], high[feasible]))
    # A slope that exceeds 1/n by its last bits needs no trimming.
    return np.where(alpha > n * _ROUNDING, alpha, 0.0).reshape(shape)


def _largest_slope(low: Array, high: Array) -> Array:
    """Return the maximum over j < k of (low[k] - high[j]) / (k - j) of each row."""
    steps = np.arange(low.shape[1], dtype=np.float64)
    slope = np.full(len(low), 1 / (low.shape[1] - 1))  # the pair (0, n): low = 1, high = 0
    active = np.arange(len(low))
    while active.size:
        line = slope[active, None] * steps
        high_above_line = high[active] - line
        smallest = np.minimum.accumulate(high_above_line, axis=1)[:, :-1]
        k = (low[active, 1:] - line[:, 1:] - smallest).argmax(axis=1)
        rows = np.arange(active.size)
        j = (high_above_line[:, :-1] == smallest[rows, k][:, None]).argmax(axis=1)
        new_slope = (low[active, k + 1] - high[active, j]) / (k + 1 - j)
        is_steeper = new_slope > slope[active]
        active = active[is_steeper]
        slope[active] = new_slope[is_steeper]
    return slope


def trimmed_ks_distance(candidate: ArrayLike, reference: ReferenceFunction, alpha: float) -> Array:
    """Return the trimmed KS distance to `reference`, () or (models,).

    Args:
        candidate: (n,) or (models, n) values.
        reference: the reference CDF.
        alpha: trimming level, 0 <= alpha < 1; 0 gives the KS distance.
    """
    return trimmed_distance(*_limits(candidate, reference), alpha)


def alpha_hat(candidate: ArrayLike, reference: ReferenceFunction, delta: float) -> Array:
    """Return the exact alpha-hat against one reference, () or (models,); see `trimming_level`.

    Args:
        candidate: (n,) or (models, n) values of any scalar measurement (remark 1), in any unit.
        reference: the reference CDF.
        delta: threshold, >= 0.

    Raises:
        ValueError: NaN, infinite or empty candidates, or a negative delta.
    """
    return trimming_level(*_limits(candidate, reference), delta)


def grid_level(
    f0_left: Array, f0: Array, delta: float, grid: Sequence[float] = AUTHORS_GRID
) -> Array:
    """Return the smallest alpha of `grid` accepted at `delta`, or 0.5 ("at least 0.5").

    Shapes as in `trimming_level`.
    """
    _check_delta(delta)
    level = np.full(f0.shape[:-1], GRID_EXCEEDED)
    for alpha in sorted(grid, reverse=True):
        level[trimmed_distance(f0_left, f0, alpha) <= delta + _ROUNDING] = alpha
    return level


def alpha_hat_grid(
    candidate: ArrayLike,
    reference: ReferenceFunction,
    delta: float,
    grid: Sequence[float] = AUTHORS_GRID,
) -> Array:
    """Return alpha-hat on a grid, by default that of the authors' code; shapes as `alpha_hat`."""
    return grid_level(*_limits(candidate, reference), delta, grid)


@dataclass(frozen=True)
class BootstrapAlphaHat:
    """Result of Algorithm 1: alpha-hat of each candidate, averaged over bootstraps.

    `mean` and `mc_se` (models,) are the mean and its Monte Carlo standard error; `replicates` is
    (n_bootstrap, models); `delta` is the threshold; `n` is the number of items in each half.
    """

    mean: Array
    mc_se: Array
    replicates: Array
    delta: float
    n: int


def bootstrap_alpha_hat(
    candidates: ArrayLike,
    references: ArrayLike | None = None,
    *,
    rng: np.random.Generator,
    n_bootstrap: int = 100,
    delta: float | None = None,
    epsilon: float = 0.01,
    grid: Sequence[float] | None = None,
    resample: bool = True,
    interpolate: bool = True,
) -> BootstrapAlphaHat:
    """Compute alpha-hat of candidates by Algorithm 1.

    Each bootstrap draws test items for two halves. The first half gives the eCDFs of the
    candidates, the second the reference. All candidates share the draws and are therefore
    comparable. Memory is bounded: one bootstrap at a time.

    Args:
        candidates: (models, items) values; clip logit gaps first (`clip_logit_gap`).
        references: (models, items) values. None compares each candidate with all the others
            (leave-one-out).
        rng: generator of the draws.
        n_bootstrap: number of bootstraps, at least 2.
        delta: threshold; default `algorithm_threshold(items // 2, epsilon)`.
        epsilon: error probability of the default threshold.
        grid: trimming levels to search, for example `AUTHORS_GRID`; None computes exact levels.
        resample: True draws items with replacement; False permutes them, so that the halves share
            no item.
        interpolate: whether the reference is interpolated (`ReferenceFunction`).

    Raises:
        ValueError: NaN or empty input, fewer than two items or bootstraps, different numbers of
            items, or leave-one-out with one model.
    """
    candidates = as_finite(candidates, "candidates", ndim=2)
    pool = candidates if references is None else as_finite(references, "references", ndim=2)
    leave_one_out = references is None
    items = candidates.shape[1]
    if pool.shape[1] != items:
        raise ValueError(f"candidates have {items} items, references {pool.shape[1]}")
    if leave_one_out and len(candidates) < 2:
        raise ValueError("leave-one-out needs at least two models: pass references")
    if items < 2 or n_bootstrap < 2:
        raise ValueError("at least two items and two bootstraps are needed")
    n = items // 2
    delta = algorithm_threshold(n, epsilon) if delta is None else delta

    replicates = np.empty((n_bootstrap, len(candidates)))
    for row in replicates:
        draw = rng.integers(items, size=2 * n) if resample else rng.permutation(items)[: 2 * n]
        sample = np.sort(candidates[:, draw[:n]], axis=1)
        values = pool[:, draw[n:]].ravel()
        order = np.argsort(values)
        values = values[order]
        if leave_one_out:
            owner = order // n
            pairs = [
                ReferenceFunction(values[owner != m], interpolate).limits(x)
                for m, x in enumerate(sample)
            ]
            left, right = (np.stack(side) for side in zip(*pairs, strict=True))
        else:
            left, right = ReferenceFunction(values, interpolate).limits(sample)
        if grid is None:
            row[:] = trimming_level(left, right, delta)
        else:
            row[:] = grid_level(left, right, delta, grid)
    mc_se = replicates.std(axis=0, ddof=1) / np.sqrt(n_bootstrap)
    return BootstrapAlphaHat(replicates.mean(axis=0), mc_se, replicates, delta, n)
