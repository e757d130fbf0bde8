"""The 5×2 cross-validated F test of every pair of arms with five repeats of two folds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data, number_data_seeds, primary_metric
from reseed.core.schemas import SCHEME_COLUMNS, Row
from reseed.plugins.options import Level, Strict
from reseed.stats.comparison import differences, holm
from reseed.stats.five_by_two import detectable_by_f, five_by_two

COLUMNS = [
    *SCHEME_COLUMNS, "metric", "arm_a", "arm_b", "runs", "failed", "mean_a", "mean_b", "difference",
    "f", "p", "p_holm", "pairs", "t", "t_p", "alpha", "detectable", "target_power", "reason",
]  # fmt: skip


class Options(Strict):
    """alpha: size of the tests.
    target_power: power of the smallest detectable difference.
    """

    alpha: Level = 0.05
    target_power: Level = 0.8


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of arms on a 5×2 scheme; `arm_a` has the better mean. Seeds are averaged.

    A repeat is a data seed, or a `repeat` of imported results. `p_holm` is adjusted over the pairs
    of a dataset. `detectable`: smallest true difference that the F test finds with `target_power`
    at Holm's strictest step, for independent Gaussian folds. Other schemes give no row. A fold with
    a failed trial gives a row with a `reason`.
    """
    rows = []
    table = data.metrics.assign(repeat=number_data_seeds(data.metrics))
    for key, trials in table.groupby(SCHEME_COLUMNS, sort=False, dropna=False):
        if (trials["repeat"].nunique(), trials["fold"].nunique()) != (5, 2):
            continue
        rows += _compare_arms(data, dict(zip(SCHEME_COLUMNS, key, strict=True)), trials, options)
    return pd.DataFrame(rows, columns=COLUMNS)


def _compare_arms(data: Data, key: Row, trials: pd.DataFrame, options: Options) -> list[Row]:
    metric = primary_metric(data.info, key["dataset"])
    score = trials[metric] if metric in trials else pd.Series(np.nan, trials.index)
    ok = (trials["status"] == "ok") & np.isfinite(score)
    cells = score.where(ok).groupby([trials[name] for name in (ARM, "repeat", "fold")])
    means = cells.agg(lambda scores: scores.mean(skipna=False)).unstack("fold")
    grids = {arm: means.loc[arm].to_numpy() for arm in trials[ARM].unique()}
    failed = (~ok).groupby(trials[ARM]).sum()
    sign = 1 if data.info.datasets[key["dataset"]].greater_is_better else -1
    shared = key | {"metric": metric, "alpha": options.alpha, "runs": len(trials)}
    rows = list(_pairs(grids, failed, sign, shared))
    tested = [row for row in rows if not row["reason"]]
    if tested:
        shift = detectable_by_f(options.alpha / len(tested), options.target_power)
        for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
            row |= {
                "p_holm": float(p),
                "pairs": len(tested),
                "detectable": shift * row.pop("fold_sd"),
                "target_power": options.target_power,
            }
    return rows


def _pairs(
    grids: dict[str, np.ndarray], failed: pd.Series, sign: int, shared: Row
) -> Iterator[Row]:
    for a, b in combinations(grids, 2):
        is_complete = all(
            grids[arm].shape == (5, 2) and np.isfinite(grids[arm]).all() for arm in (a, b)
        )
        if is_complete and sign * (grids[a].mean() - grids[b].mean()) < 0:
            a, b = b, a
        row = shared | {"arm_a": a, "arm_b": b, "failed": int(failed[a] + failed[b])}
        if not is_complete:
            yield row | {"reason": "a fold has a failed run, or none"}
            continue
        # Differences by rounding alone are 0.
        d = differences(grids[a].ravel(), grids[b].ravel()).reshape(5, 2)
        test = five_by_two(d)
        yield row | {
            "mean_a": float(grids[a].mean()),
            "mean_b": float(grids[b].mean()),
            "difference": float(sign * test.mean_difference),
            "f": float(test.f),
            "p": float(test.f_p),
            "t": float(test.t),
            "t_p": float(test.t_p),
            "fold_sd": float(test.fold_sd),
            "reason": "",
        }
