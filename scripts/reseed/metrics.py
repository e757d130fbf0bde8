"""Metrics of one trial: what is measured on its test rows, by task."""

from __future__ import annotations

import numpy as np
from sklearn import metrics as sk

#: The metric by which a task's models are compared and tuned.
PRIMARY = {"regression": "mse", "binary": "auc", "multiclass": "accuracy"}

GREATER_IS_BETTER = {
    "mse": False,
    "mae": False,
    "r2": True,
    "auc": True,
    "average_precision": True,
    "accuracy": True,
    "log_loss": False,
    "brier": False,
    "macro_auc": True,
}


def evaluate(task: str, y_true: np.ndarray, y_score: np.ndarray) -> dict[str, float]:
    """Return every metric of the task.

    ``y_true`` (n,): values, or class numbers 0 … k-1. ``y_score``: predictions (n,) for
    regression, probabilities of class 1 (n,) for binary, probabilities (n, k) for multiclass.
    Losses of probabilities are means over rows in nats. ``macro_auc`` is the unweighted mean of
    the one-against-rest areas over the classes that occur in ``y_true``.

    Raises ValueError for a score that is not finite ("diverged"), shapes that do not match, or
    test rows of one class, for which no area under the curve exists.
    """
    if task not in PRIMARY:
        raise ValueError(f"task {task!r}: use one of {', '.join(PRIMARY)}")
    y_true, y_score = np.asarray(y_true), np.asarray(y_score, dtype=np.float64)
    dimensions = 2 if task == "multiclass" else 1
    if len(y_score) != len(y_true) or y_score.ndim != dimensions:
        raise ValueError(
            f"{task} scores have shape {y_score.shape} for {len(y_true)} test rows:"
            f" {dimensions} dimension(s), one entry a row, are expected"
        )
    if not np.isfinite(y_score).all():
        bad = int(np.count_nonzero(~np.isfinite(y_score)))
        raise ValueError(f"diverged: {bad} of {y_score.size} predicted values are not finite")
    return {name: float(value) for name, value in _METRICS[task](y_true, y_score).items()}


def _regression(y: np.ndarray, prediction: np.ndarray) -> dict[str, float]:
    return {
        "mse": sk.mean_squared_error(y, prediction),
        "mae": sk.mean_absolute_error(y, prediction),
        "r2": sk.r2_score(y, prediction),
    }


def _binary(y: np.ndarray, probability: np.ndarray) -> dict[str, float]:
    _refuse_one_class(y)
    return {
        "auc": sk.roc_auc_score(y, probability),
        "average_precision": sk.average_precision_score(y, probability),
        "accuracy": np.mean((probability > 0.5) == (y == 1)),
        "log_loss": sk.log_loss(y, probability, labels=[0, 1]),
        "brier": np.mean((probability - y) ** 2),
    }


def _multiclass(y: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    _refuse_one_class(y)
    areas = [sk.roc_auc_score(y == k, probabilities[:, k]) for k in np.unique(y)]
    return {
        "accuracy": np.mean(probabilities.argmax(axis=1) == y),
        "log_loss": sk.log_loss(y, probabilities, labels=range(probabilities.shape[1])),
        "macro_auc": np.mean(areas),
    }


def _refuse_one_class(y: np.ndarray) -> None:
    if len(np.unique(y)) < 2:
        raise ValueError("the test rows hold one class only: no ROC curve exists")


_METRICS = {"regression": _regression, "binary": _binary, "multiclass": _multiclass}
