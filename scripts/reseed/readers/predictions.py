"""Imports scores of single items as the tables of raw outputs and of targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from reseed.core.coordinates import KEPT_PARTS
from reseed.core.schemas import CLUSTER, SCORES, TARGET_COLUMNS, TARGETS
from reseed.metrics.outputs import from_probabilities
from reseed.readers.item_scores import list_item_scores
from reseed.readers.metrics_schema import EXPERIMENT
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_plainly
from reseed.readers.run_keys import RUN_KEY
from reseed.readers.scores import Scores
from reseed.readers.study_info import StudyTexts
from reseed.readers.study_tables import tabulate_runs


def import_predictions(
    source: object,
    results: Mapping[str, Any],
    study: Mapping[str, Any],
    required: bool = True,
) -> tuple[pa.Table, pa.Table]:
    """Read the scores of items of the user's runs; arguments as of `import_results`.

    required: whether a source without scores of items is an error; else the tables are empty.

    Returns:
        scores: one row a run, its raw outputs in the same order of items for all runs of a split;
            null for a failed run. For two labels, the log-odds of class 1, the class of y_score.
        targets: one row a dataset and split, the true values in the same order.

    Raises:
        ReseedError: as `import_results`, and for a source without scores of items.
    """
    options = ReadOptions.from_results(results)
    given = read_plainly(source, options)
    metrics, info = tabulate_runs(given, options, StudyTexts.from_job(study))
    tasks = {dataset.task for dataset in info.datasets.values()}
    if tasks == {None} and not required:
        return SCORES.empty_table(), TARGETS.empty_table()
    return build_item_tables(given, metrics)


def build_item_tables(given: Scores, metrics: pd.DataFrame) -> tuple[pa.Table, pa.Table]:
    """As `import_predictions`, of scores whose runs are `metrics`."""
    parts = list(_list_predictions(given))
    if not parts:
        raise given.source.error(
            "holds no scores of items, which an analysis of this study needs",
            "Give one row an item and run with the columns `item`, `y_true` and `y_score` (or "
            "`y_pred`, a number), or `item` and its score, or leave that analysis out.",
        )
    items = pd.concat(parts).sort_values("item", kind="stable")
    runs_of_items = items.groupby(RUN_KEY, sort=False)
    lists = runs_of_items[["target", "prediction", CLUSTER]].agg(list).reset_index()
    # A run without a score on its dataset's metric has failed in `metrics`, so it has here too.
    trials = metrics.assign(arm=metrics["model"], seed=metrics["init"], classes=1)
    names = [name for name in SCORES.names if name not in KEPT_PARTS]
    runs = trials[[*names, "seed"]].merge(lists, on=RUN_KEY)
    runs = runs.assign(
        experiment=EXPERIMENT,
        test=runs["prediction"].where(runs["status"] == "ok", None),
        validation=None,
    )
    true = runs["target"].map(lambda values: np.asarray(values, dtype=np.float64))
    splits = runs.drop_duplicates(TARGET_COLUMNS).assign(test=true)
    if not items[CLUSTER].ne("").any():
        return _to_arrow(runs, SCORES), _to_arrow(splits, TARGETS)
    splits = splits.assign(
        **{CLUSTER: splits[CLUSTER].map(lambda names: pd.factorize(np.asarray(names))[0])}
    )
    nested = TARGETS.append(pa.field(CLUSTER, pa.list_(pa.int64())))
    return _to_arrow(runs, SCORES), _to_arrow(splits, nested)


def _list_predictions(given: Scores) -> Iterator[pd.DataFrame]:
    """Predictions of each dataset: `RUN_KEY`, `item`, `target`, raw `prediction`.

    `cluster` is the item's, or empty. Of predicted labels `prediction` is whether they are correct,
    a score of the item; the target of a score is 0.
    """
    for task, rows, _ in given.predictions:
        rows = rows.assign(**{CLUSTER: given.clusters(rows)})
        if task == "classification":
            correct = (rows["prediction"] == rows["target"]).astype(np.float64)
            yield rows.assign(target=0.0, prediction=correct)
        else:
            raw = from_probabilities(task, rows["prediction"].to_numpy(float))
            yield rows.assign(prediction=raw)
    if given.has_items and not given.predictions:
        rows = list_item_scores(given)
        rows = rows[rows["metric"] == rows["dataset"].map(given.metrics)]
        yield rows.assign(target=0.0, prediction=rows["value"])


def _to_arrow(rows: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pandas(rows[schema.names], schema=schema, preserve_index=False)
