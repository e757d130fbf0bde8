"""Ratio of training times of two arms, such as with and without deterministic kernels."""

from __future__ import annotations

import numpy as np
import pandas as pd
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.pairing import ModelGroup, group_models
from reseed.core.errors import ReseedError
from reseed.core.schemas import COMPARISON_COLUMNS, MODEL_SEED_COLUMNS, SPLIT_COLUMNS, Row
from reseed.plugins.options import Level, Strict
from reseed.stats.comparison import nadeau_bengio

COLUMNS = [
    *COMPARISON_COLUMNS, "arm", "baseline", "n", "seconds", "baseline_seconds", "ratio", "low",
    "high", "level", "same_outputs", "reason",
]  # fmt: skip


class Options(Strict):
    """baseline: arm that all others are compared with (None: the first one).
    warm_up: model seeds that are not compared. The first training of a process also loads the
    libraries of a GPU and tries its kernels, which takes seconds.
    level: confidence level of the intervals.
    """

    baseline: str | None = None
    warm_up: list[int] = []
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm other than the baseline, in each comparison.

    - `ratio`: training time divided by the baseline's, geometric mean over runs on the same split
      and seeds, with its t interval. It depends on the machine and on other processes there.
    - `seconds`, `baseline_seconds`: medians.
    - `same_outputs`: number of these runs with bitwise equal outputs.

    Raises ReseedError for a baseline that no setting has.
    """
    groups, baseline = group_models(data), options.baseline
    arms = [arm for group in groups for arm in group.models]
    if baseline is not None and baseline not in arms:
        raise ReseedError(f"baseline: there is no arm {baseline!r}, only {', '.join(arms)}")
    rows = [
        _row(group, arm, baseline or group.models[0], options)
        for group in groups
        if baseline in (None, *group.models)
        for arm in group.models
        if arm != (baseline or group.models[0])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(group: ModelGroup, arm: str, baseline: str, options: Options) -> Row:
    level, compared = options.level, ~group.trials["init"].isin(options.warm_up)
    row = group.key | {"arm": arm, "baseline": baseline, "level": level, "reason": ""}
    run = [*SPLIT_COLUMNS, *MODEL_SEED_COLUMNS]
    if "train_seconds" not in group.trials or group.trials["train_seconds"].isna().all():
        return row | {"n": 0, "reason": "training times were not recorded"}
    timed = group.trials["train_seconds"].notna()
    trials = group.trials[timed & compared].drop_duplicates([ARM, *run]).set_index(run)
    both = [trials[trials[ARM] == name] for name in (arm, baseline)]
    shared = both[0].index.intersection(both[1].index)
    arm_trials, baseline_trials = (part.loc[shared] for part in both)
    seconds = [
        part["train_seconds"].to_numpy(dtype=np.float64) for part in (arm_trials, baseline_trials)
    ]
    if not len(shared) or min(values.min() for values in seconds) <= 0:
        return row | {"n": 0, "reason": "no run shares split and seeds with the baseline's"}
    logs = np.log(seconds[0] / seconds[1])
    known = len(logs) > 1
    interval = nadeau_bengio(logs, 0.0, level) if known else None
    same = (
        (arm_trials["fingerprint"] == baseline_trials["fingerprint"]).sum()
        if "fingerprint" in arm_trials
        else np.nan
    )
    return row | {
        "n": len(shared),
        "seconds": float(np.median(seconds[0])),
        "baseline_seconds": float(np.median(seconds[1])),
        "ratio": float(np.exp(logs.mean())),
        "low": float(np.exp(interval.low)) if known else np.nan,
        "high": float(np.exp(interval.high)) if known else np.nan,
        "same_outputs": same,
    }
