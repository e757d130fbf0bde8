"""How often a comparison would find a difference between an arm and itself, on your own runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.arm_cells import PLACE
from reseed.analyses.arms import with_arms
from reseed.analyses.data import MODEL_SEED, Data, primary_metric
from reseed.options import Count, Level, Strict
from reseed.seeds import stream
from reseed.stats.comparison import nadeau_bengio, wilcoxon_p
from reseed.stats.error_rates import measured_rate, pseudo_groups, pseudo_models

COLUMNS = [
    *PLACE, "metric", "n", "failed", "design", "runs", "folds", "procedure", "rate", "low", "high",
    "alpha", "experiments", "reason",
]  # fmt: skip
_SPLIT = ["data_seed", "repeat", "fold"]


class Options(Strict):
    """alpha: size of the tests.
    experiments_drawn: A/A comparisons drawn.
    runs: seeds of each side (half of the seeds, 10 at most).
    """

    alpha: Level = 0.05
    experiments_drawn: Count = 2000
    runs: Annotated[int, Field(ge=2)] | None = None


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row an arm and procedure: share of A/A comparisons in which it finds a difference.

    Two groups of the arm's own seeds pose as two models, so that nothing is to be found. `design`
    "seeds": on one split, groups of `runs` seeds, all different. "splits": on splits that all
    seeds ran on, one seed each across all `folds` of them. The data are held fixed: this shows the
    error of taking seed noise for a difference, and says nothing of new data, for which
    overlapping splits matter (docs/methods.md, error rates). Comparisons reuse the same runs, so
    the interval (Wilson) is for drawing among them only.
    """
    rows = []
    for key, trials in with_arms(data.metrics).groupby(PLACE, sort=False, dropna=False):
        place = dict(zip(PLACE, key, strict=True))
        rows += list(_rows(place, trials, primary_metric(data.about, place["dataset"]), options))
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(place: dict, trials: pd.DataFrame, metric: str, options: dict) -> Iterator[dict]:
    score = trials[metric] if metric in trials else pd.Series(np.nan, trials.index)
    bad = (trials["status"] != "ok") | ~np.isfinite(score)
    table = trials.assign(score=score)[~bad]
    grid = table.pivot_table(index=MODEL_SEED, columns=_SPLIT, values="score").dropna()
    shared = place | {"metric": metric, "n": len(grid), "failed": int(bad.sum()), "reason": ""}
    shared |= {"alpha": options.get("alpha", 0.05), "folds": grid.shape[1] if len(grid) else 0}
    if len(grid) < 4:
        yield shared | {"reason": "fewer than four model seeds on the same splits"}
        return
    count = options.get("experiments_drawn", 2000)
    rng = stream(0, "/".join(["A/A", *(str(value) for value in place.values())]))
    values = grid.to_numpy(dtype=np.float64)
    if values.shape[1] == 1:
        runs = min(options.get("runs", min(10, len(grid) // 2)), len(grid) // 2)
        groups = pseudo_groups(values[:, 0], 2, runs, count, rng=rng)
        d, design, ratio = groups[:, 0] - groups[:, 1], "seeds", 0.0
    else:
        models = pseudo_models(values, 2, count, rng=rng)
        d, design, runs = models[:, 0] - models[:, 1], "splits", 1
        ratio = _ratio(trials)
    shared |= {"design": design, "runs": runs, "experiments": count}
    tests = {"paired t": nadeau_bengio(d, 0.0).p_value, "signed-rank": wilcoxon_p(d)}
    if ratio > 0:
        tests["corrected t"] = nadeau_bengio(d, ratio).p_value
    for name, p in tests.items():
        found = measured_rate(p <= shared["alpha"])
        yield shared | {"procedure": name, "rate": found.rate, "low": found.low, "high": found.high}


def _ratio(trials: pd.DataFrame) -> float:
    test, folds = trials["test_ratio"].iloc[0], trials["fold"].nunique()
    if np.isfinite(test):
        return float(test / (1 - test))
    return 1 / (folds - 1) if folds > 1 else 0.0
