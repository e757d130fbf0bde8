"""What choosing the best seed by its test score gains, and what it only seems to gain.

Source: Banerjee et al., section VI.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats.inputs import Array, as_finite, check_at_least

_CHUNK = 4_000_000  # numbers per block of random halves


@dataclass(frozen=True)
class SelectionOptimism:
    """Bias and gain of selecting the best seed on one half of the test set, averaged over halves.

    `optimism` is the score of the selected model on that half minus its score on the other half.
    `gain` is its score on the other half minus the mean score of all models there. Both have the
    unit of the score. Their Monte Carlo standard errors over halves do not include the sampling
    error of the test set. Selection on the whole test set has an optimism that is smaller by a
    factor of 1.4 to 1.9, because the test set is twice as large.
    """

    optimism: float
    optimism_mc_se: float
    gain: float
    gain_mc_se: float
    n_halves: int


def selection_optimism(
    item_scores: ArrayLike, n_halves: int = 1000, *, rng: np.random.Generator
) -> SelectionOptimism:
    """Estimate the optimism of selecting the seed with the best test score.

    Models that tie for the best score are averaged. With an odd number of items, each split leaves
    out a random one. Memory is bounded. A single model has optimism about 0 and gain 0.

    Args:
        item_scores: (models, items) score per test item, larger is better, for example
            correctness 0 / 1. The score of a model is the mean.
        n_halves: number of random splits, at least 2; both halves of a split are used to select.
        rng: generator of the splits.

    Raises:
        ValueError: NaN, fewer than two items, or fewer than two splits.
    """
    scores = as_finite(item_scores, "item_scores", ndim=2, min_size=2)
    check_at_least(2, n_halves=n_halves)
    items, half = scores.shape[1], scores.shape[1] // 2
    values = np.empty((n_halves, 2))
    block = max(1, _CHUNK // (items + 2 * len(scores)))
    for start in range(0, n_halves, block):
        size = min(block, n_halves - start)
        side = np.zeros((size, items))
        side[:, :half], side[:, half : 2 * half] = 1, -1
        side = rng.permuted(side, axis=1)
        first, second = ((side == s).astype(np.float64) @ scores.T / half for s in (1, -1))
        both = _optimism_and_gain(first, second) + _optimism_and_gain(second, first)
        values[start : start + size] = both / 2
    means, mc_se = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(n_halves)
    return SelectionOptimism(
        optimism=float(means[0]),
        optimism_mc_se=float(mc_se[0]),
        gain=float(means[1]),
        gain_mc_se=float(mc_se[1]),
        n_halves=n_halves,
    )


def _optimism_and_gain(selection: Array, evaluation: Array) -> Array:
    """Return (halves, 2) optimism and gain of the best model on `selection` (halves, models)."""
    top = selection.max(axis=1)
    # Sums of equal item scores may differ in the last digits; such models still tie.
    is_best = np.isclose(selection, top[:, None], rtol=1e-12, atol=1e-14)
    evaluated = np.where(is_best, evaluation, 0).sum(axis=1) / is_best.sum(axis=1)
    return np.stack([top - evaluated, evaluated - evaluation.mean(axis=1)], axis=1)
