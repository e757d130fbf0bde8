"""Epoch at which each run converges and reaches a score, and its final value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.training_curves import (
    RUN_COLUMNS,
    CurveOptions,
    Curves,
    read_training_curves,
)
from reseed.core.schemas import CELL_COLUMNS, Row
from reseed.plugins.options import Level, Positive
from reseed.stats.curves import convergence_time, summarise_reach, time_to_reach

from papers.association import partial_rank_correlation

READS = "curves"

COLUMNS = [
    *CELL_COLUMNS, *RUN_COLUMNS, "column", "measure", "greater_is_better", "n", "broken",
    "left_out", "epochs", "final", "best", "converged", "tolerance", "reached", "target",
    "target_is", "share", "share_low", "share_high", "median", "median_low", "median_high",
    "restarts", "converged_median", "final_mean", "final_sd", "level", "rho", "rho_low", "rho_high",
    "rho_p",
]  # fmt: skip


class Options(CurveOptions):
    """target: score to reach (None: the median final value of all arms of the dataset).
    tolerance: largest distance from its last value at which a run has converged (None: a quarter
        of the pooled SD of the final values).
    level: confidence level of the intervals.
    """

    target: float | None = None
    tolerance: Positive | None = None
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a finished run; columns of the arm are repeated on its rows.

    `converged`: the epoch from which on the run stays within `tolerance` of its last value;
    `reached`: the first epoch at least as good as `target`, infinite for never. Of the arm: the
    `share` of runs that reach it, the `median` epoch, and `restarts`, the expected number of
    epochs until success if a run that fails is followed by one with a new seed. These count all `n`
    runs: `broken` of them ended in an error and never reach it. `converged_median`, `final_mean`
    and `final_sd` are over finished runs. `rho` is the rank correlation over finished runs of
    `converged` with the final value (positive: later is better).
    """
    curves = list(read_training_curves(data, options.column))
    rows = [row for one in curves for row in _rows(one, curves, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def final_values(values: np.ndarray) -> np.ndarray:
    """Last value of each run (runs,)."""
    last = np.isfinite(values).sum(axis=1) - 1
    return values[np.arange(len(values)), last]


def _rows(one: Curves, every: list[Curves], options: Options) -> Iterator[Row]:
    finals = [
        final_values(other.finished)
        for other in every
        if other.key["dataset"] == one.key["dataset"]
    ]
    if one.failed.all():
        return
    target, tolerance = options.target, options.tolerance
    if target is None:
        target = float(np.median(np.concatenate(finals)))
    if tolerance is None:
        tolerance = _pooled_sd(finals) / 4
    level, values = options.level, one.values
    lengths = one.epoch_of(np.isfinite(values).sum(axis=1))
    times = one.epoch_of(time_to_reach(values, target, one.greater_is_better))
    times = np.where(one.failed, np.inf, times)
    summary = summarise_reach(times, lengths, level)
    done = one.finished
    at, final = one.epoch_of(convergence_time(done, tolerance)), final_values(done)
    sign = 1 if one.greater_is_better else -1
    shared = one.key | {
        "column": one.column,
        "measure": one.name,
        "greater_is_better": one.greater_is_better,
        "n": len(values),
        "broken": int(one.failed.sum()),
        "left_out": one.n_left_out,
        "tolerance": tolerance,
        "target": target,
        "target_is": "median final value" if options.target is None else "given",
        "level": level,
        "converged_median": float(np.median(at)),
        "final_mean": final.mean(),
        "final_sd": final.std(ddof=1) if len(final) > 1 else np.nan,
    }
    names = ("share", "share_low", "share_high", "median", "median_low", "median_high", "restarts")
    shared |= {name: getattr(summary, name) for name in names}
    if len(done) >= 5:
        rho = partial_rank_correlation(at, sign * final, level=level)
        shared |= {"rho": rho.r, "rho_low": rho.low, "rho_high": rho.high, "rho_p": rho.p_value}
    best = np.nanmax(sign * done, axis=1) * sign
    lengths, times = lengths[~one.failed], times[~one.failed]
    for i, run in one.runs[~one.failed].reset_index(drop=True).iterrows():
        yield shared | {
            **run,
            "epochs": int(lengths[i]),
            "final": final[i],
            "best": best[i],
            "converged": int(at[i]),
            "reached": times[i],
        }


def _pooled_sd(finals: list[np.ndarray]) -> float:
    """Root mean square SD over arms of two runs or more; 0 where there are none."""
    many = [f for f in finals if f.size > 1]
    if not many:
        return 0.0
    squares = sum((f.size - 1) * f.var(ddof=1) for f in many)
    return float(np.sqrt(squares / sum(f.size - 1 for f in many)))
