"""Results of training done elsewhere → the tables of a study without training.

`import_results` reads a table of runs as people have them (long, wide, a tracker's export, what
scikit-learn returns, lm-eval's JSON, TensorBoard's files) or per-item predictions, and returns
what `reseed.collection` makes of trial files.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reseed.core.study_info import StudyInfo
from reseed.importers.checks import (
    absent_models,
    names_alike,
    no_gaps,
    no_summaries,
    single_runs,
    uneven_runs,
    unknown_models,
    without_copies,
    without_empty_steps,
)
from reseed.importers.columns import RUN, find_columns, parts_of
from reseed.importers.item_predictions import holds_items, scored_items
from reseed.importers.item_scores import means, with_items
from reseed.importers.long_table import long_table
from reseed.importers.metric_choice import choose_metrics, directions, same_unit, wanted_names
from reseed.importers.metrics_schema import (
    EXPERIMENT,
    GIVEN,
    given_ratio,
    imported_study_info,
    in_contract,
    one_row_a_run,
    unfinished_runs,
)
from reseed.importers.source_table import IN_MEMORY, Table
from reseed.importers.sources import open_results
from reseed.importers.split_sizes import split_sizes
from reseed.importers.trackers import warn_of_sweep
from reseed.metrics.outputs import SCORED

__all__ = ["EXPERIMENT", "GIVEN", "import_results", "import_table"]


def import_results(source: object, results: dict, study: dict) -> tuple[pd.DataFrame, StudyInfo]:
    """Read the user's results.

    Args:
        source: a path, or anything `reseed.importers.sources.open_results` takes.
        results: a study's `results` entry (`reseed.config.Results`) as a dict.
        study: name (or study), title, question, citation, notes and scale of the study; titles of
            datasets and of models by name.

    Returns:
        metrics: one row a run, in the columns of `reseed.collection.trials.collect_trials`; a run without a
            finite score has status `failed`.
        info: the facts of the study; its notes say how the file was read.

    Raises:
        ReseedError: for everything in the file that can be seen not to be right, with lines and
            fixes.
    """
    return import_table(*opened(source, results), results, study)


def opened(source: object, results: dict) -> tuple[Table, dict]:
    """The source as a table, and its columns as `find_columns` tells them."""
    mapping = results.get("columns") or {}
    table = open_results(source, results.get("format") or "auto", mapping, results.get("metric"))
    return table, find_columns(table, mapping)


def import_table(
    table: Table, found: dict, results: dict, study: dict
) -> tuple[pd.DataFrame, StudyInfo]:
    """As `import_results`, of a table whose columns were found."""
    wanted, unit = results.get("metric"), results.get("unit") or ""
    scores, tasks, scored = [], {}, False
    if holds_items(found):
        table.finish()
        long, tasks = scored_items(table, found, wanted)
    else:
        long, scores = long_table(table, found, wanted_names(wanted))
        table.finish()
        long = without_empty_steps(table, found, long, scores)
        items = with_items(table, found, long)
        scored = items is not None
        long = means(table, items) if scored else without_copies(table, found, long)
        no_summaries(table, long)
        no_gaps(table, long)
    rows, primary = choose_metrics(table, long, _primary(wanted, tasks))
    if scored:
        tasks = {dataset: {"task": SCORED} for dataset in primary}
    known = directions(table, long, primary, results.get("greater_is_better"))
    same_unit(table, long, primary, unit)
    if not primary:
        table.finish()
    runs = one_row_a_run(table, rows, primary)
    unfinished_runs(table, runs)
    single_runs(table, found, runs)
    models = list(dict.fromkeys(runs["model"]))
    unknown_models(table, models, results.get("baseline"), results.get("pairs") or [])
    ratio = given_ratio(table, results.get("test_train_ratio")) or split_sizes(table, found)
    metrics = in_contract(table, runs, ratio)
    table.finish()
    names_alike(table, metrics)
    absent_models(table, metrics)
    if set(RUN) & set(found):
        uneven_runs(table, metrics)
    elif table.layout.tracker:
        table.notes.append("No column holds a seed: runs are taken as independent of each other.")
    if table.layout.tracker:
        warn_of_sweep(table, found)
    notes = [_read_from(table, found, scores), *table.notes]
    return metrics, imported_study_info(metrics, primary, known, tasks, unit, study, notes)


def _primary(wanted: object, tasks: dict[str, dict]) -> object:
    """The wanted metrics; of per-item predictions the one that each dataset's task is judged by."""
    if not tasks or wanted is not None:
        return wanted
    return {dataset: entry["metric"] for dataset, entry in tasks.items()}


def _read_from(table: Table, found: dict, scores: list[str]) -> str:
    source = "the table" if table.path == IN_MEMORY else Path(table.path).name
    if table.layout.derived:
        return f"Read from {source}: {table.layout.derived}."
    found = {name: column for name, column in found.items() if name != "value"}
    found |= {"score": scores} if scores else {}
    columns = ", ".join(
        f"{name} from {' and '.join(map(repr, parts_of(column)))}" for name, column in found.items()
    )
    return f"Read from {source}: {columns}."
