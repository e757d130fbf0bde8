"""Reads reports of skore: one row a split and metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.column_spec import ColumnSpec
from reseed.readers.run_columns import POSITION_NOTE
from reseed.readers.source_table import Layout, SourceTable

_MARKS = {"name", "verbose_name", "data_source", "greater_is_better", "score"}
_TIMES = ("fit_time", "predict_time")


def is_report(value: object) -> bool:
    """Whether an object is a report of skore (the package is not imported)."""
    return hasattr(getattr(value, "metrics", None), "summarize")


def read_report(report: Any, model: str | None = None) -> pd.DataFrame:
    """The summary of a report: CrossValidationReport, ComparisonReport or EstimatorReport.

    Args:
        report: the report.
        model: name of its model, in place of the estimator's class.

    Raises:
        ReseedError: for a report of a version of skore whose summary has other columns.
    """
    display = report.metrics.summarize()
    summary = getattr(display, "summary", None)
    if not isinstance(summary, pd.DataFrame) or not set(summary.columns) >= _MARKS | {"estimator"}:
        raise ReseedError(
            "The summary of this skore report has other columns than those of skore 0.28. Give its "
            "scores as a table: model, fold, metric, value."
        )
    return summary if model is None else summary.assign(estimator=model)


def read_reports(reports: Mapping[str, Any]) -> pd.DataFrame:
    """The summaries of reports by model."""
    return pd.concat([read_report(one, name) for name, one in reports.items()], ignore_index=True)


def is_skore_summary(table: SourceTable, spec: ColumnSpec) -> bool:
    """Whether a table is the summary of a report of skore."""
    return set(table.columns) >= _MARKS


def tidy_skore_summary(table: SourceTable, spec: ColumnSpec) -> SourceTable:
    """One row a model, split and metric of the test data; a metric of a class has its label."""
    frame = table.frame
    rows = frame[(frame["data_source"] == "test") & ~frame["name"].isin(_TIMES)]
    metric = rows["name"].astype(str)
    for column in ("label", "output"):
        if column in rows:
            label = rows[column].astype(object).where(rows[column].notna(), "").astype(str)
            metric = metric.where(label.isin(("", "None")), metric + "_" + label)
    tidy = pd.DataFrame({"model": rows["estimator"], "metric": metric, "value": rows["score"]})
    notes = ["Read as a report of skore."]
    if "split" in rows and rows["split"].notna().any():
        tidy["fold"] = rows["split"]
        notes.append(POSITION_NOTE)
    known = rows.assign(metric=metric).dropna(subset=["greater_is_better"])
    layout = Layout(
        "skore",
        directions={
            str(name): str(value).lower() in ("true", "1", "1.0")
            for name, value in zip(known["metric"], known["greater_is_better"], strict=True)
        },
        is_positional=True,
        derived="an estimator is a model; a split is a fold",
    )
    return table.with_frame(tidy, layout, *notes)
