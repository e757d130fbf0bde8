"""Compare every pair of models as their runs allow, with a verdict in plain words."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses.shared.across_datasets import AcrossDatasets
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.equivalence import rope_by_metric
from reseed.analyses.shared.pairing import (
    ModelGroup,
    Pairing,
    PairOptions,
    choose_pairs,
    group_models,
    pair_models,
)
from reseed.claims.pair_verdicts import build_pair_verdict
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Count, Level, Rope
from reseed.stats.comparison import compare_paired, differences, equivalence_p, holm
from reseed.stats.planning import detectable_effect
from reseed.stats.ranking import disagreement
from reseed.stats.signed_rank import smallest_signed_rank_p
from reseed.stats.unpaired import compare_unpaired, smallest_mann_whitney_p

COLUMNS = [
    *COMPARISON_COLUMNS, "metric", "greater_is_better", "factor", "unit", "model_a", "model_b",
    "outcome", "verdict", "design", "test", "n", "n_a", "n_b", "runs", "left_out", "failed",
    "missing", "mean_a", "mean_b", "difference", "low", "high", "level", "sd_difference",
    "cohens_d", "p", "p_holm", "rank_test", "rank_p", "rank_p_holm", "rank_p_least", "pairs",
    "family", "instability", "ties", "superiority", "superiority_low", "superiority_high",
    "bca_low", "bca_high", "rope", "equivalence_p", "equivalence_p_holm", "p_a_better",
    "p_equivalent", "p_b_better", "detectable", "target_power", "test_train_ratio", "alpha",
    "min_runs", "friedman_p", "critical_difference", "wins", "losses", "p_least",
]  # fmt: skip
_TEXT = ["test", "rank_test", "missing", "family"]
_UNKNOWN = dict.fromkeys(COLUMNS, np.nan) | dict.fromkeys(_TEXT, "")
Listed = list[tuple[str, str, Pairing]]


class Options(PairOptions):
    """level: of the intervals.
    alpha: size of the tests, after Holm.
    n_boot: resamples of the BCa interval.
    min_runs: with fewer, there is no verdict.
    rope: half-width of practical equivalence, score units; by metric where there are several
        (None: nothing is called equivalent).
    target_power: of the smallest detectable difference.
    family: what Holm adjusts over: `dataset`, or `study`, all datasets and settings together.
    """

    level: Level = 0.95
    alpha: Level = 0.05
    n_boot: Count = 10_000
    min_runs: Annotated[int, Field(ge=2)] = 5
    rope: Rope = None
    target_power: Level = 0.8
    family: Literal["dataset", "study"] = "dataset"


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a pair of models on each dataset, the better mean as `model_a`.

    `difference`, its interval (`low`, `high` at `level`, for this pair alone) and `cohens_d`
    (d_z: mean over SD of the paired differences) are positive where A is better, in units of the
    score. Designs: see `pairing.Pairing`. Splits are compared by the Nadeau–Bengio corrected t
    test, shared seeds by the paired t test, others by Welch's; p-values are adjusted by Holm over
    the pairs of the `family`. `equivalence_p`: two one-sided tests of the same kind against
    ±`rope`, with their own Holm adjustment; only where a region is given. `detectable`: the
    smallest true difference that this design finds with `target_power` at the strictest step of
    Holm. The rank test beside (signed-rank or Mann–Whitney) does not allow for overlapping splits;
    `rank_p_least` is the smallest adjusted p-value it could have given. `instability` is the share
    of single runs whose order differs from that of the means, a tie (`ties` is their share)
    counting one half. With two datasets or more, further rows compare models over datasets: see
    `over_datasets`.
    """
    found = list(group_models(data))
    ropes = rope_by_metric(options.rope, {g.metric: g.factor for g in found})
    wanted, restricted = choose_pairs(found, options)
    parts = [
        _rows(group, pair_models(group, wanted), ropes.get(group.metric), options)
        for group in found
    ]
    rows = [row for part in parts for row in part]
    for family in [rows] if options.family == "study" else parts:
        _adjust(family, options.family)
    rows += AcrossDatasets(options.alpha, ropes, restricted).compare(found, parts)
    for row in rows:
        told = _UNKNOWN | row
        row |= {name: told[name] for name in _TEXT}
        verdict = build_pair_verdict(told)
        row |= {"outcome": verdict.outcome, "verdict": verdict.sentence()}
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(group: ModelGroup, listed: Listed, rope: float | None, options: Options) -> list[Row]:
    """One row a pair; pairs of one design and size are computed together."""
    common = group.key | {
        "metric": group.metric,
        "greater_is_better": group.greater_is_better,
        "factor": group.factor,
        "unit": group.unit,
        "level": options.level,
        "alpha": options.alpha,
        "min_runs": options.min_runs,
        "target_power": options.target_power,
    }
    rows, alike = [], {}
    for number, (a, b, pairing) in enumerate(listed):
        rows.append(
            common
            | {
                "model_a": a,
                "model_b": b,
                "design": pairing.design,
                "n": pairing.n,
                "n_a": len(pairing.a),
                "n_b": len(pairing.b),
                "runs": len(pairing.trial_a),
                "left_out": pairing.left_out,
                "failed": group.failed[a] + group.failed[b],
            }
        )
        size = len(pairing.a), len(pairing.b), len(pairing.trial_a)
        alike.setdefault((pairing.design, *size), []).append(number)
    for (design, n_a, n_b, trials), numbers in alike.items():
        if min(n_a, n_b) == 0:
            continue
        columns = _described(group, [listed[i][2] for i in numbers], trials)
        if min(n_a, n_b) > 1 and design != "different splits":
            compare = _unpaired if design == "unpaired" else _paired
            columns |= compare(group, [listed[i][2] for i in numbers], rope, options)
        for position, number in enumerate(numbers):
            rows[number] |= {
                name: value[position] if isinstance(value, list) else value
                for name, value in columns.items()
            }
    return rows


def _described(group: ModelGroup, alike: list[Pairing], trials: int) -> Row:
    mean_a = np.stack([p.a for p in alike]).mean(axis=1)
    mean_b = np.stack([p.b for p in alike]).mean(axis=1)
    # The stated order is that of the units: splits weigh the same, whatever their seeds.
    stated = differences(mean_a[:, None], mean_b[:, None])[:, 0]
    found = {"mean_a": mean_a, "mean_b": mean_b, "difference": group.sign * stated}
    if trials:
        d = differences(np.stack([p.trial_a for p in alike]), np.stack([p.trial_b for p in alike]))
        flips = disagreement(np.sign(d), stated, np.abs(stated), "half")
        found |= {"instability": flips.mean(axis=1), "ties": (d == 0).mean(axis=1)}
    return {name: values.tolist() for name, values in found.items()}


def _paired(group: ModelGroup, alike: list[Pairing], rope: float | None, options: Options) -> Row:
    split = alike[0].design == "splits"
    ratio = group.test_train_ratio if split else 0.0
    d = group.sign * differences(np.stack([p.a for p in alike]), np.stack([p.b for p in alike]))
    found = compare_paired(
        d,
        ratio,
        rope=rope or 0.0,
        level=options.level,
        n_boot=options.n_boot,
        rng=group.rng("pairs", str(d.shape[1])),
    )
    row = {
        "test": "corrected resampled t test" if split else "paired t test",
        "low": found.low,
        "high": found.high,
        "sd_difference": found.sd,
        "cohens_d": found.cohens_dz,
        "p": found.t_p,
        "scale": found.scale,
        "df": found.df,
        "rank_test": "Wilcoxon signed-rank test",
        "rank_p": found.wilcoxon_p,
        "rank_floor": smallest_signed_rank_p(d.shape[1]),
        "bca_low": found.bca_low,
        "bca_high": found.bca_high,
        "test_train_ratio": ratio,
        "p_a_better": found.bayes_above,
        "p_b_better": found.bayes_below,
    }
    if rope:
        row |= {
            "rope": rope,
            "equivalence_p": found.equivalence_p,
            "p_equivalent": found.bayes_equivalent,
        }
    return _listed(row)


def _unpaired(group: ModelGroup, alike: list[Pairing], rope: float | None, options: Options) -> Row:
    a, b = (group.sign * np.stack([getattr(p, side) for p in alike]) for side in "ab")
    found = compare_unpaired(a, b, options.level)
    row = {
        "test": "Welch's t test",
        "low": found.low,
        "high": found.high,
        "p": found.welch_p,
        "scale": found.scale,
        "df": found.df,
        "rank_test": "Mann–Whitney test",
        "rank_p": found.mann_whitney_p,
        "rank_floor": smallest_mann_whitney_p(a.shape[1], b.shape[1]),
        "superiority": found.superiority,
        "superiority_low": found.superiority_low,
        "superiority_high": found.superiority_high,
        "instability": 1 - found.superiority,
        "ties": (a[:, :, None] == b[:, None, :]).mean(axis=(1, 2)),
    }
    if rope:
        within = equivalence_p(found.mean_difference, found.scale, found.df, rope)
        row |= {"rope": rope, "equivalence_p": within}
    return _listed(row)


def _listed(row: Row) -> Row:
    return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in row.items()}


def _adjust(rows: list[Row], family: str) -> None:
    """Holm over the pairs of one family that have enough runs, and any variation, to be tested."""
    tested = [
        row
        for row in rows
        if np.isfinite(row.get("p", np.nan))
        and row["n"] >= row["min_runs"]
        and row["low"] < row["high"]
    ]
    if not tested:
        return
    for name in ("p", "rank_p", "equivalence_p"):
        there = [row for row in tested if name in row]
        adjusted = holm([row[name] for row in there]).tolist() if there else []
        for row, p in zip(there, adjusted, strict=True):
            row[f"{name}_holm"] = p
    count = len(tested)
    # At Holm's strictest step; degrees of freedom that are not whole are few enough when rounded.
    level, power = tested[0]["alpha"] / count, tested[0]["target_power"]
    effect = detectable_effect(np.round([row["df"] for row in tested], 1), power, level)
    for row, size in zip(tested, effect.tolist(), strict=True):
        row |= {
            "pairs": count,
            "family": family,
            "rank_p_least": min(1.0, count * row["rank_floor"]),
            "detectable": size * row["scale"],
        }
