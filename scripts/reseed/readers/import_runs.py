"""Imports results of training done elsewhere as the tables of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pandas as pd

from reseed.core.study_info import StudyInfo
from reseed.metrics.outputs import SCORED
from reseed.readers.checks import (
    check_requested_models,
    check_run_counts,
    drop_duplicate_rows,
    drop_empty_log_rows,
    note_absent_models,
    note_uneven_runs,
    refuse_difference_models,
    refuse_summary_models,
    warn_of_similar_names,
)
from reseed.readers.column_spec import RequestedMetrics, list_requested_metrics
from reseed.readers.columns import RUN_COLUMNS, ColumnMap, find_columns, list_columns
from reseed.readers.deterministic import note_single_runs, repeat_deterministic_runs
from reseed.readers.hints import require_model_column
from reseed.readers.item_predictions import ItemTask, has_item_predictions, score_items
from reseed.readers.item_scores import add_items, average_items
from reseed.readers.long_table import to_long_table
from reseed.readers.metric_choice import check_same_unit, choose_directions, choose_metrics
from reseed.readers.metrics_schema import (
    Ratio,
    check_finished_runs,
    check_test_train_ratio,
    pivot_metrics,
    rename_reserved_metrics,
    to_metrics_schema,
)
from reseed.readers.run_keys import average_evaluations
from reseed.readers.score_meaning import check_score_meaning
from reseed.readers.seed_draws import (
    SeedDraws,
    apply_seed_draws,
    ask_what_seeds_draw,
    find_assumed,
)
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.sources import read_source
from reseed.readers.split_sizes import read_test_train_ratios
from reseed.readers.study_info import (
    StudyTexts,
    describe_imported_dataset,
    describe_imported_study,
    find_title,
)
from reseed.readers.trackers import warn_of_sweep


@dataclass(frozen=True)
class ImportOptions:
    """How results are read; the fields are those of `reseed.config.studies.Results`."""

    format: str = "auto"
    columns: ColumnMap = field(default_factory=dict)
    headings: str = ""
    rows: str = ""
    metric: RequestedMetrics = None
    greater_is_better: bool | dict[str, bool] | None = None
    test_train_ratio: Ratio | None = None
    unit: str = ""
    baseline: str | None = None
    pairs: Sequence[Sequence[str]] = ()
    deterministic: Sequence[str] = ()
    seed_draws: SeedDraws | None = None

    @classmethod
    def from_results(cls, results: Mapping[str, Any]) -> ImportOptions:
        """The options of a study's `results` entry; absent and empty fields have their default."""
        names = [one.name for one in fields(cls)]
        return cls(**{name: results[name] for name in names if results.get(name) is not None})


@dataclass(frozen=True)
class ImportedTable:
    """A source table and its columns: Reseed's name → the table's."""

    table: SourceTable
    columns: dict[str, str | list[str]]


def import_results(
    source: object, results: Mapping[str, Any], study: Mapping[str, Any]
) -> tuple[pd.DataFrame, StudyInfo]:
    """Read the user's results.

    Args:
        source: a path, or any other source that `reseed.readers.sources.read_source` reads.
        results: a study's `results` entry (`reseed.config.studies.Results`) as a dict.
        study: name (or study), title, question, citation, notes and scale of the study; titles of
            datasets and of models by name.

    Returns:
        metrics: one row a run, with the columns of `reseed.core.schemas`; a run without a finite
            score has status `failed`.
        info: the facts of the study; its notes say how the source was read.

    Raises:
        ReseedError: for all problems of the source, with lines and fixes.
    """
    options = ImportOptions.from_results(results)
    return import_runs(open_source(source, options), options, StudyTexts.from_job(study))


def open_source(source: object, options: ImportOptions) -> ImportedTable:
    """Read a source as a table and find its columns."""
    table = read_source(
        source, options.format, options.columns, options.metric, options.headings, options.rows
    )
    return ImportedTable(table, find_columns(table, options.columns))


def import_runs(
    imported: ImportedTable, options: ImportOptions, texts: StudyTexts
) -> tuple[pd.DataFrame, StudyInfo]:
    """Import a table whose columns are known; results and errors as of `import_results`."""
    table, columns = imported.table, imported.columns
    require_model_column(table, columns, options.columns)
    long, scores, tasks, has_item_scores = _read_scores(table, columns, options.metric)
    rows, primary = choose_metrics(table, long, _choose_primary(options.metric, tasks))
    directions = choose_directions(table, long, primary, options.greater_is_better)
    check_same_unit(table, long, primary, options.unit)
    if not (table.errors or tasks):
        check_score_meaning(table, long, primary, options.greater_is_better, options.unit, scores)
    if not primary:
        table.raise_errors()
    is_named = options.metric is not None or "metric" in columns or "value" in options.columns
    renamed = rename_reserved_metrics(table, primary, is_named)
    rows = rows.assign(metric=rows["metric"].replace(renamed))
    primary = {dataset: renamed.get(metric, metric) for dataset, metric in primary.items()}
    directions = {renamed.get(metric, metric): up for metric, up in directions.items()}
    runs = pivot_metrics(table, rows, primary)
    check_finished_runs(table, runs)
    note_single_runs(table, runs, options.deterministic)
    runs = repeat_deterministic_runs(table, runs, options.deterministic)
    assumed = find_assumed(columns, runs, options.seed_draws, has_item_scores or bool(tasks))
    ask_what_seeds_draw(table, runs, primary, assumed)
    runs = apply_seed_draws(table, columns, runs, options.seed_draws)
    check_run_counts(table, columns, runs)
    models = list(dict.fromkeys(runs["model"]))
    check_requested_models(table, models, options.baseline, options.pairs)
    requested_ratio = check_test_train_ratio(table, options.test_train_ratio)
    ratio = requested_ratio
    if ratio is None:
        ratio = read_test_train_ratios(table, columns)
    metrics = to_metrics_schema(table, columns, runs, ratio)
    table.raise_errors()
    _note_runs(table, columns, metrics)
    task_of = {name: SCORED if has_item_scores else None for name in primary}
    task_of |= {
        name: SCORED if one.task == "classification" else one.task for name, one in tasks.items()
    }
    datasets = {
        name: describe_imported_dataset(
            find_title(texts.dataset_titles, name),
            task_of[name],
            metric,
            directions[metric],
            options.unit,
        ).model_copy(update={"is_split_assumed": True} if name in assumed else {})
        for name, metric in primary.items()
    }
    notes = [_describe_columns(table, columns, scores), *table.notes]
    return metrics, describe_imported_study(metrics, datasets, texts, notes)


def _read_scores(
    table: SourceTable, columns: ColumnMap, requested: RequestedMetrics
) -> tuple[pd.DataFrame, list[str], dict[str, ItemTask], bool]:
    """One row a run and metric, the columns that hold scores, tasks, and if scores are of items.

    Tasks by dataset are those of predictions of items.
    """
    if has_item_predictions(columns):
        table.raise_errors()
        long, tasks = score_items(table, columns, requested)
        return long, [], tasks, False
    long, scores = to_long_table(table, columns, list_requested_metrics(requested))
    table.raise_errors()
    long = drop_empty_log_rows(table, columns, long, scores)
    items = add_items(table, columns, long)
    if items is None:
        long = average_evaluations(table, columns, long)
        long = drop_duplicate_rows(table, columns, long)
    else:
        long = average_items(table, items)
    refuse_summary_models(table, long)
    refuse_difference_models(table, long)
    return long, scores, {}, items is not None


def _choose_primary(requested: RequestedMetrics, tasks: dict[str, ItemTask]) -> RequestedMetrics:
    """The requested metrics; of predictions of items, by default the metric of each task."""
    if not tasks or requested is not None:
        return requested
    return {dataset: one.metric for dataset, one in tasks.items()}


def _note_runs(table: SourceTable, columns: ColumnMap, metrics: pd.DataFrame) -> None:
    """Note what a reader should know of the runs: similar names, absent models, uneven runs."""
    warn_of_similar_names(table, metrics)
    note_absent_models(table, metrics)
    if set(RUN_COLUMNS) & set(columns):
        note_uneven_runs(table, metrics)
    elif table.layout.is_tracker:
        table.notes.append("No column holds a seed: runs are taken as independent of each other.")
    if table.layout.is_tracker:
        warn_of_sweep(table, columns)


def _describe_columns(table: SourceTable, columns: ColumnMap, scores: list[str]) -> str:
    source = "the table" if table.path == IN_MEMORY else Path(table.path).name
    if table.layout.derived:
        return f"Read from {source}: {table.layout.derived}."
    used: dict[str, str | list[str]] = {n: c for n, c in columns.items() if n != "value"}
    if scores:
        used["score"] = scores
    listed = ", ".join(
        f"{name} from {' and '.join(map(repr, list_columns(column)))}"
        for name, column in used.items()
    )
    return f"Read from {source}: {listed}."
