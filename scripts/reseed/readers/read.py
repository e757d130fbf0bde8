"""The one way in: any source → `Scores`, and a `Reading` of what was understood.

`compare`, `items`, `rank`, `gate`, imports of studies and `reseed read` all call `read_scores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from reseed.readers.advice import read_with_advice
from reseed.readers.checks import (
    drop_duplicate_rows,
    drop_empty_log_rows,
    keep_last_steps,
    refuse_difference_models,
    refuse_summary_models,
)
from reseed.readers.columns import (
    ALL_RUN_COLUMNS,
    RUN_COLUMNS,
    ColumnMap,
    find_columns,
    list_unused_columns,
)
from reseed.readers.hints import require_columns
from reseed.readers.item_predictions import (
    has_item_predictions,
    read_item_predictions,
    score_predictions,
)
from reseed.readers.long_table import to_long_table
from reseed.readers.metric_choice import (
    check_same_unit,
    check_score_meaning,
    choose_directions,
    choose_metrics,
)
from reseed.readers.metric_headings import split_metric_headings
from reseed.readers.model_labels import ask_numbered_models, split_model_labels
from reseed.readers.options import ReadOptions, RequestedMetrics
from reseed.readers.reading import Reading, describe_reading
from reseed.readers.run_keys import METRIC_KEY, read_item_labels
from reseed.readers.scores import ITEM_LABELS, Scores, refuse_item_metric
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.sources import read_source


def read_scores(
    source: object,
    options: ReadOptions,
    required: Sequence[str] = ("model",),
) -> tuple[Scores, Reading]:
    """Read a source of scores; an error proposes only what leads to a reading.

    Args:
        source: a path, or any other source that `reseed.readers.sources.read_source` reads; or a
            function that reads it with the options.
        options: what the user says of it.
        required: Reseed's columns that must exist. Without `model` a table is of one model.

    Raises:
        ReseedError: for all problems of the source, with rows and fixes.
    """

    def read(given: ReadOptions) -> Scores:
        scores = read_plainly(source, given, required)
        scores.source.raise_errors()
        return scores

    scores = read_with_advice(read, options)
    return scores, describe_reading(scores, frozenset(options.columns))


def read_plainly(
    source: object,
    options: ReadOptions,
    required: Sequence[str] = ("model",),
) -> Scores:
    """As `read_scores`, without trying what an error proposes.

    Errors that leave something to read are collected in `source` of the result.
    """
    table = source(options) if callable(source) else read_source(source, options)
    columns = find_columns(table, options.columns)
    name, notes = "model", []
    if "model" in required and _is_of_one_model(table, columns, options):
        name, required = Path(table.path).stem, [one for one in required if one != "model"]
        notes = [f"No column names a model: all rows are runs of one model, {name!r}."]
    require_columns(table, columns, options.columns, required)
    if "model" not in columns:
        table = table.with_frame(table.frame.assign(model=name), *notes)
        columns["model"] = "model"
    counted = options.headings if table.layout.format == "models_in_columns" else ""
    table, columns = split_model_labels(table, columns, counted if counted in RUN_COLUMNS else "")
    ask_numbered_models(table, columns, options)
    is_column = {*options.metrics} & {*table.columns}  # the metric has a column
    if has_item_predictions(columns) and not is_column:
        return _read_predictions(table, columns, options.metric)
    return _read_table(table, columns, options)


def _is_of_one_model(table: SourceTable, columns: ColumnMap, options: ReadOptions) -> bool:
    """Whether a file holds runs and metrics alone, so that nothing in it can name a model."""
    has_runs = bool({*ALL_RUN_COLUMNS} & {*columns}) and table.path != IN_MEMORY
    unused = list_unused_columns(table, columns)
    are_metrics = all(map(options.is_metric, unused)) and not split_metric_headings(unused)
    return "model" not in columns and has_runs and are_metrics


def _read_table(table: SourceTable, columns: ColumnMap, options: ReadOptions) -> Scores:
    long, names = to_long_table(table, columns, options.metrics)
    table.raise_errors()
    long = drop_empty_log_rows(table, columns, long, names)
    if options.reads_steps:
        long = keep_last_steps(table, columns, long)
    is_one_run = not set(ALL_RUN_COLUMNS) & set(columns)
    has_items = "item" in columns and (is_one_run or long.duplicated(METRIC_KEY).any())
    long = _name_items(table, _add_labels(table, columns, long, has_items))
    if not has_items:
        long = drop_duplicate_rows(table, columns, long, "repetition", "prompt")
    refuse_summary_models(table, long)
    refuse_difference_models(table, long)
    rows, primary = choose_metrics(table, long, options.metric)
    greater = choose_directions(table, long, primary, options.greater_is_better, names, has_items)
    check_same_unit(table, long, primary, options.unit)
    if not table.problems:
        check_score_meaning(table, long, primary, options.greater_is_better, options.unit, names)
    if not primary:
        table.raise_errors()
    named = set(columns) - ({"item"} if not has_items else set())
    return Scores(rows, primary, greater, frozenset(named), columns, tuple(names), table)


def _add_labels(
    table: SourceTable, columns: ColumnMap, long: pd.DataFrame, has_items: bool
) -> pd.DataFrame:
    """The long table with `ITEM_LABELS`; empty where the source has none."""
    labels = {name: pd.Series("", table.frame.index) for name in ITEM_LABELS}
    labels |= {n: table.text(str(columns[n])) for n in ("prompt", "cluster") if n in columns}
    labels |= {"item": read_item_labels(table, str(columns["item"]))} if has_items else {}
    return long.assign(**{name: text.loc[long["row"]].to_numpy() for name, text in labels.items()})


def _name_items(table: SourceTable, long: pd.DataFrame) -> pd.DataFrame:
    """Items with a name of their own where they are numbered within clusters."""
    pairs = long[["dataset", "item", "cluster"]].drop_duplicates()
    cell = [*METRIC_KEY, "prompt", "repetition", "item"]
    if not pairs.duplicated(["dataset", "item"]).any() or not long.duplicated(cell).any():
        return long
    table.notes.append(
        "Items are numbered within clusters: cluster and item name an item together."
    )
    return long.assign(item=long["cluster"] + "/" + long["item"])


def _read_predictions(
    table: SourceTable, columns: ColumnMap, requested: RequestedMetrics
) -> Scores:
    """The scores of runs by predictions of items, which are kept."""
    table.raise_errors()
    predictions = tuple(read_item_predictions(table, columns))
    long, tasks = score_predictions(table, predictions, requested)
    names = {dataset: one.metric for dataset, one in tasks.items()}
    for part in predictions:
        metric = names[part.rows["dataset"].iloc[0]]
        refuse_item_metric(table, metric, part.task, long["metric"].unique())
    wanted = long["metric"].isin(names.values())
    rows, primary = (long, names) if not wanted.any() else choose_metrics(table, long, names)
    greater = choose_directions(table, long, primary, None)
    named = frozenset(columns)
    return Scores(rows, primary, greater, named, columns, (), table, predictions, tasks)
