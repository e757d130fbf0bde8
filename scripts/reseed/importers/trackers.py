"""Exports of experiment trackers and of searches: one row a run, headings of each tool's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseed.importers.columns import RUN, parts_of, plain, used
from reseed.importers.source_table import Layout, Table
from reseed.importers.vocabulary import STEPS, SUBSETS, TAKEN, words_of
from reseed.metrics.names import has_metric_name

_SHOWN = 6


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


@dataclass(frozen=True)
class Tracker:
    """A tool: what it is called, the columns that only its tables have, and their layout.

    `marks`: sets of columns (lower case), one of which a table must hold in full; an entry that
    ends in `*` stands for any column that begins so.
    """

    name: str
    title: str
    marks: tuple[frozenset[str], ...]
    layout: Layout

    def recognises(self, columns: list[str]) -> bool:
        """Whether a table has the columns by which this tool is known."""
        lower = {c.lower() for c in columns}

        def has(mark: str) -> bool:
            stem = mark.rstrip("*")
            return mark in lower or (mark != stem and any(c.startswith(stem) for c in lower))

        return any(all(has(mark) for mark in marks) for marks in self.marks)


def _tracker(name: str, title: str, marks: list[str], **layout) -> Tracker:
    return Tracker(name, title, tuple(map(_words, marks)), Layout(name, tracker=True, **layout))


TRACKERS = (
    _tracker(
        "mlflow",
        "MLflow runs",
        ["metrics.*", "params.*|run_id"],
        run_names=("mlflow_runname",),
        settings=("params.",),
        metrics=("metrics.",),
        own=_words("run_id|experiment_id|artifact_uri|start_time|end_time|status"),
    ),
    _tracker(
        "mlflow_ui",
        "a CSV from MLflow's page of runs",
        ["start time|duration|run id|status"],
        run_names=("name",),
        own=_words(
            "start time|duration|run id|name|source type|source name|user|status|version|models"
        ),
    ),
    _tracker(
        "wandb",
        "a Weights & Biases export",
        ["name|state", "name|runtime"],
        run_names=("name",),
        own=_words(
            "name|state|runtime|notes|user|tags|created|updated|end time|sweep|id|hostname|host|os"
            "|commit|github|gpu count|gpu type|cpu count|python version|entity|project|group"
            "|job type|command|github repo|relative time (process)|heartbeat"
        ),
    ),
    _tracker(
        "clearml",
        "a ClearML table",
        ["type|name|status|iteration", "type|name|status|started"],
        run_names=("name",),
        own=_words("type|name|tags|status|project|user|started|updated|iteration|parent|id"),
    ),
    _tracker(
        "optuna",
        "an Optuna study's trials",
        ["number|value|state|datetime_start", "number|values_*|state|datetime_start"],
        settings=("params_",),
        metrics=("values_",),
        own=_words("number|state|datetime_start|datetime_complete|duration"),
    ),
    _tracker(
        "ray",
        "Ray Tune's results",
        ["trial_id|training_iteration"],
        settings=("config/",),
        own=_words(
            "trial_id|training_iteration|timestamp|checkpoint_dir_name|done|date|time_this_iter_s"
            "|time_total_s|pid|hostname|node_ip|time_since_restore|iterations_since_restore|logdir"
            "|episodes_total|timesteps_total|experiment_tag|should_checkpoint|warmup_time"
        ),
    ),
)
# Words of what differs between repeats of one model and is no setting of it.
_OUTCOMES = STEPS | TAKEN | SUBSETS | {"samples", "score", "best", "seed"}


def warn_of_sweep(table: Table, found: dict) -> None:
    """A note that names settings which vary within a model: a search is no set of repeats."""
    taken, own = used(found), parts_of(found["model"])
    candidates = [c for c in table.columns if c not in taken and _may_be_setting(table.layout, c)]
    model = table.joined_text(own)
    counts = {c: table.text(c).replace("", np.nan).groupby(model).nunique() for c in candidates}
    varying = {column: count.max() for column, count in counts.items() if count.max() > 1}
    if not varying:
        return
    shown = ", ".join(f"{column} ({count} values)" for column, count in [*varying.items()][:_SHOWN])
    more = f" and {len(varying) - _SHOWN} more" if len(varying) > _SHOWN else ""
    fix = ", ".join([*own, next(iter(varying))])
    table.notes.append(
        f"Warning: runs of one model differ in {shown}{more}. If these are settings of a search, "
        "the runs are no repeats of one model and their spread is not that of a seed: keep one "
        f"setting, or let it name the model, `columns: {{model: [{fix}]}}`."
    )


def _may_be_setting(layout: Layout, column: str) -> bool:
    if layout.settings:
        return column.startswith(layout.settings) and plain(column) not in RUN
    return (
        column.lower() not in layout.own
        and not column.startswith("_")
        and not has_metric_name(column)
        and not words_of(column) & _OUTCOMES
    )
