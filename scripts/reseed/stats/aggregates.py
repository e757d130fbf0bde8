"""Aggregate scores over tasks with few runs per task, after Agarwal et al. (2021).

Every aggregate is a function of run scores. Its interval is a stratified bootstrap, which
resamples the runs within each task. Tasks are fixed: the intervals say nothing about new tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from reseed.stats.bootstrap import percentile_interval
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability

#: One array (..., runs) per task; leading axes are batches (resamples).
Tasks = Sequence[Array]


def as_task_arrays(scores: Sequence[ArrayLike]) -> list[Array]:
    """Return run scores as one array (runs,) per task.

    Raises:
        ValueError: no task, a task without runs, NaN or infinity.
    """
    if not len(scores):
        raise ValueError("at least one task is needed")
    return [as_finite(runs, f"task {number}", ndim=1) for number, runs in enumerate(scores)]


def mean(scores: Tasks) -> Array:
    """Return the mean over tasks of the mean over runs, shape (...)."""
    return np.mean([runs.mean(axis=-1) for runs in scores], axis=0)


def median(scores: Tasks) -> Array:
    """Return the median over tasks of the mean over runs, shape (...)."""
    return np.median([runs.mean(axis=-1) for runs in scores], axis=0)


def interquartile_mean(scores: Tasks) -> Array:
    """Return the mean of the middle half of all run scores, with equal weight per task.

    A quarter of the total weight is trimmed at either end; a run can be trimmed in part. With
    equal numbers of runs per task, and a multiple of four in total, this is the 25 % trimmed mean
    of the pooled runs (Agarwal et al. 2021, sec. 4.3).

    Returns:
        (...) in the unit of the scores.
    """
    pooled = np.concatenate(list(scores), axis=-1)
    weights = np.concatenate([np.full(runs.shape[-1], 1 / runs.shape[-1]) for runs in scores])
    order = np.argsort(pooled, axis=-1, kind="stable")
    upper = np.cumsum((weights / weights.sum())[order], axis=-1)
    lower = upper - (weights / weights.sum())[order]
    middle = np.clip(np.minimum(upper, 0.75) - np.maximum(lower, 0.25), 0, None)
    return (middle * np.take_along_axis(pooled, order, axis=-1)).sum(axis=-1) / middle.sum(axis=-1)


def optimality_gap(scores: Tasks, target: float = 1.0) -> Array:
    """Return the mean over tasks and runs of max(target − score, 0), shape (...)."""
    return np.mean([np.maximum(target - runs, 0).mean(axis=-1) for runs in scores], axis=0)


def probability_of_improvement(a: Tasks, b: Tasks) -> Array:
    """Return the mean over tasks of P(A > B) + ½ P(A = B) for one run of each, shape (...)."""
    wins = [
        (np.sign(x[..., :, None] - y[..., None, :]).mean(axis=(-2, -1)) + 1) / 2
        for x, y in zip(a, b, strict=True)
    ]
    return np.mean(wins, axis=0)


def run_profile(scores: Tasks, levels: ArrayLike) -> Array:
    """Return the share of runs above each level, with equal weight per task: (..., levels)."""
    t = np.asarray(levels, dtype=np.float64)
    return np.mean([(runs[..., None] > t).mean(axis=-2) for runs in scores], axis=0)


def task_profile(scores: Tasks, levels: ArrayLike) -> Array:
    """Return the share of tasks whose mean over runs is above each level: (..., levels)."""
    t = np.asarray(levels, dtype=np.float64)
    return np.mean([runs.mean(axis=-1)[..., None] > t for runs in scores], axis=0)


@dataclass(frozen=True)
class Aggregate:
    """A statistic with its stratified bootstrap interval.

    `value`, `low` and `high` are arrays (levels,) for a profile, otherwise scalars.
    """

    value: Array
    low: Array
    high: Array
    n_boot: int
    level: float


def stratified_bootstrap(
    function: Callable[..., Array],
    *samples: Sequence[ArrayLike],
    n_boot: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator,
) -> Aggregate:
    """Return `function` of one or more lists of tasks with its expanded percentile interval.

    Runs are resampled with replacement within each task and list, independently. The variance of n
    resampled runs is (n − 1)/n of theirs, so the percentiles are expanded to Φ(±z √(n/(n − 1))) for
    the fewest runs n of a task. docs/methods lists the coverage by number of runs.

    Args:
        function: maps one list of tasks per sample to (...) values.
        samples: lists of one array (runs,) per task, with at least two runs each.
        n_boot: number of resamples, at least 2.
        level: two-sided confidence level.
        rng: generator of the resamples.

    Raises:
        ValueError: a task with fewer than two runs, NaN or infinity; bad `level` or `n_boot`.

    Source: Agarwal et al. (2021), sec. 4.2 and appendix A; Hesterberg (2015) for the expansion.
    """
    lists = [as_task_arrays(sample) for sample in samples]
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    fewest = min(runs.size for tasks in lists for runs in tasks)
    if fewest < 2:
        raise ValueError("the bootstrap needs at least two runs of every task")
    largest, parts = max(runs.size for tasks in lists for runs in tasks), []
    step = max(1, 2_000_000 // (largest * sum(map(len, lists))))
    for done in range(0, n_boot, step):
        size = min(step, n_boot - done)
        parts.append(
            function(*([runs[rng.integers(0, runs.size, (size, runs.size))] for runs in tasks]
                       for tasks in lists))
        )  # fmt: skip
    expanded = special.ndtri((1 + level) / 2) * np.sqrt(fewest / (fewest - 1))
    low, high = percentile_interval(np.concatenate(parts), 2 * special.ndtr(expanded) - 1)
    return Aggregate(np.asarray(function(*lists)), low, high, n_boot, level)
