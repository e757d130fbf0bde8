"""Contributions of items to a metric, and resampling of seeds and items.

Their test is `item_model.item_difference`.

- `seed_item_bootstrap` resamples seeds and items together (Bouthillier et al. 2021). It counts the
  interaction three times (Owen 2007), and its seed variance is (S-1)/S of the true one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats.bootstrap import (
    PER_ITEM,
    Metric,
    as_labels_and_predictions,
    percentile_interval,
    resample_counts,
    weighted_metric,
)
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability
from reseed.stats.two_models import placements

_CHUNK = 4_000_000  # number of resampled counts held in memory at once
_NOISE = 1e-12  # relative rounding error of a sum of scores


def item_values(metric: str | Metric, y_true: ArrayLike, predicted: ArrayLike) -> Array:
    """Return the contribution of each item to the metric, (seeds, items).

    The mean over items is the metric. Metrics that are means over items (accuracy, error, mse,
    mae) have exact contributions. AUC uses DeLong's components. All other metrics use jackknife
    pseudo-values n θ − (n−1) θ₋ᵢ, shifted to mean θ. These are accurate to first order, which is
    sufficient for a standard error.

    Args:
        metric: a name in `bootstrap.WEIGHTED_METRICS` (vectorised), or a callable
            (y_true, predicted) -> float, called once per item and seed.
        y_true: (items,) labels or targets.
        predicted: (seeds, items) or (items,): labels for classification metrics, scores for auc,
            values for mse and mae.

    Raises:
        ValueError: as `bootstrap.as_labels_and_predictions`; an unknown metric, or a metric that
            is undefined after leaving out some item.
    """
    y, s = as_labels_and_predictions(y_true, predicted)
    s = np.atleast_2d(s)
    if isinstance(metric, str) and metric in PER_ITEM:
        return PER_ITEM[metric](y, s).astype(np.float64)
    return _auc_values(y, s) if metric == "auc" else _pseudo_values(metric, y, s)


def _auc_values(y: NDArray, s: NDArray) -> Array:
    auc, below, above = placements(y, s)
    positive = y == 1
    values = np.empty(s.shape)
    for members, component in ((positive, below), (~positive, above)):
        values[:, members] = auc[:, None] + (component - auc[:, None]) * (y.size / members.sum())
    return values


def _pseudo_values(metric: str | Metric, y: NDArray, s: NDArray) -> Array:
    n = y.size
    if isinstance(metric, str):
        metric_of = weighted_metric(metric)
        full = metric_of(y, s, np.ones((1, n)))[0]
        left_out = np.empty((n, len(s)))
        step = max(1, _CHUNK // n)
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            w = np.ones((rows.size, n))
            w[np.arange(rows.size), rows] = 0
            left_out[rows] = metric_of(y, s, w)
    else:
        items = np.arange(n)
        full = np.array([metric(y, one) for one in s], dtype=np.float64)
        left_out = np.array([[metric(y[items != i], one[items != i]) for one in s] for i in items])
    pseudo = (n * full - (n - 1) * left_out).T
    if not np.isfinite(pseudo).all():
        raise ValueError("the metric is undefined (NaN) without some item: too few of a class")
    return pseudo - pseudo.mean(axis=1, keepdims=True) + full[:, None]


def _check_shared_seeds(shared_seeds: bool, a: NDArray, b: NDArray) -> None:
    if shared_seeds and len(a) != len(b):
        raise ValueError(
            f"shared seeds need the same number of rows in both: {len(a)} and {len(b)}"
        )


@dataclass(frozen=True)
class SeedItemBootstrap:
    """Bootstrap of the mean difference A − B of a metric over seeds and items.

    `n_boot` counts the resamples in which the metric was defined.
    """

    difference: float
    se: float
    low: float
    high: float
    n_boot: int
    level: float


def seed_item_bootstrap(
    metric: str,
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    n_boot: int = 1000,
    *,
    shared_seeds: bool,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    rng: np.random.Generator,
) -> SeedItemBootstrap:
    """Bootstrap the mean difference by resampling seeds and items together.

    With clusters whole clusters are resampled in place of items. The metric is recomputed on every
    resample. If one procedure has a single seed, only items are resampled. Resamples in which the
    metric is undefined (AUC without positives) are left out.

    Args:
        metric: a name in `WEIGHTED_METRICS`.
        y_true: (items,) labels or targets.
        predicted_a, predicted_b: (seeds, items) or (items,) predictions, as in `item_values`.
        n_boot: number of resamples, at least 2.
        shared_seeds: whether row s of A and row s of B were trained with the same seed.
        clusters: (items,) label of the cluster of each item; None: each item is one.
        level: two-sided confidence level of the percentile interval.
        rng: generator of the resamples.

    Raises:
        ValueError: as `item_values`; different numbers of shared seeds; clusters of another shape;
            a metric that is undefined on nearly every resample.

    Source: Bouthillier et al. (2021), sec. 3; Owen (2007) for crossed ("pigeonhole") resampling.
    """
    y, a = as_labels_and_predictions(y_true, predicted_a)
    y, b = as_labels_and_predictions(y_true, predicted_b)
    a, b, metric_of = np.atleast_2d(a), np.atleast_2d(b), weighted_metric(metric)
    _check_shared_seeds(shared_seeds, a, b)
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    ones = np.ones((1, y.size))
    observed = float(metric_of(y, a, ones).mean() - metric_of(y, b, ones).mean())
    index = _index_units(clusters, y.size)
    resample_seeds = min(len(a), len(b)) > 1
    parts, step = [], max(1, _CHUNK // y.size)
    for done in range(0, n_boot, step):
        size = min(step, n_boot - done)
        counts = resample_counts(size, int(index.max()) + 1, rng=rng)
        items = counts[:, index].astype(np.float64)
        seeds_a = _seed_weights(len(a), size, resample_seeds, rng)
        seeds_b = seeds_a if shared_seeds else _seed_weights(len(b), size, resample_seeds, rng)
        parts.append(
            (metric_of(y, a, items) * seeds_a).sum(axis=1)
            - (metric_of(y, b, items) * seeds_b).sum(axis=1)
        )
    boot = np.concatenate(parts)
    boot = boot[np.isfinite(boot)]
    if boot.size < 2:
        raise ValueError("the metric is undefined (NaN) on nearly every resample")
    low, high = percentile_interval(boot, level)
    return SeedItemBootstrap(observed, float(boot.std(ddof=1)), float(low), float(high), boot.size,
                             level)  # fmt: skip


def _index_units(clusters: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Return the resampled unit of each item: its cluster, or itself."""
    if clusters is None:
        return np.arange(n)
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"clusters must name the cluster of each of {n} items: {labels.shape}")
    return np.unique(labels, return_inverse=True)[1]


def _seed_weights(seeds: int, size: int, resample: bool, rng: np.random.Generator) -> Array:
    """Return (size, seeds) weights that sum to 1, resampled or equal."""
    if not resample:
        return np.full((size, seeds), 1 / seeds)
    return resample_counts(size, seeds, rng=rng) / seeds


def seed_permutation_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    shared_seeds: bool,
    n_permutations: int = 10_000,
    rng: np.random.Generator,
) -> float:
    """Return the two-sided permutation p-value that both procedures have equal score distributions.

    Whole runs are exchanged, so any metric and any dependence between items is allowed. The test
    set is fixed. With shared seeds, the signs of the differences are permuted; otherwise the
    assignment of runs to procedures. If there are at most `n_permutations` arrangements, all are
    enumerated and p is at least 2 / arrangements. Otherwise random ones are drawn. The test is
    exact (Fisher; Phipson and Smyth 2010).

    Args:
        scores_a, scores_b: (seeds,) scores of one metric.
        shared_seeds: whether entry s of A and entry s of B were trained with the same seed.
        n_permutations: maximum number of arrangements.
        rng: generator of random arrangements.

    Raises:
        ValueError: NaN, or different numbers of shared seeds.
    """
    a, b = as_finite(scores_a, "scores_a", ndim=1), as_finite(scores_b, "scores_b", ndim=1)
    check_at_least(1, n_permutations=n_permutations)
    pooled = np.concatenate([a, b])
    noise = _NOISE * pooled.size * float(np.abs(pooled).max())
    if shared_seeds:
        if a.size != b.size:
            raise ValueError(
                f"shared seeds need the same number of scores in both: {a.size}, {b.size}"
            )
        d = a - b
        if 2**d.size <= n_permutations:
            signs = (np.arange(2**d.size)[:, None] >> np.arange(d.size)) & 1
            return _permutation_p((signs * 2 - 1) @ d, d.sum(), noise, is_enumerated=True)
        signs = rng.integers(0, 2, (n_permutations, d.size)) * 2 - 1
        return _permutation_p(signs @ d, d.sum(), noise, is_enumerated=False)
    pooled = pooled - pooled.mean()
    observed = pooled[: a.size].sum()
    if comb(pooled.size, a.size) <= n_permutations:
        members = np.array(list(combinations(range(pooled.size), a.size)))
        return _permutation_p(pooled[members].sum(axis=1), observed, noise, is_enumerated=True)
    drawn = rng.permuted(np.tile(pooled, (n_permutations, 1)), axis=1)[:, : a.size].sum(axis=1)
    return _permutation_p(drawn, observed, noise, is_enumerated=False)


def _permutation_p(null: Array, observed: float, noise: float, *, is_enumerated: bool) -> float:
    extreme = int(np.count_nonzero(np.abs(null) >= abs(observed) - noise))
    return extreme / null.size if is_enumerated else (1 + extreme) / (1 + null.size)
