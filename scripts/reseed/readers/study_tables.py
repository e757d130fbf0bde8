"""Imports results of training done elsewhere as the tables of a study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reseed.core.study_info import DatasetInfo, StudyInfo
from reseed.metrics.outputs import SCORED
from reseed.readers.checks import (
    check_requested_models,
    check_run_counts,
    drop_duplicate_rows,
    note_absent_models,
    note_uneven_runs,
    warn_of_similar_names,
)
from reseed.readers.design import choose_design
from reseed.readers.item_scores import average_items
from reseed.readers.metrics_schema import (
    check_finished_runs,
    choose_ratio,
    pivot_metrics,
    rename_reserved_metrics,
    to_metrics_schema,
)
from reseed.readers.names import RUN_COLUMNS
from reseed.readers.options import ReadOptions
from reseed.readers.question import Option
from reseed.readers.read import read_plainly
from reseed.readers.run_keys import average_evaluations
from reseed.readers.scores import Scores
from reseed.readers.seeds import (
    apply_seed_draws,
    ask_what_seeds_draw,
    find_assumed,
    note_single_runs,
    repeat_deterministic_runs,
)
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.study_info import StudyTexts, describe_imported_study, find_title


def import_results(
    source: object, results: Mapping[str, Any], study: Mapping[str, Any]
) -> tuple[pd.DataFrame, StudyInfo]:
    """Read the user's results.

    Args:
        source: a path, or any other source that `reseed.readers.sources.open_source` reads.
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
    options = ReadOptions.from_results(results)
    texts = StudyTexts.from_job(study)
    return tabulate_runs(read_plainly(source, options), options, texts)


def tabulate_runs(
    scores: Scores, options: ReadOptions, texts: StudyTexts
) -> tuple[pd.DataFrame, StudyInfo]:
    """The tables of a study of scores; results and errors as of `import_results`."""
    table, columns = scores.source, scores.columns
    if "people" in columns:
        leave = Option({"leave_out": [columns["people"]]})
        raise table.error(
            f"column {columns['people']!r} holds people's scores of items, and runs are compared",
            f"Where items decide, `reseed compare` takes them; else leave them out: {leave}.",
        )
    has_item_scores = scores.has_items and not scores.predictions
    rows = average_items(scores) if has_item_scores else scores.frame
    if not scores.has_items:
        rows = drop_duplicate_rows(table, columns, average_evaluations(table, columns, rows))
    primary, directions = dict(scores.metrics), scores.greater
    is_named = options.metric is not None or "metric" in columns or "value" in options.columns
    renamed = rename_reserved_metrics(table, primary, is_named)
    rows = rows.assign(metric=rows["metric"].replace(renamed))
    primary = {dataset: renamed.get(metric, metric) for dataset, metric in primary.items()}
    directions = {renamed.get(metric, metric): up for metric, up in directions.items()}
    runs = pivot_metrics(table, rows, primary)
    check_finished_runs(table, runs)
    note_single_runs(table, runs, options.deterministic)
    runs = repeat_deterministic_runs(table, runs, options.deterministic)
    assumed = find_assumed(columns, runs, options.seed_draws, scores.has_items)
    ask_what_seeds_draw(table, columns, runs, primary, assumed)
    runs = apply_seed_draws(table, columns, runs, options.seed_draws)
    by_items = choose_design(scores).unit == "items"
    if not by_items:
        check_run_counts(table, runs)
    models = list(dict.fromkeys(runs["model"]))
    check_requested_models(table, models, options.baseline, options.pairs)
    ratio = choose_ratio(table, columns, options.test_train_ratio)
    metrics = to_metrics_schema(table, columns, runs, ratio)
    table.raise_errors()
    _note_runs(table, columns, metrics)
    of_items: dict[str, Any] = {}
    if by_items:
        of_items = {"by_items": True, "metric_is_share": scores.is_share}
    datasets = {
        name: DatasetInfo(
            title=find_title(texts.dataset_titles, name),
            task=_find_task(scores, name, has_item_scores),
            metric=metric,
            greater_is_better=directions[metric],
            metric_unit=options.unit,
            **({"is_split_assumed": True} if name in assumed else dict[str, Any]()),
            **of_items,
        )
        for name, metric in primary.items()
    }
    notes = [_describe_columns(scores), *table.notes]
    return metrics, describe_imported_study(metrics, datasets, texts, notes)


def _find_task(scores: Scores, dataset: str, has_item_scores: bool) -> str | None:
    """The task of a dataset with items: right labels are scores of items; None without items."""
    if dataset not in scores.tasks:
        return SCORED if has_item_scores else None
    task = scores.tasks[dataset].task
    return SCORED if task == "classification" else task


def _note_runs(table: SourceTable, columns: Mapping[str, str], metrics: pd.DataFrame) -> None:
    """Note what a reader should know of the runs: similar names, absent models, uneven runs."""
    warn_of_similar_names(table, metrics)
    note_absent_models(table, metrics)
    if set(RUN_COLUMNS) & set(columns):
        note_uneven_runs(table, metrics)


def _describe_columns(scores: Scores) -> str:
    table = scores.source
    source = "the table" if table.path == IN_MEMORY else Path(table.path).name
    if table.layout.derived:
        return f"Read from {source}: {table.layout.derived}."
    used = {n: c for n, c in scores.sources.items() if n not in ("value", "step")}
    used |= {"score": list(scores.score_columns)} if scores.score_columns else {}
    listed = ", ".join(
        f"{name} from {' and '.join(c if c.startswith('the ') else repr(c) for c in columns)}"
        for name, columns in used.items()
    )
    return f"Read from {source}: {listed}."
