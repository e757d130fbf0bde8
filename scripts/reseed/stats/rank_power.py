"""Smallest difference between two models that tests over datasets detect."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, sqrt
from typing import Literal

import numpy as np

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, check_at_least, check_probability
from reseed.stats.many_datasets import critical_difference

#: Tests of `many_datasets`.
RankTest = Literal["Nemenyi", "signed-rank", "sign"]
# Greater shifts, in SDs, find no more.
_LARGEST = 50.0
_VALUES = 1_000_000  # simulated scores of one step


@cache
def detectable_shift(
    test: RankTest,
    n_datasets: int,
    n_models: int = 2,
    *,
    alpha: float = 0.05,
    target_power: float = 0.8,
    n_sim: int = 2000,
    seed: int = 0,
) -> float:
    """Return the smallest mean difference that a test over datasets finds with `target_power`.

    Simulated with Gaussian scores: on each dataset one model lies higher than the others by the
    shift, and the difference of two models has SD 1 between datasets. Nemenyi's test finds it for
    one other model if Friedman's p is below `alpha` and the mean ranks differ by the critical
    difference (Demšar 2006). The sign test has a closed form.

    Args:
        n_datasets, n_models: sizes of the comparison; only Nemenyi's test has several models.
        alpha: level of the test; at Holm's strictest step, that of the family by the pairs.
        target_power: required power.
        n_sim: simulated comparisons; fewer of large ones.
        seed: of the simulation.

    Returns:
        The shift in SDs of the difference between datasets. Infinite if no difference reaches the
        power, because the number of datasets is too small.
    """
    check_at_least(2, n_datasets=n_datasets, n_models=n_models, n_sim=n_sim)
    check_probability(alpha=alpha, target_power=target_power)
    rng = np.random.default_rng(seed)
    rows = max(200, min(n_sim, _VALUES // (n_datasets * n_models)))
    if test == "Nemenyi":
        noise = rng.standard_normal((rows, n_datasets, n_models)) / sqrt(2)
        others = (noise[:, :, 1:].argsort(axis=2).argsort(axis=2) + 1.0).sum(axis=1)
        width = critical_difference(n_datasets, n_models, alpha)
        return _smallest(
            lambda shift: _nemenyi_power(noise, others, shift, width, alpha), target_power
        )
    if test == "sign":
        return _smallest(lambda shift: _sign_power(n_datasets, shift, alpha), target_power)
    noise = rng.standard_normal((rows, n_datasets))
    least = _least_rank_sum(n_datasets, alpha)
    return _smallest(lambda shift: _signed_rank_power(noise, shift, least), target_power)


def _smallest(power: Callable[[float], float], target: float) -> float:
    """Bisect for the shift at which a power that grows with it reaches the target."""
    if power(_LARGEST) < target:
        return inf
    low, high = 0.0, _LARGEST
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= target else (middle, high)
    return high


def _nemenyi_power(noise: Array, others: Array, shift: float, width: float, alpha: float) -> float:
    """Power at a shift of the first model. others: (rows, k − 1) rank sums without that model."""
    _, n, k = noise.shape
    above = (noise[:, :, 1:] > noise[:, :, :1] + shift).sum(axis=1)
    means = np.column_stack([k * n - above.sum(axis=1), others + above]) / n
    chi2 = 12 * n / (k * (k + 1)) * ((means - (k + 1) / 2) ** 2).sum(axis=1)
    is_significant = stats.chi2.sf(chi2, k - 1) < alpha
    return float((is_significant & (means[:, 0] - means[:, 1] >= width)).mean())


def _sign_power(n: int, shift: float, alpha: float) -> float:
    wins = np.arange(n + 1)
    # The two-sided p of a win by so many datasets; wins below one half show the other order.
    p = np.minimum(1, 2 * stats.binom.sf(wins - 1, n, 0.5))
    chance = stats.norm.cdf(shift)
    return float(stats.binom.pmf(wins, n, chance)[(p <= alpha) & (2 * wins > n)].sum())


def _least_rank_sum(n: int, alpha: float) -> float:
    """The smallest sum of positive ranks with a two-sided p of at most `alpha`; inf if none."""
    counts = np.ones(1)
    for rank in range(1, n + 1):
        counts = (np.pad(counts, (0, rank)) + np.pad(counts, (rank, 0))) / 2
    p = 2 * np.cumsum(counts[::-1])[::-1]
    found = np.flatnonzero(p <= alpha * (1 + 1e-12))
    return float(found[0]) if found.size else inf


def _signed_rank_power(noise: Array, shift: float, least: float) -> float:
    d = noise + shift
    ranks = np.abs(d).argsort(axis=1).argsort(axis=1) + 1
    return float(((ranks * (d > 0)).sum(axis=1) >= least).mean())
