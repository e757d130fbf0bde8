"""How much longer one arm trains than another: what deterministic kernels cost, for one."""

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
    """baseline: the arm that all others are measured by (the first one).
    level: of the intervals.
    """

    baseline: str | None = None
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm other than the baseline, in each setting.

    `ratio`: geometric mean over runs on the same split and seeds of training time by the
    baseline's, with its t interval; it says as much of the machine as of the arms, and whatever
    else ran there is in it. `seconds`: medians. `same_outputs`: such runs of the two that gave
    the same outputs, bit by bit. Raises ReseedError for a baseline that no setting has.
    """
    found, baseline = list(group_models(data)), options.baseline
    arms = [arm for group in found for arm in group.models]
    if baseline is not None and baseline not in arms:
        raise ReseedError(f"baseline: there is no arm {baseline!r}, only {', '.join(arms)}")
    rows = [
        _row(group, arm, baseline or group.models[0], options.level)
        for group in found
        if baseline in (None, *group.models)
        for arm in group.models
        if arm != (baseline or group.models[0])
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(group: ModelGroup, arm: str, baseline: str, level: float) -> Row:
    row = group.key | {"arm": arm, "baseline": baseline, "level": level, "reason": ""}
    place = [*SPLIT_COLUMNS, *MODEL_SEED_COLUMNS]
    timed = "train_seconds" in group.trials and group.trials["train_seconds"].notna()
    if not np.any(timed):
        return row | {"n": 0, "reason": "training times were not recorded"}
    trials = group.trials[timed].drop_duplicates([ARM, *place]).set_index(place)
    both = [trials[trials[ARM] == name] for name in (arm, baseline)]
    shared = both[0].index.intersection(both[1].index)
    own, its = (part.loc[shared] for part in both)
    seconds = [part["train_seconds"].to_numpy(dtype=np.float64) for part in (own, its)]
    if not len(shared) or min(values.min() for values in seconds) <= 0:
        return row | {"n": 0, "reason": "no run shares split and seeds with the baseline's"}
    logs = np.log(seconds[0] / seconds[1])
    known = len(logs) > 1
    interval = nadeau_bengio(logs, 0.0, level) if known else None
    same = (own["fingerprint"] == its["fingerprint"]).sum() if "fingerprint" in own else np.nan
    return row | {
        "n": len(shared),
        "seconds": float(np.median(seconds[0])),
        "baseline_seconds": float(np.median(seconds[1])),
        "ratio": float(np.exp(logs.mean())),
        "low": float(np.exp(interval.low)) if known else np.nan,
        "high": float(np.exp(interval.high)) if known else np.nan,
        "same_outputs": same,
    }
