"""Ensembles that average logits, and churn: how many predictions change between two trainings.

Source: Banerjee et al., eqs. 9 and 36, section V-A and tables III and IV. Churn is a count of
test items; divide by the number of items for a rate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.inputs import Array, as_finite, as_unmasked

_ITEMS = 2048  # items a block: 1,000 models take 8 MB as float32


def draw_members(n_models: int, size: int, n_ensembles: int, rng: np.random.Generator) -> NDArray:
    """`n_ensembles` random subsets of `size` of `n_models` models, each without replacement.

    Returns (n_ensembles, size) model indices. Raises ValueError unless 1 <= size <= n_models.
    """
    if not 1 <= size <= n_models or n_ensembles < 1:
        raise ValueError(f"cannot draw {n_ensembles} ensembles of {size} of {n_models} models")
    return rng.permuted(np.tile(np.arange(n_models), (n_ensembles, 1)), axis=1)[:, :size]


def ensemble_scores(scores: ArrayLike, members: ArrayLike) -> Array:
    """Mean score of the members of each ensemble (eq. 9), as one matrix product.

    scores: (models, items) logit gaps or (models, items, classes) logits. members: (ensembles,
    size) model indices. Returns (ensembles, items[, classes]). Raises ValueError on NaN, and on
    indices that are out of range or repeated in one ensemble.
    """
    scores = as_finite(scores, "scores")
    members = np.asarray(as_unmasked(members, "members"))
    if members.ndim != 2 or members.size == 0 or members.dtype.kind not in "iu":
        raise ValueError(f"members must be (ensembles, size) integers, got shape {members.shape}")
    if members.min() < 0 or members.max() >= len(scores):
        raise ValueError(f"members must be indices of the {len(scores)} models")
    weights = np.zeros((len(members), len(scores)))
    np.put_along_axis(weights, members, 1 / members.shape[1], axis=1)
    if (np.count_nonzero(weights, axis=1) < members.shape[1]).any():
        raise ValueError("a model occurs twice in one ensemble")
    return np.tensordot(weights, scores, axes=1)


def ensemble_blocks(scores: ArrayLike, members: ArrayLike, block: int = 64) -> Iterator[Array]:
    """`ensemble_scores` in blocks of at most `block` ensembles, for bounded memory."""
    members = np.asarray(as_unmasked(members, "members"))
    for start in range(0, len(members), block):
        yield ensemble_scores(scores, members[start : start + block])


def gap_labels(gaps: ArrayLike) -> NDArray[np.int8]:
    """Predicted class of a binary model, 1 where the logit gap is positive, else 0 (eq. 3).

    Of multi-class logits (..., classes) the predicted class is `logits.argmax(-1)`.
    """
    return (as_finite(gaps, "gaps") > 0).astype(np.int8)


def _labels(labels: ArrayLike, min_models: int = 1) -> NDArray:
    """Labels (models, items) as integers 0 ... C - 1."""
    labels = np.asarray(as_unmasked(labels, "labels"))
    if labels.dtype.kind not in "iub":
        raise ValueError("labels must be integers 0 ... C-1: encode them "
                         "(numpy.unique(labels, return_inverse=True))")  # fmt: skip
    if labels.ndim != 2 or labels.size == 0 or len(labels) < min_models:
        raise ValueError(f"labels must be (models, items) with at least {min_models} model(s) "
                         f"and one item, got shape {labels.shape}")  # fmt: skip
    if labels.min() < 0:
        raise ValueError("labels must not be negative")
    return labels.astype(np.int64) if labels.dtype.kind == "b" else labels


def pairwise_churn(labels: ArrayLike) -> NDArray[np.int64]:
    """Number of items on which each pair of models disagrees (eq. 36): (models, models).

    labels: (models, items) integers 0 ... C - 1. One float32 matrix product for each class and
    block of items; counts in a block are far below 2^24, hence exact.
    """
    labels = _labels(labels)
    agree = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for start in range(0, labels.shape[1], _ITEMS):
        block = labels[:, start : start + _ITEMS]
        for label in np.unique(block):
            chosen = (block == label).astype(np.float32)
            agree += (chosen @ chosen.T).astype(np.int64)
    return labels.shape[1] - agree


def model_churn(labels: ArrayLike) -> Array:
    """Mean churn of each model against all the others (table IV): (models,), O(models x items).

    labels as in `pairwise_churn`. Equals the row mean of the pairwise matrix without its diagonal,
    from the number of models that choose each class. Raises ValueError below two models.
    """
    labels = _labels(labels, min_models=2)
    models, classes = len(labels), int(labels.max()) + 1
    agree = np.zeros(models, dtype=np.int64)
    for start in range(0, labels.shape[1], _ITEMS):
        block = labels[:, start : start + _ITEMS].astype(np.int64)
        cell = np.arange(block.shape[1]) * classes + block
        votes = np.bincount(cell.ravel(), minlength=block.shape[1] * classes)
        agree += votes[cell].sum(axis=1)
    # `agree` counts each model's agreement with itself once an item.
    return (labels.shape[1] * models - agree) / (models - 1)


def churn_against(labels: ArrayLike, reference: ArrayLike) -> NDArray[np.int64]:
    """Churn of each model (models, items) against one prediction (items,), e.g. an ensemble's."""
    labels, reference = (
        _labels(labels),
        _labels(np.asarray(as_unmasked(reference, "reference"))[None]),
    )
    if labels.shape[1] != reference.shape[1]:
        raise ValueError(f"labels have {labels.shape[1]} items, reference {reference.shape[1]}")
    return np.count_nonzero(labels != reference, axis=1)
