"""Simultaneous confidence sets for the ranks of models.

A model's rank is 1 + the number of models with a better mean. All ordered pairs are tested with
one familywise error rate; a model's rank is then at least 1 + the number of models shown to be
better, and at most M − the number shown to be worse. With probability `level` this holds for all
models at once, however many there are and however they were ordered (Mogstad, Romano, Shaikh and
Wilhelm 2024, sec. 3). The tests are step-down tests of the largest studentised difference (Romano
and Wolf 2005), so correlated models cost less than with Bonferroni or Holm.

- `rank_over_tasks`: the tasks are a sample, and the ranks are those on new tasks. The null
  distribution comes from random signs of tasks. It is exact for differences that are symmetric
  around 0 under the null hypothesis, for any number of tasks.
- `rank_on_tasks`: the tasks are fixed; runs (seeds), items or both are the sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from reseed.stats.clusters import cluster_contributions
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability, rescale
from reseed.stats.item_model import mean_squares
from reseed.stats.sign_flips import flip_signs
from reseed.stats.skewness import skewness, skewness_noise

_CHUNK = 1_000_000  # studentised differences held in memory at once
_NOISE = 1e-12  # relative rounding error of a mean


@dataclass(frozen=True)
class RankSets:
    """Ranks of M models; rank 1 has the greatest mean.

    mean: (M,) mean score of each model.
    rank: (M,) rank of the means; equal means share the smallest rank.
    low, high: (M,) simultaneous interval of each rank; `low` = 1: the model may be the best.
    is_better: (M, M) whether model i is shown to be better than model j.
    difference, se: (M, M) difference of means i − j, and its standard error, in score units.
    critical: critical value of |difference| / se at the first step.
    level: simultaneous level of all intervals.
    by_runs, by_items: (M, M) the parts of se² that shrink with the number of runs, and of items (or
        clusters); the interaction of both is in each. None for `rank_over_tasks`.
    """

    mean: Array
    rank: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    is_better: NDArray[np.bool_]
    difference: Array
    se: Array
    critical: float
    level: float
    by_runs: Array | None = None
    by_items: Array | None = None


def rank_over_tasks(
    scores: ArrayLike, level: float = 0.95, n_draws: int | None = None, *, rng: np.random.Generator
) -> RankSets:
    """Rank models by their mean over tasks, for new tasks of the same population.

    Args:
        scores: (models, tasks) scores, greater is better; no missing cell. Scores of unlike scale
            need a common one first, such as the rank or the standardised score within a task.
        level: simultaneous level of the rank sets.
        n_draws: sign patterns, as in `sign_flips.flip_signs`.
        rng: generator of the signs.

    Raises:
        ValueError: fewer than two models or tasks, NaN, or levels out of range.
    """
    y = as_finite(scores, "scores", ndim=2, min_size=2)
    check_at_least(2, models=len(y))
    check_probability(level=level)
    y, unit = rescale(y)
    tasks = y.shape[1]
    mean = y.mean(axis=1)
    difference = _without_noise(mean[:, None] - mean, y)
    first, second = np.triu_indices(len(y), 1)
    tests = flip_signs(y[first] - y[second], n_draws, rng=rng)
    p = np.ones(difference.shape)
    p[first, second] = p[second, first] = tests.p_adjusted
    centred = y - y.mean(axis=0)  # effects of tasks cancel in differences
    gram = centred @ centred.T / tasks
    squares = np.maximum(np.diag(gram)[:, None] + np.diag(gram) - 2 * gram, 0.0)
    se = np.sqrt(np.maximum(squares - difference**2, 0.0) / (tasks - 1))
    # The statistic tasks · mean² / mean square as |t|.
    share = _quantile(tests.largest, level) / tasks
    with np.errstate(divide="ignore"):
        critical = float(np.sqrt(share * (tasks - 1) / np.maximum(1 - share, 0.0)))
    is_shown = p <= (1 - level) * (1 + _NOISE)
    return _build(difference, se, is_shown, critical, level, mean, float(unit))


@dataclass(frozen=True)
class TaskScores:
    """Scores of all models on one task.

    values: for each model an array (runs, items), the same items for all models; of runs without
        items (runs, 1). Runs of different models are independent.
    clusters: (items,) cluster of each item; None: items are independent.
    """

    values: Sequence[Array]
    clusters: NDArray[np.int64] | None = None


def rank_on_tasks(
    tasks: Sequence[TaskScores], level: float = 0.95, n_draws: int = 1000,
    *, rng: np.random.Generator,
) -> RankSets:  # fmt: skip
    """Rank models by their mean over these tasks, for new runs and new items.

    The tasks count equally. Items (or clusters) of all models are resampled together by Gaussian
    multipliers; variances of runs, and of clusters, are drawn with their chi-squared
    distributions, so that few runs or clusters widen the sets. With one run of each model the ranks
    are those of the trained models.

    Args:
        tasks: at least one; every model has scores on each.
        level: simultaneous level of the rank sets.
        n_draws: draws of the null distribution.
        rng: generator of the draws.

    Raises:
        ValueError: fewer than two models, one run without items, unequal items, or NaN.
    """
    check_probability(level=level)
    check_at_least(100, n_draws=n_draws)
    check_at_least(1, tasks=len(tasks))
    parts = [_summarise(task) for task in tasks]
    models = parts[0].mean.size
    if models < 2 or any(part.mean.size != models for part in parts):
        raise ValueError("every task needs the same two or more models")
    share = 1 / len(parts)
    mean = np.mean([part.mean for part in parts], axis=0)
    runs = share**2 * np.sum([part.runs for part in parts], axis=0)
    observed = share**2 * np.sum([part.observed for part in parts], axis=0)
    squares = np.sum([(share**2 * part.observed) ** 2 / part.df for part in parts], axis=0)
    df = np.where(squares > 0, observed**2 / np.maximum(squares, 1e-300), 1.0)
    items = [share * part.items for part in parts if part.items is not None]
    stacked = np.concatenate(items, axis=1) if items else np.zeros((models, 1))
    gram = stacked @ stacked.T
    item_variance = np.maximum(np.diag(gram)[:, None] + np.diag(gram) - 2 * gram, 0.0)
    variance = item_variance + runs[:, None] + runs
    difference = _without_noise(mean[:, None] - mean, mean)
    draws = _GaussianDraws(
        stacked, runs, observed, df, variance, item_variance, _cluster_df(parts), n_draws, rng
    )
    rest = share**2 * np.sum([part.rest for part in parts], axis=0)
    by_runs = runs[:, None] + runs + np.minimum(rest[:, None] + rest, item_variance)
    # Runs and items that do not vary show nothing about new ones.
    se = np.where(variance > 0, np.sqrt(variance), np.inf)
    t = _studentise(np.abs(difference), se)
    sets = _build(difference, se, *_step_down(t, draws, level), level, mean, 1.0)
    return replace(sets, se=np.sqrt(variance), by_runs=by_runs, by_items=item_variance)


def _cluster_df(parts: Sequence[_Summary]) -> float | None:
    """Return the degrees of freedom of the part of clusters (Satterthwaite); None without."""
    if all(part.cluster_df is None for part in parts):
        return None
    sizes = [0.0 if part.items is None else float((part.items**2).sum()) for part in parts]
    squares = [
        size**2 / part.cluster_df
        for size, part in zip(sizes, parts, strict=True)
        if part.cluster_df is not None
    ]
    return max(sum(sizes) ** 2 / sum(squares), 1.0) if sum(squares) else 1.0


@dataclass(frozen=True)
class _Summary:
    """One task: means (M,), variance of them due to runs (M,), and what runs and items show.

    observed: (M,) s²(run means)/runs, with df (M,) degrees of freedom.
    rest: (M,) variance of the mean due to runs × items.
    items: (M, items) centred contributions, whose sum of squares is the variance of the mean due to
        items, including `rest`; None without items.
    """

    mean: Array
    runs: Array
    observed: Array
    rest: Array
    df: Array
    items: Array | None
    cluster_df: float | None


def _summarise(task: TaskScores) -> _Summary:
    values = [as_finite(one, "values", ndim=2) for one in task.values]
    n = values[0].shape[1]
    if any(one.shape[1] != n for one in values):
        raise ValueError("all models need the same items of a task")
    if n == 1 and min(map(len, values)) < 2:
        raise ValueError("a task without items needs two runs or more of each model")
    observed, runs, rest = np.zeros((3, len(values)))
    means = np.array([one.mean(axis=0) for one in values])
    items, index, sizes, cluster_df = None, None, np.ones(1), None
    if n > 1:
        items, index, sizes, cluster_df = cluster_contributions(means, task.clusters)
    for number, one in enumerate(values):
        if len(one) > 1 and n == 1:
            observed[number] = runs[number] = one[:, 0].var(ddof=1) / len(one)
        elif len(one) > 1:
            squares = mean_squares(one, (0, 1), index, sizes)
            observed[number] = squares[0,]
            rest[number] = squares[0, 1]
            runs[number] = max(squares[0,] - squares[0, 1], 0.0)
    df = np.array([max(len(one) - 1, 1) for one in values], dtype=np.float64)
    return _Summary(
        means.mean(axis=1), runs, observed, rest, df, items,
        None if task.clusters is None else cluster_df,
    )  # fmt: skip


class _GaussianDraws:
    """Gaussian differences, studentised with variances of runs that vary like chi-squared."""

    def __init__(
        self, items: Array, runs: Array, observed: Array, df: Array, variance: Array,
        item_variance: Array, cluster_df: float | None, n_draws: int, rng: np.random.Generator,
    ):  # fmt: skip
        self.size = n_draws
        self._means = rng.normal(size=(n_draws, items.shape[1])) @ items.T
        self._means += rng.normal(size=(n_draws, runs.size)) * np.sqrt(runs)
        self._observed = rng.chisquare(df, (n_draws, df.size)) / df * observed
        self._fixed = np.maximum(variance - observed[:, None] - observed, 0.0)
        self._clusters = np.zeros_like(variance)
        self._scale = np.ones((n_draws, 1))
        if cluster_df is not None:
            self._clusters = np.minimum(item_variance, self._fixed)
            self._fixed = self._fixed - self._clusters
            self._scale = rng.chisquare(cluster_df, (n_draws, 1)) / cluster_df

    def largest(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
        fixed, clusters = self._fixed[first, second], self._clusters[first, second]
        drawn = (self._means, self._observed, self._scale)
        blocks = zip(*(_blocks(one, first.size) for one in drawn), strict=True)
        return np.concatenate([
            _studentise(
                np.abs(means[:, first] - means[:, second]),
                np.sqrt(fixed + scale * clusters + noise[:, first] + noise[:, second]),
            ).max(axis=1)
            for means, noise, scale in blocks
        ])  # fmt: skip


def _blocks(draws: Array, pairs: int) -> Iterator[Array]:
    """Yield consecutive rows of `draws`, few enough for `pairs` numbers of each."""
    step = max(1, _CHUNK // pairs)
    for start in range(0, len(draws), step):
        yield draws[start : start + step]


def _studentise(size: Array, se: Array) -> Array:
    """Return size / se; without variance 0 if there is no difference, else infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size > 0, size / se, 0.0)


def _without_noise(difference: Array, scores: Array) -> Array:
    """Return differences with 0 in place of rounding noise."""
    return np.where(np.abs(difference) <= _NOISE * np.abs(scores).max(), 0.0, difference)


def _build(
    difference: Array, se: Array, is_shown: NDArray[np.bool_], critical: float, level: float,
    mean: Array, unit: float,
) -> RankSets:  # fmt: skip
    is_better = is_shown & (difference > 0)
    low, high = rank_intervals(is_better)
    return RankSets(
        mean * unit,
        1 + (difference < 0).sum(axis=1),
        low,
        high,
        is_better,
        difference * unit,
        se * unit,
        critical,
        level,
    )


def rank_intervals(is_better: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lowest and highest rank of each model that the shown differences leave possible.

    They are simultaneous at 1 − α if the familywise error rate of all pairs is at most α
    (Mogstad, Romano, Shaikh and Wilhelm 2024, sec. 3).

    Args:
        is_better: (M, M) whether model i is shown to be better than model j.
    """
    shown = np.asarray(is_better, dtype=bool)
    return 1 + shown.sum(axis=0), len(shown) - shown.sum(axis=1)


def _step_down(t: Array, draws: _GaussianDraws, level: float) -> tuple[NDArray[np.bool_], float]:
    """Return which pairs are rejected, and the critical value of the first step.

    After each step the largest difference is taken over the pairs that are not rejected yet.
    """
    first, second = np.triu_indices(len(t), 1)
    is_shown, initial = np.zeros(t.shape, dtype=bool), 0.0
    while first.size:
        critical = _quantile(np.sort(draws.largest(first, second)), level)
        initial = initial or critical
        rejected = t[first, second] > critical
        if not rejected.any():
            break
        is_shown[first[rejected], second[rejected]] = True
        first, second = first[~rejected], second[~rejected]
    return is_shown | is_shown.T, initial


def _quantile(ascending: Array, level: float) -> float:
    """Return the draw that so many of all draws and the observed number do not exceed."""
    return float(ascending[min(int(np.ceil(level * (ascending.size + 1))), ascending.size) - 1])


def skewness_of_differences(scores: ArrayLike) -> tuple[float, float]:
    """Return the mean skewness of differences over tasks, and the noise of one skewness.

    Each difference is the model of greater spread minus the other, as skewed scores of unequal
    spread give differences that are skewed alike. The noise is the SD for Gaussian numbers.

    Args:
        scores: (models, tasks), two tasks or more; of two tasks both numbers are 0.
    """
    y, _ = rescale(as_finite(scores, "scores", ndim=2, min_size=2))
    y = y - y.mean(axis=0)
    n = y.shape[1]
    y = y[np.argsort(-y.std(axis=1), kind="stable")]
    first, second = np.triu_indices(len(y), 1)
    step = max(1, first.size // 2000)
    d = y[first[::step]] - y[second[::step]]
    varies = d.var(axis=1) > _NOISE
    return float(skewness(d[varies]).mean()) if varies.any() else 0.0, skewness_noise(n)


def levels_to_separate(
    result: RankSets, levels: int, power: float = 0.8, *, part: Array | None = None
) -> Array:
    """Return how many levels of one source separate each model from the next in rank.

    The critical value of `result` is used. With few runs or clusters it exceeds the one that more
    of them would have, so that the numbers are too large rather than too small.

    Args:
        result: rank sets.
        levels: number of tasks, items or runs of `result`.
        power: probability of showing a true difference as large as the observed one.
        part: (M, M) the part of se² that is inversely proportional to the number of levels, such as
            `result.by_runs`; None: all of it.

    Returns:
        (M,) in the order of the models, at least 1; NaN for the last; infinity where means are
        equal, or where the other part of se² alone is too large.
    """
    check_probability(power=power)
    varying = result.se**2 if part is None else part
    order = np.argsort(-result.mean, kind="stable")
    needed = np.full(order.size, np.nan)
    for first, second in pairwise(order):
        difference, se = result.difference[first, second], result.se[first, second]
        if se > 0:
            largest = (difference / (result.critical + ndtri(power))) ** 2  # se² that is enough
            changes = min(varying[first, second], se**2)
            left = largest - (se**2 - changes)
            needed[first] = max(np.ceil(levels * changes / left), 1) if left > 0 else np.inf
    return needed
