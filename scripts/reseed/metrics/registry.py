"""Registry of metrics: name, title, direction, tasks and function.

A custom metric `my_module:name` is a `Metric`, or a function of (y_true, y_score). The direction of
a function is its attribute `greater_is_better`, or follows from its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from reseed.core.errors import ReseedError, suggest_name
from reseed.metrics.names import (
    COUNT_METRICS,
    TASKS_BY_METRIC,
    infer_direction,
    is_share,
    metric_title,
)
from reseed.metrics.outputs import TASKS, to_probabilities
from reseed.plugins.loading import load_object

ECE_BINS = 15

Function = Callable[[np.ndarray, np.ndarray], float]


class Undefined(ValueError):
    """The metric is undefined on these rows, as an area under a curve with one class."""


@dataclass(frozen=True)
class Metric:
    """One metric.

    function: takes (y_true, y_score). y_true (n,) holds values or class numbers 0 … k-1. y_score is
        predictions (n,), probabilities of class 1 (n,) or probabilities (n, k), as float64. The
        function may raise `Undefined`.
    share: whether the metric is in [0, 1] and reported in points.
    on_request: whether it is computed only if a study names it.
    """

    name: str
    title: str
    greater_is_better: bool
    share: bool
    tasks: tuple[str, ...]
    function: Function
    on_request: bool = False


# scikit-learn is imported inside functions, because names and directions are read without it.


def _auc(y: np.ndarray, p: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    _check_two_classes(y)
    return roc_auc_score(y, p)


def _macro_auc(y: np.ndarray, p: np.ndarray) -> float:
    """Unweighted mean of the one-against-rest areas over the classes among the rows."""
    _check_two_classes(y)
    return np.mean([_auc(y == k, p[:, k]) for k in np.unique(y)])  # type: ignore[return-value]


def _average_precision(y: np.ndarray, p: np.ndarray) -> float:
    from sklearn.metrics import average_precision_score

    _check_two_classes(y)
    return average_precision_score(y, p)


def _check_two_classes(y: np.ndarray) -> None:
    if len(np.unique(y)) < 2:
        raise Undefined("the test rows hold one class only: no ROC curve exists")


def _predicted_classes(p: np.ndarray) -> np.ndarray:
    return p.argmax(axis=1) if p.ndim == 2 else (p > 0.5).astype(np.int64)


def _class_columns(p: np.ndarray) -> np.ndarray:
    return p if p.ndim == 2 else np.column_stack([1 - p, p])


def _accuracy(y: np.ndarray, p: np.ndarray) -> float:
    return np.mean(_predicted_classes(p) == y)


def _balanced_accuracy(y: np.ndarray, p: np.ndarray) -> float:
    return np.mean([np.mean(_predicted_classes(p)[y == k] == k) for k in np.unique(y)])


def _count_metric(kind: str, average: str) -> Function:
    """Precision, recall or F1 of class 1, or the mean over classes; 0 if undefined.

    They are computed from counts, because those of scikit-learn take 3 ms a call, six times a
    trial.
    """

    def function(y: np.ndarray, p: np.ndarray) -> float:
        observed, predicted = np.asarray(y, dtype=np.int64), _predicted_classes(p)
        classes = 2 if p.ndim == 1 else p.shape[1]
        rows, positives, hits = (
            np.bincount(labels, minlength=classes)
            for labels in (observed, predicted, predicted[predicted == observed])
        )
        totals = {"precision": positives, "recall": rows, "f1": (rows + positives) / 2}[kind]
        values = hits / np.where(totals > 0, totals, 1)
        if average == "binary":
            return values[1]
        return np.mean(values[rows + positives > 0])  # type: ignore[return-value]

    return function


def _log_loss(y: np.ndarray, p: np.ndarray) -> float:
    """Mean over rows in nats; probabilities are clipped at the float64 epsilon, 2.2e-16."""
    chosen = _class_columns(p)[np.arange(len(y)), np.asarray(y, dtype=np.int64)]
    return -np.mean(np.log(np.clip(chosen, np.finfo(np.float64).eps, 1.0)))


def _brier(y: np.ndarray, p: np.ndarray) -> float:
    """Binary: mean (p - y)². Multiclass: mean over rows of the sum over classes (Brier 1950)."""
    if p.ndim == 1:
        return np.mean((p - y) ** 2)
    return np.mean(((p - np.eye(p.shape[1])[np.asarray(y, dtype=np.int64)]) ** 2).sum(axis=1))


def _ece(y: np.ndarray, p: np.ndarray) -> float:
    """Mean |accuracy - confidence| over 15 bins of the probability of the predicted class."""
    confidence, hit = _class_columns(p).max(axis=1), _predicted_classes(p) == y
    edges = np.linspace(0, 1, ECE_BINS + 1)
    bins = np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)
    gaps = np.bincount(bins, hit - confidence, minlength=ECE_BINS)
    return np.abs(gaps).sum() / len(y)


def _mcc(y: np.ndarray, p: np.ndarray) -> float:
    from sklearn.metrics import matthews_corrcoef

    _check_two_classes(y)
    return matthews_corrcoef(y, _predicted_classes(p))


def _quadratic_kappa(y: np.ndarray, p: np.ndarray) -> float:
    """Cohen's kappa with squared distances between class numbers, for ordered classes."""
    observed = np.asarray(y, dtype=np.int64)
    predicted, k = _predicted_classes(p), _class_columns(p).shape[1]
    expected = np.subtract.outer(np.arange(k), np.arange(k)) ** 2
    shares = [np.bincount(labels, minlength=k) / len(y) for labels in (observed, predicted)]
    by_chance = shares[0] @ expected @ shares[1]
    if by_chance == 0:
        raise Undefined("all rows have one class and are predicted as that class: kappa is 0/0")
    return 1 - np.mean((observed - predicted) ** 2) / by_chance


def _r2(y: np.ndarray, p: np.ndarray) -> float:
    if np.ptp(y) == 0:
        raise Undefined("the test rows have one target value: R² is a ratio to its variance")
    return 1 - np.sum((y - p) ** 2) / np.sum((y - np.mean(y)) ** 2)


def make_pinball_metric(quantile: float) -> Metric:
    """Return the pinball loss of a quantile q (Koenker and Bassett 1978), named by its percent.

    It is the mean of max(q·(y - p), (q - 1)·(y - p)).
    """

    def function(y: np.ndarray, p: np.ndarray) -> float:
        return np.mean(np.maximum(quantile * (y - p), (quantile - 1) * (y - p)))

    name = f"pinball_{round(100 * quantile):02d}"
    return Metric(
        name, metric_title(name), False, False, ("regression",), function, on_request=True
    )


def _build(name: str, greater_is_better: bool, share: bool, function: Function) -> Metric:
    return Metric(
        name, metric_title(name), greater_is_better, share, TASKS_BY_METRIC[name], function
    )


_ALL = [
    _build("mse", False, False, lambda y, p: np.mean((y - p) ** 2)),
    _build("rmse", False, False, lambda y, p: np.mean((y - p) ** 2) ** 0.5),
    _build("mae", False, False, lambda y, p: np.mean(np.abs(y - p))),
    _build("r2", True, False, _r2),
    *(
        make_pinball_metric(int(name[-2:]) / 100)
        for name in TASKS_BY_METRIC
        if name.startswith("pinball")
    ),
    _build("auc", True, True, _auc),
    _build("average_precision", True, True, _average_precision),
    _build("accuracy", True, True, _accuracy),
    _build("balanced_accuracy", True, True, _balanced_accuracy),
    *(_build(kind, True, True, _count_metric(kind, "binary")) for kind in COUNT_METRICS),
    *(_build(f"macro_{kind}", True, True, _count_metric(kind, "macro")) for kind in COUNT_METRICS),
    _build("log_loss", False, False, _log_loss),
    _build("brier", False, False, _brier),
    _build("ece", False, False, _ece),
    _build("mcc", True, False, _mcc),
    _build("quadratic_kappa", True, False, _quadratic_kappa),
    _build("macro_auc", True, True, _macro_auc),
]
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
_DEFAULTS = {"regression": "mse", "binary": "auc", "multiclass": "accuracy"}


def default_metric(task: str) -> Metric:
    """Return the metric that compares models of a task if the study names none."""
    _check_task(task)
    return METRICS[_DEFAULTS[task]]


def first_applicable(task: str, names: Iterable[str]) -> str | None:
    """Return the first name whose metric is defined for a task, or None."""
    return next((name for name in names if task in get_metric(name).tasks), None)


def get_metric(name: str) -> Metric:
    """Return the metric with a name, or the custom metric `my_module:name`.

    Raises ReseedError for an unknown name, and for a custom metric with the name of a built-in one.
    """
    if ":" not in name:
        if name not in METRICS:
            raise ReseedError(
                f"metric {name!r} is not known.{suggest_name(name, list(METRICS))} There are "
                f"{', '.join(METRICS)}."
            )
        return METRICS[name]
    custom = load_object(name, "metric")
    if not (isinstance(custom, Metric) or callable(custom)):
        raise ReseedError(f"metric {name!r} is neither a Metric nor a function")
    short_name = custom.name if isinstance(custom, Metric) else name.partition(":")[2]
    if short_name in METRICS:
        raise ReseedError(
            f"metric {name!r}: {short_name!r} is the name of a built-in metric and of its column."
            " Choose another name"
        )
    if isinstance(custom, Metric):
        return custom
    greater = getattr(custom, "greater_is_better", infer_direction(short_name))
    if greater is None:
        raise ReseedError(
            f"metric {name!r}: its name does not say whether greater is better."
            f" Set {short_name}.greater_is_better = True or False in its module"
        )
    share = bool(getattr(custom, "share", is_share(short_name)))
    title = short_name.replace("_", " ").capitalize()
    return Metric(short_name, title, bool(greater), share, TASKS, custom)


def evaluate(
    task: str, y_true: np.ndarray, outputs: np.ndarray, extra: Iterable[str] = ()
) -> dict[str, float]:
    """Return all metrics of the task and those in `extra`, from raw outputs.

    y_true: (n,). outputs: see `reseed.metrics.outputs`. Errors are those of `evaluate_scores`.
    """
    _check_task(task)
    _check_scores(task, y_true, outputs)
    return evaluate_scores(task, y_true, to_probabilities(task, outputs), extra)


def evaluate_scores(
    task: str, y_true: np.ndarray, y_score: np.ndarray, extra: Iterable[str] = ()
) -> dict[str, float]:
    """Return all metrics of the task and those in `extra`, from predictions or probabilities.

    y_true, y_score: see `Metric`. A metric that is undefined on these rows is left out. Raises
    ValueError for wrong shapes, and for a score or metric that is not finite ("diverged");
    ReseedError for an extra metric that is unknown or not defined for the task.
    """
    _check_task(task)
    y_true, y_score = np.asarray(y_true), np.asarray(y_score, dtype=np.float64)
    _check_scores(task, y_true, y_score)
    chosen = {m.name: m for m in METRICS.values() if task in m.tasks and not m.on_request}
    for metric in map(get_metric, extra):
        if task not in metric.tasks:
            raise ReseedError(
                f"metric {metric.name!r} is for {', '.join(metric.tasks)}, not {task}"
            )
        chosen[metric.name] = metric
    values = {}
    for name, metric in chosen.items():
        try:
            values[name] = compute_metric(metric, y_true, y_score)
        except Undefined:
            continue
    return values


def compute_metric(metric: Metric, y_true: np.ndarray, y_score: np.ndarray) -> float:
    """Return the value of one metric. Raises Undefined, and ValueError if it is not finite."""
    value = float(metric.function(y_true, y_score))
    if not math.isfinite(value):
        raise ValueError(
            f"{metric.name} is {value}: must be a finite number; for rows without a value, its"
            " function must raise reseed.metrics.registry.Undefined"
        )
    return value


def _check_task(task: str) -> None:
    if task not in TASKS:
        raise ValueError(f"task {task!r}: use one of {', '.join(TASKS)}")


def _check_scores(task: str, y_true: np.ndarray, scores: np.ndarray) -> None:
    dimensions = 2 if task == "multiclass" else 1
    if len(scores) != len(y_true) or scores.ndim != dimensions:
        raise ValueError(
            f"{task} scores have shape {scores.shape} for {len(y_true)} test rows:"
            f" expected {dimensions} dimension(s), with one entry for each row"
        )
    if not np.isfinite(scores).all():
        bad = int(np.count_nonzero(~np.isfinite(scores)))
        raise ValueError(f"diverged: {bad} of {scores.size} predicted values are not finite")
