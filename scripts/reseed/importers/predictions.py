"""Per-item predictions of a user's file → the tables that `reseed.collection` makes of trials."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from reseed.core.coordinates import KEPT_PARTS
from reseed.core.schemas import SCORES, TARGET_COLUMNS, TARGETS
from reseed.core.study_info import DatasetInfo, StudyInfo
from reseed.importers import EXPERIMENT, import_table, opened
from reseed.importers.item_predictions import holds_items, read_items
from reseed.importers.item_scores import with_items
from reseed.importers.long_table import KEY, long_table
from reseed.importers.source_table import Table
from reseed.metrics.outputs import from_probabilities

Datasets = dict[str, DatasetInfo]


def import_predictions(source: object, results: dict, study: dict) -> tuple[pa.Table, pa.Table]:
    """Read the per-item scores of the user's runs; arguments as `reseed.importers.import_results`.

    Returns:
        scores: one row a run, its raw outputs in one order of the items a split; null for a run
            that failed. Of two labels the log-odds of class 1, the one y_score is of.
        targets: one row a dataset and split, what is true in the same order.

    Datasets whose labels are predicted as labels have no scores and are left out.

    Raises:
        ReseedError: as `import_results`, and for a file without a score an item.
    """
    table, found = opened(source, results)
    return item_tables(table, found, *import_table(table, found, results, study))


def item_tables(
    table: Table, found: dict, metrics: pd.DataFrame, info: StudyInfo
) -> tuple[pa.Table, pa.Table]:
    """As `import_predictions`, of a table whose columns were found and whose runs were read."""
    read = _predictions if holds_items(found) else _scores
    scored = list(read(table, found, info.datasets))
    if not scored:
        raise table.refuse(
            "holds no score an item, which an analysis of this study reads",
            "Give one row an item and run with the columns `item`, `y_true` and `y_score` (or "
            "`y_pred`, a number), or `item` and its score, or leave that analysis out.",
        )
    items = pd.concat(scored).sort_values("item", kind="stable")
    lists = items.groupby(KEY, sort=False)[["target", "prediction"]].agg(list).reset_index()
    # A run without a score on its dataset's metric has failed there, so here too.
    given = metrics.assign(arm=metrics["model"], seed=metrics["init"], classes=1)
    runs = given[[n for n in SCORES.names if n not in KEPT_PARTS] + ["seed"]].merge(lists, on=KEY)
    runs = runs.assign(
        experiment=EXPERIMENT,
        test=runs["prediction"].where(runs["status"] == "ok", None),
        validation=None,
    )
    true = runs["target"].map(lambda values: np.asarray(values, dtype=np.float64))
    splits = runs.drop_duplicates(TARGET_COLUMNS).assign(test=true)
    return _arrow(runs, SCORES), _arrow(splits, TARGETS)


def _predictions(
    table: Table, found: dict, datasets: dict[str, DatasetInfo]
) -> Iterator[pd.DataFrame]:
    """Predictions of each dataset that are no labels: `KEY`, `item`, `target`, raw `prediction`."""
    for task, rows, _ in read_items(table, found):
        if task != "classification":
            raw = from_probabilities(task, rows["prediction"].to_numpy(float))
            yield rows.assign(prediction=raw)


def _scores(table: Table, found: dict, datasets: Datasets) -> Iterator[pd.DataFrame]:
    """As `_predictions`, of given scores on each dataset's metric: there is no target to read."""
    metric = {name: entry.metric for name, entry in datasets.items()}
    long, _ = long_table(table, found, list(dict.fromkeys(metric.values())))
    rows = with_items(table, found, long)
    if rows is not None:
        rows = rows[rows["metric"] == rows["dataset"].map(metric)]
        yield rows.assign(target=0.0, prediction=rows["value"])


def _arrow(rows: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pandas(rows[schema.names], schema=schema, preserve_index=False)
