"""Converts a table of runs to a long table: one row a run and metric."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.importers.columns import (
    COLUMN_ALIASES,
    RUN_COLUMNS,
    ColumnMap,
    list_columns,
    list_used_columns,
    normalize_name,
)
from reseed.importers.hints import suggest_logs, suggest_means, suggest_reading
from reseed.importers.source_table import MAX_COLUMNS_SHOWN, SourceTable, join_names
from reseed.importers.vocabulary import (
    BOOKKEEPING,
    REPEATS,
    STEPS,
    SUBSETS,
    TRAINING,
    is_dataset_summary,
    is_summary,
    may_be_item,
    split_heading,
)
from reseed.metrics.names import infer_direction

#: Columns that identify a run.
RUN_KEY = ["model", "dataset", *RUN_COLUMNS]
#: Prefix of a run's `reason` if its status says that it is not finished.
STATUS_PREFIX = "status "
#: Values of the status of a finished run; 0 is the exit code of success.
FINISHED = {
    *("", "ok", "finished", "success", "succeeded", "completed", "complete", "done", "passed"),
    *("terminated", "published", "closed", "stopped", "early_stopped", "true", "0"),
}
#: A column with more labels than this for a model names test cases rather than runs.
MOST_RUNS = 100
#: Name of the dataset if no column names one.
ONE_DATASET = "data"


def read_run_keys(table: SourceTable, columns: ColumnMap) -> pd.DataFrame:
    """The columns of `RUN_KEY` and `reason` (why a run failed, or empty), one row a table row.

    Labels that are not whole numbers (fold `a`, `b`) are numbered in sorted order. Errors: an empty
    label, a `split` of training and test rows, and no column that distinguishes a model's runs.
    """
    rows = table.frame.index
    runs = pd.DataFrame(index=rows)
    for name in ("model", "dataset"):
        runs[name] = join_labels(table, columns[name]) if name in columns else ONE_DATASET
    dataset_column = columns.get("dataset")
    if isinstance(dataset_column, str):
        _refuse_summary_rows(table, dataset_column, runs["dataset"], "dataset")
    _require_run_columns(table, columns, runs)
    named = [name for name in RUN_COLUMNS if name in columns]
    for name in RUN_COLUMNS:
        column = str(columns.get(name))
        seedless = _find_seedless(table, columns, runs) if name == "seed" else None
        runs[name] = _read_whole_numbers(table, column, seedless) if name in named else np.int64(0)
    if not named and table.layout.is_tracker:  # distinct seeds, so that no runs are paired
        runs["seed"] = np.arange(len(runs))
    status = pd.Series("", rows)
    if "status" in columns:
        status = table.text(str(columns["status"]))
    if set(status) - {""} == {"0", "1"}:
        table.add_error(
            f"column {columns['status']!r} holds 0 and 1: either may be that of a finished run",
            "Write `finished` and `failed`.",
        )
    runs["reason"] = (STATUS_PREFIX + status).where(~status.str.lower().isin(FINISHED), "")
    return runs


def _find_seedless(table: SourceTable, columns: ColumnMap, runs: pd.DataFrame) -> pd.Series | None:
    """Rows of models that have no seed and one run on each split, as a fixed baseline has."""
    if "seed" not in columns:
        return None
    is_empty = table.text(str(columns["seed"])) == ""
    without = is_empty.groupby(runs["model"]).transform("all")
    other = [name for name in (*RUN_COLUMNS, "metric", "item") if name in columns]
    parts = {name: table.text(str(columns[name])) for name in other}
    keys = runs[["model", "dataset"]].assign(**parts)
    if without.all() or not without.any() or keys[without].duplicated().any():
        return None
    models = join_names(list(dict.fromkeys(runs["model"][without])))
    table.notes.append(f"{models}: no seed, read as one run on each split.")
    return without


def _require_run_columns(table: SourceTable, columns: ColumnMap, runs: pd.DataFrame) -> None:
    """Add an error if no column distinguishes the runs of a model, and it has several."""
    has_run_column = any(name in columns for name in RUN_COLUMNS)
    is_misspelt = any("to which `columns` maps" in error for error in table.errors)
    if has_run_column or table.layout.is_tracker or is_misspelt:
        return
    parts = {n: table.text(str(columns[n])) for n in ("metric", "item") if n in columns}
    if runs.assign(**parts).duplicated().any():
        suggestion = _suggest_run_column(table, columns, runs)
        table.add_error(
            "no column identifies the runs of a model",
            "Add one that does, or map it: `seed` (of the training), `data_seed` (of the split), "
            "`fold` or `repeat`; number the runs of all models differently where models share no "
            f"runs. {table.column_list}"
            + (suggestion or suggest_reading(table) or suggest_means(table)),
        )
        if suggestion:  # other errors may follow from this one
            table.raise_errors()


def _suggest_run_column(table: SourceTable, columns: ColumnMap, runs: pd.DataFrame) -> str:
    """Suggest a column whose values differ between a model's runs and are shared by models."""
    metric = [table.text(str(columns["metric"]))] if "metric" in columns else []
    used = list_used_columns(columns)
    free = [c for c in table.columns if c not in used and infer_direction(c) is None]
    for column in (c for c in free if not STEPS & split_heading(c)):
        label = table.text(column)
        keys = pd.concat([runs["model"], runs["dataset"], *metric, label], axis=1)
        is_shared = runs["model"].groupby(label).nunique().max() > 1
        if not is_shared or (label == "").any():
            continue
        if keys.duplicated().any():
            repeats = [table.text(c) for c in free if REPEATS & split_heading(c)]
            if not may_be_item(column) or pd.concat([keys, *repeats], axis=1).duplicated().any():
                continue
        if may_be_item(column) or label.groupby(runs["model"]).nunique().max() > MOST_RUNS:
            return (
                f" Column {column!r} seems to name test cases, not runs: "
                f"`columns: {{item: {column}}}`. `reseed items` compares models by test cases."
            )
        if _holds_whole_numbers(label) or {"run", "trial", "rep"} & split_heading(column):
            return f" Column {column!r} would: `columns: {{seed: {column}}}`."
    return ""


def _holds_whole_numbers(label: pd.Series) -> bool:
    return bool((pd.to_numeric(label, errors="coerce") % 1 == 0).all())


def join_labels(table: SourceTable, columns: str | list[str]) -> pd.Series:
    """A label; of several columns `svm, C=1`: the first unchanged, others with their names."""
    first, *others = list_columns(columns)
    text = _read_labels(table, first)
    for column in others:
        text = text.str.cat(f"{normalize_name(column)}=" + table.text(column), sep=", ")
    return text


def read_item_labels(table: SourceTable, column: str) -> pd.Series:
    """The names of items; ReseedError for empty names and for summaries such as TREC's `all`."""
    text = _read_labels(table, column)
    _refuse_summary_rows(table, column, text, "item")
    table.raise_errors()
    return text


def _read_labels(table: SourceTable, column: str, seedless: pd.Series | None = None) -> pd.Series:
    """The labels of a column; an empty one is an error, but 0 in rows `seedless`."""
    text = table.text(column)
    if seedless is not None:
        text = text.mask(seedless, "0")
    if (text == "").any():
        table.add_error(
            f"column {column!r} is empty", "Fill it in every row.", text.index[text == ""]
        )
    return text


def _refuse_summary_rows(table: SourceTable, column: str, text: pd.Series, noun: str) -> None:
    """Add an error for rows such as `mean` among the labels of runs, datasets or items."""
    is_sum = is_dataset_summary if noun == "dataset" else is_summary
    sums = text.isin([label for label in text.unique() if is_sum(label)])
    if sums.any() and not sums.all():
        table.add_error(
            f"column {column!r} holds {text[sums].iloc[0]!r}: a row that summarises others is no "
            f"{noun}",
            f"Remove these rows, or rename each {noun} of that name.",
            text.index[sums],
        )


def _read_whole_numbers(
    table: SourceTable, column: str, seedless: pd.Series | None = None
) -> pd.Series:
    values = table.frame[column]
    if pd.api.types.is_integer_dtype(values) and not values.isna().any():
        return values.astype(np.int64)
    text = _read_labels(table, column, seedless)
    subsets = text.str.lower().isin(SUBSETS)
    if subsets.any():
        table.add_error(
            f"column {column!r} holds {text[subsets].iloc[0]!r}: it distinguishes training rows "
            "from test rows, not runs",
            "Keep the rows of the test set, and remove the column or give it another name.",
            text.index[subsets],
        )
    _refuse_summary_rows(table, column, text, "run")
    numbers = pd.to_numeric(text, errors="coerce").astype(np.float64)
    if (numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**53)).all():
        return numbers.astype(np.int64)
    return pd.Series(pd.factorize(text, sort=True)[0].astype(np.int64), text.index)


def to_long_table(
    table: SourceTable, columns: ColumnMap, metrics: list[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Convert a long or wide table to one row a run and metric.

    Args:
        metrics: the requested metrics, if any.

    Returns:
        `RUN_KEY`, `metric`, `value` (NaN: failed), `reason` and `row`, the number of the table's
        row; and the columns that hold the scores. Meaningless if errors were added: no metric can
        be identified, several are possible, or a requested one is missing.
    """
    runs = read_run_keys(table, columns)
    runs["row"] = runs.index
    has_metric_column = "metric" in columns
    sources = {} if has_metric_column else _find_metric_columns(table, metrics)
    named = _list_metrics_by_name(table, columns)
    # A column `score` next to columns named as metrics is not the requested metric.
    is_elsewhere = bool(metrics and not sources and not has_metric_column and named)
    value_column = str(columns.get("value"))
    if "value" in columns and not is_elsewhere and set(sources.values()) <= {value_column}:
        names: pd.Series | str
        if has_metric_column:
            names = _read_labels(table, str(columns["metric"]))
        else:
            names = metrics[0] if metrics else strip_metric_prefix(table, value_column)
        if not (metrics or has_metric_column):
            _note_left_out(table, named)
        return runs.assign(metric=names, value=table.numbers(value_column)), [value_column]
    if has_metric_column:
        table.add_error(
            f"names metrics in column {columns['metric']!r} but has no column of their values",
            f"Name it `value`, or map it: `columns: {{value: …}}`. {table.column_list}",
        )
        return runs.assign(metric="", value=np.nan), []
    if metrics and not set(metrics) & set(sources):
        table.add_error(
            f"has no column for the metric {' or '.join(map(repr, metrics))}",
            f"{table.column_list}{suggest_name(metrics[0], table.columns)}"
            + _suggest_value_column(table, columns),
        )
    if not metrics:
        only = _find_only_metric(table, columns)
        sources = {strip_metric_prefix(table, only): only} if only else {}
    if not sources:
        return runs.assign(metric="", value=np.nan), []
    parts = [runs.assign(metric=m, value=table.numbers(c)) for m, c in sources.items()]
    return pd.concat(parts, ignore_index=True), list(sources.values())


def _suggest_value_column(table: SourceTable, columns: ColumnMap) -> str:
    """Suggest the only column of numbers without another meaning as that of the metric."""
    used = list_used_columns(columns)
    free = [c for c in table.columns if c not in used and _may_be_score(table, c)]
    free = [c for c in free if not (BOOKKEEPING | TRAINING) & split_heading(c)]
    if len(free) != 1:
        return ""
    return f" If {free[0]!r} holds it: `columns: {{value: {free[0]}}}`."


def strip_metric_prefix(table: SourceTable, column: str) -> str:
    """A metric's name without its tool's prefix."""
    for prefix in table.layout.metric_prefixes:
        column = column.removeprefix(prefix)
    return column


def _find_metric_columns(table: SourceTable, metrics: list[str]) -> dict[str, str]:
    """The column of each requested metric that has one."""
    columns = {}
    names = {c: strip_metric_prefix(table, c) for c in table.columns}
    for metric in metrics:
        exact = [c for c, name in names.items() if metric in (c, name)]
        similar = [c for c, name in names.items() if normalize_name(name) == normalize_name(metric)]
        free = [c for c in similar if not c.startswith(table.layout.setting_prefixes)]
        if exact or free:
            columns[metric] = [*exact, *free][0]
    return columns


def _find_only_metric(table: SourceTable, columns: ColumnMap) -> str | None:
    """The only column of scores: the one named as a metric, else the only likely one.

    Likely columns are those that the tool logged, else columns of numbers whose name is not one of
    bookkeeping, else all columns of numbers.
    """
    reserved = {name for aliases in COLUMN_ALIASES.values() for name in aliases}
    used = list_used_columns(columns)
    free = [c for c in table.columns if c not in used and normalize_name(c) not in reserved]
    named = _list_metrics_by_name(table, columns)
    logged = [c for c in free if c.startswith(table.layout.metric_prefixes)]
    scores = logged or [c for c in free if c in named or _may_be_score(table, c)]
    scores = [c for c in scores if not TRAINING & split_heading(c)]
    named = [c for c in scores if c in named]
    no_bookkeeping = [c for c in scores if c in named or not BOOKKEEPING & split_heading(c)]
    likely = logged or no_bookkeeping or scores
    others = [c for c in scores if c in likely and c not in named]
    candidates = named or others
    if len(candidates) == 1:
        if named:
            _note_left_out(table, others)
        return candidates[0]
    listed = _list_short(table, candidates or table.columns)
    if candidates:
        no_loss = [c for c in candidates if "loss" not in split_heading(c)]
        first = [*no_loss, *candidates][0]
        fix = f"Choose one: `metric: {strip_metric_prefix(table, first)}`."
        if named and any(table.text(column).eq("").any() for column in candidates):
            two = ", ".join(strip_metric_prefix(table, c) for c in candidates[:2])
            fix += f" Where datasets differ in it, the first that a dataset has: `metric: [{two}]`."
        elif not named:
            fix += " Where each is a dataset: what they measure, `metric: accuracy`."
        fix = suggest_logs(table).strip() or fix + suggest_means(table)
        table.add_error(f"has several columns that may be the score: {listed}", fix)
        return None
    with_text = [c for c in free if infer_direction(c) is not None and _has_text(table.frame[c])]
    if len(with_text) == 1:
        return with_text[0]  # reading its numbers reports the cell that is no number
    table.add_error(
        f"has no column of scores among {listed}",
        "Name it after the metric (`accuracy`, `mse`, …) or say which it is: `metric: …`."
        + suggest_means(table),
    )
    return None


def _note_left_out(table: SourceTable, columns: list[str]) -> None:
    if columns:
        names = _list_short(table, columns)
        table.notes.append(f"Left out: {names}; if one of them is the score, give `metric`.")


def _list_short(table: SourceTable, columns: list[str]) -> str:
    return join_names([strip_metric_prefix(table, c) for c in columns], MAX_COLUMNS_SHOWN)


def _may_be_score(table: SourceTable, column: str) -> bool:
    """Whether a column holds numbers that are neither a setting nor the tool's bookkeeping."""
    layout = table.layout
    is_reserved = column.lower() in layout.bookkeeping or column.startswith(
        ("_", *layout.setting_prefixes)
    )
    return table.is_numeric(column) and not is_reserved


def _has_text(column: pd.Series) -> bool:
    return any(
        isinstance(cell, bool) or (isinstance(cell, str) and cell.strip()) for cell in column
    )


def _list_metrics_by_name(table: SourceTable, columns: ColumnMap) -> list[str]:
    """Unused columns of numbers that are metrics by their names."""
    used = list_used_columns(columns)
    prefixes = table.layout.setting_prefixes
    free = [c for c in table.columns if c not in used and not c.startswith(prefixes)]
    return [c for c in free if infer_direction(c) is not None and table.is_numeric(c, lenient=True)]
