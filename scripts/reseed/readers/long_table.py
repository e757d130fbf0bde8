"""Converts a table of runs to a long table: one row a run and metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.metrics.directions import infer_direction, is_metric_name
from reseed.readers.cells import MISSING, find_marks
from reseed.readers.column_hints import may_be_score, propose_scores
from reseed.readers.columns import COLUMN_ALIASES, ColumnMap, list_unused_columns, normalize_name
from reseed.readers.hints import suggest_logs, suggest_means
from reseed.readers.proposals import Proposal, Sentence, propose
from reseed.readers.run_keys import read_labels, read_run_keys
from reseed.readers.source_table import MAX_COLUMNS_SHOWN, SourceTable, join_names
from reseed.readers.vocabulary import BOOKKEEPING, TRAINING, may_be_dataset, split_heading


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
            names = read_labels(table, str(columns["metric"]))
        else:
            names = metrics[0] if metrics else strip_metric_prefix(table, value_column)
        if not (metrics or has_metric_column):
            _note_left_out(table, named)
        return runs.assign(metric=names, value=table.numbers(value_column)), [value_column]
    if has_metric_column:
        table.add_error(
            f"names metrics in column {columns['metric']!r} but has no column of their values",
            (
                f"Name it `value`, or map it: `columns: {{value: …}}`. {table.column_list}",
                suggest_means(table),
            ),
        )
        return runs.assign(metric="", value=np.nan), []
    if metrics and not set(metrics) & set(sources):
        table.add_error(
            f"has no column for the metric {' or '.join(map(repr, metrics))}",
            (
                f"{table.column_list}{suggest_name(metrics[0], table.columns)}",
                *propose_scores(table, columns),
            ),
        )
    if not metrics:
        only = _find_only_metric(table, columns)
        sources = {strip_metric_prefix(table, only): only} if only else {}
    if not sources:
        return runs.assign(metric="", value=np.nan), []
    parts = [runs.assign(metric=m, value=table.numbers(c)) for m, c in sources.items()]
    return pd.concat(parts, ignore_index=True), list(sources.values())


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
    free = [c for c in list_unused_columns(table, columns) if normalize_name(c) not in reserved]
    named = _list_metrics_by_name(table, columns)
    logged = [c for c in free if c.startswith(table.layout.metric_prefixes)]
    scores = logged or [c for c in free if c in named or may_be_score(table, c)]
    scores = [c for c in scores if not TRAINING & split_heading(c)]
    named = [c for c in scores if c in named]
    no_bookkeeping = [c for c in scores if c in named or not BOOKKEEPING & split_heading(c)]
    likely = logged or no_bookkeeping or scores
    others = [c for c in scores if c in likely and c not in named]
    # A name such as COMET, which may be a dataset's, is a metric next to others.
    candidates = named + [c for c in others if _is_known_metric(c)] if named else others
    if len(candidates) == 1:
        if named:
            _note_left_out(table, others)
        return candidates[0]
    listed = _list_short(table, candidates or table.columns)
    if candidates:
        log = suggest_logs(table)
        proposed = _propose_choice(table, candidates, bool(named))
        fix: list[Sentence] = [log] if log else [*proposed, suggest_means(table)]
        table.ask(f"has several columns that may be the score: {listed}", fix)
        return None
    with_marks = [
        c
        for c in free
        if infer_direction(c) is not None and find_marks({*table.text(c).str.lower()} - MISSING)
    ]
    if "item" in columns and len(with_marks) == 1:
        return with_marks[0]
    with_text = [
        c
        for c in free
        if not table.is_numeric(c)
        and any(table.text(c) if is_metric_name(c) else table.text(c).str.startswith("["))
    ]
    if len(with_text) == 1:
        return with_text[0]  # reading its numbers reports the cell that is no number
    table.add_error(
        f"has no column of scores among {listed}",
        (
            "Name it after the metric (`accuracy`, `mse`, …) or say which it is: `metric: …`.",
            suggest_means(table),
        ),
    )
    return None


def _propose_choice(
    table: SourceTable, candidates: Sequence[str], are_named: bool
) -> Iterator[Proposal]:
    """What each of several columns of scores may be: a metric, a dataset or a model."""
    no_loss = [c for c in candidates if "loss" not in split_heading(c)]
    ordered = dict.fromkeys([*no_loss, *candidates])
    yield propose_metrics("Choose one: ", [strip_metric_prefix(table, c) for c in ordered])
    if are_named and any(table.text(column).eq("").any() for column in candidates):
        two = [strip_metric_prefix(table, c) for c in candidates[:2]]
        yield propose(
            "Where datasets differ in it, the first that a dataset has: ", {"metric": two}
        )
    elif not are_named and table.layout.is_positional:  # a dict, whose first level is of models
        yield propose("Where each is a dataset: ", {"headings": "dataset"})
        yield propose("Where each is a model: ", {"headings": "model"})
    elif not are_named:
        yield propose("Where each is a dataset: what they measure, ", {"metric": "accuracy"})


def _is_known_metric(column: str) -> bool:
    """Whether a heading's direction is known, and it is no cost such as a latency."""
    return infer_direction(column) is not None and may_be_dataset(column)


def propose_metrics(before: str, names: Sequence[str]) -> Proposal:
    """The option that chooses each of the first metrics."""
    return propose(before, *({"metric": name} for name in names))


def _note_left_out(table: SourceTable, columns: list[str]) -> None:
    if columns:
        names = _list_short(table, columns)
        table.notes.append(f"Left out: {names}; if one of them is the score, give `metric`.")


def _list_short(table: SourceTable, columns: list[str]) -> str:
    return join_names([strip_metric_prefix(table, c) for c in columns], MAX_COLUMNS_SHOWN)


def _list_metrics_by_name(table: SourceTable, columns: ColumnMap) -> list[str]:
    """Unused columns of numbers that are metrics by their names."""
    unused = list_unused_columns(table, columns)
    free = [c for c in unused if not c.startswith(table.layout.setting_prefixes)]
    return [c for c in free if is_metric_name(c) and table.is_numeric(c, lenient=True)]
