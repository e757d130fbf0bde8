"""Raw outputs of a model, and what is derived from them.

A trial keeps what its model gave before any squashing: predictions (n,) for regression, log-odds
of class 1 (n,) for binary tasks, logits (n, k) for multiclass ones. This is the one place that
turns them into probabilities, and probabilities into them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TASKS = ("regression", "binary", "multiclass")
#: Of given results alone, whose outputs are the score of each item, such as the nDCG of a query.
SCORED = "scored"
#: Tasks whose outputs are values, which stay as they are.
VALUE_TASKS = ("regression", SCORED)
#: Of a probability of 0 or 1, as forests give: the smallest step of float64, as in the log loss.
MAX_LOG_ODDS = float(-np.log(np.finfo(np.float64).eps))


def as_stored_dtype(task: str, outputs: Any) -> np.ndarray:
    """Return outputs as a trial keeps them: log-odds and logits in float32, predictions in float64.

    An error may be far smaller than its target: float32 holds 1,000,000 to 0.06.
    """
    return np.ascontiguousarray(outputs, np.float64 if task in VALUE_TASKS else np.float32)


def to_probabilities(task: str, outputs: np.ndarray) -> np.ndarray:
    """Return what metrics read, in float64: probabilities of class 1 (n,), or of classes (n, k).

    Values (`VALUES`) are returned as they are. Leading dimensions (models) may precede.
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
    """Return outputs (see `kept`) that `probabilities` turns back.

    Log-odds are held within ±`LARGEST_LOG_ODDS`, log-probabilities above its negative.
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
    """Return logits (n, classes) as a trial keeps them: of a binary task their gap (n,)."""
    return logits[:, 1] - logits[:, 0] if task == "binary" else logits


def predict_classes(task: str, outputs: np.ndarray) -> np.ndarray:
    """Return class numbers: log-odds above 0, or the first of the greatest logits."""
    if task in VALUE_TASKS:
        raise ValueError(f"{task}: values have no classes")
    outputs = np.asarray(outputs)
    return (outputs > 0).astype(np.int64) if task == "binary" else outputs.argmax(axis=-1)
