"""Prepares runs for a ranking: missing tasks and failed runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.source_table import join_names
from reseed.report.analyses.shared.across_datasets import shared_means
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.pairing import group_models

#: What to do with models that lack a task.
MISSING = ("refuse", "tasks", "models")


def treat_failed_runs(data: Data, failed: str, notes: list[str]) -> Data:
    """The data with failed runs as `failed` says: left out, or 0.

    A task on which a model has no score at all is missing, unless failed runs count 0.
    """
    runs, zero = data.metrics.copy(), failed == "zero"
    counts: dict[str, int] = {}
    for group in group_models(data):
        scored = {name for name, values in group.scores_by_model.items() if values.size}
        failing = {name: n for name, n in group.failed.items() if n and (zero or name in scored)}
        for name, count in failing.items():
            counts[name] = counts.get(name, 0) + count
            if zero:
                rows = runs["model"].eq(name) & runs["dataset"].eq(group.key["dataset"])
                empty = rows & ~np.isfinite(runs[group.metric])
                runs.loc[empty, group.metric], runs.loc[empty, "status"] = 0.0, "ok"
    if not counts:
        return data
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    if zero:
        notes.append(f"Failed runs count 0: {listed}.")
        return replace(data, metrics=runs)
    if failed != "drop":
        raise ReseedError(
            f"scores are missing ({listed}). Say what a failed run counts: `failed: drop` (it is "
            "left out) or `failed: zero` (it counts 0, where more is better)."
        )
    notes.append(f"Failed runs are left out: {listed}.")
    return data


def keep_complete(data: Data, missing: str, notes: list[str]) -> Data:
    """The models and tasks of which every model has a score on every task, as `missing` says."""
    groups = group_models(data)
    models = list(dict.fromkeys(data.metrics["model"]))
    present = pd.DataFrame(
        {
            group.key["dataset"]: [
                group.scores_by_model.get(model, np.empty(0)).size > 0 for model in models
            ]
            for group in groups
        },
        index=models,
    )
    if present.to_numpy().all():
        return data
    if missing == "refuse":
        worst = present.sum(axis=1).idxmin()
        lacking = [name for name in present if not present.at[worst, name]]
        raise ReseedError(
            f"{int((~present).to_numpy().sum())} of {present.size} pairs of model and task are "
            f"missing: {worst} lacks {join_names(lacking)}. Keep the tasks that all models have "
            "(`missing: tasks`), or the models that have all tasks (`missing: models`)."
        )
    if missing == "tasks":
        kept = present.loc[:, present.all(axis=0)]
        notes.append(f"Tasks kept: {kept.shape[1]} of {present.shape[1]}, which all models have.")
    else:
        kept = present.loc[present.all(axis=1)]
        left = [str(name) for name in present.index if name not in kept.index]
        notes.append(f"Models left out, as they lack tasks: {join_names(left, 20)}.")
    if len(kept) < 2 or not kept.shape[1]:
        raise ReseedError(f"missing: {missing!r} leaves too little to rank. Choose the other way.")
    runs = data.metrics
    is_kept = runs["model"].isin(kept.index) & runs["dataset"].isin(kept.columns)
    items = {name: one for name, one in data.items.items() if name in kept}
    return replace(data, metrics=runs[is_kept].reset_index(drop=True), items=items)


def tabulate_means(data: Data, notes: list[str]) -> pd.DataFrame:
    """Mean scores (models × tasks) on the splits that all models share; greater is better."""
    models = list(dict.fromkeys(data.metrics["model"]))
    cells, left_out = {}, 0
    for group in group_models(data):
        cells[group.key["dataset"]], left = shared_means(group, models)
        left_out += int(left.sum())
        if np.isnan(cells[group.key["dataset"]]).any():
            raise ReseedError(
                f"task {group.key['dataset']}: the models were run on different splits. Run all "
                "on the same ones."
            )
    if left_out:
        notes.append(f"Runs left out, as not all models have one on their split: {left_out}.")
    return pd.DataFrame(cells, index=pd.Index(models, name="model"))
