"""Learning curves of several runs, possibly of different lengths: bands, times and convergence.

Source: Picard, Figure 1 (mean, standard deviation, minimum and maximum at each epoch). The
expected time with restarts is the expected running time (ERT) of black-box optimisation (Auger and
Hansen 2005; Hansen et al. 2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reseed.stats import distributions as stats
from reseed.stats.inputs import Array, as_finite, as_real, check_probability
from reseed.stats.spread import median_rank


def as_curves(curves: ArrayLike) -> Array:
    """Return curves (runs, epochs) as float64, with NaN after the last epoch of each run.

    Raises:
        ValueError: infinite values, a gap inside a run, or a run without values.
    """
    a = as_real(curves, "curves")
    if a.ndim != 2 or a.size == 0:
        raise ValueError(f"curves must be (runs, epochs), they have shape {a.shape}")
    present = ~np.isnan(a)
    if np.isinf(a).any():
        raise ValueError("curves hold infinite values: leave diverged runs out and count them")
    if not present[:, 0].all() or (present[:, 1:] & ~present[:, :-1]).any():
        raise ValueError("every curve needs a value at each epoch up to its last, NaN only after")
    return a


@dataclass(frozen=True)
class CurveBand:
    """Number of runs, mean, SD (NaN for one run), minimum and maximum per epoch: (epochs,)."""

    n: NDArray[np.int64]
    mean: Array
    sd: Array
    min: Array
    max: Array


def curve_band(curves: ArrayLike, ended: Literal["drop", "carry", "cut"] = "drop") -> CurveBand:
    """Compute mean, SD and extremes over runs at each epoch.

    Args:
        curves: (runs, epochs) scores, NaN after the last epoch of a run.
        ended: how runs count after their last epoch. "drop" excludes them; with early stopping
            the remaining runs are not a random sample, so the mean can jump. "carry" repeats
            their last value. "cut" stops at the end of the shortest run.

    Returns:
        Values in the unit of the scores.

    Raises:
        ValueError: as `as_curves`, or an unknown value of `ended`.
    """
    a = as_curves(curves)
    lengths = np.isfinite(a).sum(axis=1)
    if ended == "cut":
        a = a[:, : lengths.min()]
    elif ended == "carry":
        last = np.minimum(np.arange(a.shape[1]), lengths[:, None] - 1)
        a = np.take_along_axis(a, last, axis=1)
    elif ended != "drop":
        raise ValueError(f"ended must be 'drop', 'carry' or 'cut', got {ended!r}")
    present = np.isfinite(a)
    n = present.sum(axis=0)
    a, present, n = a[:, n > 0], present[:, n > 0], n[n > 0]
    mean = np.where(present, a, 0.0).sum(axis=0) / n
    squares = (np.where(present, a - mean, 0.0) ** 2).sum(axis=0)
    sd = np.sqrt(np.where(n > 1, squares / np.maximum(n - 1, 1), np.nan))
    low = np.where(present, a, np.inf).min(axis=0)
    high = np.where(present, a, -np.inf).max(axis=0)
    return CurveBand(n, mean, sd, low, high)


def time_to_reach(curves: ArrayLike, target: float, greater_is_better: bool = True) -> Array:
    """Return the first epoch (from 1) at which each run reaches `target`: (runs,).

    Runs that end without reaching the target, also by early stopping, have infinity.

    Args:
        curves: (runs, epochs) scores, NaN after the last epoch of a run.
        target: score to reach, in the unit of the curves.
        greater_is_better: False for losses.
    """
    a = as_curves(curves)
    with np.errstate(invalid="ignore"):
        reached = a >= target if greater_is_better else a <= target
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)


@dataclass(frozen=True)
class ReachSummary:
    """Share of runs that reach a score, and the number of epochs they need.

    `share` has a Clopper–Pearson interval. `median` (epochs) has a distribution-free interval; it
    is infinite if half of the runs never reach the score. `restarts` is the expected number of
    epochs until the first success if failed runs are restarted with new seeds.
    """

    n: int
    share: float
    share_low: float
    share_high: float
    median: float
    median_low: float
    median_high: float
    restarts: float
    level: float


def summarise_reach(times: ArrayLike, lengths: ArrayLike, level: float = 0.95) -> ReachSummary:
    """Summarise the times at which runs reach a score.

    The interval of the median uses order statistics: ranks k and n+1−k with P(k ≤ B < n+1−k) >=
    level, where B is binomial (n, 1/2). If n is too small, it extends from 0 to infinity.
    `restarts` is the number of epochs of all runs up to success or end, divided by the number of
    successes.

    Args:
        times: (runs,) epochs from 1, infinite for never, as from `time_to_reach`.
        lengths: (runs,) number of epochs of each run.
        level: two-sided confidence level.

    Raises:
        ValueError: different shapes, NaN, times below 1, bad level.
    """
    t, lengths = as_real(times, "times"), as_finite(lengths, "lengths", ndim=1)
    check_probability(level=level)
    if t.shape != lengths.shape or np.isnan(t).any() or (t < 1).any():
        raise ValueError("times must be (runs,) epochs from 1 or infinite, one per length")
    n, successes = t.size, int(np.isfinite(t).sum())
    ordered = np.sort(t)
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, successes, n - successes + 1)) if successes else 0.0
    high = float(stats.beta.isf(tail, successes + 1, n - successes)) if successes < n else 1.0
    k = median_rank(n, level)
    median_low, median_high = (ordered[k - 1], ordered[n - k]) if k >= 1 else (0.0, np.inf)
    spent = np.where(np.isfinite(t), t, lengths).sum()
    lower, upper = ordered[(n - 1) // 2], ordered[n // 2]
    median = np.inf if np.isinf(upper) else (lower + upper) / 2
    return ReachSummary(
        n=n,
        share=successes / n,
        share_low=low,
        share_high=high,
        median=float(median),
        median_low=float(median_low),
        median_high=float(median_high),
        restarts=float(spent / successes) if successes else float("inf"),
        level=level,
    )


def convergence_time(curves: ArrayLike, tolerance: float) -> NDArray[np.int64]:
    """Return the epoch (from 1) from which each run stays within `tolerance` of its last value.

    The result depends on the last value of the run: a run that still improves at its end converges
    late, even if its scores are high.

    Args:
        curves: (runs, epochs) scores, NaN after the last epoch of a run.
        tolerance: maximum distance from the last value, in the unit of the curves, >= 0.

    Returns:
        (runs,) epochs.
    """
    a = as_curves(curves)
    if not tolerance >= 0:
        raise ValueError(f"tolerance must not be negative, got {tolerance}")
    lengths = np.isfinite(a).sum(axis=1)
    last = np.take_along_axis(a, lengths[:, None] - 1, axis=1)
    with np.errstate(invalid="ignore"):
        away = np.abs(a - last) > tolerance * (1 + 1e-12)
    epoch_after_last = a.shape[1] - away[:, ::-1].argmax(axis=1) + 1
    return np.where(away.any(axis=1), epoch_after_last, 1).astype(np.int64)
