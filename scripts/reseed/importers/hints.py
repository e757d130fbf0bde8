"""Hints for tables that another command, or another file of the same tool, serves."""

from __future__ import annotations

import re

from reseed.importers.columns import ColumnMap, find_standard_name, normalize_name
from reseed.importers.source_table import PLUS_MINUS, SourceTable
from reseed.importers.vocabulary import is_spread, may_be_item
from reseed.metrics.names import has_metric_name

#: A column of a chart of Weights & Biases: `resnet-3 - val/acc`, also with `__MIN` and `__MAX`.
_CHART_COLUMN = re.compile(r".+ - .+")
_MEANS = (
    "is no run; to compare means and SDs alone, use `reseed means` (in Python "
    "`reseed.compare_means`)."
)


def suggest_means(table: SourceTable) -> str:
    """Refer to `reseed means` if a table holds means with their spreads."""
    for column in table.columns:
        if not table.is_numeric(column):
            spread = table.text(column).str.contains(rf"\d\s*{PLUS_MINUS}\s*\d", regex=True)
            if spread.any():
                cell = table.text(column)[spread].iloc[0]
                return f" A mean with its spread ({cell!r} in column {column!r}) {_MEANS}"
    spreads = [column for column in table.columns if is_spread(column)]
    return f" A mean with its spread ({spreads[0]!r}) {_MEANS}" if spreads else ""


def require_model_column(table: SourceTable, columns: ColumnMap, mapping: ColumnMap) -> None:
    """Raise ReseedError if no column names the model: nothing else can be read then."""
    if "model" in columns:
        return
    if "model" not in mapping:
        table.add_error("has no column that names the model", _suggest_model_columns(table))
    table.raise_errors()


def _suggest_model_columns(table: SourceTable) -> str:
    fix = f"Name it `model`, or map it: `columns: {{model: …}}`. {table.column_list}"
    settings = [c for c in table.columns if c.startswith(table.layout.setting_prefixes)]
    if settings:
        fix += (
            " Where runs differ in their settings, these name the model: "
            f"`columns: {{model: [{', '.join(settings)}]}}`."
        )
    return fix + suggest_reading(table)


def suggest_reading(table: SourceTable) -> str:
    """How to read a table without a column of the model, by the look of its columns."""
    if log := suggest_logs(table):
        return log
    names = {normalize_name(column): column for column in table.columns}
    if any(_CHART_COLUMN.fullmatch(column) for column in table.columns) and "step" in names:
        return (
            " This seems to be a chart of Weights & Biases. Export the table of runs instead "
            "(page Runs, Download, CSV), with the columns of model, seed and score."
        )
    if "name" in names and not table.layout.is_tracker:
        name = names["name"]
        return (
            f" If {name!r} names the model: `columns: {{model: {name}}}`. If this is an export of "
            "Weights & Biases: `format: wandb`."
        )
    return _suggest_long_items(table)


def suggest_logs(table: SourceTable) -> str:
    """Refer to the logs of an evaluation tool, if a table is one of its exports."""
    columns = set(table.columns)
    has_scores = any(column.startswith("score_") for column in columns)
    if "log" in columns and has_scores:
        return " This seems to be a data frame of Inspect. Its logs are read: `reseed items logs/`."
    if {"doc_id", "resps"} <= columns:
        return (
            " These seem to be samples of lm-eval. The folder that holds them beside their results "
            "is read, one folder a model: `reseed items folder/`."
        )
    return ""


def _suggest_long_items(table: SourceTable) -> str:
    """Suggest one row a model and test case for a table of one column of 0 and 1 a model."""
    hits = [
        c
        for c in table.columns
        if set(table.text(c).str.lower()) <= _HITS
        and find_standard_name(c) is None
        and not has_metric_name(c)
    ]
    items = [c for c in table.columns if may_be_item(c) and c not in hits]
    if len(hits) < 2 or not items:
        return ""
    return (
        f" If {', '.join(hits[:3])} are models with hits on test cases, give one row a model and "
        f"test case: `pandas.melt(table, {items[0]!r}, var_name='model', value_name='correct')`, "
        "for `reseed items`."
    )


_HITS = {"0", "1", "0.0", "1.0", "true", "false"}
