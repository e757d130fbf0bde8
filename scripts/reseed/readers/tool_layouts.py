"""Tables that common tools write: caret, rsample, OpenML, OpenCompass."""

from __future__ import annotations

import ast
from dataclasses import replace

import pandas as pd

from reseed.readers.column_spec import ColumnSpec
from reseed.readers.columns import normalize_name
from reseed.readers.run_columns import parse_run
from reseed.readers.source_table import Layout, SourceTable

_CARET = "~"
_OPENML = {"flow_name", "data_name", "function", "value"}
_OPENCOMPASS = ["dataset", "version", "metric", "mode"]


def is_caret(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether a table is caret's `resamples()$values`: columns `rf~ROC`, a row a resample."""
    return sum(0 < c.find(_CARET) < len(c) - 1 for c in table.columns) > 1


def tidy_caret(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """One row a model and resample, one column a metric."""
    pairs = {c: tuple(c.split(_CARET, 1)) for c in table.columns if _CARET in c}
    rest = [c for c in table.columns if c not in pairs]
    frame = table.with_numbers(pairs)
    models = dict.fromkeys(model for model, _ in pairs.values())
    parts = [
        frame[rest].assign(
            model=model,
            **{metric: frame[column] for column, (of, metric) in pairs.items() if of == model},
        )
        for model in models
    ]
    return table.with_frame(pd.concat(parts), Layout("caret"), "Read as caret's resamples.")


def is_rsample(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether columns `id` and `id2` (or `id` alone) hold the labels of resamples: `Fold01`."""
    if {"fold", "repeat", "data_seed", "seed"} & spec.list_standard_names(table):
        return False
    return "id" in table.columns and all(map(parse_run, table.text("id").unique()))


def tidy_rsample(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """The labels of resamples as columns of their numbers."""
    names = [c for c in ("id", "id2") if c in table.columns]
    frame = table.frame.drop(columns=names)
    for name in names:
        labels = {label: parse_run(label) for label in table.text(name).unique()}
        kinds = {kind for run in labels.values() if run for kind in run.numbers}
        for kind in kinds:
            numbers = {label: run.numbers.get(kind) for label, run in labels.items() if run}
            frame[kind] = table.text(name).map(numbers)
    return table.with_frame(frame, Layout("rsample"), "Read as resamples of rsample.")


def is_openml(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether a table is that of openml-python's `list_evaluations`."""
    return set(table.columns) >= _OPENML and not {"metric", "value"} & set(spec.mapping)


def tidy_openml(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """One row an evaluation, or a fold of it where `values` holds them."""
    identifiers = [c for c in table.columns if c.endswith("_id") and c not in spec.mapping.values()]
    frame = table.frame.rename(columns={"function": "metric"}).drop(columns=identifiers)
    notes = ["Read as OpenML's evaluations."]
    if "values" in table.columns:
        per_fold = table.text("values")
        if (per_fold != "").all():
            try:
                lists = per_fold.map(ast.literal_eval)
            except (SyntaxError, ValueError):
                raise table.error(
                    "column 'values' holds no lists of numbers", "Write `[0.9, 0.8]`."
                ) from None
            frame = frame.assign(value=lists).drop(columns="values").explode("value")
            frame["fold"] = frame.groupby(level=0).cumcount()
            notes.append("Each number of 'values' was read as a fold.")
    return table.with_frame(frame, Layout("openml"), *notes)


def is_opencompass(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether a table is OpenCompass' `summary.csv`: a column a model, a row a dataset."""
    return [normalize_name(c) for c in table.columns[:4]] == _OPENCOMPASS


def tidy_opencompass(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """One row a model and dataset; rows of averages are left out."""
    models = list(table.columns[4:])
    averages = table.text("dataset").str.contains(r"average|-avg|_avg", case=False, regex=True)
    rows = table.frame[~averages & (table.text("metric") != "-")]
    part = replace(table, frame=rows)
    frame = part.with_numbers(models).drop(columns=["version", "mode"])
    long = frame.melt(["dataset", "metric"], models, "model", "value", ignore_index=False)
    notes = ["Read as the summary of OpenCompass: a column a model."]
    if averages.any():
        notes.append(f"Left out: {int(averages.sum())} rows of averages.")
    layout = Layout("opencompass", greater_by_default=True)
    return table.with_frame(long, layout, *notes)
