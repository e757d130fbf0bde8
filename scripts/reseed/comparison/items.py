"""`reseed.compare_items`: compares models by item scores, with clusters, repeats and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.claims.evaluation_verdicts import (
    SOURCES,
    build_evaluation_verdict,
    decide_evaluation_outcome,
)
from reseed.comparison.item_arrays import Array, ItemScores, ModelScores, arrange_items
from reseed.core.errors import ReseedError, suggest_name
from reseed.importers.evaluation_logs import read_evaluation_log
from reseed.importers.item_table import ItemTable, read_item_table
from reseed.metrics.names import infer_direction, is_share
from reseed.stats.comparison import holm
from reseed.stats.item_design import predict_design
from reseed.stats.item_model import Factor, ItemDifference, item_difference

#: Share of each model's seeds that must be common, for the seeds to be paired.
_SHARED_SEEDS = 0.8
_POWER = 0.8
#: Names of scores of which more is better, beside those of metrics.
_GREATER_IS_BETTER = ("correct", "is_correct", "passed", "reward")
#: Factors whose levels may be taken as fixed.
FIXED = ("seed", "prompt")


@dataclass(frozen=True)
class ItemComparison:
    """Models compared by item scores.

    verdicts: one row a pair and dataset; `model_a` has the better mean. `difference`, `low` and
        `high` are positive where `model_a` is better, in units of the score. `share_SOURCE` is the
        part of the squared standard error of the source and its interactions with sources named
        before it; `detectable` is the smallest true difference found with power 0.8, and
        `detectable_2x_SOURCE` that with twice as many levels.
    leaderboard: mean score by dataset and model, the best first.
    notes: how the source was read, and what was left out.
    """

    verdicts: pd.DataFrame
    leaderboard: pd.DataFrame
    metric: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        board = self.leaderboard.to_string(index=False, float_format=lambda x: f"{x:.4g}")
        lines = [board, "", *(f"- {text}" for text in self.verdicts["verdict"])]
        return "\n".join([*lines, "", *(f"Note: {note}" for note in self.notes)])


def compare_items(
    source: pd.DataFrame | str | Path | Sequence[str | Path] | ItemTable,
    *,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    cluster: str | None = None,
    repeats: str = "mean",
    fixed: Sequence[str] = (),
    failed: str = "refuse",
    baseline: str | None = None,
    greater_is_better: bool | None = None,
    rope: float | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
) -> ItemComparison:
    """Compare models by item scores, over items and every factor that is crossed with them.

    Args:
        source: a table of item scores (`read_item_table`), or logs of an evaluation harness
            (`read_evaluation_log`).
        metric: the score to compare, if there are several.
        columns: standard name → the table's column.
        cluster: column (of logs: field of the metadata) that names the cluster of each item.
        repeats: how repeats of an item are combined (`arrange_items`).
        fixed: factors whose levels are not a sample: `seed` or `prompt` are then averaged.
        failed: what a missing score means: `refuse`, `drop` or `zero`.
        baseline: compare each model with this one only.
        greater_is_better: if the metric's name does not state it.
        rope: the largest difference that does not matter, in units of the score.
        level: of the intervals.
        alpha: size of the tests, after Holm's adjustment over the pairs of a dataset.

    Raises:
        ReseedError: for a source that cannot be read, incomplete scores, and invalid options.
    """
    _check_options(fixed, rope, level, alpha)
    table = source if isinstance(source, ItemTable) else _read(source, metric, columns, cluster)
    stated = table.greater_is_better if greater_is_better is None else greater_is_better
    direction = choose_direction(table.metric, stated)
    sign = -1 if direction is False else 1
    boards: list[pd.DataFrame] = []
    rows: list[dict[str, Any]] = []
    notes = list(table.notes)
    for scores in arrange_items(table.frame, repeats, failed):
        notes += scores.notes
        boards.append(_rank_models(scores, sign))
        pairs = _choose_pairs(scores, baseline)
        rows += _compare_pairs(scores, pairs, sign, fixed, rope, level, alpha)
    if not rows:
        raise ReseedError("No dataset holds two models: give the scores of both on the same items.")
    label = table.metric if repeats in ("mean", "factor") else repeats
    verdicts = _add_verdicts(pd.DataFrame(rows), table, label, direction)
    board = pd.concat(boards, ignore_index=True)
    if repeats == "factor":
        notes.append("Each repeat is taken as a run with a seed of its own.")
    return ItemComparison(verdicts, board, table.metric, tuple(dict.fromkeys(notes)))


def _read(
    source: pd.DataFrame | str | Path | Sequence[str | Path],
    metric: str | None,
    columns: Mapping[str, str] | None,
    cluster: str | None,
) -> ItemTable:
    if not isinstance(source, pd.DataFrame):
        paths = [source] if isinstance(source, str | Path) else list(source)
        log = read_evaluation_log([Path(path) for path in paths], metric, cluster)
        if log is not None:
            return log
    mapping = dict(columns or {}) | ({"cluster": cluster} if cluster else {})
    return read_item_table(source, mapping, metric)


def _check_options(fixed: Sequence[str], rope: float | None, level: float, alpha: float) -> None:
    for name, value in (("level", level), ("alpha", alpha)):
        if not 0 < value < 1:
            raise ReseedError(f"{name} is {value!r}: give a number between 0 and 1.")
    if rope is not None and not rope > 0:
        raise ReseedError(f"rope is {rope!r}: give a number above 0, in units of the score.")
    for name in fixed:
        if name not in FIXED:
            raise ReseedError(f"fixed: {name!r} is none of {', '.join(FIXED)}.")


def choose_direction(metric: str, greater_is_better: bool | None) -> bool | None:
    """Whether more of a score is better; None if neither the user nor its name says so."""
    if greater_is_better is not None:
        return greater_is_better
    return True if metric.lower() in _GREATER_IS_BETTER else infer_direction(metric)


def _rank_models(scores: ItemScores, sign: int) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "dataset": scores.dataset,
            "model": name,
            "mean": float(one.values.mean()),
            "seeds": len(one.seeds),
            "prompts": len(scores.prompts),
            "items": len(scores.items),
            "repeats": one.repeats[0],
        }
        for name, one in scores.models.items()
    ]
    rows.sort(key=lambda row: -sign * row["mean"])
    return pd.DataFrame(rows)


def _choose_pairs(scores: ItemScores, baseline: str | None) -> list[tuple[str, str]]:
    names = list(scores.models)
    if baseline is not None and baseline not in names:
        raise ReseedError(
            f"baseline: no model is called {baseline!r}; there are {', '.join(names)}."
            + suggest_name(baseline, names)
        )
    return [pair for pair in combinations(names, 2) if baseline is None or baseline in pair]


def _compare_pairs(
    scores: ItemScores,
    pairs: list[tuple[str, str]],
    sign: int,
    fixed: Sequence[str],
    rope: float | None,
    level: float,
    alpha: float,
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for pair in pairs:
        a, b = sorted(pair, key=lambda name: -sign * scores.models[name].values.mean())
        result, shared = compare_models(scores, a, b, sign, fixed, level)
        row = {"dataset": scores.dataset, "model_a": a, "model_b": b} | _result_columns(
            result, shared, len(scores.models[a].seeds)
        )
        if rope is not None:
            row |= {"rope": rope, "equivalence_p": result.equivalence_p(rope)}
        rows.append(row | _design_columns(result, alpha / len(pairs)))
    tested = [row for row in rows if row["low"] < row["high"]]
    for name in ("p", "equivalence_p"):
        with_p = [row for row in tested if name in row]
        for row, p in zip(with_p, holm([row[name] for row in with_p]) if with_p else [],
                          strict=True):  # fmt: skip
            row[f"{name}_holm"] = float(p)
    extra = {"pairs": len(tested), "alpha": alpha, "level": level}
    return [{"p_holm": row["p"]} | row | extra for row in rows]


def compare_models(
    scores: ItemScores, a: str, b: str, sign: int, fixed: Sequence[str], level: float
) -> tuple[ItemDifference, bool | None]:
    """The test of model `a` − `b`, and whether seeds are shared (None: seeds are not sampled).

    Seeds are paired where both models have the same labels, or at least four in five in common.
    """
    values_a, values_b, noise, is_shared = _match_seeds(scores.models[a], scores.models[b])
    factors: list[Factor] = []
    for axis, factor in ((1, Factor("prompt", True)), (0, Factor("seed", is_shared))):
        if factor.name in fixed or min(values_a.shape[axis], values_b.shape[axis]) < 2:
            values_a, values_b = values_a.mean(axis=axis), values_b.mean(axis=axis)
        else:
            factors.insert(0, factor)
    result = item_difference(
        sign * values_a, sign * values_b, factors,
        clusters=scores.clusters, repeat_variance=noise, level=level,
    )  # fmt: skip
    return result, is_shared if "seed" in result.levels else None


def _match_seeds(a: ModelScores, b: ModelScores) -> tuple[Array, Array, float, bool]:
    """Values of both models with paired seeds in the same order, and the variance of repeats."""
    seeds = list(a.seeds), list(b.seeds)
    common = [seed for seed in seeds[0] if seed in set(seeds[1])]
    is_shared = len(common) >= max(2, _SHARED_SEEDS * max(map(len, seeds)))
    values, noise = [], 0.0
    for one, labels in zip((a, b), seeds, strict=True):
        rows = [labels.index(seed) for seed in common] if is_shared else [*range(len(labels))]
        values.append(one.values[rows])
        if one.repeat_variance is not None:
            part = one.repeat_variance[rows]
            noise += float(part.mean() / part.size)
    return values[0], values[1], noise, is_shared


def _result_columns(result: ItemDifference, shared: bool | None, seeds_a: int) -> dict[str, Any]:
    levels = {f"level_{source}": result.levels.get(source, 0) for source in SOURCES}
    total = sum(one.variance for one in result.contributions)
    shares = dict.fromkeys(SOURCES, 0.0)
    for one in result.contributions:
        shares[max(one.sources, key=SOURCES.index)] += one.variance / total if total else 0.0
    return {
        "difference": result.difference,
        "low": result.low,
        "high": result.high,
        "se": result.se,
        "p": result.p_value,
        "method": result.method,
        "shared_seeds": shared,
        "seeds_a": seeds_a,
        "cluster_df": result.parts[-1][1] if result.parts else np.nan,
        **levels,
        **{f"share_{source}": share for source, share in shares.items()},
    }


def _design_columns(result: ItemDifference, alpha: float) -> dict[str, float]:
    """Smallest detectable difference at the first step of Holm's test, now and with more."""
    columns = dict.fromkeys(["detectable", *(f"detectable_2x_{s}" for s in SOURCES)], np.nan)
    if result.se == 0:
        return columns
    columns["detectable"] = predict_design(result, {}, alpha, _POWER).detectable
    sources = {source for one in result.contributions for source in one.sources}
    for source in SOURCES:
        if source in sources:
            changed = predict_design(result, {source: 2.0}, alpha, _POWER)
            columns[f"detectable_2x_{source}"] = changed.detectable
    return columns


def _add_verdicts(
    verdicts: pd.DataFrame, source: ItemTable, label: str, direction: bool | None
) -> pd.DataFrame:
    score = source.frame["score"].dropna()
    in_points = bool(score.isin((0, 1)).all()) or (
        is_share(source.metric) and bool(score.between(0, 1).all())
    )
    table = verdicts.assign(
        metric=label, greater_is_better=direction is not False,
        direction_known=direction is not None,
        factor=100.0 if in_points else 1.0, unit="points" if in_points else "",
    )  # fmt: skip
    rows = table.to_dict("records")
    table["outcome"] = [decide_evaluation_outcome(row) for row in rows]
    table["verdict"] = [build_evaluation_verdict(row).sentence() for row in rows]
    return table
