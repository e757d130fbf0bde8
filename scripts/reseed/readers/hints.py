"""Hints for tables that another command, or another file of the same tool, serves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reseed.metrics.names import has_metric_name
from reseed.readers.cells import describe_interval, has_spread
from reseed.readers.column_hints import propose_items, propose_labels, propose_models
from reseed.readers.columns import ColumnMap, list_unused_columns, normalize_name
from reseed.readers.metric_headings import split_metric_headings
from reseed.readers.proposals import FirstOf, Sentence, propose
from reseed.readers.source_table import IN_MEMORY, SourceTable, join_names
from reseed.readers.vocabulary import (
    COSTS,
    STEPS,
    is_spread,
    is_summary,
    may_be_item,
    split_heading,
)

#: A column of a chart of Weights & Biases: `resnet-3 - val/acc`, also with `__MIN` and `__MAX`.
_CHART_COLUMN = re.compile(r".+ - .+")
_MEANS = "is no run; to compare means and SDs alone, state the number of runs: `runs`."


def suggest_means(table: SourceTable) -> str:
    """How to compare means, if a table holds means with their spreads."""
    for column in table.columns:
        if not table.is_numeric(column):
            if interval := describe_interval(table.text(column)):
                return interval
            for cell in filter(has_spread, table.text(column)):
                return f"A mean with its spread ({cell!r} in column {column!r}) {_MEANS}"
    spreads = [column for column in table.columns if is_spread(column)]
    return f"A mean with its spread ({spreads[0]!r}) {_MEANS}" if spreads else ""


def require_columns(
    table: SourceTable, columns: ColumnMap, mapping: ColumnMap, required: Sequence[str]
) -> None:
    """Raise ReseedError if a required column is missing: nothing else can be read then."""
    missing = [name for name in required if name not in columns]
    for name in missing:
        if name == "model" and name not in mapping:
            table.add_error("has no column that names the model", _name_model(table, columns))
        elif name not in mapping:
            items = propose_items(table, columns) if name == "item" else ()
            fix = f"Name it `{name}`. {table.column_list}"
            other = f"Or map it: `columns: {{{name}: …}}`."
            table.add_error(f"has no column of the {name}", (fix, FirstOf((*items, other))))
    if missing:
        table.raise_errors()


def _name_model(table: SourceTable, columns: ColumnMap) -> Iterator[Sentence]:
    """How to name the model of each row."""
    yield f"Name it `model`, or map it: `columns: {{model: …}}`. {table.column_list}"
    unnamed, rest = table.unnamed, filter(table.is_numeric, list_unused_columns(table, columns))
    scores = [c for c in rest if c not in unnamed and not COSTS & split_heading(c)]
    free = [c for c in scores if not may_be_item(c)]
    if split := split_metric_headings(free):
        models = join_names(list(dict.fromkeys(one.model for one in split.values())))
        yield propose(
            f"Where these columns hold the scores of models ({models}): ", {"headings": "model"}
        )
        return
    if unnamed and not table.is_numeric(unnamed[0]):
        first = {"columns": {"model": unnamed[0]}}
        yield propose("If its first column names the model: ", first)
    words = [split_heading(column) for column in free]
    if len(free) > 1 and (
        any(map(is_summary, free)) or frozenset.intersection(*map(frozenset, words))
    ):
        yield propose(f"Where {join_names(free)} are models: ", {"headings": "model"})
    if settings := [c for c in table.columns if c.startswith(table.layout.setting_prefixes)]:
        change = {"columns": {"model": settings}}
        yield propose("Where runs differ in their settings, these name the model: ", change)
    steps = list_steps(table, columns)
    counts = (
        f"Column {step!r} counts the steps of a training: keep one row of each run, the last or "
        "the chosen."
        for step in steps[:1]
    )
    reading = suggest_reading(table)
    labels = propose_labels(table, columns)
    yield from (
        (reading,) if reading else (FirstOf((*propose_models(table, columns), *counts, *labels)),)
    )


def list_steps(table: SourceTable, columns: ColumnMap) -> list[str]:
    """Unused columns that count steps of a training."""
    return [c for c in list_unused_columns(table, columns) if STEPS & split_heading(c)]


def suggest_reading(table: SourceTable) -> Sentence:
    """How to read a table without a column of the model, by the look of its columns."""
    if log := suggest_logs(table):
        return log
    names = {normalize_name(column): column for column in table.columns}
    if {"model_a", "model_b"} <= {*names}:
        return "A row seems to be a vote between two models, which is no score of either."
    if any(_CHART_COLUMN.fullmatch(column) for column in table.columns) and "step" in names:
        return (
            "This seems to be a chart of Weights & Biases. Export the table of runs instead "
            "(page Runs, Download, CSV), with the columns of model, seed and score."
        )
    if "name" in names and not table.layout.is_tracker:
        name = names["name"]
        return propose(
            f"If {name!r} names the model, or this is an export of Weights & Biases: ",
            {"columns": {"model": name}},
            {"format": "wandb"},
        )
    return ""


def as_runs(table: SourceTable, columns: ColumnMap, name: str) -> dict[str, Any]:
    """The option that takes the random splits of a table as another kind of run."""
    if table.layout.format == "runs_in_columns":
        return {"headings": name}
    return {"columns": {name: str(columns.get("repeat", columns.get("data_seed")))}}


def suggest_logs(table: SourceTable) -> str:
    """Refer to the logs of an evaluation tool, if a table is one of its exports."""
    columns = set(table.columns)
    has_scores = any(column.startswith("score_") for column in columns)
    if "log" in columns and has_scores and "model" not in columns:
        return "This is a data frame of Inspect. Its logs are read: `reseed compare logs/`."
    if {"doc_id", "resps"} <= columns:
        return (
            "These seem to be samples of lm-eval. Give one file a model: "
            f"`reseed compare {_name_files(table)}{_suggest_metric(table)}`; or one folder a "
            "model, with the names that lm-eval wrote: `reseed compare folder/`."
        )
    return ""


def _name_files(table: SourceTable) -> str:
    """The file that was given, and one more; the files that were given, if there are several."""
    first, more, _ = table.path.partition(" and ")
    if table.path == IN_MEMORY:
        return "FILE OTHER"
    return f"{first} …" if more else f"{first} OTHER{Path(first).suffix}"


def _suggest_metric(table: SourceTable) -> str:
    metrics = [c for c in table.columns if has_metric_name(c) and table.is_numeric(c)]
    return f" --metric {metrics[0]}" if metrics else ""
