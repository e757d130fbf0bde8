"""Raw outputs of models, and their conversion to and from probabilities.

A trial stores raw outputs: predictions (n,) for regression, log-odds of class 1 (n,) for binary
tasks, logits (n, k) for multiclass tasks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TASKS = ("regression", "binary", "multiclass")
#: Task of imported results whose outputs are a score for each item, such as the nDCG of a query.
SCORED = "scored"
#: Tasks whose outputs are values, which are not converted.
VALUE_TASKS = ("regression", SCORED)
#: Log-odds for a probability of 0 or 1 (as of forests): the float64 epsilon, as in the log loss.
MAX_LOG_ODDS = float(-np.log(np.finfo(np.float64).eps))


def as_stored_dtype(task: str, outputs: Any) -> np.ndarray:
    """Return outputs in their stored type: log-odds and logits as float32, values as float64.

    Values need float64, because float32 represents 1,000,000 to within 0.06 only.
    """
    return np.ascontiguousarray(outputs, np.float64 if task in VALUE_TASKS else np.float32)


def to_probabilities(task: str, outputs: np.ndarray) -> np.ndarray:
    """Return probabilities of class 1 (n,), or of classes (n, k), as float64.

    Values (`VALUE_TASKS`) are not converted. The array may have leading dimensions (models).
    """
    outputs = np.asarray(outputs, dtype=np.float64)
    if task in VALUE_TASKS:
        return outputs
    if task == "binary":
        small = np.exp(-np.abs(outputs))  # no overflow, and p is exact where it is tiny
        return np.where(outputs >= 0, 1.0, small) / (1 + small)
    odds = np.exp(outputs - outputs.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def from_probabilities(task: str, scores: np.ndarray) -> np.ndarray:
    """Return raw outputs for probabilities; the inverse of `to_probabilities`.

    Log-odds are clipped to ±`MAX_LOG_ODDS`, log-probabilities to at least -`MAX_LOG_ODDS`.
    """
    scores = np.asarray(scores, dtype=np.float64)
    with np.errstate(divide="ignore"):
        if task == "binary":
            log_odds = np.log(scores) - np.log1p(-scores)
            scores = np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
        elif task == "multiclass":
            scores = np.maximum(np.log(scores), -MAX_LOG_ODDS)
    return as_stored_dtype(task, scores)


def from_logits(task: str, logits: Any) -> Any:
    """Return raw outputs for logits (n, classes); for a binary task their difference (n,)."""
    return logits[:, 1] - logits[:, 0] if task == "binary" else logits


def predict_classes(task: str, outputs: np.ndarray) -> np.ndarray:
    """Return class numbers: whether log-odds are above 0, or the first largest logit."""
    if task in VALUE_TASKS:
        raise ValueError(f"{task}: values have no classes")
    outputs = np.asarray(outputs)
    return (outputs > 0).astype(np.int64) if task == "binary" else outputs.argmax(axis=-1)
