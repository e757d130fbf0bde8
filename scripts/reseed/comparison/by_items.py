"""Scores of items as the runs of a study, with the scores by item that decide between models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.item_scores import ItemScores
from reseed.comparison.item_arrays import arrange_items, check_zero
from reseed.comparison.item_metrics import NOTE, compute_contributions, correct_by_people
from reseed.comparison.resolution import check_frame
from reseed.core.errors import ReseedError
from reseed.core.schemas import MODEL_SEED_COLUMNS, SPLIT_COLUMNS
from reseed.core.study_info import DatasetInfo
from reseed.readers import EXPERIMENT
from reseed.readers.metrics_schema import Texts, describe_imported_study
from reseed.readers.scores import Scores

#: Columns of runs of one setting, on one test set.
ONE_SETTING: dict[str, Any] = {
    **dict.fromkeys(("experiment", "scheme", "hyperparameters_source"), EXPERIMENT),
    "varied": "model", "test_ratio": np.nan,
}  # fmt: skip


def tabulate_items(table: Scores, combined: tuple[str, str, tuple[str, ...]], texts: Texts) -> Data:
    """The runs of all models with their scores of items, as analyses read them.

    Args:
        table: scores of items.
        combined: `repeats`, `failed` and `fixed` of `arrange_items`.
        texts: name and title of the report.
    """
    check_zero(combined[1], table)
    frame, repeats, notes = table.items(), combined[0], list(table.notes)
    check_frame(frame, table.metric)
    arranged = [correct_by_people(one) for one in arrange_items(frame, *combined)]
    if "dataset" not in table.named:
        arranged = [replace(arranged[0], dataset=next(iter(table.metrics)))]
    models = {model for one in arranged for model in one.models}
    if len(models) > 1 and max(len(one.models) for one in arranged) < 2:
        raise ReseedError("No dataset holds two models: give the scores of both on the same items.")
    if metric := table.computed:
        notes.append(NOTE.format(metric=metric))
        arranged = [compute_contributions(one, metric) for one in arranged]
    notes += [note for one in arranged for note in one.notes]
    if repeats == "factor":
        notes.append("Each repeat is taken as a run with a seed of its own.")
    label = table.metric if repeats in ("mean", "factor") else repeats
    facts = DatasetInfo(
        metric=label, greater_is_better=table.sign > 0, by_items=True,
        metric_is_share=table.is_share,
    )  # fmt: skip
    datasets = {one.dataset: facts.model_copy(update={"title": one.dataset}) for one in arranged}
    metrics = _list_runs(arranged, label)
    # A metric may be called `error`: only the facts take the column for messages.
    runs = metrics.assign(error="")
    info = describe_imported_study(runs, datasets, texts, list(dict.fromkeys(notes)))
    return Data(metrics, info, items={one.dataset: one for one in arranged})


def _list_runs(arranged: Sequence[ItemScores], label: str) -> pd.DataFrame:
    """One row a run: its mean over prompts and items."""
    runs = []
    for one in arranged:
        seeds = dict.fromkeys(seed for model in one.models.values() for seed in model.seeds)
        number = {seed: place for place, seed in enumerate(seeds)}
        for name, model in one.models.items():
            means = model.values.mean(axis=(1, 2))
            runs += [
                {"dataset": one.dataset, "model": name, label: float(mean)}
                | dict.fromkeys(MODEL_SEED_COLUMNS, number[seed])
                for seed, mean in zip(model.seeds, means, strict=True)
            ]
    return pd.DataFrame(runs).assign(**dict.fromkeys(SPLIT_COLUMNS, 0), status="ok", **ONE_SETTING)
