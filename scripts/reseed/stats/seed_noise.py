"""Variance over seeds on an infinite test set, and the part due to the finite test set."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)
from reseed.stats.spread import variance_limits

#: With fewer runs or items there is no interval: it would extend from 0 to many times the SD.
MIN_RUNS, MIN_ITEMS = 5, 50


@dataclass(frozen=True)
class DistributionWiseSd:
    """Variance (squared score units) and SD over seeds on a test set of `at` items (∞: infinite).

    `sd_low` and `sd_high` are NaN if there is no reliable interval; `reason` then says why.
    """

    runs: int
    items: int
    variance: float
    sd: float
    sd_low: float
    sd_high: float
    level: float
    reason: str
    at: float = math.inf


def distribution_wise_sd(
    scores: ArrayLike, level: float = 0.95, at: float = math.inf
) -> DistributionWiseSd:
    """Estimate the SD over seeds of a mean over items, on an infinite test set, or of another size.

    For correctness (0 / 1) the variance is n/(n−1) · (Var(acc) − Σᵢ pᵢ(1−pᵢ)/n²) for n items,
    where pᵢ is the share of runs that are correct on item i, with both variances at ddof=1 over
    runs [Jordan, arXiv 2304.01910, sec. 3]. For other item scores (losses) it is the
    generalisation of that formula: the mean covariance over runs of two distinct items. This is
    the variance over seeds of the mean over a population of items. It is unbiased for any number
    of runs and items. It can be negative if the seed has little effect; `sd` is then 0.

    On `at` test items the variance is V(N) = C + (D − C)/N, where C is the covariance above and D
    the mean variance over runs of an item: at the number of items run it is the observed variance.
    Compare a paper's SD at its number of items: on few items most of an SD is due to the items.

    The interval accounts for sampling of runs and of items. Runs: χ² limits of the observed
    variance, with fewer degrees of freedom if the run scores have positive excess kurtosis
    (O'Neill 2014). Items: jackknife variance. Both are combined by the method of variance
    estimates recovery (Zou & Donner 2008), truncated at 0 and, for `at` items, at the lower limit
    of (D − C)/N. There is no interval below `MIN_RUNS` runs or `MIN_ITEMS` items, or if all runs
    have the same score.

    Args:
        scores: (runs, items) scores of single items: correctness, or a loss.
        level: two-sided confidence level.
        at: number of test items, at least 1.

    Raises:
        ValueError: fewer than 2 runs or 3 items, NaN, bad level or `at`.
    """
    a, unit = rescale(_runs_by_items(scores))
    check_probability(level=level)
    check_at_least(1, at=at)
    runs, items = a.shape
    check_at_least(3, items=items)
    _, seed = _observed_and_seed_variance(a)
    of_items = float(a.var(axis=0, ddof=1).mean()) - seed  # D − C
    total = seed + of_items / at
    reason = _reason_for_no_interval(a)
    low = high = float("nan")
    if not reason:
        below, above = _distance_to_variance_limits(a.mean(axis=1), level)
        z = stats.norm.isf((1 - level) / 2)
        seed_parts, item_parts = _left_out_items(a)
        margin = z * _jackknife_error(seed_parts + item_parts / at)
        least = max(0.0, (of_items - z * _jackknife_error(item_parts)) / at)
        low = min(max(least, total - np.hypot(below, margin)), max(seed, 0.0) + of_items / at)
        high = max(least, total + np.hypot(above, margin))
    # The seed's part is no less than 0, so on `at` items the items' part remains.
    sd, low, high = np.sqrt([max(seed, 0.0) + of_items / at, low, high]) * unit
    variance = total * unit * unit
    return DistributionWiseSd(
        runs, items, float(variance), float(sd), float(low), float(high), level, reason, at
    )


def _reason_for_no_interval(a: Array) -> str:
    """Return why there is no interval for scores (runs, items); empty if there is one."""
    runs, items = a.shape
    if runs < MIN_RUNS:
        return f"an interval needs at least {MIN_RUNS} runs"
    if items < MIN_ITEMS:
        return f"an interval needs at least {MIN_ITEMS} test items"
    if np.ptp(a.mean(axis=1)) == 0:
        return "all runs have the same score: there is no variation to estimate"
    return ""


def _distance_to_variance_limits(x: Array, level: float) -> tuple[float, float]:
    """Return the distances from the variance of `x` (runs,) to its lower and upper χ² limits."""
    observed, (low, high) = float(x.var(ddof=1)), variance_limits(x, level)
    return observed - low, high - observed


def _left_out_items(a: Array) -> tuple[Array, Array]:
    """Return the mean covariance C of distinct items, and D − C, without each item in turn."""
    runs, items = a.shape
    deviation = a - a.mean(axis=0)
    # Leave-one-out values subtract an item's row and column from the covariance matrix.
    row_sums = deviation.T @ deviation.sum(axis=1) / (runs - 1)
    variances = (deviation**2).sum(axis=0) / (runs - 1)
    covariance = row_sums.sum() - variances.sum() - 2 * (row_sums - variances)
    covariance = covariance / ((items - 1) * (items - 2))
    return covariance, (variances.sum() - variances) / (items - 1) - covariance


def _jackknife_error(left_out: Array) -> float:
    """Return the jackknife standard error of an estimate from its leave-one-out values."""
    return float(np.sqrt((left_out.size - 1) * left_out.var()))


def _observed_and_seed_variance(a: Array) -> tuple[float, float]:
    """Return the variance over runs of their means, and the mean covariance of distinct items."""
    items = a.shape[1]
    observed = a.mean(axis=1).var(ddof=1)
    item_variances = a.var(axis=0, ddof=1).sum()
    return float(observed), float((observed * items - item_variances / items) / (items - 1))


def _runs_by_items(scores: ArrayLike) -> Array:
    a = as_finite(scores, "scores", ndim=2, min_size=2)
    if len(a) < 2:
        raise ValueError(f"scores must be (runs, items) with 2 runs or more: {a.shape}")
    return a


@dataclass(frozen=True)
class NoiseComponents:
    """Variance of the score over seeds: `observed_variance` = `seed_variance` + `item_variance`.

    Variances are in squared score units.
    """

    runs: int
    items: int
    mean: float
    observed_variance: float
    seed_variance: float
    item_variance: float
    seed_share: float
    fresh_test_variance: float


def seed_and_test_noise(scores: ArrayLike) -> NoiseComponents:
    """Split the variance over seeds of a mean over items into seed and finite-test-set parts.

    The model is the crossed model seed × item without replication (`variance.crossed_variance`).
    With mean squares MS and n items:

    - `observed_variance` = MS_seed/n, the usual variance over runs (ddof=1).
    - `seed_variance` = (MS_seed − MS_res)/n, the variance on an infinite test set.
    - `item_variance` = MS_res/n, the part due to the finite test set: equally good runs are
      correct on different items.
    - `fresh_test_variance` = seed + (item + residual)/n, the variance of the score of one run on a
      new test set.
    - `seed_share` is truncated to [0, 1], and NaN if all runs have the same score.

    Args:
        scores: (runs, items) correctness or losses.

    Raises:
        ValueError: fewer than 2 runs or items, NaN.
    """
    a, unit = rescale(_runs_by_items(scores))
    runs, items = a.shape
    observed, seed = _observed_and_seed_variance(a)
    ms_item = runs * a.mean(axis=0).var(ddof=1)
    between_items = float((ms_item - items * (observed - seed)) / runs)
    share = float(np.clip(seed / observed, 0, 1)) if observed > 0 else float("nan")
    squared = unit * unit
    return NoiseComponents(
        runs=runs,
        items=items,
        mean=float(a.mean() * unit),
        observed_variance=observed * squared,
        seed_variance=seed * squared,
        item_variance=(observed - seed) * squared,
        seed_share=share,
        fresh_test_variance=(observed + between_items / items) * squared,
    )
