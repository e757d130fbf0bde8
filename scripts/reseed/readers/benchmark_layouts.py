"""Reads result tables of TabArena (`metric_error`) and of the AutoML benchmark (`result`)."""

from __future__ import annotations

import pandas as pd

from reseed.metrics.directions import infer_direction, is_metric_name
from reseed.metrics.names import split_words
from reseed.readers.column_spec import ColumnSpec
from reseed.readers.columns import normalize_name
from reseed.readers.source_table import Layout, SourceTable, join_names

#: Words of a heading that says that its numbers are errors, whatever the metric.
_ERROR_WORDS = {"error", "err", "loss", "regret"}
_TABARENA_FOLDS = 3
#: Repeated 3-fold cross-validation of TabArena (Erickson et al. 2025, section 3): 3 or 10 repeats.
_TABARENA_SPLITS = (3 * _TABARENA_FOLDS, 10 * _TABARENA_FOLDS)


def is_error_heading(column: str) -> bool:
    """Whether a heading says that its numbers are errors: `metric_error`, `error`, `accuracy_err`.

    `error_free_rate` and `accuracy` are none.
    """
    words = split_words(column)
    return bool(words) and words[-1] in _ERROR_WORDS


def name_error(metric: str) -> str:
    """Name of the error of a metric: `roc_auc_error`; unchanged if less of it is better."""
    return f"{metric}_error" if infer_direction(metric) is True else metric


def is_tabarena(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether a table has a metric's name and its error, so that less of each number is better."""
    names = {normalize_name(column) for column in table.columns}
    maps_error = is_error_heading(str(spec.mapping.get("value", "metric_error")))
    return {"metric", "metric_error"} <= names and maps_error


def tidy_tabarena(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """Errors named after their metric, with the direction of errors; splits numbered by repeat.

    TabArena numbers the splits of its repeated 3-fold cross-validation from 0 to 8 or from 0 to 29.
    """
    by_name = {normalize_name(column): column for column in table.columns}
    metric, value = by_name["metric"], by_name["metric_error"]
    names = {name: name_error(name) for name in dict.fromkeys(table.text(metric))}
    requested = set(spec.metrics)
    # The user may request the metric by the name that the table states.
    kept = {name: name if name in requested else new for name, new in names.items()}
    frame = table.frame.assign(**{metric: table.text(metric).map(kept)})
    if "value" not in spec.mapping:
        frame = frame.rename(columns={value: "value"})
    notes = [
        f"Read as TabArena's errors: less of {value!r} is better "
        f"({join_names(sorted(set(kept.values())))})."
    ]
    frame, note = _split_repeats(table, frame, spec)
    directions = dict.fromkeys([*kept.values(), *names], False)
    return table.with_frame(frame, Layout("tabarena", directions=directions), *notes, *note)


def _split_repeats(
    table: SourceTable, frame: pd.DataFrame, spec: ColumnSpec
) -> tuple[pd.DataFrame, list[str]]:
    """Repeat and fold of splits that are numbered through, where a dataset has 9 or 30 of them."""
    standard = {spec.find_standard_name(column): column for column in table.columns}
    fold, dataset = standard.get("fold"), standard.get("dataset")
    if fold is None or "repeat" in standard or not table.is_numeric(fold):
        return frame, []
    number = table.numbers(fold)
    group = table.text(dataset) if dataset else pd.Series("", frame.index)
    count = number.groupby(group).transform("nunique")
    greatest = number.groupby(group).transform("max")
    flat = count.isin(_TABARENA_SPLITS) & (greatest == count - 1)
    if not flat.any():
        return frame, []
    frame = frame.assign(
        repeat=(number // _TABARENA_FOLDS).where(flat, 0).astype(int),
        **{fold: (number % _TABARENA_FOLDS).where(flat, number).astype(int)},
    )
    sizes = " or ".join(f"{int(n) // _TABARENA_FOLDS} × 3" for n in sorted(count[flat].unique()))
    return frame, [
        f"{fold!r} was read as TabArena's repeated cross-validation ({sizes}): split s is fold "
        "s mod 3 of repeat s div 3."
    ]


def is_automl_benchmark(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether a table is one of the AutoML benchmark that names the metric of each result."""
    marks = {"framework", "task", "fold", "metric", "result"}
    return marks <= set(table.columns) and not {"value", "metric"} & set(spec.mapping)


def tidy_automl_benchmark(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """The column `result` as score; its metrics with `neg_` are negated, others are not."""
    scored = [c for c in table.columns if is_metric_name(c) and c != "metric"]
    frame = table.frame.drop(columns=scored).rename(columns={"result": "value"})
    note = "Read as the AutoML benchmark: `result` is the score by the metric of its task."
    return table.with_frame(frame, Layout("automl_benchmark"), note)
