"""`reseed.rank_models`: intervals of ranks, and the models that may be the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from reseed.claims.formatting import count_noun
from reseed.claims.formatting import join_names as join_and
from reseed.comparison.item_arrays import ItemScores
from reseed.comparison.score_direction import choose_direction
from reseed.core.errors import ReseedError
from reseed.importers.item_table import ItemTable, read_item_table
from reseed.importers.source_table import join_names
from reseed.stats.rank_sets import (
    RankSets,
    TaskScores,
    levels_to_separate,
    rank_on_tasks,
    rank_over_tasks,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Fewest tasks for a statement on new tasks: with fewer no pattern of signs is rare enough.
_MIN_TASKS = 6
#: Columns that tell the runs of a model apart, the outermost source first.
_RUNS = ("seed", "repeat", "prompt")
#: What to do with models that lack a task.
MISSING = ("refuse", "tasks", "models")
#: What is averaged over tasks.
SCALES = ("score", "rank")
#: Measured by simulation (docs/methods, Sets of ranks).
_SKEW_NOTE = (
    "Ranks on new tasks take differences of models as symmetric over tasks. If they are strongly "
    "skewed and their spreads differ by model, 10 to 16 % of such statements are wrong in place of "
    "5 %. Ranks within tasks (`scale: rank`) are bounded, hence less skewed."
)
#: Numbers of levels over tasks by source: seed (or what else a run is), item, cluster.
Sources = dict[str, set[int]]
_SEED = 20_260_101  # of the draws, so that a table gives the same ranks every time


@dataclass(frozen=True)
class Ranking:
    """Models by rank.

    table: one row a model, the best first: `mean`, `rank`; `low_new`, `high_new`, the interval of
        the rank on new tasks, and `low_these`, `high_these`, on exactly these tasks (empty where
        the scores do not support one); `tasks_needed`, about how many tasks would show the
        difference to the next model, and `seeds_needed`, `items_needed` or `clusters_needed`, how
        many of these would if the numbers of the others stay (infinity: none would).
    new_tasks, these_tasks: the rank sets behind them, in the order of `table`.
    sources: what varies in the statement on these tasks, such as `5 seeds and 200 items`.
    """

    table: pd.DataFrame
    new_tasks: RankSets | None
    these_tasks: RankSets | None
    level: float
    sources: str
    notes: tuple[str, ...]

    def sentences(self) -> list[str]:
        """Which models may be the best, for new tasks and for these."""
        texts = []
        percent = f"{100 * self.level:g} %"
        for name, where in (("new", "On new tasks"), ("these", "On exactly these tasks")):
            if f"low_{name}" not in self.table:
                continue
            first = list(self.table.loc[self.table[f"low_{name}"] == 1, "model"])
            counted = count_noun(len(self.table), "model")
            verb = f"{first[0]} is" if len(first) == 1 else f"{join_names(first, 20)} may each be"
            extra = f", over {self.sources}" if name == "these" else ""
            texts.append(
                f"{where}{extra}: {verb} the best of {counted} ({percent} for all ranks at once)."
            )
        return texts

    def __str__(self) -> str:
        text = self.table.to_string(index=False, float_format=lambda x: f"{x:.4g}")
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([text, "", *(f"- {one}" for one in self.sentences()), "", *notes])

    def plot(self) -> Figure:
        """Intervals of the ranks: on new tasks (thin), on these (thick), and the rank (dot)."""
        from reseed.comparison.rank_figure import draw_ranks

        return draw_ranks(self.table, self.level)


def rank_models(
    source: pd.DataFrame | str | Path | Sequence[str | Path] | ItemTable,
    *,
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
    cluster: str | None = None,
    greater_is_better: bool | None = None,
    missing: str = "refuse",
    scale: str = "score",
    level: float = 0.95,
) -> Ranking:
    """Rank models by their mean over tasks, with simultaneous intervals of the ranks.

    Args:
        source: a table with `model` and the score, and `dataset` (task), `seed` or `item`; or one
            row a model and one column a task.
        metric: the score, if there are several.
        columns: standard name → the table's column.
        cluster: column that names the cluster of each item.
        greater_is_better: if the metric's name does not state it.
        missing: `refuse` a model that lacks a task; keep the `tasks` that all models have; or the
            `models` that have all tasks.
        scale: average the `score` over tasks, or the `rank` within each task (for tasks of unlike
            scales; new tasks only).
        level: simultaneous level of all intervals.

    Raises:
        ReseedError: for a table that cannot be read, missing tasks, and scores that support no
            interval: fewer than six tasks, and neither runs nor items.
    """
    _check_options(missing, scale, level)
    mapping = dict(columns or {}) | ({"cluster": cluster} if cluster else {})
    table = source if isinstance(source, ItemTable) else _read(source, mapping, metric)
    stated = table.greater_is_better if greater_is_better is None else greater_is_better
    direction = choose_direction(table.metric, stated)
    notes = list(table.notes)
    if direction is None:
        notes.append(f"The greater {table.metric!r} is taken as better.")
    sign = -1 if direction is False else 1
    frame = table.frame.assign(score=sign * table.frame["score"])
    if frame["score"].isna().any():
        raise ReseedError(
            f"{int(frame['score'].isna().sum())} scores are missing: fill them in, or leave the "
            "model or task out."
        )
    frame = _treat_missing(frame, missing, notes)
    return _rank(frame, sign, scale, level, notes)


def _check_options(missing: str, scale: str, level: float) -> None:
    for name, value, known in (("missing", missing, MISSING), ("scale", scale, SCALES)):
        if value not in known:
            raise ReseedError(f"{name}: {value!r} is none of {', '.join(known)}.")
    if not 0 < level < 1:
        raise ReseedError(f"level is {level!r}: give a number between 0 and 1.")


def _read(
    source: pd.DataFrame | str | Path | Sequence[str | Path],
    columns: Mapping[str, str] | None,
    metric: str | None,
) -> ItemTable:
    return read_item_table(source, columns, metric, required=("model",), tasks_in_columns=True)


def _treat_missing(frame: pd.DataFrame, missing: str, notes: list[str]) -> pd.DataFrame:
    """The frame with every task of every model."""
    present = frame.groupby(["model", "dataset"], sort=False).size().unstack("dataset").notna()
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


def _rank(frame: pd.DataFrame, sign: int, scale: str, level: float, notes: list[str]) -> Ranking:
    cells = frame.groupby(["model", "dataset"], sort=False)["score"].mean().unstack("dataset")
    if len(cells) < 2:
        raise ReseedError("The table holds one model: a ranking needs two or more.")
    tasks, sources = _arrange_tasks(frame, list(cells.index), list(cells.columns), notes)
    ranking = _build_ranking(cells, tasks, sources, sign, scale, level, notes)
    if ranking is None:
        raise ReseedError(
            "The scores support no interval of ranks: give six tasks or more, several runs (column "
            "`seed`), or scores of items (column `item`)."
        )
    return ranking


def rank_item_scores(arranged: Sequence[ItemScores], sign: int, level: float) -> Ranking | None:
    """Rank models over datasets by arranged item scores; prompts are averaged.

    None if the datasets differ in their models, or support no interval.
    """
    models = list(arranged[0].models)
    if any(set(scores.models) != set(models) for scores in arranged):
        return None
    tasks = [
        TaskScores(
            [sign * scores.models[model].values.mean(axis=1) for model in models], scores.clusters
        )
        for scores in arranged
    ]
    cells = pd.DataFrame(
        {
            scores.dataset: [float(one.mean()) for one in task.values]
            for scores, task in zip(arranged, tasks, strict=True)
        },
        index=pd.Index(models, name="model"),
    )
    return _build_ranking(cells, *_count_sources(tasks, "seed"), sign, "score", level, [])


def _build_ranking(
    cells: pd.DataFrame,
    tasks: list[TaskScores],
    sources: Sources,
    sign: int,
    scale: str,
    level: float,
    notes: list[str],
) -> Ranking | None:
    """The ranking by mean scores (models × datasets), and by runs and items if `tasks` has some."""
    scores = cells.to_numpy()
    if scale == "rank":
        scores = rankdata(scores, axis=0)
    new = these = None
    if scores.shape[1] >= _MIN_TASKS:
        new = rank_over_tasks(scores, level, rng=np.random.default_rng(_SEED))
        notes.append(_SKEW_NOTE)
    else:
        notes.append(
            f"No statement on new tasks: {count_noun(scores.shape[1], 'task')}, at least "
            f"{_MIN_TASKS} are needed."
        )
    if tasks and scale == "score":
        these = rank_on_tasks(tasks, level, rng=np.random.default_rng(_SEED))
    elif scale == "score":
        notes.append("No statement on exactly these tasks: one run of each model, without items.")
    if new is None and these is None:
        return None
    mean = scores.mean(axis=1)
    rank = (new or these).rank  # type: ignore[union-attr]
    table = pd.DataFrame({"model": list(cells.index), "mean": mean, "rank": rank})
    table["mean"] = len(cells) + 1 - mean if scale == "rank" else sign * mean
    for name, sets in (("new", new), ("these", these)):
        if sets is not None:
            table[f"low_{name}"], table[f"high_{name}"] = sets.low, sets.high
    if new is not None:
        table["tasks_needed"] = levels_to_separate(new, scores.shape[1])
    if these is not None:
        table = table.assign(**_needed_levels(these, sources))
    order = np.lexsort((np.arange(len(table)), table["rank"]))
    table = table.iloc[order].reset_index(drop=True)
    text = join_and(_count_range(levels, name) for name, levels in sources.items())
    return Ranking(table, new, these, level, text, tuple(notes))


def _arrange_tasks(
    frame: pd.DataFrame, models: list[str], datasets: list[str], notes: list[str]
) -> tuple[list[TaskScores], Sources]:
    """Scores of each task as runs × items, and what varies; none if a model has one run only."""
    has_items = bool(frame["item"].ne("").any())
    copies = frame.duplicated(["dataset", "model", *_RUNS, "item"])
    if copies.any():
        row = frame[copies].iloc[0]
        raise ReseedError(
            f"model {row['model']} has several scores of one run"
            + (f" and item {row['item']}" if has_items else "")
            + ". Name the column that tells the rows apart: seed, repeat, prompt or item."
        )
    frame, noun = _average_runs(frame, notes)
    tasks: list[TaskScores] = []
    by_task = dict(list(frame.groupby("dataset", sort=False)))
    for dataset in datasets:
        part = by_task[dataset]
        grid = part.pivot(index=["model", noun], columns="item", values="score")
        if grid.isna().to_numpy().any():
            raise ReseedError(
                f"task {dataset}: models or runs differ in their items. Score all on the same."
            )
        values, names = grid.to_numpy(), grid.index.get_level_values("model")
        clusters = _find_clusters(part, grid.columns) if part["cluster"].ne("").any() else None
        tasks.append(TaskScores([values[names == model] for model in models], clusters))
    return _count_sources(tasks, noun)


def _average_runs(frame: pd.DataFrame, notes: list[str]) -> tuple[pd.DataFrame, str]:
    """One score a run and item, and the column that tells runs apart.

    Runs are the levels of the first of `_RUNS` that varies. Those of the others share a seed or a
    repeat, hence are no runs of their own: they are averaged.
    """
    levels = frame.groupby(["dataset", "model"])[list(_RUNS)].nunique()
    noun = next((name for name in _RUNS if levels[name].min() > 1), _RUNS[0])
    averaged = [name for name in _RUNS if name != noun and levels[name].max() > 1]
    if averaged:
        notes.append(f"Averaged within each {noun}: {join_and(f'{name}s' for name in averaged)}.")
    if "prompt" in averaged:
        notes.append("The ranks hold for exactly these prompts.")
    keys = ["dataset", "model", noun, "item", "cluster"]
    return frame.groupby(keys, sort=False)["score"].mean().reset_index(), noun


def _find_clusters(part: pd.DataFrame, items: pd.Index) -> NDArray[np.int64]:
    """The code of the cluster of each item."""
    of_item = part.drop_duplicates(["item", "cluster"]).set_index("item")["cluster"]
    if of_item.index.has_duplicates:
        name = of_item.index[of_item.index.duplicated()][0]
        raise ReseedError(f"item {name} is in several clusters. An item has one: correct it.")
    return pd.factorize(of_item.loc[items])[0].astype(np.int64)


def _count_sources(tasks: list[TaskScores], noun: str) -> tuple[list[TaskScores], Sources]:
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


def _needed_levels(these: RankSets, sources: Sources) -> dict[str, NDArray[np.float64]]:
    """How many seeds, and how many items or clusters, separate neighbours; others stay the same.

    A source of which some model has one level shows no spread, hence no number. Numbers of items
    are those of the smallest task; the others grow in proportion.
    """
    needed = {}
    for name, levels in sources.items():
        if min(levels) < 2 or (name == "item" and "cluster" in sources):
            continue
        part = these.by_items if name in ("item", "cluster") else these.by_runs
        needed[f"{name}s_needed"] = levels_to_separate(these, min(levels), part=part)
    return needed


def _count_range(counts: set[int], noun: str) -> str:
    few, many = min(counts), max(counts)
    return count_noun(few, noun) if few == many else f"{few:,} to {many:,} {noun}s"
