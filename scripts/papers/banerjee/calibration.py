"""Calibration of the predicted class: reliability curve and expected calibration error (ECE).

Source: Banerjee et al., eqs. 37–39 (after Naeini et al. 2015 and Guo et al. 2017). The confidence
is the probability of the *predicted* class. In binary tasks it is therefore at least 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from reseed.stats.inputs import Array, as_finite, check_at_least


def _probabilities(p: ArrayLike, name: str) -> Array:
    p = as_finite(p, name)
    if p.min() < 0 or p.max() > 1:
        raise ValueError(f"{name} must lie in [0, 1]: apply a softmax or sigmoid to logits first")
    return p


@dataclass(frozen=True)
class ReliabilityCurve:
    """Accuracy and confidence in bins of equal width, each closed on the right.

    `edges` is (bins + 1,); `count`, `confidence` and `accuracy` are (..., bins). The last two are
    means over the items of a bin (eqs. 38, 39) and NaN in an empty bin.
    """

    edges: Array
    count: NDArray[np.int64]
    confidence: Array
    accuracy: Array

    @property
    def ece(self) -> Array:
        """Expected calibration error (eq. 37): mean |accuracy - confidence| weighted by count."""
        gap = np.nan_to_num(np.abs(self.accuracy - self.confidence))
        return (self.count * gap).sum(axis=-1) / self.count.sum(axis=-1)


def reliability_curve(
    confidence: ArrayLike, correct: ArrayLike, n_bins: int = 15
) -> ReliabilityCurve:
    """Compute the reliability curve of predictions, vectorised over models.

    Args:
        confidence: (..., items) probability of the predicted class.
        correct: (..., items) 1 where the prediction is correct, otherwise 0.
        n_bins: number of bins on [0, 1].

    Raises:
        ValueError: NaN, empty input, different shapes, confidence outside [0, 1], or `correct`
            with values other than 0 and 1.
    """
    confidence, correct = _probabilities(confidence, "confidence"), as_finite(correct, "correct")
    if confidence.shape != correct.shape:
        raise ValueError(f"confidence {confidence.shape} and correct {correct.shape} differ")
    if not np.isin(correct, (0, 1)).all():
        raise ValueError("correct must hold 0 and 1 only")
    check_at_least(1, n_bins=n_bins)
    edges = np.linspace(0, 1, n_bins + 1)
    bins = np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)
    shape = (*confidence.shape[:-1], n_bins)
    models = int(np.prod(shape[:-1]))
    index = (bins.reshape(models, -1) + n_bins * np.arange(models)[:, None]).ravel()

    def bin_totals(weights: Array | None = None) -> NDArray:
        return np.bincount(index, weights, minlength=models * n_bins).reshape(shape)

    count = bin_totals()
    divisor = np.where(count > 0, count, np.nan)
    means = (bin_totals(v.ravel()) / divisor for v in (confidence, correct))
    return ReliabilityCurve(edges, count, *means)


def expected_calibration_error(
    confidence: ArrayLike, correct: ArrayLike, n_bins: int = 15
) -> Array:
    """Return the ECE (...) of the predicted class; arguments as in `reliability_curve`."""
    return reliability_curve(confidence, correct, n_bins).ece
