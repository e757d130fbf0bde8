"""Refuses scores that cannot be what their metric's name says: errors read as scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from reseed.metrics.directions import infer_direction
from reseed.metrics.names import MAX_ROUNDED_SHARE, is_roc_auc, is_share
from reseed.readers.source_table import SourceTable
from reseed.readers.vocabulary import is_error_heading

#: AUC of a model that guesses.
_GUESSING = 0.5
#: Shares of at least this are percentages; the largest score of a study is seldom below 2 %.
_LEAST_PERCENT = 2


def check_score_meaning(
    table: SourceTable,
    long: pd.DataFrame,
    primary: Mapping[str, str],
    requested: bool | Mapping[str, bool] | None,
    unit: str,
    scores: Sequence[str],
) -> None:
    """Add an error where the scores contradict the name of their metric.

    Checked are headings such as `metric_error` of a metric of which more is better; an AUC below
    0.5 in most runs on a dataset; and shares outside 0 to 1 and 0 to 100. A requested direction
    confirms the first two, a `unit` the last.

    Args:
        scores: the columns of the table that hold the scores.
    """
    by_metric = dict(iter(long[np.isfinite(long["value"])].groupby(["dataset", "metric"])))
    for dataset, metric in primary.items():
        if infer_direction(metric) is not True or table.layout.directions.get(metric) is False:
            continue
        rows = by_metric.get((dataset, metric), long.iloc[:0])
        has_direction = isinstance(requested, bool) or bool(requested)
        if not has_direction and not rows.empty:
            _check_heading(table, metric, scores)
            if not table.errors:  # a low AUC of a column of errors is the same mistake
                _check_auc(table, rows, dataset, metric)
        if not unit and is_share(metric) and not rows.empty:
            _check_share(table, rows, dataset, metric)
        if table.errors:  # one dataset shows what is wrong
            return


def _check_heading(table: SourceTable, metric: str, scores: Sequence[str]) -> None:
    for column in scores:
        if is_error_heading(column) and not is_error_heading(metric):
            table.add_error(
                f"column {column!r} seems to hold errors, but more of {metric!r} is better",
                f"If it holds errors such as 1 − {metric}, less is better: "
                f"`greater_is_better: false`. If it holds {metric} itself: "
                "`greater_is_better: true`.",
            )


def _check_auc(table: SourceTable, rows: pd.DataFrame, dataset: str, metric: str) -> None:
    if is_roc_auc(metric) and 0 <= rows["value"].median() < _GUESSING:
        table.add_error(
            f"{metric} on {dataset} is below {_GUESSING:g}, which is guessing, in most runs "
            f"(median {rows['value'].median():.3g})",
            f"If these are errors (1 − {metric}), less is better: `greater_is_better: false`. If "
            "the models are this weak: `greater_is_better: true`.",
            rows["row"][rows["value"] < _GUESSING],
        )


def _check_share(table: SourceTable, rows: pd.DataFrame, dataset: str, metric: str) -> None:
    greatest = rows["value"].max()
    is_outside = rows["value"] < 0
    if MAX_ROUNDED_SHARE < greatest < _LEAST_PERCENT:
        is_outside |= rows["value"] > MAX_ROUNDED_SHARE
    elif greatest >= _LEAST_PERCENT:
        is_outside |= rows["value"] > 100 * MAX_ROUNDED_SHARE
    if is_outside.any():
        table.add_error(
            f"{metric} on {dataset} is {rows['value'][is_outside].iloc[0]:g} here, but a share is "
            "0 to 1, or 0 to 100 in percent",
            "Correct these rows, or say what the numbers are: in percent, `unit: points`; any "
            "other quantity, its own `unit`.",
            rows["row"][is_outside],
        )
