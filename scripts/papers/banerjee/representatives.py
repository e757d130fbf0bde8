"""Representativeness of a trained model for its training procedure.

Source: Banerjee et al., sections V-A and V-B; eqs. 14, 15 for the distance, Algorithm 1 for
alpha-hat. `heldout_information` is an addition of this project.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from reseed.stats.inputs import Array, as_finite, check_at_least

from papers.banerjee.alpha_hat import (
    AUTHORS_GRID,
    GRID_EXCEEDED,
    bootstrap_alpha_hat,
    trimmed_distance,
)
from papers.banerjee.calibration import expected_calibration_error
from papers.banerjee.ensembles import model_churn
from papers.banerjee.ks import reference_function, two_sample_threshold

#: Measurements of a model on one half of the items.
MEASURES = ("alpha_hat", "ks", "accuracy", "churn", "ece")


def half_threshold(items: int, epsilon: float = 0.01) -> float:
    """Return the threshold δ = √(ln(C/ε)/n) + 1/n of Algorithm 1 for halves of n = items // 2.

    This is the authors' threshold with the constant C of Wei and Dudley, which equals theirs (2)
    from n = 458. The term 1/n accounts for the interpolated reference (eq. 57).

    Raises:
        ValueError: δ is 1 or more (below 16 items at ε = 0.01). No distance exceeds 1, so the test
            would accept every model.
    """
    check_at_least(2, items=items)
    half = items // 2
    delta = two_sample_threshold(half, half, epsilon) + 1 / half
    if delta >= 1:
        raise ValueError(f"{items} test items are too few: alpha-hat would be 0 for every run")
    return delta


def round_up_to_grid(alpha: ArrayLike, grid: tuple[float, ...] = AUTHORS_GRID) -> Array:
    """Round exact alpha-hats (any shape) up to the ascending `grid`.

    The robust test accepts every level from alpha-hat on. A search over the grid therefore returns
    the next grid value; 0.5 means "above the grid" (the authors' code).
    """
    alpha = as_finite(np.atleast_1d(alpha), "alpha").reshape(np.shape(alpha))
    values = np.append(grid, GRID_EXCEEDED)
    return values[np.searchsorted(np.asarray(grid), alpha - 1e-12, side="left")]


def split_ks_distance(
    candidates: ArrayLike, references: ArrayLike, n_splits: int = 10, *, rng: np.random.Generator
) -> Array:
    """Return the mean KS distance of each candidate to the reference function: (models,).

    In each of `n_splits` random splits of the items, candidate and reference use disjoint halves,
    as the two-sample test requires (eqs. 14, 15). Compare the result with `half_threshold`.

    Args:
        candidates: (models, items) values.
        references: (reference models, items) values.
        n_splits: number of random splits.
        rng: generator of the splits.
    """
    x, pool = (
        as_finite(candidates, "candidates", ndim=2),
        as_finite(references, "references", ndim=2),
    )
    check_at_least(1, n_splits=n_splits)
    total, half = np.zeros(len(x)), x.shape[1] // 2
    for _ in range(n_splits):
        order = rng.permutation(x.shape[1])
        reference = reference_function(pool[:, order[half : 2 * half]])
        limits = reference.limits(np.sort(x[:, order[:half]], axis=1))
        total += trimmed_distance(*limits, 0.0)
    return total / n_splits


def heldout_information(
    gaps: ArrayLike,
    labels: ArrayLike,
    correct: ArrayLike,
    confidence: ArrayLike,
    *,
    n_halves: int = 20,
    n_bootstrap: int = 10,
    epsilon: float = 0.01,
    n_bins: int = 15,
    rng: np.random.Generator,
) -> Iterator[dict[str, Array]]:
    """Yield measurements of each model on one half of the items and its churn on the other half.

    Each of `n_halves` random splits gives (models,) arrays by name. The names in `MEASURES` are
    computed on the first half; alpha-hat and KS distance compare a model with all other models.
    `disagreement` is the mean churn against the other models on the second half, as a share of its
    items.

    Args:
        gaps, labels, correct, confidence: (models, items), at least 4 models and 8 items.
        n_halves: number of random splits.
        n_bootstrap: bootstraps of alpha-hat.
        epsilon: error probability of the alpha-hat threshold.
        n_bins: bins of the calibration error.
        rng: generator of splits and bootstraps.
    """
    gaps, confidence = as_finite(gaps, "gaps", ndim=2), as_finite(confidence, "confidence", ndim=2)
    labels, correct = np.asarray(labels), np.asarray(correct)
    if len(gaps) < 4 or gaps.shape[1] < 8:
        raise ValueError(f"at least 4 models and 8 items are needed, got {gaps.shape}")
    half = gaps.shape[1] // 2
    for _ in range(n_halves):
        order = rng.permutation(gaps.shape[1])
        first, second = order[:half], order[half:]
        alpha = bootstrap_alpha_hat(
            gaps[:, first], rng=rng, n_bootstrap=n_bootstrap, delta=half_threshold(half, epsilon)
        )
        yield {
            "alpha_hat": alpha.mean,
            "ks": _ks_distance_to_others(gaps[:, first]),
            "accuracy": correct[:, first].mean(axis=1),
            "churn": model_churn(labels[:, first]) / half,
            "ece": expected_calibration_error(confidence[:, first], correct[:, first], n_bins),
            "disagreement": model_churn(labels[:, second]) / second.size,
        }


def _ks_distance_to_others(gaps: Array) -> Array:
    """Return the KS distance of each eCDF to the average eCDF of the other models: (models,)."""
    values = np.sort(gaps, axis=1)
    pooled = np.sort(gaps, axis=None)
    steps = np.stack([np.searchsorted(row, pooled, side="right") for row in values]) / gaps.shape[1]
    mean_of_others = (steps.sum(axis=0) - steps) / (len(gaps) - 1)
    return np.abs(steps - mean_of_others).max(axis=1)
