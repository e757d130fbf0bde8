"""Arms over tasks × seeds: interquartile mean, probability of improvement, performance profiles.

Source: Agarwal et al. (2021), "Deep RL at the edge of the statistical precipice".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Literal

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.analyses.shared.keys import group_across_datasets, merge_keys
from reseed.analyses.shared.shares import share_maximum
from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Count, Ends, Level, Strict
from reseed.stats.aggregates import (
    AGGREGATES,
    normalise,
    probability_of_improvement,
    run_profile,
    stratified_bootstrap,
    task_profile,
)

COLUMNS = [
    *[name for name in COMPARISON_COLUMNS if name != "dataset"], "statistic", ARM, "arm_b", "tau",
    "value", "low", "high", "level", "tasks", "runs_min", "runs_max", "failed", "left_out", "scale",
    "n_boot", "reason",
]  # fmt: skip
#: Below this many runs a task the intervals are known to be too narrow (docs/methods.md).
FEW = 20


class Options(Strict):
    """scale: `none` (as they are, but percent as shares of 1; the default where every dataset's
        scores are shares), `range` (0 is the worst and 1 the best single run of any arm on the
        task, so it depends on the arms compared), or
        {dataset: [score that is 0, score that is 1]}.
    target: score above which the optimality gap counts nothing.
    level: of the intervals.
    n_boot: resamples behind them.
    points: of a performance profile.
    """

    scale: Literal["none", "range"] | dict[str, Ends] | None = None
    target: float = 1.0
    level: Level = 0.95
    n_boot: Count = 2000
    points: Count = 41


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """Rows of four kinds for each experiment, by `statistic`.

    `iqm`, `mean`, `median`, `optimality_gap`: of an arm; `improvement`: probability that a run of
    `arm` beats one of `arm_b` on a task, mean over tasks; `run_profile`, `task_profile`: share of
    runs, or of tasks by their mean, above `tau`. Intervals are stratified bootstraps over runs:
    tasks are fixed. Scores are greater-is-better after scaling; tasks without two runs of every
    arm are left out of all (`left_out` names them).
    """
    found = [cell for cell in cells(data) if "+" not in cell.key["varied"]]
    keys = [cell.key for cell in found]
    rows = []
    for chosen in group_across_datasets(keys):
        named = merge_keys(pd.DataFrame([keys[i] for i in chosen]))
        rows += [named | row for row in _rows([found[i] for i in chosen], options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(listed: list[Cell], options: Options) -> Iterator[Row]:
    arms = list(dict.fromkeys(cell.key[ARM] for cell in listed))
    by_task: dict[str, dict[str, Cell]] = {}
    for cell in listed:
        by_task.setdefault(cell.key["dataset"], {})[cell.key[ARM]] = cell
    complete = {
        task: found
        for task, found in by_task.items()
        if all(arm in found and found[arm].values.size > 1 for arm in arms)
    }
    shared = {
        "tasks": len(complete),
        "failed": sum(cell.failed for cell in listed),
        "left_out": ", ".join(task for task in by_task if task not in complete),
        "level": options.level,
        "reason": "",
    }
    if len(complete) < 2:
        reason = "fewer than two tasks on which every arm has two runs"
        yield shared | {"statistic": "none", "reason": reason}
        return
    counts = [cell.values.size for found in complete.values() for cell in found.values()]
    scale, scaled = _scaled(complete, arms, options)
    shared |= {"runs_min": min(counts), "runs_max": max(counts), "scale": scale}
    for row in _statistics(scaled, arms, shared["level"], options):
        yield shared | row


def _scaled(
    tasks: dict[str, dict[str, Cell]], arms: list[str], options: Options
) -> tuple[str, dict[str, list[np.ndarray]]]:
    """Name of the scale, and each arm's scores as one array a task."""
    of = {task: next(iter(found.values())) for task, found in tasks.items()}
    pooled = {
        task: np.concatenate([found[arm].values for arm in arms]) for task, found in tasks.items()
    }
    shares = {task: share_maximum(of[task].metric, pooled[task]) for task in tasks}
    scale = options.scale or ("range" if None in shares.values() else "none")
    out: dict[str, list[np.ndarray]] = {arm: [] for arm in arms}
    for task, found in tasks.items():
        sign = of[task].sign
        low, high = _ends(scale, task, sign * pooled[task], sign, shares[task] or 1.0)
        for arm in arms:
            out[arm].append(normalise(sign * found[arm].values, low, high))
    return (scale if isinstance(scale, str) else "given"), out


def _ends(
    scale: str | dict, dataset: str, pooled: np.ndarray, sign: float, one: float
) -> tuple[float, float]:
    """The scores that become 0 and 1, greater being better; `one` is what counts as 1 unscaled."""
    if scale == "none":
        return 0.0, one
    if scale == "range":
        # Runs that are all equal stay where they are: there is no scale to put them on.
        same = np.ptp(pooled) == 0
        return (pooled[0] - 1, pooled[0]) if same else (float(pooled.min()), float(pooled.max()))
    if not isinstance(scale, dict) or dataset not in scale:
        raise ReseedError(
            f"scale: give 'none', 'range' or {{dataset: [score that is 0, score that is 1]}} with "
            f"{dataset!r}, found {scale!r}"
        )
    return sign * scale[dataset][0], sign * scale[dataset][1]


def _statistics(
    scaled: dict[str, list[np.ndarray]], arms: list[str], level: float, options: Options
) -> Iterator[Row]:
    n_boot = options.n_boot
    settings = {"n_boot": n_boot, "level": level}
    for name, function in AGGREGATES.items():
        if name == "optimality_gap":
            target = options.target
            function = lambda tasks, f=AGGREGATES[name], t=target: f(tasks, t)  # noqa: E731
        for arm in arms:
            rng = stream(0, f"aggregates/{name}/{arm}")
            found = stratified_bootstrap(function, scaled[arm], rng=rng, **settings)
            yield {"statistic": name, ARM: arm, "n_boot": n_boot, **_ends_of(found)}
    for a, b in permutations(arms, 2):
        rng = stream(0, f"improvement/{a}/{b}")
        found = stratified_bootstrap(
            probability_of_improvement, scaled[a], scaled[b], rng=rng, **settings
        )
        yield {"statistic": "improvement", ARM: a, "arm_b": b, "n_boot": n_boot, **_ends_of(found)}
    everything = np.concatenate([runs for tasks in scaled.values() for runs in tasks])
    taus = np.linspace(everything.min(), everything.max(), options.points)
    for name, profile in (("run_profile", run_profile), ("task_profile", task_profile)):
        for arm in arms:
            rng = stream(0, f"{name}/{arm}")
            found = stratified_bootstrap(
                lambda tasks, p=profile: p(tasks, taus), scaled[arm], rng=rng,
                n_boot=min(n_boot, 500), level=level,
            )  # fmt: skip
            for i, tau in enumerate(taus):
                yield {"statistic": name, ARM: arm, "tau": tau, "value": float(found.value[i]),
                       "low": float(found.low[i]), "high": float(found.high[i]),
                       "n_boot": found.n_boot}  # fmt: skip


def _ends_of(found) -> Row:
    return {"value": float(found.value), "low": float(found.low), "high": float(found.high)}
