"""Learning curves of several seeds, of unequal length: bands, time to a score, convergence.

Source: Picard, Figure 1 (mean, standard deviation, minimum and maximum at each epoch); the
expected time with restarts is the ERT of black-box optimisation (Hansen et al. 2009; Auger and
Hansen 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from reseed.stats.inputs import Array, as_finite, as_real, check_probability
from reseed.stats.spread import median_rank


def as_curves(curves: ArrayLike) -> Array:
    """Curves (runs, epochs) as float64, NaN after each run's last epoch.

    Raises ValueError for infinities, a gap inside a run, or a run without any value.
    """
    a = as_real(curves, "curves")
    if a.ndim != 2 or a.size == 0:
        raise ValueError(f"curves must be (runs, epochs), they have shape {a.shape}")
    known = ~np.isnan(a)
    if np.isinf(a).any():
        raise ValueError("curves hold infinite values: leave diverged runs out and count them")
    if not known[:, 0].all() or (known[:, 1:] & ~known[:, :-1]).any():
        raise ValueError("every curve needs a value at each epoch up to its last, NaN only after")
    return a


@dataclass(frozen=True)
class CurveBand:
    """Over the runs at each epoch (epochs,): how many, mean, SD (NaN for one run), extremes."""

    n: NDArray[np.int64]
    mean: Array
    sd: Array
    min: Array
    max: Array


def curve_band(curves: ArrayLike, ended: Literal["drop", "carry", "cut"] = "drop") -> CurveBand:
    """Mean, SD and extremes of curves (runs, epochs) at each epoch.

    ended: what a run that has ended counts as. "drop": nothing, so that late epochs average over
    the runs still training (with early stopping these are not a random share: the mean can jump).
    "carry": its last value, what its user has. "cut": epochs end with the shortest run.
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
    known = np.isfinite(a)
    n = known.sum(axis=0)
    a, known, n = a[:, n > 0], known[:, n > 0], n[n > 0]
    filled = np.where(known, a, 0.0)
    mean = filled.sum(axis=0) / n
    squares = (np.where(known, a - mean, 0.0) ** 2).sum(axis=0)
    sd = np.sqrt(np.where(n > 1, squares / np.maximum(n - 1, 1), np.nan))
    low = np.where(known, a, np.inf).min(axis=0)
    high = np.where(known, a, -np.inf).max(axis=0)
    return CurveBand(n, mean, sd, low, high)


def time_to_reach(curves: ArrayLike, target: float, greater_is_better: bool = True) -> Array:
    """First epoch (from 1) at which each run (runs,) is at least as good as `target`; inf: never.

    A run that ends early without reaching it never does: its user has stopped it.
    """
    a = as_curves(curves)
    with np.errstate(invalid="ignore"):
        reached = a >= target if greater_is_better else a <= target
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)


@dataclass(frozen=True)
class ReachSummary:
    """How surely and how fast runs reach a score.

    share, share_low, share_high: of runs that reach it, Clopper–Pearson interval. median and its
    distribution-free interval: epochs, infinite where half of the runs never do. restarts:
    expected epochs until the first success when failed runs are followed by a new seed.
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
    """Summarise times to reach (runs,), infinite for never, of runs of `lengths` epochs.

    Median interval from order statistics: ranks k and n+1−k with P(k ≤ B < n+1−k) >= level, B
    binomial (n, 1/2); it reaches to infinity (or from 0) where n is too small. restarts = epochs
    spent by all runs up to success or end, over the number of successes.
    """
    t, lengths = as_real(times, "times"), as_finite(lengths, "lengths", ndim=1)
    check_probability(level=level)
    if t.shape != lengths.shape or np.isnan(t).any() or (t < 1).any():
        raise ValueError("times must be (runs,) epochs from 1 or infinite, as many as lengths")
    n, successes = t.size, int(np.isfinite(t).sum())
    ordered = np.sort(t)
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, successes, n - successes + 1)) if successes else 0.0
    high = float(stats.beta.isf(tail, successes + 1, n - successes)) if successes < n else 1.0
    k = median_rank(n, level)
    median_low, median_high = (ordered[k - 1], ordered[n - k]) if k >= 1 else (0.0, np.inf)
    spent = np.where(np.isfinite(t), t, lengths).sum()
    half = (ordered[(n - 1) // 2], ordered[n // 2])
    median = np.inf if np.isinf(half[1]) else sum(half) / 2
    return ReachSummary(n, successes / n, low, high, float(median), float(median_low), float(median_high),
                 float(spent / successes) if successes else float("inf"), level)  # fmt: skip


def convergence_time(curves: ArrayLike, tolerance: float) -> NDArray[np.int64]:
    """Epoch (from 1) of each run (runs,) from which on it stays within `tolerance` of its end.

    Known only afterwards, and relative to the run's own last value: a run that still improves at
    its end converges late, however good it is.
    """
    a = as_curves(curves)
    if not tolerance >= 0:
        raise ValueError(f"tolerance must not be negative, got {tolerance}")
    lengths = np.isfinite(a).sum(axis=1)
    last = np.take_along_axis(a, lengths[:, None] - 1, axis=1)
    with np.errstate(invalid="ignore"):
        away = np.abs(a - last) > tolerance * (1 + 1e-12)
    reversed_away = away[:, ::-1]
    never = ~away.any(axis=1)
    after = a.shape[1] - reversed_away.argmax(axis=1) + 1
    return np.where(never, 1, after).astype(np.int64)
