"""How many more runs would tell two models apart, from the runs that there are."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy import stats

from reseed.analyses.data import Data
from reseed.analyses.pairing import GROUP, Group, Pairing, groups, pairs
from reseed.options import Level, Positive, Strict
from reseed.stats.comparison import differences
from reseed.stats.planning import detectable_effect, half_width, pilot_sd, power

COLUMNS = [
    *GROUP, "metric", "factor", "unit", "model_a", "model_b", "design", "n", "failed", "sd",
    "test_train_ratio", "target_difference", "target_is", "target_power", "target_half_width",
    "runs_for_power", "runs_for_half_width", "smallest_half_width", "level", "alpha", "runs",
    "half_width", "power", "power_limit", "detectable",
]  # fmt: skip


class Options(Strict):
    """difference: to be found by the test, score units (the observed one of each pair).
    half_width: of the interval wanted, score units (half of the observed difference).
    power: with which the difference is to be found.
    level: of the intervals.
    alpha: size of the tests.
    max_runs: beyond so many, a target is out of reach.
    assurance: confidence of the upper limit of the pilot's SD to plan by (None: the SD as it is).
    """

    difference: Positive | None = None
    half_width: Positive | None = None
    power: Level = 0.8
    level: Level = 0.95
    alpha: Level = 0.05
    max_runs: Annotated[int, Field(ge=2)] = 1000
    assurance: Level | None = None


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """A curve a pair: interval half-width and power of the t test over the number of runs.

    A run is a split where models are compared over splits, else a model seed (of each model, where
    seeds are not shared). The spread is that of the pilot, the runs at hand. Overlapping splits
    are allowed for as in the corrected t test, s √(1/J + n_test/n_train): no number of them brings
    the half-width below `smallest_half_width`, nor the power above `power_limit`, and a target may
    be out of reach (`runs_for_…` is NaN): of more runs than `max_runs`, or, where the limit is
    below `target_power`, of any number with this test set. Power is for `target_difference`: the
    observed one (`target_is` observed: itself uncertain, so is the number, and power at it is the
    p-value in other words) unless given. `detectable` does not depend on it: the smallest true
    difference found with `target_power`. One row with NaN for a pair without
    two comparable runs, or without any spread.
    """
    rows = [
        row
        for group in groups(data)
        for a, b, pairing in pairs(group)
        for row in _rows(group, a, b, pairing, options)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(group: Group, a: str, b: str, pairing: Pairing, options: dict) -> list[dict]:
    level, alpha = options.get("level", 0.95), options.get("alpha", 0.05)
    ratio = group.test_train_ratio if pairing.design == "splits" else 0.0
    row = group.key | {
        "metric": group.metric,
        "factor": group.factor,
        "unit": group.unit,
        "model_a": a,
        "model_b": b,
        "design": pairing.design,
        "n": pairing.n,
        "failed": group.failed[a] + group.failed[b],
        "test_train_ratio": ratio,
        "target_power": options.get("power", 0.8),
        "level": level,
        "alpha": alpha,
    }
    sd = _pilot_sd(pairing, options.get("assurance"))
    if sd is None:
        return [row]
    observed = abs(float(pairing.a.mean() - pairing.b.mean()))
    target = options.get("difference", observed)
    narrow = options.get("half_width", observed / 2)
    runs = np.arange(2, options.get("max_runs", 1000) + 1)
    inflated = sd * np.sqrt(1 + ratio * runs)
    width = half_width(inflated, runs, level)
    one_sd = inflated if pairing.paired else inflated / np.sqrt(2)
    reached = power(target, one_sd, runs, alpha, paired=pairing.paired)
    row |= {
        "sd": sd,
        "target_difference": target,
        "target_is": "given" if "difference" in options else "observed",
        "target_half_width": narrow,
        "runs_for_power": _first(runs, reached >= row["target_power"]),
        "runs_for_half_width": _first(runs, width <= narrow),
        "smallest_half_width": half_width(sd * np.sqrt(ratio * 1e9), 1e9, level),
        "power_limit": _limit(target, sd * np.sqrt(ratio), alpha),
    }
    shown = np.unique(np.geomspace(2, runs[-1], 60).round().astype(int)) - 2
    df = runs[shown] - 1 if pairing.paired else 2 * runs[shown] - 2
    error = inflated[shown] / np.sqrt(runs[shown])
    smallest = detectable_effect(df, row["target_power"], alpha) * error
    return [
        row
        | {
            "runs": int(runs[i]),
            "half_width": float(width[i]),
            "power": float(reached[i]),
            "detectable": float(least),
        }
        for i, least in zip(shown, smallest, strict=True)
    ]


def _limit(difference: float, error: float, alpha: float) -> float:
    """Power with no end of runs: what the standard error that is left allows."""
    if error == 0:
        return 1.0 if difference else alpha
    z = stats.norm.isf(alpha / 2)
    return float(stats.norm.sf(z - difference / error) + stats.norm.cdf(-z - difference / error))


def _pilot_sd(pairing: Pairing, assurance: float | None) -> float | None:
    """SD of the difference of one run of each model; None where there is nothing to plan from."""
    if pairing.n < 2 or pairing.design == "different splits":
        return None
    samples = [pairing.a, pairing.b]
    if pairing.paired:
        samples = [differences(pairing.a, pairing.b)]
    if all(np.ptp(x) == 0 for x in samples):
        return None
    return float(np.sqrt(sum(pilot_sd(x, assurance) ** 2 for x in samples if np.ptp(x))))


def _first(runs: np.ndarray, reached: np.ndarray) -> float:
    return float(runs[reached.argmax()]) if reached.any() else float("nan")
