"""Alpha-trimmed Kolmogorov–Smirnov distance, the robust test, and alpha-hat, exact and on a grid.

Source: Banerjee et al., sections III-B, III-C, IV-A, theorem 2 and Algorithm 1 (theorem 2 is
del Barrio, Inouzhe & Matrán 2020). An alpha-trimming of a sample reweights it with weights of at
most 1 / (n (1 - alpha)); alpha-hat is the smallest alpha for which some trimming of the candidate
lies within delta of the reference in sup distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reseed.stats.inputs import as_finite, as_real
from reseed.stats.ks import ReferenceFunction, algorithm_threshold

AUTHORS_GRID = (0.0, 0.01, 0.025, 0.05, 0.075, *(i / 20 for i in range(2, 10)))
GRID_EXCEEDED = 0.5  # the authors' code: "at least 0.5"
_ROUNDING = 1e-12  # CDF values carry a few ulps; a bound missed by less is met


def _limits(sample, reference: ReferenceFunction) -> tuple[np.ndarray, np.ndarray]:
    return reference.limits(np.sort(as_finite(sample, "candidate"), axis=-1))


def _check_delta(delta: float) -> None:
    if not delta >= 0:
        raise ValueError(f"delta must be a non-negative number, got {delta}")


def trimmed_distance(f0_left, f0, alpha: float) -> np.ndarray:
    """Alpha-trimmed KS distance by theorem 2 (eqs. 52–56), in O(n).

    f0_left, f0: (..., n) left limit and value of the reference CDF at the sorted sample; equal
    where the reference is continuous. Returns (...). Raises ValueError unless 0 <= alpha < 1.
    """
    if not 0 <= alpha < 1:
        raise ValueError(f"alpha must lie in [0, 1), got {alpha}")
    keep = 1 - alpha
    n = f0.shape[-1]
    k = np.arange(n)
    upper = f0_left - k / (n * keep)
    lower = f0 - (k + 1) / (n * keep)
    lead = (*f0.shape[:-1], 1)
    suffix_max = np.maximum.accumulate(upper[..., ::-1], axis=-1)[..., ::-1]
    prefix_min = np.minimum.accumulate(lower, axis=-1)
    up = np.concatenate([suffix_max, np.full(lead, -alpha / keep)], axis=-1)
    lo = np.concatenate([np.zeros(lead), prefix_min], axis=-1)
    h = np.clip((up + lo) / 2, -alpha / keep, 0)
    return np.maximum((upper - h[..., :-1]).max(-1), (h[..., 1:] - lower).max(-1))


def trimming_level(f0_left, f0, delta: float) -> np.ndarray:
    """Smallest alpha whose trimmed distance is within `delta`: exact, no grid.

    f0_left, f0: (..., n) as in `trimmed_distance`. Returns (...) in [0, 1]; 1.0 means that no
    reweighting of the sample comes within delta (mass would be needed where it has no points).

    Cumulative trimmed weights W_0 = 0 <= ... <= W_n = 1 must satisfy L_k <= W_k <= U_k and rise
    by at most c = 1 / (n (1 - alpha)) a step, which is possible iff L <= U and
    c >= (L_k - U_j) / (k - j) for all j < k. The largest such slope is found by Newton's method
    for fractional programmes (Dinkelbach 1967): O(n) an iteration; each at least halves the
    remaining gap or the denominator, so O(log n) iterations at most, in practice under ten. It
    ends at an exact maximiser, not at a tolerance.
    """
    _check_delta(delta)
    shape, n = f0.shape[:-1], f0.shape[-1]
    f0_left, f0 = f0_left.reshape(-1, n), f0.reshape(-1, n)
    edge = np.zeros((len(f0), 1))
    low = np.hstack([np.maximum(f0_left - delta, 0), edge + 1])
    high = np.hstack([edge, np.minimum(f0 + delta, 1)])
    feasible = (low <= high + _ROUNDING).all(axis=1)
    alpha = np.ones(len(f0))
    alpha[feasible] = np.maximum(1 - 1 / (n * _largest_slope(low[feasible], high[feasible])), 0)
    return alpha.reshape(shape)


def _largest_slope(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """max over j < k of (low[k] - high[j]) / (k - j), for each row."""
    steps = np.arange(low.shape[1], dtype=np.float64)
    slope = np.full(len(low), 1 / (low.shape[1] - 1))  # the pair (0, n): low = 1, high = 0
    active = np.arange(len(low))
    while active.size:
        tilt = slope[active, None] * steps
        above = high[active] - tilt
        best_above = np.minimum.accumulate(above, axis=1)[:, :-1]
        k = (low[active, 1:] - tilt[:, 1:] - best_above).argmax(axis=1)
        rows = np.arange(active.size)
        j = (above[:, :-1] == best_above[rows, k][:, None]).argmax(axis=1)
        steeper = (low[active, k + 1] - high[active, j]) / (k + 1 - j)
        rises = steeper > slope[active]
        active = active[rises]
        slope[active] = steeper[rises]
    return slope


def trimmed_ks_distance(candidate, reference: ReferenceFunction, alpha: float) -> np.ndarray:
    """Trimmed KS distance of `candidate` (n,) or (models, n) to `reference`: () or (models,)."""
    return trimmed_distance(*_limits(candidate, reference), alpha)


def alpha_hat(candidate, reference: ReferenceFunction, delta: float) -> np.ndarray:
    """Exact alpha-hat of `candidate` (n,) or (models, n) against one reference: () or (models,).

    Any scalar measurement (remark 1), in any unit. See `trimming_level`. Raises ValueError on
    NaN, infinite or empty candidates and on a negative delta.
    """
    return trimming_level(*_limits(candidate, reference), delta)


def grid_level(f0_left, f0, delta: float, grid=AUTHORS_GRID) -> np.ndarray:
    """Smallest alpha of the ascending `grid` accepted at `delta`, else 0.5 ("at least 0.5")."""
    _check_delta(delta)
    level = np.full(f0.shape[:-1], GRID_EXCEEDED)
    for alpha in sorted(grid, reverse=True):
        level[trimmed_distance(f0_left, f0, alpha) <= delta + _ROUNDING] = alpha
    return level


def alpha_hat_grid(candidate, reference: ReferenceFunction, delta: float, grid=AUTHORS_GRID):
    """Alpha-hat on a grid, by default that of the authors' code; shapes as `alpha_hat`."""
    return grid_level(*_limits(candidate, reference), delta, grid)


@dataclass(frozen=True)
class RobustKsTest:
    """Result of decision (27): `accepted` iff `distance` <= `threshold` at level `alpha`."""

    distance: float
    threshold: float
    alpha: float
    accepted: bool


def robust_ks_test(
    candidate, reference: ReferenceFunction, alpha: float, threshold: float
) -> RobustKsTest:
    """Robust two-sample KS test of `candidate` (n,) against `reference` (eqs. 23, 27)."""
    candidate = as_finite(candidate, "candidate", ndim=1)
    _check_delta(threshold)
    distance = float(trimmed_ks_distance(candidate, reference, alpha))
    return RobustKsTest(distance, threshold, alpha, distance <= threshold + _ROUNDING)


def clip_logit_gap(gap, bound: float = 15.0, outside: Literal["bound", "zero"] = "bound"):
    """Logit gaps (any shape) limited to [-bound, bound].

    outside="bound" puts what lies outside at the bound; "zero" puts what lies at or beyond the
    bound to 0, as the authors' published code does (almost certainly a slip). NaN stays NaN, for
    `alpha_hat` to refuse.
    """
    gap = as_real(gap, "gap")
    if outside == "bound":
        return np.clip(gap, -bound, bound)
    if outside == "zero":
        return np.where(np.abs(gap) >= bound, 0.0, gap)
    raise ValueError(f"outside must be 'bound' or 'zero', got {outside!r}")


@dataclass(frozen=True)
class BootstrapAlphaHat:
    """Algorithm 1: alpha-hat of each candidate, averaged over bootstraps.

    mean, mc_se: (models,) mean and its Monte Carlo standard error over the bootstraps.
    replicates: (n_bootstrap, models). delta: the threshold used; n: items in each half.
    """

    mean: np.ndarray
    mc_se: np.ndarray
    replicates: np.ndarray
    delta: float
    n: int


def bootstrap_alpha_hat(
    candidates,
    references=None,
    *,
    rng: np.random.Generator,
    n_bootstrap: int = 100,
    delta: float | None = None,
    epsilon: float = 0.01,
    grid: tuple[float, ...] | None = None,
    resample: bool = True,
    interpolate: bool = True,
) -> BootstrapAlphaHat:
    """Algorithm 1: alpha-hat of `candidates` (models, items) against `references` (models, items).

    Without references each candidate is measured against all the others (leave-one-out). In each
    bootstrap the test items are resampled with replacement (`resample=False`: permuted, so that
    the halves share no item); one half gives the candidates' eCDFs, the other the reference. All
    candidates share the draws, which makes them comparable. delta defaults to
    `algorithm_threshold(items // 2, epsilon)`. grid=None is exact; pass `AUTHORS_GRID` for theirs.
    Clip logit gaps first (`clip_logit_gap`). Bounded memory: one bootstrap at a time.

    Raises ValueError on NaN or empty input, fewer than two items or bootstraps, unequal item
    counts, or leave-one-out with one model.
    """
    candidates = as_finite(candidates, "candidates", ndim=2)
    leave_one_out = references is None
    pool = candidates if leave_one_out else as_finite(references, "references", ndim=2)
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
        exact = grid is None
        row[:] = (
            trimming_level(left, right, delta) if exact else grid_level(left, right, delta, grid)
        )
    mc_se = replicates.std(axis=0, ddof=1) / np.sqrt(n_bootstrap)
    return BootstrapAlphaHat(replicates.mean(axis=0), mc_se, replicates, delta, n)
