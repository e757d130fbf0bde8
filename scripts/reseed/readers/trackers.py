"""Tables exported by experiment trackers and hyper-parameter searches: one row a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseed.metrics.names import has_metric_name
from reseed.readers.columns import (
    RUN_COLUMNS,
    ColumnMap,
    list_columns,
    list_used_columns,
    normalize_name,
)
from reseed.readers.source_table import Layout, SourceTable
from reseed.readers.vocabulary import COSTS, STEPS, SUBSETS, split_heading

#: Settings that a warning lists.
_MAX_SETTINGS = 6


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


@dataclass(frozen=True)
class Tracker:
    """A tool: its name, its title, the columns that identify its tables, and their layout.

    marks: sets of columns in lower case; a table of the tool has all columns of one set. A mark
    that ends in `*` matches any column with that prefix.
    """

    name: str
    title: str
    marks: tuple[frozenset[str], ...]
    layout: Layout

    def has_columns(self, columns: Iterable[str]) -> bool:
        """Whether a table has the columns that identify this tool."""
        lower = {c.lower() for c in columns}

        def has(mark: str) -> bool:
            stem = mark.rstrip("*")
            return mark in lower or (mark != stem and any(c.startswith(stem) for c in lower))

        return any(all(has(mark) for mark in marks) for marks in self.marks)


def _tracker(name: str, title: str, marks: list[str], **layout: Any) -> Tracker:
    return Tracker(name, title, tuple(map(_split, marks)), Layout(name, is_tracker=True, **layout))


TRACKERS = (
    _tracker(
        "mlflow",
        "MLflow runs",
        ["metrics.*", "params.*|run_id"],
        run_name_columns=("mlflow_runname",),
        setting_prefixes=("params.",),
        metric_prefixes=("metrics.",),
        bookkeeping=_split("run_id|experiment_id|artifact_uri|start_time|end_time|status"),
    ),
    _tracker(
        "mlflow_ui",
        "a CSV from MLflow's page of runs",
        ["start time|duration|run id|status"],
        run_name_columns=("name",),
        bookkeeping=_split(
            "start time|duration|run id|name|source type|source name|user|status|version|models"
        ),
    ),
    _tracker(
        "wandb",
        "a Weights & Biases export",
        ["name|state", "name|runtime"],
        run_name_columns=("name",),
        bookkeeping=_split(
            "name|state|runtime|notes|user|tags|created|updated|end time|sweep|id|hostname|host|os"
            "|commit|github|gpu count|gpu type|cpu count|python version|entity|project|group"
            "|job type|command|github repo|relative time (process)|heartbeat"
        ),
    ),
    _tracker(
        "clearml",
        "a ClearML table",
        ["type|name|status|iteration", "type|name|status|started"],
        run_name_columns=("name",),
        bookkeeping=_split(
            "type|name|tags|status|project|user|started|updated|iteration|parent|id"
        ),
    ),
    _tracker(
        "optuna",
        "an Optuna study's trials",
        ["number|value|state|datetime_start", "number|values_*|state|datetime_start"],
        setting_prefixes=("params_",),
        metric_prefixes=("values_",),
        bookkeeping=_split("number|state|datetime_start|datetime_complete|duration"),
    ),
    _tracker(
        "ray",
        "Ray Tune's results",
        ["trial_id|training_iteration"],
        setting_prefixes=("config/",),
        bookkeeping=_split(
            "trial_id|training_iteration|timestamp|checkpoint_dir_name|done|date|time_this_iter_s"
            "|time_total_s|pid|hostname|node_ip|time_since_restore|iterations_since_restore|logdir"
            "|episodes_total|timesteps_total|experiment_tag|should_checkpoint|warmup_time"
        ),
    ),
)
# Words of columns that differ between repeats of one model and are no settings of it.
_OUTCOMES = STEPS | COSTS | SUBSETS | {"samples", "score", "best", "seed"}


def warn_of_sweep(table: SourceTable, columns: ColumnMap) -> None:
    """Add a warning that names settings which vary within a model: a search has no repeats."""
    used, model_columns = list_used_columns(columns), list_columns(columns["model"])
    candidates = [c for c in table.columns if c not in used and _may_be_setting(table.layout, c)]
    model = table.joined_text(model_columns)
    counts = {c: table.text(c).replace("", np.nan).groupby(model).nunique() for c in candidates}
    varying = {column: count.max() for column, count in counts.items() if count.max() > 1}
    if not varying:
        return
    settings = [f"{column} ({count} values)" for column, count in varying.items()]
    rest = len(settings) - _MAX_SETTINGS
    more = f" and {rest} more" if rest > 0 else ""
    fix = ", ".join([*model_columns, next(iter(varying))])
    table.notes.append(
        f"Warning: runs of one model differ in {', '.join(settings[:_MAX_SETTINGS])}{more}. If "
        "these are settings of a search, the runs are no repeats of one model and their spread is "
        "not that of a seed: keep one setting, or let it name the model, "
        f"`columns: {{model: [{fix}]}}`."
    )


def _may_be_setting(layout: Layout, column: str) -> bool:
    if layout.setting_prefixes:
        is_setting = column.startswith(layout.setting_prefixes)
        return is_setting and normalize_name(column) not in RUN_COLUMNS
    return (
        column.lower() not in layout.bookkeeping
        and not column.startswith("_")
        and not has_metric_name(column)
        and not split_heading(column) & _OUTCOMES
    )
