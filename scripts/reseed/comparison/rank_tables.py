"""Prepares a table of scores for a ranking: missing tasks, empty scores, runs × items of a task."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reseed.comparison.claims.formatting import join_names as join_and
from reseed.comparison.item_arrays import treat_failed
from reseed.core.errors import ReseedError
from reseed.readers.source_table import join_names
from reseed.stats.rank_sets import TaskScores

#: Columns that tell the runs of a model apart, the outermost source first.
_RUNS = ("seed", "repeat", "prompt")
#: What to do with models that lack a task.
MISSING = ("refuse", "tasks", "models")
#: Numbers of levels over tasks by source: seed (or what else a run is), item, cluster.
Sources = dict[str, set[int]]


def average_splits(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """One score a run: the mean over the splits of a task; empty if a split has none."""
    labels = [name for name in frame if name != "score"]
    groups = frame.groupby(labels, sort=False)["score"]
    mean = groups.mean().where(groups.count() == groups.size())
    notes.append(
        "Scores are averaged over the splits of a task, whose training rows overlap: ranks on "
        "these tasks hold for exactly these rows. `reseed compare` allows for new splits."
    )
    return mean.reset_index()


def treat_empty_scores(
    frame: pd.DataFrame, failed: str, missing: str, notes: list[str]
) -> pd.DataFrame:
    """The frame without empty scores, with every task of every model.

    A task on which a model has no score at all is missing; empty scores of other tasks are failed
    items, or failed runs of tables without items.
    """
    groups = frame.groupby(["model", "dataset"], sort=False)["score"]
    has_score = groups.transform("size" if failed == "zero" else "count") > 0
    frame = _treat_missing(frame, has_score, missing, notes)
    parts = []
    for dataset, part in frame.groupby("dataset", sort=False):
        where = f"task {dataset}: " if dataset else ""
        has_items = bool(part["item"].ne("").any())
        if has_items or failed != "drop":
            parts.append(treat_failed(part.reset_index(drop=True), where, failed, notes))
            continue
        empty = part["score"].isna()
        if empty.any():
            notes.append(f"{where}{int(empty.sum())} failed runs are left out.")
        parts.append(part[~empty])
    return pd.concat(parts, ignore_index=True)


def _treat_missing(
    frame: pd.DataFrame, has_score: pd.Series, missing: str, notes: list[str]
) -> pd.DataFrame:
    scored = frame.loc[has_score].groupby(["model", "dataset"], sort=False).size()
    present = scored.unstack("dataset").reindex(
        index=frame["model"].unique(), columns=frame["dataset"].unique()
    )
    present = present.notna()
    if present.to_numpy().all():
        return frame
    worst = present.sum(axis=1).idxmin()
    if missing == "refuse":
        lacking = [name for name in present if not present.at[worst, name]]
        raise ReseedError(
            f"{int((~present).to_numpy().sum())} of {present.size} pairs of model and task are "
            f"missing: {worst} lacks {join_names(lacking)}. Keep the tasks that all models have "
            "(`missing: tasks`), or the models that have all tasks (`missing: models`)."
        )
    if missing == "tasks":
        kept = list(present.columns[present.all(axis=0)])
        result = frame.loc[frame["dataset"].isin(kept)]
        notes.append(f"Tasks kept: {len(kept)} of {present.shape[1]}, which all models have.")
    else:
        kept = list(present.index[present.all(axis=1)])
        result = frame.loc[frame["model"].isin(kept)]
        left = [str(name) for name in present.index if name not in kept]
        notes.append(f"Models left out, as they lack tasks: {join_names(left, 20)}.")
    if len(kept) < (2 if missing == "models" else 1):
        raise ReseedError(f"missing: {missing!r} leaves too little to rank. Choose the other way.")
    return result.reset_index(drop=True)


def keep_complete(frame: pd.DataFrame, failed: str, notes: list[str]) -> tuple[pd.DataFrame, str]:
    """One score a run and item, of items that every run of every model has, and what a run is.

    Items that some run lacks are left out if `failed` is `drop`, else refused: means over unlike
    items are not comparable.
    """
    has_items = bool(frame["item"].ne("").any())
    copies = frame.duplicated(["dataset", "model", *_RUNS, "item"])
    if copies.any():
        row = frame[copies].iloc[0]
        raise ReseedError(
            f"model {row['model']} has several scores of one run"
            + (f" and item {row['item']}" if has_items else "")
            + ". Name the column that tells the rows apart: seed, repeat, prompt or item."
        )
    pairs = frame[["dataset", "item", "cluster"]].drop_duplicates()
    several = pairs.duplicated(["dataset", "item"])
    if several.any():
        name = pairs.loc[several, "item"].iloc[0]
        raise ReseedError(f"item {name} is in several clusters. An item has one: correct it.")
    # Repeats of which some failed are no complete runs: they are averaged.
    names = [name for name in _RUNS if (name, failed) != ("repeat", "repeats") or not has_items]
    noun, averaged = _choose_runs(frame, names, notes)
    groups = frame.groupby(["dataset", "model", noun, "item", "cluster"], sort=False)
    scores = groups["score"].agg(["mean", "size"]).reset_index()
    scores = scores.rename(columns={"mean": "score", "size": "count"})
    if not has_items:
        return scores.drop(columns="count"), noun
    runs = scores[["dataset", "model", noun]].drop_duplicates().groupby("dataset").size()
    by_item = scores.groupby(["dataset", "item"], sort=False)["count"]
    is_complete = by_item.transform("size") == scores["dataset"].map(runs)
    if "prompt" in averaged:  # an item without one of the prompts has another expected mean
        is_complete &= by_item.transform("min") == by_item.transform("max")
    if not is_complete.all():
        scores = _keep_shared_items(scores, is_complete, failed, notes)
    return scores.drop(columns="count"), noun


def _keep_shared_items(
    scores: pd.DataFrame, is_complete: pd.Series, failed: str, notes: list[str]
) -> pd.DataFrame:
    for dataset, part in scores.groupby("dataset", sort=False):
        kept = part.loc[is_complete[part.index], "item"].nunique()
        total = part["item"].nunique()
        where = f"task {dataset}: " if dataset else ""
        if failed != "drop" and kept < total:
            raise ReseedError(
                f"{where}models or runs differ in their items: all have {kept:,} of {total:,}. "
                "Score all on the same, write a failed item with an empty score and set `failed`, "
                "or rank on the items that all have: `failed: drop`."
            )
        if not kept:
            raise ReseedError(f"{where}no item has a score of every run of every model.")
        if kept < total:
            notes.append(
                f"{where}{kept:,} of {total:,} items are kept, which all runs of all models have. "
                "If a model lacks hard items, this favours it."
            )
    return scores[is_complete].reset_index(drop=True)


def _choose_runs(frame: pd.DataFrame, names: list[str], notes: list[str]) -> tuple[str, list[str]]:
    """The column that tells runs apart, and those that are averaged within a run.

    Runs are the levels of the first of `names` that varies. Those of the others share a seed or a
    repeat, hence are no runs of their own: they are averaged.
    """
    levels = frame.groupby(["dataset", "model"])[list(_RUNS)].nunique()
    noun = next((name for name in names if levels[name].min() > 1), names[0])
    averaged = [name for name in _RUNS if name != noun and levels[name].max() > 1]
    if averaged:
        notes.append(f"Averaged within each {noun}: {join_and(f'{name}s' for name in averaged)}.")
    if "prompt" in averaged:
        notes.append("The ranks hold for exactly these prompts.")
    return noun, averaged


def arrange_tasks(
    scores: pd.DataFrame, models: list[str], datasets: list[str], noun: str
) -> list[TaskScores]:
    """Scores of each task as runs × items; `noun`: the column of runs."""
    tasks: list[TaskScores] = []
    by_task = dict(list(scores.groupby("dataset", sort=False)))
    for dataset in datasets:
        part = by_task[dataset]
        grid = part.pivot(index=["model", noun], columns="item", values="score")
        values, names = grid.to_numpy(), grid.index.get_level_values("model")
        clusters = _find_clusters(part, grid.columns) if part["cluster"].ne("").any() else None
        tasks.append(TaskScores([values[names == model] for model in models], clusters))
    return tasks


def _find_clusters(part: pd.DataFrame, items: pd.Index) -> NDArray[np.int64]:
    """The code of the cluster of each item."""
    of_item = part.drop_duplicates("item").set_index("item")["cluster"]
    return pd.factorize(of_item.loc[items])[0].astype(np.int64)


def count_sources(tasks: list[TaskScores], noun: str) -> tuple[list[TaskScores], Sources]:
    """The tasks and how many levels of each source they have; `noun`: what a run is.

    None if a model has one run only and there are no items: that part of the error is unknown.
    """
    runs = {len(one) for task in tasks for one in task.values}
    items = {task.values[0].shape[1] for task in tasks}
    if min(items) == 1 and min(runs) < 2:
        return [], {}
    clusters = {len(set(task.clusters)) for task in tasks if task.clusters is not None}
    counts = {noun: runs, "item": items, "cluster": clusters}
    return tasks, {name: levels for name, levels in counts.items() if max(levels, default=1) > 1}
