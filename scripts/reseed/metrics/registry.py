"""The registry of metrics: name, title, direction, tasks and function, all in one place.

A study's own metric is named ``my_module:thing``, where the thing is a `Metric`, or a function of
(y_true, y_score) whose name or attribute ``greater_is_better`` tells its direction.
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
    """These rows have no such metric, as an area under a curve has none with one class."""


@dataclass(frozen=True)
class Metric:
    """One metric.

    ``function(y_true, y_score)``: y_true (n,) holds values or class numbers 0 … k-1; y_score is
    predictions (n,), probabilities of class 1 (n,) or probabilities (n, k), in float64. It may
    raise `Undefined`. ``share``: lies in [0, 1] and reads in points. ``on_request``: computed
    only where a study names it.
    """

    name: str
    title: str
    greater_is_better: bool
    share: bool
    tasks: tuple[str, ...]
    function: Function
    on_request: bool = False


# scikit-learn is imported where it is used: who reads names and directions never loads it.


def _auc(y: np.ndarray, p: np.ndarray) -> float:
    from sklearn.metrics import roc_auc_score

    _refuse_one_class(y)
    return roc_auc_score(y, p)


def _macro_auc(y: np.ndarray, p: np.ndarray) -> float:
    """Unweighted mean of the one-against-rest areas over the classes that occur."""
    _refuse_one_class(y)
    return np.mean([_auc(y == k, p[:, k]) for k in np.unique(y)])


def _average_precision(y: np.ndarray, p: np.ndarray) -> float:
    from sklearn.metrics import average_precision_score

    _refuse_one_class(y)
    return average_precision_score(y, p)


def _refuse_one_class(y: np.ndarray) -> None:
    if len(np.unique(y)) < 2:
        raise Undefined("the test rows hold one class only: no ROC curve exists")


def _classes(p: np.ndarray) -> np.ndarray:
    return p.argmax(axis=1) if p.ndim == 2 else (p > 0.5).astype(np.int64)


def _columns(p: np.ndarray) -> np.ndarray:
    return p if p.ndim == 2 else np.column_stack([1 - p, p])


def _accuracy(y: np.ndarray, p: np.ndarray) -> float:
    return np.mean(_classes(p) == y)


def _balanced_accuracy(y: np.ndarray, p: np.ndarray) -> float:
    return np.mean([np.mean(_classes(p)[y == k] == k) for k in np.unique(y)])


def _count_metric(kind: str, average: str) -> Function:
    """Precision, recall or F1 of class 1, or their mean over classes; 0 where undefined.

    From counts: scikit-learn's own take 3 ms a call, six times a trial.
    """

    def function(y: np.ndarray, p: np.ndarray) -> float:
        observed, found = np.asarray(y, dtype=np.int64), _classes(p)
        classes = 2 if p.ndim == 1 else p.shape[1]
        rows, predicted, hits = (
            np.bincount(labels, minlength=classes)
            for labels in (observed, found, found[found == observed])
        )
        of = {"precision": predicted, "recall": rows, "f1": (rows + predicted) / 2}[kind]
        values = hits / np.where(of > 0, of, 1)
        return values[1] if average == "binary" else np.mean(values[rows + predicted > 0])

    return function


def _log_loss(y: np.ndarray, p: np.ndarray) -> float:
    """Mean over rows in nats; a probability of 0 counts as the smallest float64 step, 2.2e-16."""
    chosen = _columns(p)[np.arange(len(y)), np.asarray(y, dtype=np.int64)]
    return -np.mean(np.log(np.clip(chosen, np.finfo(np.float64).eps, 1.0)))


def _brier(y: np.ndarray, p: np.ndarray) -> float:
    """Binary: mean (p - y)². Multiclass: mean over rows of the sum over classes (Brier 1950)."""
    if p.ndim == 1:
        return np.mean((p - y) ** 2)
    return np.mean(((p - np.eye(p.shape[1])[np.asarray(y, dtype=np.int64)]) ** 2).sum(axis=1))


def _ece(y: np.ndarray, p: np.ndarray) -> float:
    """Mean |accuracy - confidence| over 15 bins of the predicted class's probability."""
    confidence, hit = _columns(p).max(axis=1), _classes(p) == y
    edges = np.linspace(0, 1, ECE_BINS + 1)
    bins = np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)
    gaps = np.bincount(bins, hit - confidence, minlength=ECE_BINS)
    return np.abs(gaps).sum() / len(y)


def _mcc(y: np.ndarray, p: np.ndarray) -> float:
    from sklearn.metrics import matthews_corrcoef

    _refuse_one_class(y)
    return matthews_corrcoef(y, _classes(p))


def _quadratic_kappa(y: np.ndarray, p: np.ndarray) -> float:
    """Cohen's kappa with squared distances between class numbers, for ordered classes."""
    observed = np.asarray(y, dtype=np.int64)
    found, k = _classes(p), _columns(p).shape[1]
    expected = np.subtract.outer(np.arange(k), np.arange(k)) ** 2
    shares = [np.bincount(labels, minlength=k) / len(y) for labels in (observed, found)]
    by_chance = shares[0] @ expected @ shares[1]
    if by_chance == 0:
        raise Undefined("every row is of one class and predicted as that class: kappa is 0/0")
    return 1 - np.mean((observed - found) ** 2) / by_chance


def _r2(y: np.ndarray, p: np.ndarray) -> float:
    if np.ptp(y) == 0:
        raise Undefined("the test rows have one target value: R² is a ratio to its variance")
    return 1 - np.sum((y - p) ** 2) / np.sum((y - np.mean(y)) ** 2)


def make_pinball_metric(quantile: float) -> Metric:
    """Return the metric of a predicted quantile (Koenker and Bassett 1978), named by its percent.

    The mean of max(q·(y - p), (q - 1)·(y - p)).
    """

    def function(y: np.ndarray, p: np.ndarray) -> float:
        return np.mean(np.maximum(quantile * (y - p), (quantile - 1) * (y - p)))

    name = f"pinball_{round(100 * quantile):02d}"
    return Metric(
        name, metric_title(name), False, False, ("regression",), function, on_request=True
    )


def _built(name: str, greater_is_better: bool, share: bool, function: Function) -> Metric:
    return Metric(
        name, metric_title(name), greater_is_better, share, TASKS_BY_METRIC[name], function
    )


_ALL = [
    _built("mse", False, False, lambda y, p: np.mean((y - p) ** 2)),
    _built("rmse", False, False, lambda y, p: np.mean((y - p) ** 2) ** 0.5),
    _built("mae", False, False, lambda y, p: np.mean(np.abs(y - p))),
    _built("r2", True, False, _r2),
    *(
        make_pinball_metric(int(name[-2:]) / 100)
        for name in TASKS_BY_METRIC
        if name.startswith("pinball")
    ),
    _built("auc", True, True, _auc),
    _built("average_precision", True, True, _average_precision),
    _built("accuracy", True, True, _accuracy),
    _built("balanced_accuracy", True, True, _balanced_accuracy),
    *(_built(kind, True, True, _count_metric(kind, "binary")) for kind in COUNT_METRICS),
    *(_built(f"macro_{kind}", True, True, _count_metric(kind, "macro")) for kind in COUNT_METRICS),
    _built("log_loss", False, False, _log_loss),
    _built("brier", False, False, _brier),
    _built("ece", False, False, _ece),
    _built("mcc", True, False, _mcc),
    _built("quadratic_kappa", True, False, _quadratic_kappa),
    _built("macro_auc", True, True, _macro_auc),
]
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
_USUAL = {"regression": "mse", "binary": "auc", "multiclass": "accuracy"}


def default_metric(task: str) -> Metric:
    """Return the metric by which a task's models are compared where the study names none."""
    _refuse_unknown(task)
    return METRICS[_USUAL[task]]


def first_applicable(task: str, names: Iterable[str]) -> str | None:
    """Return the first of some metrics that a task has; None where its usual one is to judge."""
    return next((name for name in names if task in get_metric(name).tasks), None)


def get_metric(name: str) -> Metric:
    """Return the metric of a name, or of ``my_module:thing``.

    Raises ReseedError where there is none, and for an own one under a built-in metric's name.
    """
    if ":" not in name:
        if name not in METRICS:
            raise ReseedError(
                f"metric {name!r} is not known.{suggest_name(name, list(METRICS))} There are "
                f"{', '.join(METRICS)}."
            )
        return METRICS[name]
    found = load_object(name, "metric")
    if not (isinstance(found, Metric) or callable(found)):
        raise ReseedError(f"metric {name!r} is neither a Metric nor a function")
    own_name = found.name if isinstance(found, Metric) else name.partition(":")[2]
    if own_name in METRICS:
        raise ReseedError(
            f"metric {name!r}: {own_name!r} is a built-in metric's name, and its column in every"
            " table. Give yours another one"
        )
    if isinstance(found, Metric):
        return found
    greater = getattr(found, "greater_is_better", infer_direction(own_name))
    if greater is None:
        raise ReseedError(
            f"metric {name!r}: its name does not say whether greater is better."
            f" Set {own_name}.greater_is_better = True or False in its module"
        )
    share = bool(getattr(found, "share", is_share(own_name)))
    title = own_name.replace("_", " ").capitalize()
    return Metric(own_name, title, bool(greater), share, TASKS, found)


def evaluate(
    task: str, y_true: np.ndarray, outputs: np.ndarray, extra: Iterable[str] = ()
) -> dict[str, float]:
    """Return every metric of the task, and those named in ``extra``, from raw outputs.

    ``y_true`` (n,), ``outputs`` as `reseed.metrics.outputs` says. Raises as `evaluate_scores` does.
    """
    _refuse_unknown(task)
    _refuse_bad_shape(task, y_true, outputs)
    return evaluate_scores(task, y_true, to_probabilities(task, outputs), extra)


def evaluate_scores(
    task: str, y_true: np.ndarray, y_score: np.ndarray, extra: Iterable[str] = ()
) -> dict[str, float]:
    """Return the same from predictions or probabilities (see `Metric`), as imported results have.

    A metric that does not exist on these rows is left out. Raises ValueError for a score or metric
    that is not finite ("diverged") or shapes that do not match; ReseedError for an extra metric
    that nobody knows or that is not one of the task's.
    """
    _refuse_unknown(task)
    y_true, y_score = np.asarray(y_true), np.asarray(y_score, dtype=np.float64)
    _refuse_bad_shape(task, y_true, y_score)
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
    """Return one metric (arguments as its function's). Raises Undefined, and ValueError for NaN."""
    value = float(metric.function(y_true, y_score))
    if not math.isfinite(value):
        raise ValueError(
            f"{metric.name} is {value}: must be a finite number; where rows have none, its function"
            " raises reseed.metrics.registry.Undefined"
        )
    return value


def _refuse_unknown(task: str) -> None:
    if task not in TASKS:
        raise ValueError(f"task {task!r}: use one of {', '.join(TASKS)}")


def _refuse_bad_shape(task: str, y_true: np.ndarray, scores: np.ndarray) -> None:
    dimensions = 2 if task == "multiclass" else 1
    if len(scores) != len(y_true) or scores.ndim != dimensions:
        raise ValueError(
            f"{task} scores have shape {scores.shape} for {len(y_true)} test rows:"
            f" {dimensions} dimension(s), one entry a row, are expected"
        )
    if not np.isfinite(scores).all():
        bad = int(np.count_nonzero(~np.isfinite(scores)))
        raise ValueError(f"diverged: {bad} of {scores.size} predicted values are not finite")
