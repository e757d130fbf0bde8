"""What the seed would change on an infinite test set, and what the finite one adds to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)
from reseed.stats.spread import variance_limits

#: With fewer runs, or items, there is no interval: it would reach from 0 to many times the SD.
MIN_RUNS, MIN_ITEMS = 5, 50


@dataclass(frozen=True)
class DistributionWiseSd:
    """What the seed would change on an infinite test set, in squared score (variance) and SD.

    `sd_low`, `sd_high` are NaN where no interval can be trusted; `reason` says why.
    """

    runs: int
    items: int
    variance: float
    sd: float
    sd_low: float
    sd_high: float
    level: float
    reason: str


def distribution_wise_sd(scores: ArrayLike, level: float = 0.95) -> DistributionWiseSd:
    """Standard deviation of a mean over items, over seeds, on an infinite test set.

    For correctness (0 / 1) it is Jordan's: variance = n/(n−1) · (Var(acc) − Σᵢ pᵢ(1−pᵢ)/n²), n
    items, pᵢ the share of runs that get item i right [Jordan, arXiv 2304.01910, sec. 3], with
    both variances at ddof=1 over runs. For any score of items (a loss) it is what that formula
    stands for: the mean covariance over runs of two distinct items, which is the variance over
    seeds of the mean over a population of items. Unbiased for any number of runs and items,
    whatever the items' own variances are; it may come out negative when the seed hardly matters:
    `variance` is reported as is, `sd` is 0 then.

    The interval allows for both samples. Runs: χ² limits of the observed variance, its degrees of
    freedom lowered where the scores of the runs have positive excess kurtosis (O'Neill 2014).
    Items: jackknife variance. Put together by the method of variance estimates recovery (Zou &
    Donner 2008); ends truncated at 0. It is withheld below `MIN_RUNS` runs or `MIN_ITEMS` items,
    and where all runs score the same: that no spread was seen does not show that there is none.

    Args:
        scores: (runs, items) scores of single items: correctness, a loss.
        level: two-sided confidence level.

    Raises:
        ValueError: fewer than 2 runs or 3 items, NaN.
    """
    a, unit = rescale(_runs_by_items(scores))
    check_probability(level=level)
    runs, items = a.shape
    check_at_least(3, items=items)
    _, seed = _split(a)
    reason = _withheld(a)
    low = high = float("nan")
    if not reason:
        below, above = _of_runs(a.mean(axis=1), level)
        beside = stats.norm.isf((1 - level) / 2) * _of_items(a)
        low = max(0.0, seed - np.hypot(below, beside))
        high = max(0.0, seed + np.hypot(above, beside))
    sd, low, high = np.sqrt([max(seed, 0.0), low, high]) * unit
    variance = seed * unit * unit
    return DistributionWiseSd(
        runs, items, float(variance), float(sd), float(low), float(high), level, reason
    )


def _withheld(a: Array) -> str:
    """Why there is no interval; empty if there is one."""
    runs, items = a.shape
    if runs < MIN_RUNS:
        return f"an interval needs at least {MIN_RUNS} runs"
    if items < MIN_ITEMS:
        return f"an interval needs at least {MIN_ITEMS} test items"
    if np.ptp(a.mean(axis=1)) == 0:
        return "all runs score the same: no spread was seen to judge by"
    return ""


def _of_runs(x: Array, level: float) -> tuple[float, float]:
    """Distance from the variance of `x` (runs,) down and up to its χ² limits."""
    observed, (low, high) = x.var(ddof=1), variance_limits(x, level)
    return observed - low, high - observed


def _of_items(a: Array) -> float:
    """Jackknife standard error, over items, of the mean covariance of two distinct items."""
    runs, items = a.shape
    deviation = a - a.mean(axis=0)
    # Each item's share of the covariance: leave-one-out values by taking off its row and column.
    with_all = deviation.T @ deviation.sum(axis=1) / (runs - 1)
    own = (deviation**2).sum(axis=0) / (runs - 1)
    without = (with_all.sum() - own.sum() - 2 * (with_all - own)) / ((items - 1) * (items - 2))
    return float(np.sqrt((items - 1) * without.var()))


def _split(a: Array) -> tuple[float, float]:
    """Variance over runs of their mean, and the mean covariance of two distinct items."""
    items = a.shape[1]
    observed = a.mean(axis=1).var(ddof=1)
    own = a.var(axis=0, ddof=1).sum()
    return float(observed), float((observed * items - own / items) / (items - 1))


def _runs_by_items(scores: ArrayLike) -> Array:
    a = as_finite(scores, "scores", ndim=2, min_size=2)
    if len(a) < 2:
        raise ValueError(f"scores must be (runs, items) with 2 runs or more: {a.shape}")
    return a


@dataclass(frozen=True)
class NoiseComponents:
    """Observed variance of the score over seeds = `seed_variance` + `item_variance`, exactly."""

    runs: int
    items: int
    mean: float
    observed_variance: float
    seed_variance: float
    item_variance: float
    seed_share: float
    fresh_test_variance: float


def seed_and_test_noise(scores: ArrayLike) -> NoiseComponents:
    """Split the variance of a mean over items, over seeds, into real and test-set-made parts.

    The crossed model seed × item without replication (`variance.crossed_variance`), with mean
    squares MS: `observed_variance` = MS_seed/n (the usual ddof=1 variance over runs),
    `seed_variance` = (MS_seed − MS_res)/n, the distribution-wise variance, `item_variance` =
    MS_res/n = the part that comes from the finite test set: runs that are equally good, right on
    different items. `fresh_test_variance` is the variance of one run's score when the test items
    too are drawn afresh: seed + (item + residual)/n. `seed_share` is truncated to [0, 1]; NaN if
    all runs score the same.

    Args:
        scores: (runs, items) correctness or losses.

    Raises:
        ValueError: fewer than 2 runs or items, NaN.
    """
    a, unit = rescale(_runs_by_items(scores))
    runs, items = a.shape
    observed, seed = _split(a)
    ms_item = runs * a.mean(axis=0).var(ddof=1)
    between_items = float((ms_item - items * (observed - seed)) / runs)
    share = float(np.clip(seed / observed, 0, 1)) if observed > 0 else float("nan")
    squared = unit * unit
    return NoiseComponents(
        runs, items, float(a.mean() * unit), observed * squared, seed * squared,
        (observed - seed) * squared, share, (observed + between_items / items) * squared,
    )  # fmt: skip
