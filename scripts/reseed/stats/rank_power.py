"""Smallest difference between two models that tests over datasets detect."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, check_at_least, check_probability

# Greater shifts, in SDs, find no more.
_LARGEST = 50.0
_VALUES = 2_000_000  # simulated scores, and pairs of models, of one step


@cache
def detectable_shift(
    n_datasets: int,
    n_models: int = 2,
    *,
    of_ranks: bool = False,
    alpha: float = 0.05,
    target_power: float = 0.8,
    n_sim: int = 2000,
    seed: int = 0,
) -> float:
    """Return the smallest mean difference that a sign-flip test finds with `target_power`.

    Simulated with Gaussian scores: on each dataset one model lies higher than the others by the
    shift, and the difference of two models has SD 1 between datasets. All pairs of models are
    tested together. The critical value is that of the largest t statistic of equal models, which
    the largest of all signs approaches.

    Args:
        n_datasets, n_models: sizes of the comparison.
        of_ranks: whether the ranks of models within a dataset are compared; of two models this is
            the sign test.
        alpha: level of all pairs together.
        target_power: required power.
        n_sim: simulated comparisons; fewer of large ones.
        seed: of the simulation.

    Returns:
        The shift in SDs of the difference between datasets. Infinite if no difference reaches the
        power, because the number of datasets is too small.
    """
    check_at_least(2, n_datasets=n_datasets, n_models=n_models, n_sim=n_sim)
    check_probability(alpha=alpha, target_power=target_power)
    if 2.0 ** (1 - n_datasets) > alpha:
        return inf
    if of_ranks and n_models == 2:
        return _smallest(lambda shift: _sign_power(n_datasets, shift, alpha), target_power)
    rng = np.random.default_rng(seed)
    rows = max(200, min(n_sim, _VALUES // (n_models * max(n_datasets, n_models))))
    scores = rng.standard_normal((rows, n_datasets, n_models)) / sqrt(2)
    first, second = np.triu_indices(n_models, 1)
    null = _t_squared(_rank(scores) if of_ranks else scores, first, second).max(axis=1)
    critical = np.quantile(null, 1 - alpha, method="higher")

    def power(shift: float) -> float:
        moved = scores + shift * (np.arange(n_models) == 0)
        x = _rank(moved) if of_ranks else moved
        is_ahead = x[..., 0].sum(axis=1) > x[..., 1].sum(axis=1)
        return float((is_ahead & (_t_squared(x, first[:1], second[:1])[:, 0] > critical)).mean())

    return _smallest(power, target_power)


def _rank(scores: Array) -> Array:
    return scores.argsort(axis=-1).argsort(axis=-1).astype(np.float64) + 1


def _t_squared(scores: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Σ²/Σ² of the differences of pairs, which orders as t²: (rows, pairs).

    Args:
        scores: (rows, datasets, models).
    """
    gram = np.matmul(scores.swapaxes(1, 2), scores)
    diagonal = np.diagonal(gram, axis1=1, axis2=2)
    squares = diagonal[:, first] + diagonal[:, second] - 2 * gram[:, first, second]
    sums = scores.sum(axis=1)
    return (sums[:, first] - sums[:, second]) ** 2 / np.where(squares > 0, squares, inf)


def _smallest(power: Callable[[float], float], target: float) -> float:
    """Bisect for the shift at which a power that grows with it reaches the target."""
    if power(_LARGEST) < target:
        return inf
    low, high = 0.0, _LARGEST
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return high


def _sign_power(n: int, shift: float, alpha: float) -> float:
    wins = np.arange(n + 1)
    # The two-sided p of a win by so many datasets; wins below one half show the other order.
    p = np.minimum(1, 2 * stats.binom.sf(wins - 1, n, 0.5))
    chance = stats.norm.cdf(shift)
    return float(stats.binom.pmf(wins, n, chance)[(p <= alpha) & (2 * wins > n)].sum())
