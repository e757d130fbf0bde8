"""Per-item predictions of a user's file → the tables that `reseed.collect` makes of trials."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from reseed.coordinates import ROLES
from reseed.importing import EXPERIMENT, import_table
from reseed.importing.columns import find_columns
from reseed.importing.items import holds_items, read_items
from reseed.importing.shapes import KEY
from reseed.importing.sources import open_results

_SPLIT = ["dataset", "scheme", "data_seed", "repeat", "fold"]
_WHOLE = ["data_seed", "repeat", "fold", *ROLES]
_RUN = ["experiment", "dataset", "scheme", "model", "hyperparameters_source", *_WHOLE, "status"]
_NUMBERS = pa.list_(pa.float64())


def _schema(names: list[str], values: str) -> pa.Schema:
    kinds = [(name, pa.int64() if name in _WHOLE else pa.string()) for name in names]
    return pa.schema([*kinds, (values, _NUMBERS)])


def import_predictions(source: object, results: dict, study: dict) -> tuple[pa.Table, pa.Table]:
    """Read the per-item scores of the user's runs; arguments as `reseed.importing.import_results`.

    Returns:
        scores: one row a run, `y_score` in one order of the items a split; null for a run that
            failed. Of two labels the probability of the greater, which is class 1.
        targets: one row a dataset and split, `y_true` in the same order.

    Datasets whose labels are predicted as labels have no scores and are left out.

    Raises:
        ReseedError: as `import_results`, and for a file without a score an item.
    """
    mapping = results.get("columns") or {}
    table = open_results(source, results.get("format") or "auto", mapping)
    found = find_columns(table, mapping)
    metrics, _ = import_table(table, found, results, study)
    groups = read_items(table, found) if holds_items(found) else []
    scored = [rows for task, rows in groups if task != "classification"]
    if not scored:
        raise table.refuse(
            "holds no score an item, which an analysis of this study reads",
            "Give one row an item and run with the columns `item`, `y_true` and `y_score` (or "
            "`y_pred`, a number), or leave that analysis out.",
        )
    items = pd.concat(scored).sort_values("item", kind="stable")
    lists = items.groupby(KEY, sort=False)[["target", "prediction"]].agg(list).reset_index()
    # A run without a score on its dataset's metric has failed there, so here too.
    runs = metrics[_RUN].assign(seed=metrics["init"]).merge(lists, on=KEY)
    runs["y_score"] = runs["prediction"].where(runs["status"] == "ok", None)
    runs["y_true"] = runs["target"].map(lambda values: np.asarray(values, dtype=np.float64))
    splits = runs.drop_duplicates(_SPLIT)
    return (
        _arrow(runs.assign(experiment=EXPERIMENT), _schema(_RUN, "y_score")),
        _arrow(splits, _schema(_SPLIT, "y_true")),
    )


def _arrow(rows: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pandas(rows[schema.names], schema=schema, preserve_index=False)
