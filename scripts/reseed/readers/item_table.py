"""Reads item-level scores: one row an item of a run, with seed, repeat, prompt and cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError, suggest_name
from reseed.metrics.names import has_metric_name
from reseed.readers.columns import COLUMN_ALIASES, normalize_name
from reseed.readers.hints import find_hits_in_columns, suggest_logs
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.sources import read_source
from reseed.readers.vocabulary import may_be_item

#: Columns of `ItemTable.frame`: labels as text, then the score (NaN: the item failed).
LABELS = ("dataset", "model", "seed", "prompt", "repeat", "item", "cluster")
#: Standard name → other common names, by priority.
ALIASES = {
    "dataset": COLUMN_ALIASES["dataset"],
    "model": COLUMN_ALIASES["model"],
    "seed": COLUMN_ALIASES["seed"],
    "prompt": ("prompt", "prompt_id", "template", "template_id", "prompt_name"),
    "repeat": ("repeat", "repetition", "epoch", "trial", "trial_id", "sample_index", "attempt"),
    "item": ("item", *COLUMN_ALIASES["item"], "question", "doc_id", "task_id", "problem_id"),
    "cluster": ("cluster", "cluster_id"),
    "score": ("score", "value", "correct", "is_correct", "reward", "passed"),
    "metric": COLUMN_ALIASES["metric"],
}


@dataclass(frozen=True)
class ItemTable:
    """Scores of items.

    frame: one row a score, columns `LABELS` and `score`. A label that the source does not have is
        empty.
    metric: name of the score.
    notes: how the source was read.
    greater_is_better: None if the source does not say.
    of_tasks: whether the scores were columns of tasks, whose metric nothing names.
    computed: metric that is computed from predictions: `score` is then a prediction, and a column
        `target` holds what is true of the item. None: `score` is averaged over items.
    """

    frame: pd.DataFrame
    metric: str
    notes: tuple[str, ...] = ()
    greater_is_better: bool | None = None
    of_tasks: bool = False
    computed: str | None = None


def read_item_table(
    source: SourceTable | pd.DataFrame | str | Path | Sequence[str | Path],
    columns: Mapping[str, str] | None = None,
    metric: str | None = None,
    required: Sequence[str] = ("model", "item"),
    tasks_in_columns: bool = False,
) -> ItemTable:
    """Read a table of scores: CSV, Parquet, JSON lines, several of them, or a frame.

    Args:
        source: one row an item of a run. Columns `model` and `item`, and a score; `dataset`,
            `seed`, `prompt`, `repeat` and `cluster` where there are some. Common names are
            recognised.
        columns: standard name → the table's, for columns that are not recognised.
        metric: the column of the score; in a table with a column `metric`, the value in it.
        required: columns that must exist and be filled.
        tasks_in_columns: whether a table without a score may have one column for each dataset.

    Raises:
        ReseedError: for a file that cannot be read, a required column that is missing, and scores
            that are not numbers.
    """
    source_table = read_score_table(source, columns, metric, tasks_in_columns)
    table = source_table if columns or metric else _stack_hits(source_table)
    is_hits = table is not source_table
    of_tasks = tasks_in_columns and table.layout.format == "datasets_in_columns"
    found = _find_columns(table, dict(columns or {}), metric, required)
    rows = table.frame.index
    if "metric" in found:
        rows, metric = _choose_metric(table, found["metric"], metric)
    score = table.numbers(found["score"])
    table.raise_errors()
    empty = pd.Series("", index=table.frame.index)
    labels = {name: table.text(found[name]) if name in found else empty for name in LABELS}
    for name in required:
        missing = labels[name].loc[rows] == ""
        if missing.any():
            raise table.error(
                f"column {found[name]!r} is empty", "Fill it in every row.", missing.index[missing]
            )
    frame = pd.DataFrame({**labels, "score": score.replace([np.inf, -np.inf], np.nan)})
    used = ", ".join(f"{name}: {column!r}" for name, column in found.items())
    note = f"Columns read: {used}."
    return ItemTable(
        frame.loc[rows].reset_index(drop=True),
        metric or found["score"],
        (*table.notes, note),
        True if is_hits or table.holds_grades(found["score"]) else None,
        of_tasks,
    )


def read_score_table(
    source: object, columns: Mapping[str, str] | None, metric: str | None, of_tasks: bool = False
) -> SourceTable:
    """The table of a frame or of files, one row a score."""
    if isinstance(source, SourceTable):
        return source
    return read_source(source, "auto", columns, metric, of_tasks=of_tasks)


def _stack_hits(table: SourceTable) -> SourceTable:
    """A table of one row a test case and one column of 0 and 1 a model, as one row a score."""
    found = find_hits_in_columns(table)
    if found is None:
        return table
    item, models = found
    frame = table.frame.assign(row=np.arange(len(table.frame)))
    stacked = frame.melt([item, "row"], models, "model", "correct")
    rows = stacked.pop("row").to_numpy()
    note = f"One column a model: {join_names(models, 10)}."
    return table.with_frame(stacked.set_index(rows), table.layout, note)


def _find_columns(
    table: SourceTable, mapping: dict[str, str], metric: str | None, required: Sequence[str]
) -> dict[str, str]:
    """Standard name → column of the table."""
    for name, column in mapping.items():
        if name not in ALIASES:
            table.add_error(
                f"`columns` maps {name!r}, which is no column of item scores",
                f"Use {', '.join(ALIASES)}.{suggest_name(name, list(ALIASES))}",
            )
        if column not in table.columns:
            table.add_error(
                f"has no column {column!r}, to which `columns` maps {name!r}",
                f"{table.column_list}{suggest_name(column, table.columns)}",
            )
    table.raise_errors()
    found = dict(mapping)
    if metric in table.columns:
        found.setdefault("score", str(metric))
    by_name = {normalize_name(column): column for column in reversed(table.columns)}
    for name, aliases in ALIASES.items():
        taken = set(found.values())
        free = [by_name[alias] for alias in aliases if by_name.get(alias) not in (None, *taken)]
        if name not in found and free:
            found[name] = free[0]
    if "score" not in found:
        candidates = [c for c in table.columns if has_metric_name(c) and c not in found.values()]
        if (log := suggest_logs(table)) and "model" not in found:
            raise table.error("has no column of the model", log.strip())
        if len(candidates) > 1:
            table.add_error(
                f"several columns may be the score ({join_names(candidates)})",
                "Name one: `metric`.",
            )
        if len(candidates) == 1:
            found["score"] = candidates[0]
        if not candidates:
            table.add_error(
                "has no column of scores",
                f"Name it `score`, or name the metric: `metric`. {table.column_list}",
            )
    for name in required:
        if name not in found:
            free = [c for c in table.columns if may_be_item(c) and c not in found.values()]
            suggested = free[0] if name == "item" and free else "…"
            table.add_error(
                f"has no column of the {name}",
                f"Name it `{name}`, or map it: `columns: {{{name}: {suggested}}}`. "
                f"{table.column_list}",
            )
    table.raise_errors()
    return found


def _choose_metric(table: SourceTable, column: str, metric: str | None) -> tuple[pd.Index, str]:
    """The rows of the metric in a table with a column that names it."""
    names = table.text(column)
    present = list(dict.fromkeys(names))
    if metric is None and len(present) > 1:
        raise table.error(
            f"column {column!r} holds several metrics ({join_names(present)})",
            "Name one: `metric`.",
        )
    chosen = present[0] if metric is None else metric
    if chosen not in present:
        if metric in table.columns:  # the column of the score itself
            return table.frame.index, metric
        raise ReseedError(
            f"{table.path}: holds no metric {metric!r}; it has {join_names(present)}."
            + suggest_name(str(metric), present)
        )
    return names.index[names == chosen], chosen
