"""Which seed to ship: validation score and alpha-hat together, never the test score.

Source: Banerjee et al., sections V-B3, V-C and VI: among models of near-equal accuracy those with
a small alpha-hat are the representative ones. `selection_optimism` shows why picking by test
score is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.inputs import Array, as_finite

_CHUNK = 4_000_000  # numbers of a block of random halves


def _pair(score: ArrayLike, alpha_hat: ArrayLike) -> tuple[Array, Array]:
    score, alpha_hat = as_finite(score, "score", ndim=1), as_finite(alpha_hat, "alpha_hat", ndim=1)
    if score.shape != alpha_hat.shape:
        raise ValueError(f"score has {score.size} models, alpha_hat {alpha_hat.size}")
    return score, alpha_hat


@dataclass(frozen=True)
class Ranking:
    """order: (models,) indices, best first. n_admitted: how many of them pass the threshold.

    pareto: (models,) whether no other model is at least as good on both counts and better on one.
    """

    order: NDArray[np.int64]
    n_admitted: int
    pareto: NDArray[np.bool_]


def rank_models(score: ArrayLike, alpha_hat: ArrayLike, threshold: float) -> Ranking:
    """Rank models by validation score among those with alpha-hat <= threshold.

    score: (models,) validation scores, larger is better (negate an error). alpha_hat: (models,).
    Admitted models come first, by falling score; equal scores by alpha-hat, then by index. The
    others follow by rising alpha-hat, then falling score: if none is admitted, the most
    representative model leads. Raises ValueError on NaN, empty or unequal input.
    """
    score, alpha_hat = _pair(score, alpha_hat)
    if np.isnan(threshold):
        raise ValueError("threshold must not be NaN")
    out = alpha_hat > threshold
    first = np.where(out, alpha_hat, -score)
    second = np.where(out, -score, alpha_hat)
    order = np.lexsort((second, first, out))
    return Ranking(order, int((~out).sum()), pareto_front(score, alpha_hat))


def pareto_front(score: ArrayLike, alpha_hat: ArrayLike) -> NDArray[np.bool_]:
    """Models that no other beats on score (larger) and alpha-hat (smaller) at once: (models,).

    Equal models are on the front together. O(n log n).
    """
    score, alpha_hat = _pair(score, alpha_hat)
    levels, group = np.unique(alpha_hat, return_inverse=True)
    best = np.full(levels.size, -np.inf)
    np.maximum.at(best, group, score)
    # Best score of any strictly smaller alpha-hat.
    before = np.concatenate([[-np.inf], np.maximum.accumulate(best)[:-1]])
    return (score == best[group]) & (score > before[group])


@dataclass(frozen=True)
class SelectionOptimism:
    """Average over random halves of the test set of picking the best seed on one half.

    optimism: its score on that half minus its score on the other half, the part of the winner's
    score that is luck. gain: its score on the other half minus the mean of all models there, the
    part that is real. Both in units of the score, with Monte Carlo standard errors over halves;
    these say nothing of the uncertainty of the test set itself. Choosing on the whole test set
    costs less than `optimism`, which is measured on half of it: by a factor of 1.4 to 1.9.
    """

    optimism: float
    optimism_mc_se: float
    gain: float
    gain_mc_se: float
    n_halves: int


def selection_optimism(
    item_scores: ArrayLike, n_halves: int = 1000, *, rng: np.random.Generator
) -> SelectionOptimism:
    """Optimism of choosing the seed with the best test score.

    item_scores: (models, items) score of each test item, larger is better, e.g. correctness 0 / 1;
    a model's score is its mean. n_halves: random halvings; each is used both ways round. Models
    that tie for the best are averaged. Of an odd number of items a random one is left out each
    time. Bounded memory. One model: optimism about 0, gain 0.

    Raises ValueError on NaN, fewer than two items, or fewer than two halvings.
    """
    scores = as_finite(item_scores, "item_scores", ndim=2, min_size=2)
    if n_halves < 2:
        raise ValueError(f"n_halves must be at least 2, got {n_halves}")
    items, half = scores.shape[1], scores.shape[1] // 2
    values = np.empty((n_halves, 2))
    block = max(1, _CHUNK // (items + 2 * len(scores)))
    for start in range(0, n_halves, block):
        size = min(block, n_halves - start)
        side = np.zeros((size, items))
        side[:, :half], side[:, half : 2 * half] = 1, -1
        side = rng.permuted(side, axis=1)
        first, second = ((side == s).astype(np.float64) @ scores.T / half for s in (1, -1))
        values[start : start + size] = (_pick(first, second) + _pick(second, first)) / 2
    means, mc_se = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(n_halves)
    return SelectionOptimism(float(means[0]), float(mc_se[0]), float(means[1]), float(mc_se[1]),
                             n_halves)  # fmt: skip


def _pick(chosen_on: Array, judged_on: Array) -> Array:
    """(halves, 2) optimism and gain of the best model (columns) of each row of `chosen_on`."""
    top = chosen_on.max(axis=1)
    # Sums of equal item scores may differ in the last digits, which must not break a tie.
    best = np.isclose(chosen_on, top[:, None], rtol=1e-12, atol=1e-14)
    kept = np.where(best, judged_on, 0).sum(axis=1) / best.sum(axis=1)
    return np.stack([top - kept, kept - judged_on.mean(axis=1)], axis=1)
