"""Which run each row of a table holds: model, dataset, split, fold and seed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from reseed.readers.names import ALL_RUN_COLUMNS, RUN_COLUMNS, parse_label
from reseed.readers.source_table import SourceTable, join_names

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


def read_run_keys(table: SourceTable, columns: Mapping[str, str]) -> pd.DataFrame:
    """The columns of `RUN_KEY`, `repetition` and `reason` (why a run failed), one row a table row.

    Labels that are not whole numbers (fold `a`, `b`) are numbered in sorted order. An empty label
    is an error.
    """
    rows = table.frame.index
    runs = pd.DataFrame(index=rows)
    for name in ("model", "dataset"):
        runs[name] = read_labels(table, columns[name]) if name in columns else ONE_DATASET
    numbers = {}
    for name in [name for name in ALL_RUN_COLUMNS if name in columns]:
        seedless = _find_seedless(table, columns, runs) if name == "seed" else None
        numbers[name] = _read_whole_numbers(table, columns[name], seedless)
    for name in RUN_COLUMNS:
        runs[name] = numbers.get(name, np.int64(0))
    runs["repetition"] = numbers.get("repetition", np.int64(0))
    if [*numbers] == ["repetition"] and "item" not in columns:  # those of one run are averaged
        table.note(
            "Each repetition was taken as a run of its own: the repetitions of two models are not "
            "paired."
        )
        count = max(int(runs["repetition"].max()) + 1, 1)
        runs["seed"] = pd.factorize(runs["model"])[0].astype(np.int64) * count + runs["repetition"]
    status = table.text(columns["status"]) if "status" in columns else pd.Series("", rows)
    if set(status) - {""} == {"0", "1"}:
        table.add_error(
            f"column {columns['status']!r} holds 0 and 1: either may be that of a finished run",
            "Write `finished` and `failed`.",
        )
    runs["reason"] = (STATUS_PREFIX + status).where(~status.str.lower().isin(FINISHED), "")
    return runs


def average_evaluations(
    table: SourceTable, columns: Mapping[str, object], long: pd.DataFrame
) -> pd.DataFrame:
    """One row a run and metric, where a run was evaluated several times; a note says so."""
    if "repetition" not in columns or not long.duplicated(METRIC_KEY).any():
        return long
    table.note("A run's score is the mean over its repeated evaluations.")
    scores = long.groupby(METRIC_KEY, sort=False)
    return scores[["reason", "row"]].first().assign(value=scores["value"].mean()).reset_index()


def _find_seedless(
    table: SourceTable, columns: Mapping[str, str], runs: pd.DataFrame
) -> pd.Series | None:
    """Rows of models that have no seed and one run on each split, as a fixed baseline has."""
    is_empty = table.text(columns["seed"]) == ""
    without = is_empty.groupby(runs["model"]).transform("all")
    other = [name for name in (*RUN_COLUMNS, "metric", "item") if name in columns]
    parts = {name: table.text(columns[name]) for name in other}
    keys = runs[["model", "dataset"]].assign(**parts)
    if without.all() or not without.any() or keys[without].duplicated().any():
        return None
    models = join_names(list(dict.fromkeys(runs["model"][without])))
    table.note(f"{models}: no seed, read as one run on each split.")
    return without


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


def _read_whole_numbers(
    table: SourceTable, column: str, seedless: pd.Series | None = None
) -> pd.Series:
    """The numbers in labels: `1`, `1.0`, `01`, `Fold01` and `fold 1` are all 1.

    Labels that differ in their words (`rep1`, `fold1`) are numbered in sorted order.
    """
    values = table.frame[column]
    if pd.api.types.is_integer_dtype(values) and not values.isna().any():
        return values.astype(np.int64)
    text = read_labels(table, column, seedless)
    numbers = pd.to_numeric(text, errors="coerce").astype(np.float64)
    runs = {label: parse_label(label) for label in text.unique()}
    named = text.map({label: bool(one.runs) and not one.rest for label, one in runs.items()})
    is_word = (text != "") & ~named & numbers.isna()
    if 0 < is_word.mean() < 0.5:
        table.add_error(
            f"column {column!r} holds {text[is_word].iloc[0]!r}, and numbers in most other rows",
            "Remove rows that summarise others, or number the runs.",
            text.index[is_word],
        )
    if (numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**53)).all():
        return numbers.astype(np.int64)
    plain = text.str.casefold().str.replace(r"[\s_\-.#=]+", " ", regex=True)
    parts = plain.str.extract(r"^([^\d+]*?) ?(\d{1,15})(?: 0+)?$")
    if parts[1].notna().all() and len({*parts[0]} - {""}) <= 1:
        return parts[1].astype(np.int64)
    return pd.Series(pd.factorize(plain, sort=True)[0].astype(np.int64), text.index)
