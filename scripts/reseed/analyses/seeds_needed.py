"""Number of runs that a comparison of two models needs, planned from the runs at hand."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field
from scipy import special

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.item_scores import test_pair
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
from reseed.stats.comparison import OVERLAP_FACTOR, crossed_seeds, differences
from reseed.stats.planning import detectable_effect, df_per_run, pilot_sd, t_power
from reseed.verdicts.designs import ONE_TEST_SET, SEEDS_AND_ITEMS

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "factor", "unit", "model_a", "model_b", "design", "n", "failed",
    "sd", "test_train_ratio", "target_difference", "target_is", "target_power", "target_half_width",
    "runs_for_power", "runs_for_half_width", "smallest_half_width", "alpha", "runs",
    "half_width", "power", "power_limit", "detectable", "pairs", "family", "test_alpha",
]  # fmt: skip


class Options(PairOptions):
    """difference: true difference that the test should find, in units of the score (None: the
        observed difference of each pair).
    half_width: target half-width of the interval, in units of the score (None: half of the
        observed difference).
    power: probability of finding the difference.
    alpha: size of the tests, for all pairs at once.
    adjust: whether to plan for α divided by the number of pairs (else for one pair alone).
    family: the pairs that are tested at once: those of a `dataset`, or of the whole `study`.
    max_runs: most runs; a target that needs more is out of reach.
    assurance: confidence of the upper limit of the pilot SD to plan with (None: the SD itself).
    curves: pairs of a comparison, those that need fewest runs, with a whole curve.
    """

    difference: Positive | None = None
    half_width: Positive | None = None
    power: Level = 0.8
    alpha: Level = 0.05
    adjust: bool = True
    family: Literal["dataset", "study"] = "dataset"
    max_runs: Annotated[int, Field(ge=2)] = 1000
    assurance: Level | None = None
    curves: Count = 40


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """A curve a pair: half-width of the interval and power of the t test by number of runs.

    In a comparison with more pairs than `curves`, the other pairs have one row, at their current
    runs. A run is a split if models are compared over splits, else a model seed (of each model, if
    seeds are not shared). The spread is that of the pilot, the runs at hand.

    Test and interval are those of the analysis `pairs`, of size `test_alpha`: α over the `pairs` of
    the `family`. Runs that are not paired are planned with Welch's degrees of freedom for the two
    SDs of the pilot.

    Overlapping splits are allowed for as in the corrected t test, seeds that are crossed with them,
    and test items where their outputs are known (`design` seeds and items): all leave a part of the
    error that no number of runs reduces. So the half-width stays above `smallest_half_width` and
    the power below `power_limit`. A target is out of reach (`runs_for_…` is NaN) if it needs more
    than `max_runs`, or if the limit is below `target_power`.

    Power is for `target_difference`, by default the observed one (`target_is` observed): then the
    number of runs is as uncertain as the difference, and power only restates the p-value.
    `detectable`, the smallest true difference found with `target_power`, does not depend on it. A
    pair without two comparable runs, or without spread, is one row with NaN.
    """
    groups = group_models(data)
    is_compared, _ = choose_pairs(groups, options)
    by_group = [
        [
            _row(data, group, a, b, pairing, options)
            for a, b, pairing in pair_models(group, is_compared, options.seeds == "own")
        ]
        for group in groups
    ]
    rows = [row for part in by_group for row in part]
    for family in [rows] if options.family == "study" else by_group:
        _plan(family, options)
    runs = [numbers for part in by_group for numbers in _runs_to_show(part, options)]
    counts = [len(one) for one in runs]
    table = pd.DataFrame(rows, columns=[*COLUMNS, "fixed_ratio", "df_per_run"])
    table = table.loc[table.index.repeat(counts)].reset_index(drop=True)
    table["runs"] = pd.Series(np.concatenate(runs) if runs else [], dtype=float)
    for test_alpha, part in table[table["sd"].notna()].groupby("test_alpha"):
        names = ["half_width", "power", "detectable"]
        table.loc[part.index, names] = np.transpose(_curve_columns(part, test_alpha, options))
    return table[COLUMNS]


def _row(data: Data, group: ModelGroup, a: str, b: str, pairing: Pairing, options: Options) -> Row:
    """Columns of a pair that depend neither on the number of runs nor on the other pairs.

    fixed_ratio: the squared error that no number of runs reduces, relative to the squared SD.
    df_per_run: degrees of freedom divided by the number of runs less one.
    """
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
        "alpha": options.alpha,
    }
    samples = _pilot_samples(pairing)
    if not samples:
        return row
    sds = [pilot_sd(x, options.assurance) if np.ptp(x) else 0.0 for x in samples]
    sd = float(np.hypot(sds[0], sds[1])) if len(sds) == 2 else sds[0]
    fixed = OVERLAP_FACTOR * ratio
    if pairing.cells is not None:
        runs = differences(pairing.trial_a, pairing.trial_b)
        fixed += float(crossed_seeds(runs, *pairing.cells)[0] / sd) ** 2
    crossed = None
    if pairing.design in ONE_TEST_SET:
        test = test_pair(data, group, a, b, pairing)
        crossed = test[0] if test else None
    if crossed:
        row["design"] = SEEDS_AND_ITEMS.design
        fixed = crossed.item_variance / sd**2
    observed = abs(float(pairing.a.mean() - pairing.b.mean()))
    target = observed if options.difference is None else options.difference
    narrow = observed / 2 if options.half_width is None else options.half_width
    return row | {
        "sd": sd,
        "fixed_ratio": fixed,
        # Rounded down, so that pairs share the curves that are slow to compute.
        "df_per_run": np.floor(20 * df_per_run(*sds)) / 20 if len(sds) == 2 else 1.0,
        "target_difference": target,
        "target_is": "observed" if options.difference is None else "given",
        "target_half_width": narrow,
    }


def _plan(rows: list[Row], options: Options) -> None:
    """Add the runs that each pair of a family needs for the test that decides its verdict."""
    planned = [row for row in rows if "sd" in row]
    test_alpha = options.alpha / (len(planned) if options.adjust and planned else 1)
    for row in planned:
        sd, fixed = row["sd"], row["fixed_ratio"]
        runs, width, effect = _detectable_by_runs(
            row["df_per_run"], options.max_runs, test_alpha, options.power
        )
        error = sd * np.sqrt(1 / runs + fixed)
        target = row["target_difference"]
        row |= {
            "runs_for_power": _first(runs, target >= effect * error),
            "runs_for_half_width": _first(runs, width * error <= row["target_half_width"]),
            "smallest_half_width": float(-special.ndtri(test_alpha / 2)) * sd * np.sqrt(fixed),
            "power_limit": _power_limit(target, sd * np.sqrt(fixed), test_alpha),
            "pairs": len(planned) if options.adjust else 1,
            "family": options.family,
            "test_alpha": test_alpha,
        }


@lru_cache
def _detectable_by_runs(
    df_per_run: float, most: int, alpha: float, target_power: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of runs; half-width and detectable difference, in standard errors.

    Cached: they are slow to compute and the same for many pairs.
    """
    runs = np.arange(2, most + 1)
    df = (runs - 1) * df_per_run
    return runs, _quantile(df, alpha), detectable_effect(df, target_power, alpha)


def _quantile(df: np.ndarray, alpha: float) -> np.ndarray:
    """Half-width of the t interval of level 1 − `alpha` in standard errors."""
    return -special.stdtrit(df, alpha / 2)


def _runs_to_show(rows: list[Row], options: Options) -> list[np.ndarray]:
    """The numbers of runs at which each pair of a comparison is shown."""
    needed = np.array([row.get("runs_for_power", np.inf) for row in rows], dtype=float)
    curve = np.geomspace(2, options.max_runs, 60).round().astype(int)
    rank = np.empty(len(rows), dtype=int)
    rank[np.argsort(np.nan_to_num(needed, nan=np.inf), kind="stable")] = np.arange(len(rows))
    most = options.curves
    return [
        np.array([np.nan])
        if "sd" not in row
        else np.unique(curve)
        if at < most
        else np.array([row["n"]])
        for row, at in zip(rows, rank, strict=True)
    ]


def _curve_columns(part: pd.DataFrame, test_alpha: float, options: Options) -> list[np.ndarray]:
    """Half-width, power and detectable difference at each row's number of runs."""
    runs = part["runs"].to_numpy(dtype=float)
    df = (runs - 1) * part["df_per_run"].to_numpy(dtype=float)
    error = part["sd"].to_numpy() * np.sqrt(1 / runs + part["fixed_ratio"].to_numpy(dtype=float))
    return [
        _quantile(df, test_alpha) * error,
        t_power(part["target_difference"].to_numpy() / error, df, test_alpha),
        detectable_effect(df, options.power, test_alpha) * error,
    ]


def _power_limit(difference: float, error: float, alpha: float) -> float:
    """Power for infinitely many runs, with the standard error that remains."""
    if error == 0:
        return 1.0 if difference else alpha
    z, effect = -special.ndtri(alpha / 2), difference / error
    return float(special.ndtr(effect - z) + special.ndtr(-effect - z))


def _pilot_samples(pairing: Pairing) -> list[np.ndarray]:
    """The paired differences, or the scores of each model; empty without two runs or any spread."""
    if pairing.n < 2 or pairing.design == "different splits":
        return []
    samples = [pairing.a, pairing.b]
    if pairing.is_paired:
        samples = [differences(pairing.a, pairing.b)]
    return samples if any(np.ptp(x) for x in samples) else []


def _first(runs: np.ndarray, reached: np.ndarray) -> float:
    return float(runs[reached.argmax()]) if reached.any() else float("nan")
