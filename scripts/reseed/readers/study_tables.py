"""Imports results of training done elsewhere as the tables of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from reseed.core.coordinates import KEPT_PARTS
from reseed.core.schemas import CLUSTER, SCORES, TARGET_COLUMNS, TARGETS
from reseed.core.study_info import DatasetInfo, StudyInfo
from reseed.metrics.outputs import SCORED, from_probabilities
from reseed.readers.checks import (
    check_requested_models,
    check_run_counts,
    note_absent_models,
    note_uneven_runs,
    refuse_equal_runs,
    warn_of_similar_names,
)
from reseed.readers.design import choose_design
from reseed.readers.items import average_items, list_item_scores
from reseed.readers.metrics_schema import (
    EXPERIMENT,
    Texts,
    check_finished_runs,
    choose_ratio,
    describe_imported_study,
    find_title,
    pivot_metrics,
    rename_reserved_metrics,
    to_metrics_schema,
)
from reseed.readers.names import RUN_COLUMNS
from reseed.readers.options import ReadOptions
from reseed.readers.question import Option
from reseed.readers.read import read_scores
from reseed.readers.run_keys import RUN_KEY, average_evaluations
from reseed.readers.scores import Scores
from reseed.readers.seeds import (
    apply_seed_draws,
    ask_what_seeds_draw,
    find_assumed,
    note_single_runs,
    repeat_deterministic_runs,
)
from reseed.readers.source_table import IN_MEMORY
from reseed.readers.sources import open_source


def import_results(
    source: object, results: Mapping[str, Any], study: Texts
) -> tuple[pd.DataFrame, StudyInfo]:
    """`tabulate_runs` of the user's results.

    Args:
        source: as of `reseed.readers.sources.open_source`.
        results: a study's `results` entry (`reseed.config.studies.Results`) as a dict.
        study: its name and texts.
    """
    options = ReadOptions.from_results(results)
    return tabulate_runs(read_scores(open_source(source, options), options), options, study)


def tabulate_runs(
    scores: Scores, options: ReadOptions, study: Texts
) -> tuple[pd.DataFrame, StudyInfo]:
    """The tables of a study of scores; ReseedError for all problems of its runs.

    One row a run, with the columns of `reseed.core.schemas` (a run without a finite score has
    failed), and the facts of the study, whose notes say how the source was read.
    """
    table, columns = scores.source, scores.columns
    if "people" in columns:
        leave = Option({"leave_out": [columns["people"]]})
        raise table.error(
            f"column {columns['people']!r} holds people's scores of items, and runs are compared",
            f"Where items decide, `reseed compare` takes them; else leave them out: {leave}.",
        )
    has_item_scores = scores.has_items and not scores.predictions
    rows = average_items(scores) if has_item_scores else scores.frame
    if not scores.has_items:
        rows = average_evaluations(table, columns, rows)
        refuse_equal_runs(table, columns, rows)
    primary, directions = dict(scores.metrics), scores.greater
    renamed = rename_reserved_metrics(table, primary)
    rows = rows.assign(metric=rows["metric"].replace(renamed))
    primary = {dataset: renamed.get(metric, metric) for dataset, metric in primary.items()}
    directions = {renamed.get(metric, metric): up for metric, up in directions.items()}
    runs = pivot_metrics(table, rows, primary)
    check_finished_runs(table, runs)
    note_single_runs(table, runs, options.deterministic)
    runs = repeat_deterministic_runs(table, runs, options.deterministic)
    assumed = find_assumed(columns, runs, options.seed_draws, scores.has_items)
    ask_what_seeds_draw(table, columns, runs, primary, assumed)
    runs = apply_seed_draws(table, columns, runs, options.seed_draws)
    by_items = choose_design(scores).unit == "items"
    if not by_items:
        check_run_counts(table, runs)
    models = list(dict.fromkeys(runs["model"]))
    check_requested_models(table, models, options.baseline, options.pairs)
    ratio = choose_ratio(table, columns, options.test_train_ratio)
    metrics = to_metrics_schema(table, columns, runs, ratio)
    table.raise_errors()
    warn_of_similar_names(table, metrics)
    note_absent_models(table, metrics)
    if {*RUN_COLUMNS} & {*columns}:
        note_uneven_runs(table, metrics)
    of_items: dict[str, Any] = {}
    if by_items:
        of_items = {"by_items": True, "metric_is_share": scores.is_share}
    datasets = {
        name: DatasetInfo(
            title=find_title(study, "datasets", name),
            task=_find_task(scores, name, has_item_scores),
            metric=metric,
            greater_is_better=directions[metric],
            metric_unit=options.unit,
            **({"is_split_assumed": True} if name in assumed else dict[str, Any]()),
            **of_items,
        )
        for name, metric in primary.items()
    }
    notes = [_describe_columns(scores), *table.notes]
    return metrics, describe_imported_study(metrics, datasets, study, notes)


def _find_task(scores: Scores, dataset: str, has_item_scores: bool) -> str | None:
    """The task of a dataset with items: right labels are scores of items; None without items."""
    tasks = {one.dataset: one.task for one in scores.predictions}
    task = tasks.get(dataset, SCORED if has_item_scores else None)
    return SCORED if task == "classification" else task


def _describe_columns(scores: Scores) -> str:
    table = scores.source
    source = "the table" if table.path == IN_MEMORY else Path(table.path).name
    if table.layout.derived:
        return f"Read from {source}: {table.layout.derived}."
    used = {n: c for n, c in scores.sources.items() if n not in ("value", "step")}
    used |= {"score": list(scores.score_columns)} if scores.score_columns else {}
    listed = ", ".join(
        f"{name} from {' and '.join(c if c.startswith('the ') else repr(c) for c in columns)}"
        for name, columns in used.items()
    )
    return f"Read from {source}: {listed}."


# --- items ------------------------------------------------------------------------------------


def import_predictions(
    source: object, results: Mapping[str, Any], study: Texts, required: bool = True
) -> tuple[pa.Table, pa.Table]:
    """`build_item_tables` of the user's runs; arguments as of `import_results`.

    required: whether a source without scores of items is an error; else the tables are empty.
    """
    options = ReadOptions.from_results(results)
    given = read_scores(open_source(source, options), options)
    if not (given.has_items or required):
        return SCORES.empty_table(), TARGETS.empty_table()
    return build_item_tables(given, tabulate_runs(given, options, study)[0])


def build_item_tables(given: Scores, metrics: pd.DataFrame) -> tuple[pa.Table, pa.Table]:
    """Scores of single items as the tables of raw outputs and of targets.

    metrics: the runs of the scores, as of `tabulate_runs`.

    Returns:
        scores: one row a run, its raw outputs in the same order of items for all runs of a split;
            null for a failed run. For two labels, the log-odds of class 1, the class of y_score.
        targets: one row a dataset and split, the true values in the same order.

    Raises:
        ReseedError: for a source without scores of items.
    """
    parts = list(_list_predictions(given))
    if not parts:
        raise given.source.error(
            "holds no scores of items, which an analysis of this study needs",
            "Give one row an item and run with the columns `item`, `y_true` and `y_score` (or "
            "`y_pred`, a number), or `item` and its score, or leave that analysis out.",
        )
    items = pd.concat(part[[*RUN_KEY, "item", "target", "prediction", CLUSTER]] for part in parts)
    run = items.groupby(RUN_KEY, sort=False).ngroup().to_numpy()
    order = np.lexsort((pd.factorize(items["item"], sort=True)[0], run))
    starts = np.flatnonzero(np.diff(run[order], prepend=-1))
    lists = items[RUN_KEY].iloc[order[starts]].reset_index(drop=True)
    for name in ("target", "prediction", CLUSTER):
        lists[name] = np.split(items[name].to_numpy()[order], starts[1:])
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
    for _, task, rows, _ in given.predictions:
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
