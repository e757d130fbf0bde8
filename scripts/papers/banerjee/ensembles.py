"""Ensembles that average logits, and churn: the number of predictions that differ between models.

Churn is a number of test items; divide it by the number of items for a rate.

Source: Banerjee et al., eqs. 9 and 36, section V-A and tables III and IV.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from reseed.stats.inputs import Array, as_finite, as_unmasked
from reseed.stats.shares import share_of_subsets_interval

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


@dataclass(frozen=True)
class EnsembleSize:
    """Smallest reliable ensemble size, or None if no size is reliable.

    `share` (sizes,) is the share of ensembles with alpha-hat <= threshold; `low` and `high` are
    the ends of its interval, and `n` the number of independent ensembles with such an interval.
    """

    size: int | None
    sizes: NDArray[np.int64]
    share: Array
    low: Array
    high: Array
    n: Array


def ensemble_size(
    sizes: Sequence[int], alpha_hats: Sequence[ArrayLike], threshold: float, pool: int,
    share: float = 1.0, level: float = 0.95,
) -> EnsembleSize:  # fmt: skip
    """Return the smallest size from which on `share` of the ensembles have small alpha-hat.

    Every larger size must reach the share too. The intervals allow for the members that ensembles
    share (`share_of_subsets_interval`).

    Args:
        sizes: ascending ensemble sizes.
        alpha_hats: one array (ensembles,) per size.
        threshold: alpha-hat is small if it is at most this value.
        pool: number of runs from which the ensembles are drawn.
        share: required share of ensembles, in (0, 1].
        level: confidence level of the intervals.

    Source: Banerjee et al., section V-A2 and table I.
    """
    tried = np.asarray(as_unmasked(sizes, "sizes"))
    if tried.size == 0 or len(alpha_hats) != tried.size or (np.diff(tried) <= 0).any():
        raise ValueError("sizes must be ascending, with one array of alpha-hats for each")
    if not 0 < share <= 1:
        raise ValueError(f"share must lie in (0, 1], got {share}")
    samples = [
        as_finite(a, f"alpha_hats of size {k}", ndim=1)
        for k, a in zip(tried, alpha_hats, strict=True)
    ]
    intervals = []
    for k, values in zip(tried, samples, strict=True):
        low_share = float((values <= threshold).mean())
        ends = share_of_subsets_interval(low_share, int(k), pool, values.size, level)
        intervals.append((low_share, *ends))
    shares, low, high, n = np.array(intervals).T
    onward = np.logical_and.accumulate((shares >= share)[::-1])[::-1]
    size = int(tried[onward.argmax()]) if onward.any() else None
    return EnsembleSize(size, tried, shares, low, high, n)
