"""Two training procedures compared on one test set: seeds and items are both samples.

A score on one test set moves with the seed of the training and with the items drawn. Every seed
meets every item, so the two are crossed, not nested: the mean difference over S seeds and n items
has the variance seed/S + item/n + interaction/(S n). Its moment estimate gives a t interval
(`crossed_difference`); resampling seeds and items together gives the bootstrap of
Bouthillier et al. (2021) (`seed_item_bootstrap`), which counts the interaction three times over
(Owen 2007) and sees a seed variance that is (S-1)/S of the true one.
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
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)
from reseed.stats.two_models import placements
from reseed.stats.weighted_t import Parts, upper_quantile, upper_tail

_CHUNK = 4_000_000  # resampled counts held at a time
_NOISE = 1e-12  # of the scores, in a sum of one of them each


def item_values(metric: str | Metric, y_true: ArrayLike, predicted: ArrayLike) -> Array:
    """Each item's contribution to the metric, (seeds, items): their mean over items is the metric.

    Exact for means over items (accuracy, error, mse, mae). Of the AUC DeLong's components, of any
    other metric jackknife pseudo-values n θ − (n−1) θ₋ᵢ, shifted to the mean θ: their mean is
    linear in the items to first order, which is what a standard error needs.

    Args:
        metric: a name in `bootstrap.WEIGHTED_METRICS` (vectorised), or a callable
            (y_true, predicted) -> float, called once an item and seed.
        y_true: (items,).
        predicted: (seeds, items) or (items,): labels for classification metrics, scores for auc,
            values for mse and mae.

    Raises:
        ValueError: as `bootstrap.truth_and_predictions`; an unknown metric, or one that is not
            defined without some item.
    """
    y, s = as_labels_and_predictions(y_true, predicted)
    s = np.atleast_2d(s)
    if metric in PER_ITEM:
        return PER_ITEM[metric](y, s).astype(np.float64)
    return _auc_values(y, s) if metric == "auc" else _pseudo_values(metric, y, s)


def _auc_values(y: NDArray, s: NDArray) -> Array:
    auc, below, above = placements(y, s)
    positive = y == 1
    values = np.empty(s.shape)
    for side, component in ((positive, below), (~positive, above)):
        values[:, side] = auc[:, None] + (component - auc[:, None]) * (y.size / side.sum())
    return values


def _pseudo_values(metric: str | Metric, y: NDArray, s: NDArray) -> Array:
    n = y.size
    if isinstance(metric, str):
        lifted = weighted_metric(metric)
        whole = lifted(y, s, np.ones((1, n)))[0]
        without = np.empty((n, len(s)))
        step = max(1, _CHUNK // n)
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            w = np.ones((rows.size, n))
            w[np.arange(rows.size), rows] = 0
            without[rows] = lifted(y, s, w)
    else:
        items = np.arange(n)
        whole = np.array([metric(y, one) for one in s], dtype=np.float64)
        without = np.array([[metric(y[items != i], one[items != i]) for one in s] for i in items])
    pseudo = (n * whole - (n - 1) * without).T
    if not np.isfinite(pseudo).all():
        raise ValueError("the metric is undefined (NaN) without some item: too few of a class")
    return pseudo - pseudo.mean(axis=1, keepdims=True) + whole[:, None]


@dataclass(frozen=True)
class CrossedDifference:
    """Mean difference of two procedures on one test set, A − B.

    scope: "seeds and items", or "items" where a side has one seed only: then the interval is for
    these trained models, and says nothing of others. seed_share: the seeds' part of se², 0 where
    it is not to be seen. parts: se² by the mean square that it was learnt from (`weighted_t`).
    """

    difference: float
    se: float
    low: float
    high: float
    p_value: float
    seed_share: float
    parts: Parts
    scope: str
    level: float

    def equivalence_p(self, rope: float) -> float:
        """The greater p-value of two one-sided tests that the difference lies within ± rope > 0."""
        if self.se == 0:
            return float(abs(self.difference) >= rope)
        return max(upper_tail((rope - sign * self.difference) / self.se, self.parts)
                   for sign in (1, -1))  # fmt: skip


def crossed_difference(
    values_a: ArrayLike, values_b: ArrayLike, *, shared_seeds: bool, level: float = 0.95
) -> CrossedDifference:
    """t interval and test of the mean difference over seeds and items.

    Variance: s²(item means of A − B)/n, which holds item and interaction, plus for each side (or
    for the differences, where seeds are shared) the seed's own part (s²(seed means) − interaction
    mean square / n)/S, 0 if negative. What s²(seed means)/S is of it has S − 1 degrees of freedom
    (Welch's over two sides of equally many seeds, where they hold), the rest n − 1, and the
    quantile is their weighted mean (`weighted_t`): with two seeds, whose spread is hardly known,
    the interval is wide also where seeds do not matter (docs/methods.md).

    Args:
        values_a, values_b: (seeds, items) contributions, as from `item_values`.
        shared_seeds: row s of A and of B were trained under the same seed.
        level: of the interval.

    Raises:
        ValueError: items or (shared) seeds that do not agree, NaN, fewer than two items.
    """
    a, b = as_finite(values_a, "values_a", ndim=2), as_finite(values_b, "values_b", ndim=2)
    check_probability(level=level)
    n = a.shape[1]
    if b.shape[1] != n or n < 2:
        raise ValueError(f"both need the same two or more items, they have {n} and {b.shape[1]}")
    if shared_seeds and len(a) != len(b):
        raise ValueError(f"shared seeds need as many rows on both sides: {len(a)} and {len(b)}")
    _, unit = rescale(np.concatenate([a, b]))
    a, b = a / unit, b / unit
    sides = [a - b] if shared_seeds else [a, b]
    by_item = a.mean(axis=0) - b.mean(axis=0)
    difference = float(by_item.mean())
    item = float(by_item.var(ddof=1) / n)
    between, own = [], 0.0
    scope = "seeds and items" if min(map(len, sides)) > 1 else "items"
    if scope == "seeds and items":
        for side in sides:
            part, inside = _seed_squares(side)
            between.append((part, len(side) - 1))
            own += max(part - inside, 0.0)
    known = sum(part for part, _ in between)
    if known > 0 and len({df for _, df in between}) == 1:
        squares = sum(part**2 / df for part, df in between)
        between = [(known, known**2 / squares)]
    parts = [*between, (max(item + own - known, 0.0), n - 1)]
    total = sum(part for part, _ in parts)
    whole = difference * unit
    # A difference that is rounding noise beside the values must not look like a certain one.
    if total <= 1e-24:
        p = float(abs(difference) <= 1e-12)
        return CrossedDifference(whole, 0.0, whole, whole, p, 0.0, (), scope, level)
    se = float(np.sqrt(total))
    half = upper_quantile((1 - level) / 2, parts) * se
    p = 2 * upper_tail(abs(difference) / se, parts)
    low, high = (difference - half) * unit, (difference + half) * unit
    return CrossedDifference(whole, se * unit, low, high, p, own / total, parts, scope, level)


def _seed_squares(side: Array) -> tuple[float, float]:
    """Of a side's mean: the variance that its seeds' means tell, and what of it is interaction."""
    seeds, n = side.shape
    rows = side.mean(axis=1)
    residual = side - rows[:, None] - side.mean(axis=0) + side.mean()
    inside = float((residual**2).sum() / ((seeds - 1) * (n - 1)) / n / seeds)
    return float(rows.var(ddof=1) / seeds), inside


@dataclass(frozen=True)
class SeedItemBootstrap:
    """Bootstrap of a metric's mean difference over seeds and items, A − B."""

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
    level: float = 0.95,
    rng: np.random.Generator,
) -> SeedItemBootstrap:
    """Resample seeds and items together; the metric is computed anew on every resample.

    Arguments as `item_values` and `crossed_difference`; metric must be a name in
    `WEIGHTED_METRICS`. With one seed on a side only the items are resampled. Resamples on which
    the metric is undefined (AUC without a positive) are left out.

    Source: Bouthillier et al. (2021), sec. 3; Owen (2007) for the crossed ("pigeonhole") case.
    """
    y, a = as_labels_and_predictions(y_true, predicted_a)
    y, b = as_labels_and_predictions(y_true, predicted_b)
    a, b, lifted = np.atleast_2d(a), np.atleast_2d(b), weighted_metric(metric)
    if shared_seeds and len(a) != len(b):
        raise ValueError(f"shared seeds need as many rows on both sides: {len(a)} and {len(b)}")
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    ones = np.ones((1, y.size))
    observed = float(lifted(y, a, ones).mean() - lifted(y, b, ones).mean())
    vary = min(len(a), len(b)) > 1
    parts, step = [], max(1, _CHUNK // y.size)
    for done in range(0, n_boot, step):
        size = min(step, n_boot - done)
        items = resample_counts(size, y.size, rng=rng).astype(np.float64)
        seeds_a = _seed_weights(len(a), size, vary, rng)
        seeds_b = seeds_a if shared_seeds else _seed_weights(len(b), size, vary, rng)
        parts.append(
            (lifted(y, a, items) * seeds_a).sum(axis=1)
            - (lifted(y, b, items) * seeds_b).sum(axis=1)
        )
    boot = np.concatenate(parts)
    boot = boot[np.isfinite(boot)]
    if boot.size < 2:
        raise ValueError("the metric is undefined (NaN) on nearly every resample")
    low, high = percentile_interval(boot, level)
    return SeedItemBootstrap(observed, float(boot.std(ddof=1)), float(low), float(high), boot.size,
                             level)  # fmt: skip


def _seed_weights(seeds: int, size: int, vary: bool, rng: np.random.Generator) -> Array:
    if not vary:
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
    """Two-sided permutation test that both procedures give the same distribution of scores.

    Whole runs change sides, so any metric and any dependence between items is allowed for; the
    test set is held. Shared seeds: the sign of each seed's difference; else every split of the
    runs. All arrangements are enumerated up to `n_permutations` of them (p can then not fall
    below 2 over their number), else drawn at random. Exact (Fisher; Phipson and Smyth 2010).

    scores_a, scores_b: (seeds,) of the same metric.
    """
    a, b = as_finite(scores_a, "scores_a", ndim=1), as_finite(scores_b, "scores_b", ndim=1)
    check_at_least(1, n_permutations=n_permutations)
    pooled = np.concatenate([a, b])
    noise = _NOISE * pooled.size * float(np.abs(pooled).max())
    if shared_seeds:
        if a.size != b.size:
            raise ValueError(f"shared seeds need as many scores on both sides: {a.size}, {b.size}")
        d = a - b
        if 2**d.size <= n_permutations:
            signs = (np.arange(2**d.size)[:, None] >> np.arange(d.size)) & 1
            return _share_beyond((signs * 2 - 1) @ d, d.sum(), noise, enumerated=True)
        signs = rng.integers(0, 2, (n_permutations, d.size)) * 2 - 1
        return _share_beyond(signs @ d, d.sum(), noise, enumerated=False)
    pooled = pooled - pooled.mean()
    observed = pooled[: a.size].sum()
    if comb(pooled.size, a.size) <= n_permutations:
        picks = np.array(list(combinations(range(pooled.size), a.size)))
        return _share_beyond(pooled[picks].sum(axis=1), observed, noise, enumerated=True)
    drawn = rng.permuted(np.tile(pooled, (n_permutations, 1)), axis=1)[:, : a.size].sum(axis=1)
    return _share_beyond(drawn, observed, noise, enumerated=False)


def _share_beyond(null: Array, observed: float, noise: float, *, enumerated: bool) -> float:
    beyond = int(np.count_nonzero(np.abs(null) >= abs(observed) - noise))
    return beyond / null.size if enumerated else (1 + beyond) / (1 + null.size)
