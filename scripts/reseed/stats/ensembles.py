"""Ensembles that average logits, and churn: the number of predictions that differ between models.

Churn is a number of test items; divide it by the number of items for a rate.

Source: Banerjee et al., eqs. 9 and 36, section V-A and tables III and IV.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.inputs import Array, as_finite, as_unmasked

_BLOCK = 2048  # items per block: 8 MB as float32 for 1,000 models


def draw_members(n_models: int, size: int, n_ensembles: int, rng: np.random.Generator) -> NDArray:
    """Draw `n_ensembles` random subsets of `size` out of `n_models` models, without replacement.

    Returns:
        (n_ensembles, size) model indices.

    Raises:
        ValueError: not 1 <= size <= n_models, or no ensemble.
    """
    if not 1 <= size <= n_models or n_ensembles < 1:
        raise ValueError(f"cannot draw {n_ensembles} ensembles of {size} of {n_models} models")
    return rng.permuted(np.tile(np.arange(n_models), (n_ensembles, 1)), axis=1)[:, :size]


def ensemble_scores(scores: ArrayLike, members: ArrayLike) -> Array:
    """Return the mean score of the members of each ensemble (eq. 9), as one matrix product.

    Args:
        scores: (models, items) logit gaps or (models, items, classes) logits.
        members: (ensembles, size) model indices.

    Returns:
        (ensembles, items[, classes]).

    Raises:
        ValueError: NaN, or indices that are out of range or repeated within an ensemble.
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
    """Yield `ensemble_scores` in blocks of at most `block` ensembles, for bounded memory."""
    members = np.asarray(as_unmasked(members, "members"))
    for start in range(0, len(members), block):
        yield ensemble_scores(scores, members[start : start + block])


def gap_labels(gaps: ArrayLike) -> NDArray[np.int8]:
    """Return the predicted class of a binary model: 1 if the logit gap is positive, else 0 (eq. 3).

    For multi-class logits (..., classes) use `logits.argmax(-1)`.
    """
    return (as_finite(gaps, "gaps") > 0).astype(np.int8)


def _as_labels(labels: ArrayLike, min_models: int = 1) -> NDArray:
    """Return labels (models, items) as integers 0 ... C - 1."""
    labels = np.asarray(as_unmasked(labels, "labels"))
    if labels.dtype.kind not in "iub":
        raise ValueError(
            "labels must be integers 0 ... C-1: encode them "
            "(numpy.unique(labels, return_inverse=True))"
        )
    if labels.ndim != 2 or labels.size == 0 or len(labels) < min_models:
        raise ValueError(
            f"labels must be (models, items) with at least {min_models} model(s) "
            f"and one item, got shape {labels.shape}"
        )
    if labels.min() < 0:
        raise ValueError("labels must not be negative")
    return labels.astype(np.int64) if labels.dtype.kind == "b" else labels


def pairwise_churn(labels: ArrayLike) -> NDArray[np.int64]:
    """Return the number of items on which each pair of models disagrees (eq. 36).

    One float32 matrix product per class and block of items. Counts in a block are below 2^24 and
    therefore exact.

    Args:
        labels: (models, items) integers 0 ... C - 1.

    Returns:
        (models, models) counts.
    """
    labels = _as_labels(labels)
    agree = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for start in range(0, labels.shape[1], _BLOCK):
        block = labels[:, start : start + _BLOCK]
        for label in np.unique(block):
            has_label = (block == label).astype(np.float32)
            agree += (has_label @ has_label.T).astype(np.int64)
    return labels.shape[1] - agree


def model_churn(labels: ArrayLike) -> Array:
    """Return the mean churn of each model against all others (table IV): (models,).

    Computed in O(models x items) from the number of models that predict each class. It equals the
    row mean of `pairwise_churn` without the diagonal.

    Args:
        labels: (models, items) integers 0 ... C - 1.

    Raises:
        ValueError: fewer than two models, or labels that are not valid.
    """
    labels = _as_labels(labels, min_models=2)
    models, classes = len(labels), int(labels.max()) + 1
    agree = np.zeros(models, dtype=np.int64)
    for start in range(0, labels.shape[1], _BLOCK):
        block = labels[:, start : start + _BLOCK].astype(np.int64)
        index = np.arange(block.shape[1]) * classes + block
        votes = np.bincount(index.ravel(), minlength=block.shape[1] * classes)
        agree += votes[index].sum(axis=1)
    # `agree` includes one agreement of each model with itself per item.
    return (labels.shape[1] * models - agree) / (models - 1)


def churn_against(labels: ArrayLike, reference: ArrayLike) -> NDArray[np.int64]:
    """Return the churn of each model against one reference, for example an ensemble: (models,).

    Args:
        labels: (models, items) integers 0 ... C - 1.
        reference: (items,) integers 0 ... C - 1.
    """
    labels = _as_labels(labels)
    reference = _as_labels(np.asarray(as_unmasked(reference, "reference"))[None])
    if labels.shape[1] != reference.shape[1]:
        raise ValueError(f"labels have {labels.shape[1]} items, reference {reference.shape[1]}")
    return np.count_nonzero(labels != reference, axis=1)
