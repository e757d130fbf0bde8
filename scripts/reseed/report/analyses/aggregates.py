"""Arms over tasks and seeds: interquartile mean, probability of improvement, profiles.

Source: Agarwal et al. (2021), "Deep RL at the edge of the statistical precipice".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from math import nan
from typing import Literal

import numpy as np
import pandas as pd

from reseed.comparison.claims.typed_row import AcrossRow
from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.core.schemas import Row
from reseed.plugins.options import Count, Ends, Level, Strict
from reseed.report.analyses.shared.arms import ARM
from reseed.report.analyses.shared.data import Cell, Data, cells
from reseed.report.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.report.analyses.shared.shares import share_maximum
from reseed.stats.aggregates import (
    AGGREGATES,
    Aggregate,
    normalise,
    optimality_gap,
    probability_of_improvement,
    run_profile,
    stratified_bootstrap,
    task_profile,
)


@dataclass(frozen=True)
class AggregateRow(AcrossRow):
    """A row of this analysis; `analyse` documents the columns."""

    statistic: str = ""
    arm: str = ""
    arm_b: str = ""
    tau: float = nan
    value: float = nan
    low: float = nan
    high: float = nan
    level: float = nan
    tasks: float = nan
    runs_min: float = nan
    runs_max: float = nan
    failed: float = nan
    left_out: str = ""
    scale: str = ""
    n_boot: float = nan
    reason: str = ""


#: Below this many runs a task the intervals are known to be too narrow (docs/methods).
FEW = 20


class Options(Strict):
    """scale: `none` (unscaled, percent as shares of 1; the default if all scores are shares),
        `range` (0 is the worst and 1 the best single run of any arm on the task, so it depends on
        the arms), or {dataset: [score that becomes 0, score that becomes 1]}.
    target: score above which the optimality gap is 0.
    level: confidence level of the intervals.
    n_boot: resamples of the intervals.
    points: points of a performance profile.
    """

    scale: Literal["none", "range"] | dict[str, Ends] | None = None
    target: float = 1.0
    level: Level = 0.95
    n_boot: Count = 2000
    points: Count = 41


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """Rows of four kinds for each experiment, by `statistic`.

    - `iqm`, `mean`, `median`, `optimality_gap`: of an arm.
    - `improvement`: probability that a run of `arm` beats one of `arm_b` on a task, mean over
      tasks.
    - `run_profile`, `task_profile`: share of runs, or of tasks by their mean, above `tau`.

    Intervals are stratified bootstraps over runs; tasks are fixed. After scaling, greater is
    better. Tasks without two runs of every arm are left out (`left_out` names them).
    """
    one_seed = [cell for cell in cells(data) if cell.varies_one_seed]
    keys = [cell.key for cell in one_seed]
    rows = []
    for positions in group_across_datasets(keys):
        key = merge_keys(pd.DataFrame([keys[i] for i in positions]))
        rows += [key | row for row in _rows([one_seed[i] for i in positions], options)]
    return AggregateRow.make_table(rows)


def _rows(cells: list[Cell], options: Options) -> Iterator[Row]:
    arms = list(dict.fromkeys(cell.key[ARM] for cell in cells))
    by_task: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        by_task.setdefault(cell.key["dataset"], {})[cell.key[ARM]] = cell
    complete = {
        task: by_arm
        for task, by_arm in by_task.items()
        if all(arm in by_arm and by_arm[arm].values.size > 1 for arm in arms)
    }
    shared = {
        "tasks": len(complete),
        "failed": sum(cell.failed for cell in cells),
        "left_out": ", ".join(task for task in by_task if task not in complete),
        "level": options.level,
        "reason": "",
    }
    if len(complete) < 2:
        reason = "fewer than two tasks on which every arm has two runs"
        yield shared | {"statistic": "none", "reason": reason}
        return
    counts = [cell.values.size for by_arm in complete.values() for cell in by_arm.values()]
    scale, scaled = _scale(complete, arms, options)
    shared |= {"runs_min": min(counts), "runs_max": max(counts), "scale": scale}
    for row in _statistics(scaled, arms, options):
        yield shared | row


def _scale(
    tasks: dict[str, dict[str, Cell]], arms: list[str], options: Options
) -> tuple[str, dict[str, list[np.ndarray]]]:
    """Name of the scale, and each arm's scores as one array a task."""
    first = {task: next(iter(by_arm.values())) for task, by_arm in tasks.items()}
    pooled = {
        task: np.concatenate([by_arm[arm].values for arm in arms]) for task, by_arm in tasks.items()
    }
    shares = {task: share_maximum(first[task].metric, pooled[task]) for task in tasks}
    scale = options.scale or ("range" if None in shares.values() else "none")
    scaled: dict[str, list[np.ndarray]] = {arm: [] for arm in arms}
    for task, by_arm in tasks.items():
        sign = first[task].sign
        low, high = _scale_ends(scale, task, sign * pooled[task], sign, shares[task] or 1.0)
        for arm in arms:
            scaled[arm].append(normalise(sign * by_arm[arm].values, low, high))
    return (scale if isinstance(scale, str) else "given"), scaled


def _scale_ends(
    scale: str | dict[str, list[float]],
    dataset: str,
    pooled: np.ndarray,
    sign: float,
    maximum: float,
) -> tuple[float, float]:
    """The signed scores that become 0 and 1; `maximum` becomes 1 on the scale `none`."""
    if scale == "none":
        return 0.0, maximum
    if scale == "range":
        if np.ptp(pooled) == 0:  # all runs are equal: they become 1
            return pooled[0] - 1, pooled[0]
        return float(pooled.min()), float(pooled.max())
    if not isinstance(scale, dict) or dataset not in scale:
        raise ReseedError(
            f"scale: give 'none', 'range' or {{dataset: [score that is 0, score that is 1]}} with "
            f"{dataset!r}, found {scale!r}"
        )
    return sign * scale[dataset][0], sign * scale[dataset][1]


def _statistics(
    scaled: dict[str, list[np.ndarray]], arms: list[str], options: Options
) -> Iterator[Row]:
    n_boot, level = options.n_boot, options.level
    gap = partial(optimality_gap, target=options.target)
    for name, aggregate in (AGGREGATES | {"optimality_gap": gap}).items():
        for arm in arms:
            rng = stream(0, f"aggregates/{name}/{arm}")
            result = stratified_bootstrap(aggregate, scaled[arm], n_boot=n_boot, level=level,
                                          rng=rng)  # fmt: skip
            yield {"statistic": name, ARM: arm, "n_boot": n_boot, **_value_and_interval(result)}
    for a, b in permutations(arms, 2):
        rng = stream(0, f"improvement/{a}/{b}")
        result = stratified_bootstrap(
            probability_of_improvement, scaled[a], scaled[b], n_boot=n_boot, level=level, rng=rng
        )
        row = {"statistic": "improvement", ARM: a, "arm_b": b, "n_boot": n_boot}
        yield row | _value_and_interval(result)
    pooled = np.concatenate([runs for tasks in scaled.values() for runs in tasks])
    taus = np.linspace(pooled.min(), pooled.max(), options.points)
    for name, profile in (("run_profile", run_profile), ("task_profile", task_profile)):
        for arm in arms:
            rng = stream(0, f"{name}/{arm}")
            result = stratified_bootstrap(
                partial(profile, levels=taus), scaled[arm], rng=rng, n_boot=min(n_boot, 500),
                level=level,
            )  # fmt: skip
            for i, tau in enumerate(taus):
                yield {"statistic": name, ARM: arm, "tau": tau, "value": float(result.value[i]),
                       "low": float(result.low[i]), "high": float(result.high[i]),
                       "n_boot": result.n_boot}  # fmt: skip


def _value_and_interval(result: Aggregate) -> Row:
    return {"value": float(result.value), "low": float(result.low), "high": float(result.high)}
