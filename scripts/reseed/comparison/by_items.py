"""Compares models over items and all that is crossed with them, by the analysis `pairs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from reseed.comparison.arguments import PairChoice, check_names
from reseed.comparison.claims.build import build_verdict
from reseed.comparison.claims.designs import ITEM_MODEL
from reseed.comparison.claims.item_verdicts import SOURCES
from reseed.comparison.claims.possible_ranks import MIN_RANKED
from reseed.comparison.item_arrays import arrange_items
from reseed.comparison.item_metrics import bootstrap_pair, compute_contributions, describe_metric
from reseed.comparison.pair_result import PairComparison, rank_by_verdicts
from reseed.comparison.ranking import rank_item_scores
from reseed.comparison.resolution import check_frame
from reseed.comparison.shown import note_two_procedures
from reseed.core.errors import ReseedError
from reseed.core.schemas import MODEL_SEED_COLUMNS, SPLIT_COLUMNS
from reseed.core.study_info import DatasetInfo, build_study_info
from reseed.readers import EXPERIMENT
from reseed.readers.scores import Scores
from reseed.report.analyses import pairs as analysis
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.item_scores import ItemScores

_OF_ROPE = ("rope", "equivalence_p", "equivalence_p_holm")
_OF_BOOTSTRAP = ("boot_low", "boot_high")
_LEVELS = [f"level_{source}" for source in SOURCES]
#: Columns of `PairComparison.verdicts`.
COLUMNS = [
    "dataset", "model_a", "model_b", "seeds_a", "difference", "low", "high", "se", "p", "method",
    "shared_seeds", "cluster_df", *_LEVELS,
    *(f"share_{source}" for source in SOURCES), "skewness", "skew_p", "better_share", "better_low",
    "better_high", "better_n", "better_unit", *_OF_ROPE[:2], "detectable",
    *(f"detectable_2x_{source}" for source in SOURCES), "p_holm", "p_adjusted", "pairs",
    _OF_ROPE[2], "skew_p_adjusted", "alpha", "level", *_OF_BOOTSTRAP, "metric",
    "greater_is_better", "factor", "unit", "outcome", "verdict",
]  # fmt: skip


def compare_by_items(
    table: Scores,
    choice: PairChoice,
    options: Mapping[str, Any],
    combined: tuple[str, str, tuple[str, ...]],
    title: str,
) -> PairComparison:
    """Models compared over items by the analysis `pairs`.

    Args:
        table: scores of items.
        choice: which pairs are compared.
        options: of the analysis.
        combined: `repeats`, `failed` and `fixed` of `arrange_items`.
        title: heading of the report.
    """
    frame, repeats, notes = table.items(), combined[0], list(table.notes)
    check_frame(frame, table.metric)
    predicted = list(arrange_items(frame, *combined))
    arranged = predicted
    if table.computed:
        arranged = [
            compute_contributions(one, table.computed) if one.has_verdict else one
            for one in predicted
        ]
        notes.append(describe_metric(predicted[0], table.computed))
    for scores in arranged:
        notes += scores.notes
        check_names(choice, list(scores.models))
    label = table.metric if repeats in ("mean", "factor") else repeats
    data = _tabulate(arranged, table, label)
    chosen: dict[str, Any] = {"baseline": choice.baseline, "pairs": choice.pairs or None}
    rows = analysis.analyse(data, analysis.Options(**chosen, **options))
    rows = rows[rows["design"] == ITEM_MODEL.design]
    if table.computed:
        ends = [_bootstrap(row, predicted, table) for row in rows.to_dict("records")]
        rows = rows.assign(**dict(zip(_OF_BOOTSTRAP, zip(*ends, strict=True), strict=True)))
    verdicts = _name_columns(rows, arranged)
    board = pd.concat([_rank_models(scores, table.sign) for scores in arranged], ignore_index=True)
    if repeats == "factor":
        notes.append("Each repeat is taken as a run with a seed of its own.")
    overall = None
    if len(arranged) > 1 and len(arranged[0].models) >= MIN_RANKED:
        overall = rank_item_scores(arranged, table.sign, 1 - verdicts["alpha"].iloc[0])
        notes += overall.notes if overall else []
    notes += note_two_procedures(verdicts)
    return PairComparison(
        verdicts, tuple(dict.fromkeys(notes)), table.metric, board,
        rank_by_verdicts(verdicts, board), overall, title,
    )  # fmt: skip


def _tabulate(arranged: Sequence[ItemScores], table: Scores, label: str) -> Data:
    """The runs of all models with their scores of items, as analyses read them."""
    runs = []
    for one in arranged:
        seeds = dict.fromkeys(seed for model in one.models.values() for seed in model.seeds)
        number = {seed: place for place, seed in enumerate(seeds)}
        for name, model in one.models.items():
            means = model.values.mean(axis=(1, 2))
            runs += [
                {"dataset": one.dataset, "model": name, "status": "ok", label: float(mean)}
                | dict.fromkeys(MODEL_SEED_COLUMNS, number[seed])
                for seed, mean in zip(model.seeds, means, strict=True)
            ]
    given = dict.fromkeys(("experiment", "scheme", "hyperparameters_source"), EXPERIMENT)
    metrics = pd.DataFrame(runs).assign(
        **given, varied="model", test_ratio=np.nan, **dict.fromkeys(SPLIT_COLUMNS, 0)
    )
    facts = DatasetInfo(
        metric=label, greater_is_better=table.sign > 0, by_items=True,
        metric_is_share=table.is_share,
    )  # fmt: skip
    info = build_study_info({}, {one.dataset: facts for one in arranged})
    return Data(metrics, info, items={one.dataset: one for one in arranged})


def _name_columns(rows: pd.DataFrame, arranged: Sequence[ItemScores]) -> pd.DataFrame:
    """The columns that describe a comparison over items; verdicts name the dataset."""
    if rows.empty:
        raise ReseedError("No dataset holds two models: give the scores of both on the same items.")
    models = {(one.dataset, name): model for one in arranged for name, model in one.models.items()}
    found = [build_verdict(row) for row in rows.to_dict("records")]
    tested = (rows["low"] < rows["high"]).groupby(rows["dataset"]).transform("sum")
    columns = [name for name in COLUMNS if name in {*rows, "seeds_a"}]
    if rows["rope"].isna().all():
        columns = [name for name in columns if name not in _OF_ROPE]
    return rows.assign(
        seeds_a=[
            len(models[key].seeds) for key in zip(rows["dataset"], rows["model_a"], strict=True)
        ],
        pairs=tested.astype(int),
        **rows[_LEVELS].astype(int),
        verdict=[verdict.sentence() for verdict in found],
    ).reset_index(drop=True)[columns]


def _bootstrap(
    row: Mapping[Any, Any], predicted: Sequence[ItemScores], table: Scores
) -> tuple[float, float]:
    (scores,) = (one for one in predicted if one.dataset == row["dataset"])
    if not scores.has_verdict:
        return np.nan, np.nan
    names = row["model_a"], row["model_b"]
    return bootstrap_pair(scores, str(table.computed), *names, table.sign, row["level"])


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
