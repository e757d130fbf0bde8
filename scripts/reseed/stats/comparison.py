"""Comparison of models by paired scores per fold, for all pairs of models at once."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats import distributions as stats
from reseed.stats.bootstrap import ONE_THREAD, multiply_in_one_thread, resample_counts
from reseed.stats.inputs import (
    Array,
    as_finite,
    check_at_least,
    check_probability,
    rescale,
)

#: Factor of n_test/n_train with which the corrected t test keeps 5 % for every learner measured,
#: also for those that depend on single training rows, such as 1-nearest neighbour
#: (`benchmarks/measure_learners.py`).
OVERLAP_FACTOR = 1.5
_CHUNK = 4_000_000  # number of bootstrap replicates, or of their counts, in memory at once
_MOST_KEPT = 20_000_000  # weights of resamples that are drawn once


def differences(a: ArrayLike, b: ArrayLike) -> Array:
    """Return a − b with rounding noise removed, so that ties and zeros are exact.

    0.9 − 0.8 and 0.8 − 0.7 differ in the 17th digit, so rank tests would treat them as untied.
    Differences below about 1e-12 times the median absolute score on the last axis are noise. The
    median is used because one diverged run would raise the maximum and turn all others into ties.

    Args:
        a, b: (..., n) scores, broadcast together.
    """
    a, b = np.broadcast_arrays(as_finite(a, "a"), as_finite(b, "b"))
    # Divided by a power of two first: neither the difference nor the unit overflows or underflows.
    sizes, power = rescale(np.maximum(np.abs(a), np.abs(b)), axis=-1)
    typical = np.median(sizes, axis=-1, keepdims=True)
    typical = np.where(typical > 0, typical, sizes.max(axis=-1, keepdims=True))
    return merge_rounding_noise(a / power - b / power, typical) * power


def merge_rounding_noise(x: Array, size: Array) -> Array:
    """Make values of `x` (..., n) equal where they differ by rounding noise only.

    The absolute values on the last axis are sorted, starting from 0. Values whose gaps to their
    predecessors are below about 1e-12 · `size` form a group and get the smallest value of the
    group. Rounding to a grid would not do: noise can put equal values on both sides of a boundary,
    and all other values would change by more than noise.

    Args:
        x: (..., n) values.
        size: absolute size of the numbers that `x` was computed from; broadcasts to `x`.
    """
    magnitudes = np.abs(x)
    order = np.argsort(magnitudes, axis=-1)
    ascending = np.take_along_axis(magnitudes, order, axis=-1)
    noise = np.ldexp(1.0, np.maximum(np.frexp(size)[1] - 40, -1022))
    noise = np.take_along_axis(np.broadcast_to(noise, x.shape), order, axis=-1)
    starts_group = np.diff(ascending, axis=-1, prepend=0.0) > noise
    smallest = np.maximum.accumulate(np.where(starts_group, ascending, 0.0), axis=-1)
    merged = np.empty_like(magnitudes)
    np.put_along_axis(merged, order, smallest, axis=-1)
    return np.copysign(merged, x)


def pair_differences(scores: ArrayLike) -> Array:
    """Return the differences of all pairs of models i < j, (..., pairs, folds).

    Args:
        scores: (..., models, folds), at least two models. Pairs are in the order of
            `np.triu_indices(models, 1)`: (0,1), (0,2), …, (1,2), …
    """
    s = as_finite(scores, "scores")
    if s.ndim < 2 or s.shape[-2] < 2:
        raise ValueError(f"scores must be (models, folds) with at least 2 models: {s.shape}")
    i, j = np.triu_indices(s.shape[-2], 1)
    return differences(s[..., i, :], s[..., j, :])


def holm(p_values: ArrayLike) -> Array:
    """Return Holm's step-down adjusted p-values over the last axis (Holm 1979).

    Leading axes are batches. The result equals that of statsmodels' `multipletests("holm")`,
    which is too slow for simulations.

    Raises:
        ValueError: empty, NaN, or outside [0, 1].
    """
    p = as_finite(p_values, "p_values")
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p-values must lie in [0, 1]")
    order = np.argsort(p, axis=-1)
    stepped = np.take_along_axis(p, order, axis=-1) * np.arange(p.shape[-1], 0, -1)
    adjusted = np.empty_like(p)
    running = np.minimum(np.maximum.accumulate(stepped, axis=-1), 1)
    np.put_along_axis(adjusted, order, running, axis=-1)
    return adjusted


@dataclass(frozen=True)
class CorrectedT:
    """Nadeau–Bengio corrected resampled t test; arrays over the leading axes.

    `low`, `high` and `scale` (the standard error) are in the unit of the scores.
    """

    t: Array
    p_value: Array
    low: Array
    high: Array
    scale: Array
    df: int


def nadeau_bengio(d: ArrayLike, test_train_ratio: float, level: float = 0.95) -> CorrectedT:
    """Compute the corrected resampled t test of the mean difference over overlapping folds.

    t = d̄ / √((1/J + n_test/n_train) s²) with J − 1 degrees of freedom (Nadeau & Bengio 2003). For
    k-fold cross-validation, repeated or not, n_test/n_train = 1/(k−1). A ratio of 0 gives the
    ordinary paired t test. If all differences are equal (s = 0), the interval is a point, and p is
    1 for d̄ = 0, otherwise 0.

    Args:
        d: (..., J) differences, J >= 2.
        test_train_ratio: n_test / n_train, >= 0.
        level: two-sided confidence level of the interval for the mean difference.

    Raises:
        ValueError: fewer than 2 differences, NaN or infinity, bad ratio or level.
    """
    a, unit = rescale(as_finite(d, "differences", min_size=2), axis=-1)
    if not (np.isfinite(test_train_ratio) and test_train_ratio >= 0):
        raise ValueError(f"test_train_ratio must be n_test / n_train >= 0: {test_train_ratio}")
    check_probability(level=level)
    j, mean = a.shape[-1], a.mean(axis=-1)
    constant = np.ptp(a, axis=-1) == 0
    variance = np.where(constant, 0, a.var(axis=-1, ddof=1))
    scale = np.sqrt((1 / j + test_train_ratio) * variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(mean == 0, 0.0, mean / scale)[()]
    half = stats.t.isf((1 - level) / 2, j - 1) * scale
    p = 2 * stats.t.sf(np.abs(t), j - 1)
    unit = unit[..., 0]
    return CorrectedT(t, p, (mean - half) * unit, (mean + half) * unit, scale * unit, j - 1)


def crossed_seeds(d: ArrayLike, split: ArrayLike, seed: ArrayLike) -> tuple[Array, int]:
    """Return what seeds that are crossed with splits add to the error of a mean over splits.

    The difference of a run is mean + split + seed + rest. Over S seeds, the variance of the
    difference averaged over splits is that of the seed plus a part of the rest, which the variance
    between splits holds already and which is subtracted (Searle, Casella and McCulloch 1992,
    ch. 4). It is 0 where seeds are not crossed, so that nothing tells them from the rest.

    Args:
        d: (..., runs) differences of single runs.
        split, seed: (runs,) labels of each run.

    Returns:
        A standard error, (...), whose square is added, and its degrees of freedom S − 1.
    """
    a, unit = rescale(as_finite(d, "differences"), axis=-1)
    codes = [np.unique(labels, return_inverse=True)[1] for labels in (split, seed)]
    (splits, seeds), runs = (int(code.max()) + 1 for code in codes), a.shape[-1]
    rest_df = runs - splits - seeds + 1
    if seeds < 2 or rest_df < 1:
        return np.zeros(a.shape[:-1]), 0
    of_split, of_seed = (np.equal.outer(np.arange(code.max() + 1), code) * 1.0 for code in codes)
    weights = (1 / (splits * of_split.sum(axis=1)))[codes[0]]  # each split counts equally

    def within(x: Array) -> Array:
        return x - x @ (of_split.T / of_split.sum(axis=1)) @ of_split

    values, effects = within(a), within(of_seed)
    fitted = values @ np.linalg.pinv(effects) @ effects
    rest = ((values - fitted) ** 2).sum(axis=-1) / rest_df
    # Squared sums of each seed hold both variances; the coefficients are those of any grid.
    between = ((values * weights @ of_seed.T) ** 2).sum(axis=-1)
    of_seeds = ((effects * weights @ of_seed.T) ** 2).sum()
    of_rest = (within(of_seed * weights) ** 2).sum()
    added = (between - of_rest * rest) / of_seeds * ((of_seed @ weights) ** 2).sum()
    noise = 1e-24 * np.max(np.abs(a), axis=-1) ** 2  # of equal differences, by rounding
    return np.sqrt(np.where(added > noise, added, 0.0)) * unit[..., 0], seeds - 1


def bca_mean_interval(
    d: ArrayLike, level: float = 0.95, n_boot: int = 10_000, *, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the BCa interval of the mean difference, resampling folds.

    All rows share the resamples, so the interval of a row does not depend on other rows. Rows are
    processed in blocks of bounded memory. A row of equal differences gives a point.

    The interval treats folds as independent, but overlapping training sets make them dependent.
    Its coverage at ten folds is about 0.9 for independent folds and 0.7 in repeated
    cross-validation (see `error_rates`); nominal is 0.95.

    Args:
        d: (..., folds) differences, at least two folds.
        level: two-sided confidence level.
        n_boot: number of resamples, at least 2.
        rng: generator of the resamples.

    Returns:
        Lower and upper ends, (...), in score units.

    Source: Efron (1987) [protocol, sec. 3.2].
    """
    a, unit = rescale(as_finite(d, "differences", min_size=2), axis=-1)
    check_probability(level=level)
    check_at_least(2, n_boot=n_boot)
    n = a.shape[-1]
    rows = a.reshape(-1, n)
    mean = rows.mean(axis=-1)
    low, high = mean.copy(), mean.copy()
    (varied,) = np.nonzero(np.ptp(rows, axis=-1) > 0)
    step = max(1, _CHUNK // n_boot)
    resampled = _Resampled(n_boot, n, rng)
    for start in range(0, len(varied), step):
        block = varied[start : start + step]
        centred = rows[block] - mean[block, None]
        sd = centred.std(axis=-1, keepdims=True)
        z = centred / sd
        boot = resampled.means(z.astype(np.float32))
        acceleration = (z**3).sum(axis=-1) / (6 * (z**2).sum(axis=-1) ** 1.5)
        ends = _bca_quantiles(boot, acceleration, level)
        low[block], high[block] = (mean[block] + sd[:, 0] * end for end in ends)
    shape, unit = a.shape[:-1], unit[..., 0]
    return low.reshape(shape) * unit, high.reshape(shape) * unit


class _Resampled:
    """Means over resamples; their weights are kept if they are few, else drawn for each use.

    Single precision: an error of 1e-7 SD is far below the Monte Carlo error of a quantile.
    """

    def __init__(self, n_boot: int, n: int, rng: np.random.Generator):
        self._n_boot, self._n, self._rng = n_boot, n, rng
        self._kept = self._draw(n_boot, rng) if n_boot * n <= _MOST_KEPT else None

    def _draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
        counts = resample_counts(count, self._n, rng=rng).astype(np.float32)
        return (counts / np.float32(self._n)).T

    def means(self, z: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the (rows, n_boot) means of `z` (rows, n), the same for each call."""
        if self._kept is not None:
            return multiply_in_one_thread(z, self._kept)
        rng = deepcopy(self._rng)
        boot = np.empty((len(z), self._n_boot), np.float32)
        # Of whole blocks of the product, so that all are rounded as in one product.
        step = max(1, ONE_THREAD // z.size)
        step *= max(1, _CHUNK // self._n // step)
        for start in range(0, self._n_boot, step):
            count = min(step, self._n_boot - start)
            boot[:, start : start + count] = multiply_in_one_thread(z, self._draw(count, rng))
        return boot


def _bca_quantiles(boot: NDArray[np.float32], acceleration: Array, level: float) -> Array:
    """Return the ends (2, rows) of BCa intervals of a statistic that is 0 for the data.

    `boot` (rows, n_boot) holds the replicates and is sorted in place; `acceleration` is (rows,).
    """
    n_boot = boot.shape[1]
    boot.sort(axis=1)
    noise = 1e-6  # rounding in single precision; a replicate equal to the statistic counts 1/2
    below = (np.count_nonzero(boot < -noise, axis=1) + np.count_nonzero(boot <= noise, axis=1)) / 2
    # Clipped to exclude 0 and 1, where the bias correction would be infinite.
    z0 = stats.norm.ppf(np.clip(below / n_boot, 0.5 / n_boot, 1 - 0.5 / n_boot))
    z = z0 + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])[:, None]
    position = stats.norm.cdf(z0 + z / (1 - acceleration * z)) * (n_boot - 1)
    left = np.clip(position.astype(np.int64), 0, n_boot - 2)
    rows = np.arange(len(boot))
    values = boot[rows, left].astype(np.float64), boot[rows, left + 1].astype(np.float64)
    return values[0] + (position - left) * (values[1] - values[0])


def reject(p_adjusted: Array, alpha: float) -> NDArray[np.bool_]:
    """Return whether each adjusted p-value is at most `alpha`, as statsmodels does."""
    return np.asarray(p_adjusted) <= alpha
