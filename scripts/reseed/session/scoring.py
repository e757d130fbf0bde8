"""The metric of a study in memory: a name, a scorer's name, or a function of the user's."""

from __future__ import annotations

from typing import Any

import numpy as np

from reseed.core.errors import ReseedError
from reseed.metrics import registry as metrics
from reseed.metrics.names import infer_direction, is_share
from reseed.metrics.outputs import to_probabilities
from reseed.training.run import Outcome

#: scikit-learn's names of scorers, where they are not Reseed's.
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


def chosen_metric(metric: Any, task: str, greater: bool | None) -> metrics.Metric:
    """The metric as `study` takes it; ReseedError for what is none, or none for the task."""
    if metric is None:
        return metrics.default_metric(task)
    if isinstance(metric, metrics.Metric):
        return metric
    if isinstance(metric, str):
        found = metrics.get_metric(metric if ":" in metric else _SCORERS.get(metric, metric))
        if task not in found.tasks:
            raise ReseedError(f"metric {metric!r} is for {', '.join(found.tasks)}, not {task}")
        return found
    if not callable(metric):
        raise ReseedError(f"metric: give a name or a function, not a {type(metric).__name__}")
    if hasattr(metric, "_score_func"):
        name = _name_of(metric._score_func)
        raise ReseedError(
            "metric: a scorer of scikit-learn takes (estimator, X, y): give the metric's name"
            + (f", metric={name!r}" if name else " or its function (y_true, y_score)")
        )
    name = getattr(metric, "__name__", "metric").strip("<>")
    if name in metrics.METRICS:
        raise ReseedError(
            f"metric: {name!r} is a built-in metric's name: give metric={name!r} for that one, or"
            " call your function otherwise"
        )
    for known in (getattr(metric, "greater_is_better", None), infer_direction(name)):
        greater = known if greater is None else greater
    if greater is None:
        raise ReseedError(
            f"metric {name}: its name does not say whether greater is better; give"
            " greater_is_better=True or False"
        )
    title = name.replace("_", " ").capitalize()
    return metrics.Metric(name, title, bool(greater), is_share(name), (task,), metric)


def add_own(outcome: Outcome, metric: metrics.Metric, task: str, y_true: np.ndarray) -> None:
    """Add the user's own metric to an outcome; where it is not finite, the trial has failed."""
    try:
        value = metric.function(y_true, to_probabilities(task, outcome.outputs["test"]))
        outcome.metrics[metric.name] = float(value)
        if not np.isfinite(value):
            outcome.status, outcome.error = "failed", f"metric {metric.name} is {value}"
    except metrics.Undefined as error:
        outcome.status, outcome.error = "failed", str(error)
    except Exception as error:
        known = _name_of(metric.function)
        raise ReseedError(
            f"metric {metric.name} failed: {type(error).__name__}: {error}. It is given class"
            " numbers (or values) and probabilities (or predictions), not labels"
            + (f"; give metric={known!r} for Reseed's own" if known else "")
        ) from error


def _name_of(function: Any) -> str | None:
    """Reseed's metric that scikit-learn's function is: `f1` of `f1_score`."""
    name = getattr(function, "__name__", "").removesuffix("_score").removesuffix("_loss")
    known = _SCORERS.get(name, _SCORERS.get(f"neg_{name}", name))
    return known if known in metrics.METRICS else None
