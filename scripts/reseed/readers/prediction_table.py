"""Reads predictions of items as an `ItemTable`, for metrics that are not means over items."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.columns import RUN_COLUMNS, ColumnMap, find_columns
from reseed.readers.item_predictions import read_item_predictions
from reseed.readers.item_table import ItemTable
from reseed.readers.source_table import SourceTable

#: Metric by task, if none is named; and metrics that are computed from predicted labels.
_DEFAULTS = {"binary": "auc", "classification": "accuracy", "regression": "mse"}
_OF_LABELS = (
    "accuracy", "error", "precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1",
)  # fmt: skip
_METRICS = {
    "binary": ("auc", *_OF_LABELS),
    "classification": _OF_LABELS,
    "regression": ("mse", "mae"),
}
_LOWER_IS_BETTER = ("error", "mse", "mae")
_THRESHOLD = 0.5


def read_prediction_table(
    table: SourceTable, mapping: ColumnMap, metric: str | None, cluster: str | None
) -> ItemTable:
    """Read predictions of items, with the cluster of each item.

    Args:
        table: one row an item of a run: `model`, `seed`, `item`, `y_true`, and `y_score` or
            `y_pred`; `dataset` if there are several.
        mapping: standard name → the table's column.
        metric: what is computed from the predictions (`auc`, `f1`, …); by default that of the task.
        cluster: column that names the cluster of each item.

    Raises:
        ReseedError: as `read_item_predictions`; for a metric that the task does not have, splits,
            and a cluster that is no column.
    """
    if cluster is not None and cluster not in table.columns:
        raise table.error(f"has no column {cluster!r}", table.column_list)
    columns = find_columns(table, mapping)
    if not set(RUN_COLUMNS) & set(columns):
        table = table.with_frame(table.frame.assign(seed=0), table.layout)
        columns["seed"] = "seed"
    parts, names, notes = [], set(), []
    for task, rows, note in read_item_predictions(table, columns):
        if rows.duplicated(["model", "seed", "item"]).any():
            raise table.error(
                "runs of one model and seed are on several splits",
                "Predictions with clusters are compared on one test set for each dataset.",
            )
        chosen = metric or _DEFAULTS[task]
        if chosen not in _METRICS[task]:
            raise ReseedError(
                f"{table.path}: metric {chosen!r} is not computed from predictions of "
                f"{task}; there are {', '.join(_METRICS[task])}."
            )
        names.add(chosen)
        notes.append(f"Read as {note}.")
        parts.append(_arrange(table, task, rows, chosen, cluster))
    if len(names) > 1:
        raise ReseedError(
            "The datasets have several tasks: name one metric, or compare each alone."
        )
    (name,) = names
    frame = pd.concat(parts, ignore_index=True)
    return ItemTable(
        frame,
        name,
        (*table.notes, *dict.fromkeys(notes)),
        name not in _LOWER_IS_BETTER,
        computed=name,
    )


def _arrange(
    table: SourceTable, task: str, rows: pd.DataFrame, metric: str, cluster: str | None
) -> pd.DataFrame:
    target, prediction = rows["target"], rows["prediction"]
    if task == "binary" and metric in _OF_LABELS:
        prediction = (prediction >= _THRESHOLD).where(prediction.notna())
    if task == "classification" and target.dtype == object:
        labels = pd.Index(sorted({*target, *prediction}))
        target, prediction = labels.get_indexer(target), labels.get_indexer(prediction)
    dataset = rows["dataset"] if rows["dataset"].nunique() > 1 or "dataset" in table.columns else ""
    names = {"dataset": dataset, "model": rows["model"], "seed": rows["seed"].astype(str)}
    frame = pd.DataFrame(names, index=rows.index).assign(
        prompt="", repeat="", item=rows["item"].astype(str),
        cluster=table.text(cluster).loc[rows.index] if cluster else "",
        score=np.asarray(prediction, dtype=np.float64),
        target=np.asarray(target, dtype=np.float64),
    )  # fmt: skip
    return frame.reset_index(drop=True)
