"""`reseed.compare_items`: compares models by item scores, with clusters, repeats and prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from reseed.comparison.arguments import PairChoice, check_levels, check_names, choose_read_options
from reseed.comparison.claims.item_verdicts import build_item_verdict
from reseed.comparison.claims.possible_ranks import MIN_RANKED
from reseed.comparison.item_arrays import arrange_items
from reseed.comparison.item_metrics import bootstrap_pair, compute_contributions, describe_metric
from reseed.comparison.item_result import ItemComparison, rank_by_verdicts
from reseed.comparison.ranking import rank_item_scores
from reseed.comparison.resolution import check_frame
from reseed.comparison.shown import note_two_procedures
from reseed.core.errors import ReseedError
from reseed.metrics.names import is_share
from reseed.readers.read import read_scores
from reseed.readers.scores import Scores
from reseed.report.analyses.shared.adjustment import adjust_p
from reseed.report.analyses.shared.item_scores import ItemScores, compare_pair

#: Factors whose levels may be taken as fixed.
FIXED = ("seed", "prompt")


def compare_items(
    source: pd.DataFrame | str | Path | Sequence[str | Path] | Scores,
    *,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    cluster: str | None = None,
    repeats: str = "mean",
    fixed: Sequence[str] = (),
    failed: str = "refuse",
    baseline: str | None = None,
    pairs: Sequence[Sequence[str]] = (),
    greater_is_better: bool | None = None,
    rope: float | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    seeds: str = "shared",
    title: str = "Which model is better?",
) -> ItemComparison:
    """Compare models by item scores, over items and every factor that is crossed with them.

    Args:
        source: a table of scores of items, or logs of an evaluation harness; or what
            `reseed.readers.read.read_scores` read.
        metric: the score to compare, if there are several.
        columns: standard name → the table's column.
        cluster: column (of logs: field of the metadata) that names the cluster of each item.
        repeats: how repeats of an item are combined (`arrange_items`).
        fixed: factors whose levels are not a sample: `seed` or `prompt` are then averaged.
        failed: what a missing score means: `refuse`, `drop` or `zero`.
        baseline: compare each model with this one only.
        pairs: or compare these pairs only.
        greater_is_better: if the metric's name does not state it.
        rope: the largest difference that does not matter, in units of the score.
        level: of the intervals.
        alpha: size of the tests, after Holm's adjustment over the pairs of a dataset.
        seeds: whether equal seeds of two models are `shared`, so that they are paired, or each
            model's `own`: numbers that share nothing.
        title: heading of the report.

    Raises:
        ReseedError: for a source that cannot be read, incomplete scores, and invalid options.

    Example:
        >>> import pandas as pd, reseed
        >>> right = {"base": 120, "ours": 160}  # of 200 questions
        >>> answers = pd.DataFrame(
        ...     [
        ...         {"model": model, "item": item, "accuracy": int(item < count)}
        ...         for model, count in right.items()
        ...         for item in range(200)
        ...     ]
        ... )
        >>> found = reseed.compare_items(answers)
        >>> print(*found.answer)
        ours beats base: difference 20.0 points (accuracy), 95 % interval 15.0 to 26.1...
    """
    _check_options(fixed, rope, level, alpha)
    table = source
    if not isinstance(table, Scores):
        given = choose_read_options(metric, columns, cluster, greater_is_better)
        table, _ = read_scores(source, given, ("model", "item"))
    sign, frame = table.sign, table.items()
    rows: list[dict[str, Any]] = []
    notes = list(table.notes)
    check_frame(frame, table.metric)
    predicted = list(arrange_items(frame, repeats, failed, seeds == "own"))
    arranged = predicted
    if table.computed:
        arranged = [
            compute_contributions(one, table.computed) if one.has_verdict else one
            for one in predicted
        ]
        notes.append(describe_metric(predicted[0], table.computed))
    for scores, raw in zip(arranged, predicted, strict=True):
        notes += scores.notes
        chosen = _choose_pairs(scores, baseline, pairs)
        found = _compare_pairs(scores, chosen, sign, fixed, rope, level, alpha)
        if table.computed and raw.has_verdict:
            _add_bootstrap(found, raw, str(table.computed), sign, level)
        rows += found
    label = table.metric if repeats in ("mean", "factor") else repeats
    verdicts = _add_verdicts(rows, table, frame["score"].dropna(), label)
    board = pd.concat([_rank_models(scores, sign) for scores in arranged], ignore_index=True)
    if repeats == "factor":
        notes.append("Each repeat is taken as a run with a seed of its own.")
    overall = None
    if len(arranged) > 1 and len(arranged[0].models) >= MIN_RANKED:
        overall = rank_item_scores(arranged, sign, 1 - alpha)
        notes += overall.notes if overall else []
    notes += note_two_procedures(verdicts)
    return ItemComparison(
        verdicts, board, table.metric, tuple(dict.fromkeys(notes)),
        rank_by_verdicts(verdicts, board), overall, title,
    )  # fmt: skip


def _add_bootstrap(
    rows: list[dict[str, Any]], scores: ItemScores, metric: str, sign: int, level: float
) -> None:
    for row in rows:
        ends = bootstrap_pair(scores, metric, row["model_a"], row["model_b"], sign, level)
        row |= dict(zip(("boot_low", "boot_high"), ends, strict=True))


def _check_options(fixed: Sequence[str], rope: float | None, level: float, alpha: float) -> None:
    check_levels(level=level, alpha=alpha)
    if rope is not None and not rope > 0:
        raise ReseedError(f"rope is {rope!r}: give a number above 0, in units of the score.")
    for name in fixed:
        if name not in FIXED:
            raise ReseedError(f"fixed: {name!r} is none of {', '.join(FIXED)}.")


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


def _choose_pairs(
    scores: ItemScores, baseline: str | None, pairs: Sequence[Sequence[str]]
) -> list[tuple[str, str]]:
    names = list(scores.models)
    check_names(PairChoice(baseline, [list(pair) for pair in pairs]), names)
    if pairs:
        return [(pair[0], pair[1]) for pair in pairs]
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
        row: dict[str, Any] = {
            "dataset": scores.dataset, "model_a": a, "model_b": b,
            "seeds_a": len(scores.models[a].seeds),
        }  # fmt: skip
        rows.append(
            row
            | compare_pair(
                scores, a, b, sign, alpha=alpha / len(pairs), level=level, fixed=fixed, rope=rope
            )
        )
    adjust_p(rows)
    extra = {"alpha": alpha, "level": level}
    return [row | extra for row in rows]


def _add_verdicts(
    rows: list[dict[str, Any]], source: Scores, score: pd.Series, label: str
) -> pd.DataFrame:
    if not rows:
        raise ReseedError("No dataset holds two models: give the scores of both on the same items.")
    verdicts = pd.DataFrame(rows)
    in_points = source.computed is not None and is_share(source.metric)
    in_points = (
        in_points
        or bool(score.isin((0, 1)).all())
        or (is_share(source.metric) and bool(score.between(0, 1).all()))
    )
    if in_points:  # no difference of shares is larger than 1
        verdicts = verdicts.assign(**verdicts[["low", "high"]].clip(-1, 1))
    table = verdicts.assign(
        metric=label, greater_is_better=source.sign > 0,
        factor=100.0 if in_points else 1.0, unit="points" if in_points else "",
    )  # fmt: skip
    found = [build_item_verdict(row) for row in table.to_dict("records")]
    table["outcome"] = [verdict.outcome for verdict in found]
    table["verdict"] = [verdict.sentence() for verdict in found]
    return table
