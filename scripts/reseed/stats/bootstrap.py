"""Bootstrap of the test set for any metric, vectorised over seeds; and interval helpers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.inputs import (
    Array,
    as_labels,
    as_real,
    as_unmasked,
    check_at_least,
    check_probability,
)

Metric = Callable[[NDArray, NDArray], float]
WeightedMetric = Callable[[NDArray, NDArray, Array], Array]

_CHUNK = 4_000_000  # resampled counts held at a time


def percentile_interval(replicates: ArrayLike, level: float = 0.95) -> tuple[Array, Array]:
    """Percentile interval over the first axis of `replicates` (n_boot, ...), ignoring NaN."""
    check_probability(level=level)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.nanquantile(as_real(replicates, "replicates"), tails, axis=0)
    return low, high


def resample_counts(
    n_boot: int, n_items: int, *, strata: ArrayLike | None = None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return (n_boot, n_items) multinomial counts: how often each resample holds each item.

    With `strata` (n_items,) every stratum keeps its size in every resample.
    """
    group = np.zeros(n_items, dtype=np.intp)
    if strata is not None:
        group = np.unique(as_labels(strata, "strata"), return_inverse=True)[1].reshape(-1)
        if group.size != n_items:
            raise ValueError(f"{group.size} strata labels for {n_items} items")
    counts = np.empty((n_boot, n_items), dtype=np.int64)
    offset = np.arange(n_boot)[:, None]
    for label in np.unique(group):
        (members,) = np.nonzero(group == label)
        size = members.size
        drawn = rng.integers(0, size, (n_boot, size)) + offset * size
        counts[:, members] = np.bincount(drawn.ravel(), minlength=n_boot * size).reshape(-1, size)
    return counts


def _confusion(y: NDArray, pred: NDArray, w: Array, label) -> tuple[Array, Array, Array]:
    """Return weighted (true positives, predicted, actual) of `label`, each (n_boot, seeds)."""
    actual, predicted = y == label, pred == label
    columns = (actual & predicted, predicted, actual[None])
    tp, hits, support = (w @ c.T.astype(np.float64) for c in columns)
    return tp, hits, np.broadcast_to(support, tp.shape)


def _ratio(a: Array, b: Array) -> Array:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


_PER_CLASS = {
    "precision": lambda tp, predicted, actual: _ratio(tp, predicted),
    "recall": lambda tp, predicted, actual: _ratio(tp, actual),
    "f1": lambda tp, predicted, actual: _ratio(2 * tp, predicted + actual),
}


def _binary(name: str) -> WeightedMetric:
    def metric(y: NDArray, pred: NDArray, w: Array) -> Array:
        if not np.isin(y, (0, 1)).all() or not np.isin(pred, (0, 1)).all():
            raise ValueError(f"{name} needs labels 0 and 1; use macro_{name} for other labels")
        return _PER_CLASS[name](*_confusion(y, pred, w, 1))

    return metric


def _macro(name: str) -> WeightedMetric:
    def metric(y: NDArray, pred: NDArray, w: Array) -> Array:
        total, present = np.zeros((2, len(w), len(pred)))
        for label in np.union1d(y, pred):
            tp, predicted, actual = _confusion(y, pred, w, label)
            total += _PER_CLASS[name](tp, predicted, actual)
            present += (predicted + actual) > 0
        return total / present

    return metric


#: Metrics that are means of one number an item: (y (items,), prediction (seeds, items)) -> numbers.
PER_ITEM: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "accuracy": lambda y, s: y == s,
    "error": lambda y, s: y != s,
    "mse": lambda y, s: (as_real(y, "y_true") - as_real(s, "y_pred")) ** 2,
    "mae": lambda y, s: np.abs(as_real(y, "y_true") - as_real(s, "y_pred")),
    "mean": lambda y, s: as_real(s, "y_pred") + np.zeros(len(y)),  # of scores: no target is read
}


def _mean_of(name: str) -> WeightedMetric:
    per_item = PER_ITEM[name]
    return lambda y, s, w: w @ per_item(y, s).T.astype(np.float64) / w.sum(axis=1, keepdims=True)


def _auc(y: NDArray, scores: NDArray, w: Array) -> Array:
    """Weighted area under the ROC curve, a tie counting one half; NaN without both classes."""
    if not np.isin(y, (0, 1)).all():
        raise ValueError("auc needs labels 0 and 1")
    return np.stack([_auc_of_one(y, score, w) for score in scores], axis=1)


def _auc_of_one(y: NDArray, score: NDArray, w: Array) -> Array:
    order = np.argsort(score, kind="stable")
    ranked = score[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    wo, positive = w[:, order], y[order] == 1
    pos = np.add.reduceat(wo * positive, starts, axis=1)
    neg = np.add.reduceat(wo * ~positive, starts, axis=1)
    # Negatives ranked strictly below a group of equal scores, plus half of those inside it.
    wins = (pos * (np.cumsum(neg, axis=1) - neg / 2)).sum(axis=1)
    pairs = pos.sum(axis=1) * neg.sum(axis=1)
    return np.divide(wins, pairs, out=np.full(len(w), np.nan), where=pairs > 0)


WEIGHTED_METRICS: dict[str, WeightedMetric] = {
    **{name: _mean_of(name) for name in PER_ITEM},
    "auc": _auc,
    **{name: _binary(name) for name in _PER_CLASS},
    **{f"macro_{name}": _macro(name) for name in _PER_CLASS},
}
"""Metrics of (y (items,), prediction (seeds, items), counts (n_boot, items)) -> (n_boot, seeds).

Precision, recall and F1 with nothing to divide by are 0, and the macro average leaves out a class
that is in neither labels nor predictions of the resample: both as in scikit-learn.
"""


def _one_by_one(metric: Metric) -> WeightedMetric:
    """Lift a plain metric to counts by building every resample; n_boot calls."""

    def lifted(y: NDArray, s: NDArray, w: Array) -> Array:
        items = np.arange(y.size)
        picks = (np.repeat(items, row) for row in w.astype(np.int64))
        return np.array([[metric(y[i], one[i]) for one in s] for i in picks], dtype=np.float64)

    return lifted


def weighted_metric(metric: str | Metric) -> WeightedMetric:
    """The metric of counts behind a name in `WEIGHTED_METRICS`, or a callable (y_true, y_pred)."""
    if not isinstance(metric, str):
        return _one_by_one(metric)
    if metric not in WEIGHTED_METRICS:
        raise ValueError(f"unknown metric {metric!r}: one of {sorted(WEIGHTED_METRICS)}")
    return WEIGHTED_METRICS[metric]


def as_labels_and_predictions(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[NDArray, NDArray]:
    """y_true (items,) and y_pred (items,) or (seeds, items), both as numbers or both as text.

    Raises:
        ValueError: empty input, NaN, missing or masked values, shapes that differ, text labels on
            one side only.
    """
    y, pred = np.asarray(as_unmasked(y_true, "y_true")), np.asarray(as_unmasked(y_pred, "y_pred"))
    if y.ndim != 1 or y.size == 0 or pred.ndim not in (1, 2) or pred.shape[-1] != y.size:
        raise ValueError(
            "y_true must be (items,) and y_pred (items,) or (seeds, items), "
            f"they have shapes {y.shape} and {pred.shape}"
        )
    y, pred = as_labels(y, "y_true"), as_labels(pred, "y_pred")
    if (y.dtype.kind == "U") != (pred.dtype.kind == "U"):
        raise ValueError(
            "one of y_true and y_pred holds text, the other numbers: give the same kind of label"
        )
    return y, pred


@dataclass(frozen=True)
class ItemBootstrap:
    """Bootstrap over test items, one entry a seed (a float each if one seed was given)."""

    estimate: Array
    mean: Array
    sd: Array
    low: Array
    high: Array
    undefined: NDArray[np.int64]
    n_boot: int
    level: float


def test_set_bootstrap(
    metric: str | Metric,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    n_boot: int = 1000,  # noqa: PT028
    *,
    stratify: bool | ArrayLike = False,  # noqa: PT028
    level: float = 0.95,  # noqa: PT028
    rng: np.random.Generator,
) -> ItemBootstrap:
    """Mean, SD and percentile interval of a metric over resamples of the test items.

    It measures only the luck of the draw of the test items, for models as trained; not the
    seed. The paper draws 100 resamples [IR consistency, sec. 3 "Evaluation of accuracy", Table 4].
    The same resamples serve all seeds, so differences between seeds are paired.

    Args:
        metric: a name in `WEIGHTED_METRICS` (vectorised over resamples) or any callable
            (y_true, y_pred) -> float (called once a resample and seed).
        y_true: (items,) labels or targets.
        y_pred: (items,) or (seeds, items) predictions: labels for classification metrics, scores
            for auc, values for mse and mae.
        n_boot: resamples.
        stratify: True keeps each class's count, an array (items,) each stratum's.
        level: of the percentile interval.
        rng: source of the resamples.

    Returns:
        One entry per seed. `undefined` counts the resamples where the metric was NaN (AUC without
        a positive, say); they are left out of mean, SD and interval.

    Raises:
        ValueError: empty input, NaN, missing or masked values, shapes that differ, text labels on
            one side only, unknown metric name, n_boot < 2.
    """
    lifted, y, pred = weighted_metric(metric), *as_labels_and_predictions(y_true, y_pred)
    check_at_least(2, n_boot=n_boot)
    strata = y if stratify is True else None if stratify is False else stratify

    seeds = np.atleast_2d(pred)
    step = max(1, _CHUNK // y.size)
    parts = []
    for done in range(0, n_boot, step):
        w = resample_counts(min(step, n_boot - done), y.size, strata=strata, rng=rng)
        w = w.astype(np.float64)
        parts.append(lifted(y, seeds, w))
    boot = np.concatenate(parts)
    undefined = np.isnan(boot).sum(axis=0)
    if np.any(undefined > n_boot - 2):
        raise ValueError("the metric is undefined (NaN) on nearly every resample of some seed")
    estimate = lifted(y, seeds, np.ones((1, y.size)))[0]
    low, high = percentile_interval(boot, level)
    columns = (estimate, np.nanmean(boot, axis=0), np.nanstd(boot, axis=0, ddof=1), low, high)
    columns = (*columns, undefined)
    if pred.ndim == 1:
        columns = tuple(c[0] for c in columns)
    return ItemBootstrap(*columns, n_boot=n_boot, level=level)


test_set_bootstrap.__test__ = False  # the name begins with test: pytest must not collect it
