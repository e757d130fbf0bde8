"""Reads which run each row of a table holds: model, dataset, split, fold and seed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.readers.column_hints import propose_runs
from reseed.readers.columns import (
    ALL_RUN_COLUMNS,
    RUN_COLUMNS,
    ColumnMap,
    list_columns,
    normalize_name,
)
from reseed.readers.hints import list_steps, suggest_means, suggest_reading
from reseed.readers.proposals import FirstOf
from reseed.readers.run_columns import number_labels, parse_run_labels
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import SUBSETS, is_summary

#: Columns that identify a run.
RUN_KEY = ["model", "dataset", *RUN_COLUMNS]
#: Columns that identify a score of a run.
METRIC_KEY = [*RUN_KEY, "metric"]
#: Prefix of a run's `reason` if its status says that it is not finished.
STATUS_PREFIX = "status "
#: Values of the status of a finished run; 0 is the exit code of success.
FINISHED = {
    *("", "ok", "finished", "success", "succeeded", "completed", "complete", "done", "passed"),
    *("terminated", "published", "closed", "stopped", "early_stopped", "true", "0"),
}
#: Name of the dataset if no column names one.
ONE_DATASET = "data"


def read_run_keys(table: SourceTable, columns: ColumnMap) -> pd.DataFrame:
    """The columns of `RUN_KEY`, `repetition` and `reason` (why a run failed), one row a table row.

    Labels that are not whole numbers (fold `a`, `b`) are numbered in sorted order. Errors: an empty
    label, a `split` of training and test rows, and no column that distinguishes a model's runs.
    """
    rows = table.frame.index
    runs = pd.DataFrame(index=rows)
    for name in ("model", "dataset"):
        runs[name] = join_labels(table, columns[name]) if name in columns else ONE_DATASET
        if isinstance(column := columns.get(name), str):
            _refuse_summary_rows(table, column, runs[name], name)
    _require_run_columns(table, columns, runs)
    named = [name for name in ALL_RUN_COLUMNS if name in columns]
    numbers: dict[str, pd.Series] = {}
    for name in named:
        numbers |= _read_runs(table, columns, runs, name)
    for name in RUN_COLUMNS:
        runs[name] = numbers.get(name, np.int64(0))
    runs["repetition"] = numbers.get("repetition", np.int64(0))
    if "repetition" in numbers and "item" not in columns:
        runs["seed"] = _number_evaluations(table, runs, numbers)
    if not named and table.layout.is_tracker:  # distinct seeds, so that no runs are paired
        runs["seed"] = np.arange(len(runs))
    status = pd.Series("", rows)
    if "status" in columns:
        status = table.text(str(columns["status"]))
    if set(status) - {""} == {"0", "1"}:
        table.add_error(
            f"column {columns['status']!r} holds 0 and 1: either may be that of a finished run",
            "Write `finished` and `failed`.",
        )
    runs["reason"] = (STATUS_PREFIX + status).where(~status.str.lower().isin(FINISHED), "")
    return runs


def _read_runs(
    table: SourceTable, columns: ColumnMap, runs: pd.DataFrame, name: str
) -> dict[str, pd.Series]:
    """The numbers in a column of runs; several if its labels are such as `Fold01.Rep2`."""
    column = str(columns[name])
    text = table.text(column)
    labels = parse_run_labels(text)
    kinds = sorted(next(iter(labels.values()), ()))
    if len(kinds) < 2:
        seedless = _find_seedless(table, columns, runs) if name == "seed" else None
        return {name: _read_whole_numbers(table, column, seedless)}
    taken = [kind for kind in kinds if kind in columns and kind != name]
    if taken:
        table.add_error(
            f"column {column!r} holds {text.iloc[0]!r}, and column "
            f"{columns[taken[0]]!r} is the {taken[0]} too",
            "Remove one of them.",
        )
    table.notes.append(f"Column {column!r} was read as {' and '.join(kinds)}.")
    return {kind: text.map({k: one[kind] for k, one in labels.items()}) for kind in kinds}


def _number_evaluations(
    table: SourceTable, runs: pd.DataFrame, numbers: dict[str, pd.Series]
) -> pd.Series | np.int64:
    """The seeds of repeated evaluations: no model shares a number, so that none are paired.

    Evaluations of one run, which has a seed or split of its own, are averaged later.
    """
    if set(numbers) - {"repetition"}:
        return runs["seed"]
    table.notes.append(
        "Each repetition was taken as an evaluation of its own: the repetitions of two models are "
        "not paired."
    )
    count = int(numbers["repetition"].max()) + 1
    return pd.factorize(runs["model"])[0].astype(np.int64) * max(count, 1) + numbers["repetition"]


def average_evaluations(table: SourceTable, columns: ColumnMap, long: pd.DataFrame) -> pd.DataFrame:
    """One row a run and metric, where a run was evaluated several times; a note says so."""
    if "repetition" not in columns or not long.duplicated(METRIC_KEY).any():
        return long
    table.notes.append("A run's score is the mean over its repeated evaluations.")
    scores = long.groupby(METRIC_KEY, sort=False)
    return scores[["reason", "row"]].first().assign(value=scores["value"].mean()).reset_index()


def _find_seedless(table: SourceTable, columns: ColumnMap, runs: pd.DataFrame) -> pd.Series | None:
    """Rows of models that have no seed and one run on each split, as a fixed baseline has."""
    if "seed" not in columns:
        return None
    is_empty = table.text(str(columns["seed"])) == ""
    without = is_empty.groupby(runs["model"]).transform("all")
    other = [name for name in (*RUN_COLUMNS, "metric", "item") if name in columns]
    parts = {name: table.text(str(columns[name])) for name in other}
    keys = runs[["model", "dataset"]].assign(**parts)
    if without.all() or not without.any() or keys[without].duplicated().any():
        return None
    models = join_names(list(dict.fromkeys(runs["model"][without])))
    table.notes.append(f"{models}: no seed, read as one run on each split.")
    return without


def _require_run_columns(table: SourceTable, columns: ColumnMap, runs: pd.DataFrame) -> None:
    """Add an error if no column distinguishes the runs of a model, and it has several."""
    has_run_column = any(name in columns for name in ALL_RUN_COLUMNS)
    is_misspelt = any("to which `columns` maps" in one.what for one in table.problems)
    if has_run_column or table.layout.is_tracker or is_misspelt:
        return
    names = ("metric", "item", "prompt", "cluster")
    parts = {n: table.text(str(columns[n])) for n in names if n in columns}
    parts |= {step: table.text(step) for step in list_steps(table, columns)}
    rows = runs.assign(**parts)
    repeated = rows.index[rows.duplicated(keep=False)]
    if repeated.empty:
        return
    are_copies = "item" in columns and len(repeated) <= len(rows) / 2
    what = "no column identifies the runs of a model"
    fix = (
        "Add one that does, or map it: `seed` (of the training), `data_seed` (of the split), "
        "`fold` or `repeat`; number the runs of all models differently where models share no runs."
    )
    if are_copies:
        what = "an item occurs more than once for one model, unlike most items"
        fix = "Remove the copies, or number the attempts at an item (`repetition`)."
    proposed = tuple(propose_runs(table, columns))
    suggested = suggest_reading(table) or suggest_means(table)
    table.add_error(
        what,
        (f"{fix} {table.column_list}", FirstOf((*proposed, suggested))),
        repeated if are_copies else (),
    )
    if proposed:  # other errors may follow from this one
        table.raise_errors()


def join_labels(table: SourceTable, columns: str | list[str]) -> pd.Series:
    """A label; of several columns `svm, C=1`: the first unchanged, others with their names."""
    first, *others = list_columns(columns)
    text = read_labels(table, first)
    for column in others:
        text = text.str.cat(f"{normalize_name(column)}=" + table.text(column), sep=", ")
    return text


def read_item_labels(table: SourceTable, column: str) -> pd.Series:
    """The names of items; ReseedError for empty names and for summaries such as TREC's `all`."""
    text = read_labels(table, column)
    _refuse_summary_rows(table, column, text, "item")
    table.raise_errors()
    return text


def read_labels(table: SourceTable, column: str, seedless: pd.Series | None = None) -> pd.Series:
    """The labels of a column; an empty one is an error, but 0 in rows `seedless`."""
    text = table.text(column)
    if seedless is not None:
        text = text.mask(seedless, "0")
    if (text == "").any():
        table.add_error(
            f"column {column!r} is empty", "Fill it in every row.", text.index[text == ""]
        )
    return text


def _refuse_summary_rows(table: SourceTable, column: str, text: pd.Series, noun: str) -> None:
    """Add an error for rows such as `Avg` among the labels of models, runs, datasets or items."""
    sums = text.isin([label for label in text.unique() if is_summary(label, noun)])
    if sums.any() and not sums.all():
        table.ask(
            f"column {column!r} holds {text[sums].iloc[0]!r}: a row that summarises others is no "
            f"{noun}",
            f"Remove these rows, or rename each {noun} of that name.",
            text.index[sums],
        )


def _read_whole_numbers(
    table: SourceTable, column: str, seedless: pd.Series | None = None
) -> pd.Series:
    values = table.frame[column]
    if pd.api.types.is_integer_dtype(values) and not values.isna().any():
        return values.astype(np.int64)
    text = read_labels(table, column, seedless)
    subsets = text.str.lower().isin(SUBSETS)
    if subsets.all() and text.nunique() == 1:  # one part of the data, which distinguishes no runs
        return pd.Series(np.int64(0), text.index)
    if subsets.any():
        table.add_error(
            f"column {column!r} holds {text[subsets].iloc[0]!r}: it distinguishes training rows "
            "from test rows, not runs",
            "Keep the rows of the test set, and remove the column or give it another name.",
            text.index[subsets],
        )
    _refuse_summary_rows(table, column, text, "run")
    numbers = pd.to_numeric(text, errors="coerce").astype(np.float64)
    if (numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**53)).all():
        return numbers.astype(np.int64)
    labels = number_labels(text)
    if labels is not None:
        return labels.astype(np.int64)
    plain = text.str.casefold().str.replace(r"[\s_\-]+", " ", regex=True)
    return pd.Series(pd.factorize(plain, sort=True)[0].astype(np.int64), text.index)
