"""Bootstrap of the test set for any metric, vectorised over seeds, and percentile intervals."""

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

#: (y_true (items,), y_pred (items,)) -> value.
Metric = Callable[[NDArray, NDArray], float]
#: (y_true (items,), y_pred (seeds, items), counts (n_boot, items)) -> values (n_boot, seeds).
WeightedMetric = Callable[[NDArray, NDArray, Array], Array]

#: OpenBLAS computes products of at most this many multiplications in one thread. Threads for
#: slightly larger ones cost up to 80 times the product where another process uses the processor.
ONE_THREAD = 2**18
#: Items from which resamples are counted one by one.
_MANY = 500
_CHUNK = 4_000_000  # number of resampled counts held in memory at once


def percentile_interval(replicates: ArrayLike, level: float = 0.95) -> tuple[Array, Array]:
    """Return the percentile interval of `replicates` (n_boot, ...) over the first axis.

    NaN replicates are ignored. Both ends have shape (...).
    """
    check_probability(level=level)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.nanquantile(as_real(replicates, "replicates"), tails, axis=0)
    return low, high


def multiply_in_one_thread(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a @ b, computed in blocks of columns that OpenBLAS does not divide among threads."""
    product = np.empty((len(a), b.shape[1]), np.float32)
    step = max(1, ONE_THREAD // a.size)
    for start in range(0, b.shape[1], step):
        product[:, start : start + step] = a @ b[:, start : start + step]
    return product


def resample_counts(
    n_boot: int, n_items: int, *, strata: ArrayLike | None = None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw how often each bootstrap resample contains each item: (n_boot, n_items) counts.

    With `strata` (n_items,) labels, every stratum has its original size in every resample.

    Raises:
        ValueError: the number of labels is not `n_items`, or labels are not valid.
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
        columns = members if size < n_items else slice(None)  # a tenth of the time
        drawn = rng.integers(0, size, (n_boot, size))
        if size < _MANY:
            drawn += offset * size
            counts[:, columns] = np.bincount(drawn.ravel(), minlength=n_boot * size).reshape(
                -1, size
            )
            continue
        # Counts of one resample stay in the cache.
        for resample, row in enumerate(drawn):
            counts[resample, columns] = np.bincount(row, minlength=size)
    return counts


def _confusion(y: NDArray, pred: NDArray, w: Array, label: object) -> tuple[Array, Array, Array]:
    """Return weighted counts (true positives, predicted, actual) of `label`: (n_boot, seeds)."""
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


#: Metrics that are means over items: (y (items,), prediction (seeds, items)) -> (seeds, items).
PER_ITEM: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "accuracy": lambda y, s: y == s,
    "error": lambda y, s: y != s,
    "mse": lambda y, s: (as_real(y, "y_true") - as_real(s, "y_pred")) ** 2,
    "mae": lambda y, s: np.abs(as_real(y, "y_true") - as_real(s, "y_pred")),
    "mean": lambda y, s: as_real(s, "y_pred") + np.zeros(len(y)),  # ignores y
}


def _mean_of(name: str) -> WeightedMetric:
    per_item = PER_ITEM[name]
    return lambda y, s, w: w @ per_item(y, s).T.astype(np.float64) / w.sum(axis=1, keepdims=True)


def _auc(y: NDArray, scores: NDArray, w: Array) -> Array:
    """Return the weighted area under the ROC curve; a tie counts 1/2, one class only gives NaN."""
    if not np.isin(y, (0, 1)).all():
        raise ValueError("auc needs labels 0 and 1")
    return np.stack([_auc_of_seed(y, score, w) for score in scores], axis=1)


def _auc_of_seed(y: NDArray, score: NDArray, w: Array) -> Array:
    order = np.argsort(score, kind="stable")
    ranked = score[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    wo, positive = w[:, order], y[order] == 1
    pos = np.add.reduceat(wo * positive, starts, axis=1)
    neg = np.add.reduceat(wo * ~positive, starts, axis=1)
    # Negatives below each group of equal scores, plus half of the negatives in the group.
    wins = (pos * (np.cumsum(neg, axis=1) - neg / 2)).sum(axis=1)
    pairs = pos.sum(axis=1) * neg.sum(axis=1)
    return np.divide(wins, pairs, out=np.full(len(w), np.nan), where=pairs > 0)


WEIGHTED_METRICS: dict[str, WeightedMetric] = {
    **{name: _mean_of(name) for name in PER_ITEM},
    "auc": _auc,
    **{name: _binary(name) for name in _PER_CLASS},
    **{f"macro_{name}": _macro(name) for name in _PER_CLASS},
}
"""Weighted metrics by name.

As in scikit-learn, precision, recall and F1 are 0 if their denominator is 0. The macro average
excludes classes that occur neither in the labels nor in the predictions of a resample.
"""


def _weighted_by_resampling(metric: Metric) -> WeightedMetric:
    """Return a weighted metric that calls `metric` once per resample and seed."""

    def weighted(y: NDArray, s: NDArray, w: Array) -> Array:
        items = np.arange(y.size)
        resamples = (np.repeat(items, row) for row in w.astype(np.int64))
        return np.array([[metric(y[i], one[i]) for one in s] for i in resamples], dtype=np.float64)

    return weighted


def weighted_metric(metric: str | Metric) -> WeightedMetric:
    """Return the weighted metric for a name in `WEIGHTED_METRICS` or a callable (y_true, y_pred).

    Raises:
        ValueError: unknown name.
    """
    if not isinstance(metric, str):
        return _weighted_by_resampling(metric)
    if metric not in WEIGHTED_METRICS:
        raise ValueError(f"unknown metric {metric!r}: one of {sorted(WEIGHTED_METRICS)}")
    return WEIGHTED_METRICS[metric]


def as_labels_and_predictions(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[NDArray, NDArray]:
    """Convert y_true (items,) and y_pred (items,) or (seeds, items) to numbers or to text.

    Raises:
        ValueError: empty input, NaN, missing or masked values, different shapes, or text labels in
            one of the two only.
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
            "one of y_true and y_pred holds text, the other numbers: use the same kind of label"
        )
    return y, pred


@dataclass(frozen=True)
class ItemBootstrap:
    """Bootstrap over test items; arrays (seeds,), or scalars if `y_pred` had one axis.

    `undefined` counts the resamples in which the metric was NaN.
    """

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
    """Compute mean, SD and percentile interval of a metric over resamples of the test items.

    The result describes the variation due to the test sample for fixed trained models, not the
    variation over seeds. All seeds share the resamples, so differences between seeds are paired.
    The paper uses 100 resamples [IR consistency, sec. 3 "Evaluation of accuracy", Table 4].

    Args:
        metric: a name in `WEIGHTED_METRICS` (vectorised over resamples) or a callable
            (y_true, y_pred) -> float (called once per resample and seed).
        y_true: (items,) labels or targets.
        y_pred: (items,) or (seeds, items) predictions: labels for classification metrics, scores
            for auc, values for mse and mae.
        n_boot: number of resamples, at least 2.
        stratify: True fixes the count of each class; an array (items,) that of each stratum.
        level: confidence level of the percentile interval.
        rng: generator of the resamples.

    Returns:
        One entry per seed, in the unit of the metric. Mean, SD and interval exclude resamples in
        which the metric is NaN (for example, AUC without positives).

    Raises:
        ValueError: empty input, NaN, missing or masked values, different shapes, text labels in
            one of the two only, unknown metric name, n_boot < 2, or a metric that is NaN in nearly
            every resample.
    """
    metric_of, y, pred = weighted_metric(metric), *as_labels_and_predictions(y_true, y_pred)
    check_at_least(2, n_boot=n_boot)
    strata = y if stratify is True else None if stratify is False else stratify

    seeds = np.atleast_2d(pred)
    step = max(1, _CHUNK // y.size)
    parts = []
    for done in range(0, n_boot, step):
        counts = resample_counts(min(step, n_boot - done), y.size, strata=strata, rng=rng)
        parts.append(metric_of(y, seeds, counts.astype(np.float64)))
    boot = np.concatenate(parts)
    undefined = np.isnan(boot).sum(axis=0)
    if np.any(undefined > n_boot - 2):
        raise ValueError("the metric is undefined (NaN) on nearly every resample of some seed")
    estimate = metric_of(y, seeds, np.ones((1, y.size)))[0]
    mean, sd = np.nanmean(boot, axis=0), np.nanstd(boot, axis=0, ddof=1)
    low, high = percentile_interval(boot, level)
    first = 0 if pred.ndim == 1 else slice(None)
    return ItemBootstrap(
        estimate[first], mean[first], sd[first], low[first], high[first], undefined[first],
        n_boot, level,
    )  # fmt: skip


# The function's name starts with "test": pytest must not collect it.
test_set_bootstrap.__test__ = False  # type: ignore[attr-defined]
