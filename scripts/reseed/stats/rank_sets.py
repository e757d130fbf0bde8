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
- `rank_by_tests`: from tests of the pairs, such as those of runs and items on fixed tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability, rescale
from reseed.stats.sign_flips import flip_signs
from reseed.stats.skewness import skewness, skewness_noise

_NOISE = 1e-12  # relative rounding error of a mean


@dataclass(frozen=True)
class RankSets:
    """Ranks of M models; rank 1 has the greatest mean.

    mean: (M,) mean score of each model.
    rank: (M,) rank of the means; equal means share the smallest rank.
    low, high: (M,) simultaneous interval of each rank; `low` = 1: the model may be the best.
    is_better: (M, M) whether model i is shown to be better than model j.
    difference, se: (M, M) difference of means i − j, and its standard error, in score units.
    critical: (M, M) critical value of |difference| / se at the first step.
    level: simultaneous level of all intervals.
    by_source: (M, M) the part of se² that is inversely proportional to the number of levels of a
        source, such as seeds or items, by its name; the interaction of two is in each.
    """

    mean: Array
    rank: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    is_better: NDArray[np.bool_]
    difference: Array
    se: Array
    critical: Array
    level: float
    by_source: Mapping[str, Array] = field(default_factory=dict)


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
    is_better = is_shown & (difference > 0)
    critical_values = np.full(se.shape, critical)
    unit = float(unit)
    return rank_by_tests(
        mean * unit, difference * unit, is_better, se * unit, critical_values, level
    )


def _without_noise(difference: Array, scores: Array) -> Array:
    """Return differences with 0 in place of rounding noise."""
    return np.where(np.abs(difference) <= _NOISE * np.abs(scores).max(), 0.0, difference)


def rank_by_tests(
    mean: Array, difference: Array, is_better: NDArray[np.bool_], se: Array, critical: Array,
    level: float, by_source: Mapping[str, Array] | None = None,
) -> RankSets:  # fmt: skip
    """Rank models by tests of all pairs with one familywise error rate of 1 − `level`.

    The arguments are fields of `RankSets`.
    """
    low, high = rank_intervals(is_better)
    rank = 1 + (difference < 0).sum(axis=1)
    parts = by_source or {}
    return RankSets(mean, rank, low, high, is_better, difference, se, critical, level, parts)


def rank_intervals(is_better: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lowest and highest rank of each model that the shown differences leave possible.

    They are simultaneous at 1 − α if the familywise error rate of all pairs is at most α
    (Mogstad, Romano, Shaikh and Wilhelm 2024, sec. 3).

    Args:
        is_better: (M, M) whether model i is shown to be better than model j.
    """
    shown = np.asarray(is_better, dtype=bool)
    return 1 + shown.sum(axis=0), len(shown) - shown.sum(axis=1)


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
        part: (M, M) the part of se² that is inversely proportional to the number of levels, as in
            `result.by_source`; None: all of it.

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
            reach = result.critical[first, second] + ndtri(power)
            largest = (difference / reach) ** 2  # se² that is enough
            changes = min(varying[first, second], se**2)
            left = largest - (se**2 - changes)
            needed[first] = max(np.ceil(levels * changes / left), 1) if left > 0 else np.inf
    return needed
