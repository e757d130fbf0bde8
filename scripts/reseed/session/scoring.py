"""Chooses the metric of `reseed.study`: a name, a scorer's name, or a user's function."""

from __future__ import annotations

from typing import Any

import numpy as np

from reseed.core.entry_points import resolve_plugin
from reseed.core.errors import ReseedError
from reseed.metrics import registry as metrics
from reseed.metrics.names import infer_direction, is_share
from reseed.metrics.outputs import to_probabilities
from reseed.training.run import Outcome

#: scikit-learn's name of a scorer → Reseed's name of the metric, if they differ.
_SCORERS = {
    "roc_auc": "auc",
    "roc_auc_ovr": "macro_auc",
    "f1_macro": "macro_f1",
    "precision_macro": "macro_precision",
    "recall_macro": "macro_recall",
    "matthews_corrcoef": "mcc",
    "neg_log_loss": "log_loss",
    "neg_brier_score": "brier",
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
}


def choose_metric(metric: Any, task: str, greater_is_better: bool | None) -> metrics.Metric:
    """The metric that `study` is called with; ReseedError if it is none, or not for the task."""
    if metric is None:
        return metrics.default_metric(task)
    if isinstance(metric, metrics.Metric):
        return metric
    if isinstance(metric, str):
        metric = resolve_plugin("metrics", metric)
        known = metrics.get_metric(metric if ":" in metric else _SCORERS.get(metric, metric))
        if task not in known.tasks:
            raise ReseedError(f"metric {metric!r} is for {', '.join(known.tasks)}, not {task}")
        return known
    if not callable(metric):
        raise ReseedError(f"metric: give a name or a function, not a {type(metric).__name__}")
    if hasattr(metric, "_score_func"):
        built_in = _find_built_in(metric._score_func)
        raise ReseedError(
            "metric: a scorer of scikit-learn takes (estimator, X, y): give the metric's name"
            + (f", metric={built_in!r}" if built_in else " or its function (y_true, y_score)")
        )
    name = getattr(metric, "__name__", "metric").strip("<>")
    if name in metrics.METRICS:
        raise ReseedError(
            f"metric: {name!r} is the name of a built-in metric: give metric={name!r} for that"
            " one, or rename your function"
        )
    stated = getattr(metric, "greater_is_better", None)
    directions = (greater_is_better, stated, infer_direction(name))
    greater = next((direction for direction in directions if direction is not None), None)
    if greater is None:
        raise ReseedError(
            f"metric {name}: its name does not say whether greater is better; give"
            " greater_is_better=True or False"
        )
    title = name.replace("_", " ").capitalize()
    return metrics.Metric(name, title, bool(greater), is_share(name), (task,), metric)


def add_user_metric(
    outcome: Outcome, metric: metrics.Metric, task: str, y_true: np.ndarray
) -> None:
    """Add the user's metric to an outcome; the trial has failed if it is not finite."""
    try:
        value = metric.function(y_true, to_probabilities(task, outcome.outputs["test"]))
        outcome.metrics[metric.name] = float(value)
        if not np.isfinite(value):
            outcome.status, outcome.error = "failed", f"metric {metric.name} is {value}"
    except metrics.Undefined as error:
        outcome.status, outcome.error = "failed", str(error)
    except Exception as error:
        built_in = _find_built_in(metric.function)
        raise ReseedError(
            f"metric {metric.name} failed: {type(error).__name__}: {error}. It is given class"
            " numbers (or values) and probabilities (or predictions), not labels"
            + (f"; give metric={built_in!r} for Reseed's metric" if built_in else "")
        ) from error


def _find_built_in(function: Any) -> str | None:
    """Reseed's name of a metric function of scikit-learn: `f1` of `f1_score`."""
    name = getattr(function, "__name__", "").removesuffix("_score").removesuffix("_loss")
    known = _SCORERS.get(name, _SCORERS.get(f"neg_{name}", name))
    return known if known in metrics.METRICS else None
