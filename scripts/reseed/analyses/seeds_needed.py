"""Number of runs that a comparison of two models needs, planned from the runs at hand."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy import special

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.pairing import (
    ModelGroup,
    Pairing,
    PairOptions,
    choose_pairs,
    group_models,
    pair_models,
)
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Count, Level, Positive
from reseed.stats.comparison import differences
from reseed.stats.planning import detectable_effect, pilot_sd, power

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "factor", "unit", "model_a", "model_b", "design", "n", "failed",
    "sd", "test_train_ratio", "target_difference", "target_is", "target_power", "target_half_width",
    "runs_for_power", "runs_for_half_width", "smallest_half_width", "level", "alpha", "runs",
    "half_width", "power", "power_limit", "detectable",
]  # fmt: skip


class Options(PairOptions):
    """difference: true difference that the test should find, in units of the score (None: the
        observed difference of each pair).
    half_width: target half-width of the interval, in units of the score (None: half of the
        observed difference).
    power: probability of finding the difference.
    level: confidence level of the intervals.
    alpha: size of the tests.
    max_runs: most runs; a target that needs more is out of reach.
    assurance: confidence of the upper limit of the pilot SD to plan with (None: the SD itself).
    curves: pairs of a comparison, those that need fewest runs, with a whole curve.
    """

    difference: Positive | None = None
    half_width: Positive | None = None
    power: Level = 0.8
    level: Level = 0.95
    alpha: Level = 0.05
    max_runs: Annotated[int, Field(ge=2)] = 1000
    assurance: Level | None = None
    curves: Count = 40


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """A curve a pair: half-width of the interval and power of the t test by number of runs.

    In a comparison with more pairs than `curves`, the other pairs have one row, at their current
    runs. A run is a split if models are compared over splits, else a model seed (of each model, if
    seeds are not shared). The spread is that of the pilot, the runs at hand.

    Overlapping splits are allowed for as in the corrected t test, s √(1/J + n_test/n_train). So no
    number of splits brings the half-width below `smallest_half_width` or the power above
    `power_limit`. A target is out of reach (`runs_for_…` is NaN) if it needs more than `max_runs`,
    or if the limit is below `target_power`.

    Power is for `target_difference`, by default the observed one (`target_is` observed): then the
    number of runs is as uncertain as the difference, and power only restates the p-value.
    `detectable`, the smallest true difference found with `target_power`, does not depend on it. A
    pair without two comparable runs, or without spread, is one row with NaN.
    """
    rows, runs = [], []
    groups = list(group_models(data))
    is_compared, _ = choose_pairs(groups, options)
    for group in groups:
        pairs = [
            _row(group, a, b, pairing, options) for a, b, pairing in pair_models(group, is_compared)
        ]
        rows += pairs
        runs += _runs_to_show(pairs, options)
    counts = [len(one) for one in runs]
    table = pd.DataFrame(rows, columns=[*COLUMNS, "paired"])
    table = table.loc[table.index.repeat(counts)].reset_index(drop=True)
    table["runs"] = pd.Series(np.concatenate(runs) if runs else [], dtype=float)
    for paired in (True, False):
        part = table[(table["paired"] == paired) & table["sd"].notna()]
        if not part.empty:
            names = ["half_width", "power", "detectable"]
            table.loc[part.index, names] = np.transpose(_curve_columns(part, paired, options))
    return table[COLUMNS]


def _row(group: ModelGroup, a: str, b: str, pairing: Pairing, options: Options) -> Row:
    """Columns of a pair that do not depend on the number of runs."""
    level, alpha = options.level, options.alpha
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
        "target_power": options.power,
        "level": level,
        "alpha": alpha,
        "paired": pairing.is_paired,
    }
    sd = _pilot_sd(pairing, options.assurance)
    if sd is None:
        return row
    observed = abs(float(pairing.a.mean() - pairing.b.mean()))
    target = observed if options.difference is None else options.difference
    narrow = observed / 2 if options.half_width is None else options.half_width
    runs, width, effect = _detectable_by_runs(
        pairing.is_paired, options.max_runs, level, alpha, row["target_power"]
    )
    error = sd * np.sqrt(1 / runs + ratio)
    return row | {
        "sd": sd,
        "target_difference": target,
        "target_is": "observed" if options.difference is None else "given",
        "target_half_width": narrow,
        "runs_for_power": _first(runs, target >= effect * error),
        "runs_for_half_width": _first(runs, width * error <= narrow),
        "smallest_half_width": float(special.ndtri((1 + level) / 2)) * sd * np.sqrt(ratio),
        "power_limit": _power_limit(target, sd * np.sqrt(ratio), alpha),
    }


@lru_cache
def _detectable_by_runs(
    paired: bool, most: int, level: float, alpha: float, target_power: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of runs; half-width and detectable difference, in standard errors.

    Cached: they are slow to compute and the same for every pair.
    """
    runs = np.arange(2, most + 1)
    df = _df(runs, paired)
    return runs, _quantile(df, level), detectable_effect(df, target_power, alpha)


def _df(runs: np.ndarray, paired: bool) -> np.ndarray:
    return runs - 1 if paired else 2 * runs - 2


def _quantile(df: np.ndarray, level: float) -> np.ndarray:
    """Half-width of a t interval in standard errors."""
    return special.stdtrit(df, (1 + level) / 2)


def _runs_to_show(rows: list[Row], options: Options) -> list[np.ndarray]:
    """The numbers of runs at which each pair of a comparison is shown."""
    needed = np.array([row.get("runs_for_power", np.inf) for row in rows], dtype=float)
    curve = np.geomspace(2, options.max_runs, 60).round().astype(int)
    rank = np.empty(len(rows), dtype=int)
    rank[np.argsort(np.nan_to_num(needed, nan=np.inf), kind="stable")] = np.arange(len(rows))
    most = options.curves
    return [
        [np.nan] if "sd" not in row else np.unique(curve) if at < most else [row["n"]]
        for row, at in zip(rows, rank, strict=True)
    ]


def _curve_columns(part: pd.DataFrame, paired: bool, options: Options) -> list[np.ndarray]:
    """Half-width, power and detectable difference at each row's number of runs."""
    level, alpha = options.level, options.alpha
    runs = part["runs"].to_numpy(dtype=float)
    inflated = part["sd"].to_numpy() * np.sqrt(1 + part["test_train_ratio"].to_numpy() * runs)
    one_sd = inflated if paired else inflated / np.sqrt(2)
    target = part["target_difference"].to_numpy()
    df, error = _df(runs, paired), inflated / np.sqrt(runs)
    return [
        _quantile(df, level) * error,
        power(target, one_sd, runs, alpha, paired=paired),
        detectable_effect(df, options.power, alpha) * error,
    ]


def _power_limit(difference: float, error: float, alpha: float) -> float:
    """Power for infinitely many runs, with the standard error that remains."""
    if error == 0:
        return 1.0 if difference else alpha
    z, effect = -special.ndtri(alpha / 2), difference / error
    return float(special.ndtr(effect - z) + special.ndtr(-effect - z))


def _pilot_sd(pairing: Pairing, assurance: float | None) -> float | None:
    """SD of the difference of one run of each model; None without two runs or any spread."""
    if pairing.n < 2 or pairing.design == "different splits":
        return None
    samples = [pairing.a, pairing.b]
    if pairing.is_paired:
        samples = [differences(pairing.a, pairing.b)]
    if all(np.ptp(x) == 0 for x in samples):
        return None
    return float(np.sqrt(sum(pilot_sd(x, assurance) ** 2 for x in samples if np.ptp(x))))


def _first(runs: np.ndarray, reached: np.ndarray) -> float:
    return float(runs[reached.argmax()]) if reached.any() else float("nan")
