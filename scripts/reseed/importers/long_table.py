"""A table of runs → one long table: a row for each run and metric."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.importers.columns import NAMES, RUN, parts_of, plain, used
from reseed.importers.source_table import LISTED, Table, few
from reseed.importers.vocabulary import (
    BOOKKEEPING,
    STEPS,
    SUBSETS,
    TRAINING,
    sums_up,
    sums_up_datasets,
    words_of,
)
from reseed.metrics.names import infer_direction

#: What identifies a run.
KEY = ["model", "dataset", *RUN]
#: What a run's `reason` begins with where its status says that it is not finished.
STATUS = "status "
#: Words of a finished run; 0 is what a process that went well exits with.
FINISHED = {
    *("", "ok", "finished", "success", "succeeded", "completed", "complete", "done", "passed"),
    *("terminated", "published", "closed", "stopped", "early_stopped", "true", "0"),
}
#: A file of which no column names the dataset is about one.
ONE_DATASET = "data"


def runs_table(table: Table, found: dict) -> pd.DataFrame:
    """The columns of `KEY` and `reason` (why a run failed, or empty), a row for each of the table.

    Labels that are not whole numbers (fold `a`, `b`) are numbered in their sorted order. An empty
    label, a `split` of training and test rows, and a table in which nothing tells the runs of a
    model apart are mistakes.
    """
    rows = table.frame.index
    runs = pd.DataFrame(index=rows)
    for name in ("model", "dataset"):
        runs[name] = joined(table, found[name]) if name in found else ONE_DATASET
    if isinstance(found.get("dataset"), str):
        _sums_up(table, found["dataset"], runs["dataset"], "dataset")
    named = [name for name in RUN if name in found]
    misspelt = any("to which `columns` maps" in mistake for mistake in table.mistakes)
    if not (named or table.layout.tracker or misspelt or _once(table, found, runs)):
        table.mistake(
            "no column tells the runs of a model apart",
            "Add one that does, or map it: `seed` (of the training), `data_seed` (of the split), "
            "`fold` or `repeat`; runs that share none with another model's have a number of their "
            f"own each. {table.holds}" + _may_tell(table, found, runs),
        )
    for name in RUN:
        runs[name] = _whole_numbers(table, found[name]) if name in found else np.int64(0)
    if not named and table.layout.tracker:  # no two share a seed: none are taken for a pair
        runs["seed"] = np.arange(len(runs))
    status = table.text(found["status"]) if "status" in found else pd.Series("", rows)
    if set(status) - {""} == {"0", "1"}:
        table.mistake(
            f"column {found['status']!r} holds 0 and 1: either may be that of a finished run",
            "Write `finished` and `failed`.",
        )
    runs["reason"] = (STATUS + status).where(~status.str.lower().isin(FINISHED), "")
    return runs


def _once(table: Table, found: dict, runs: pd.DataFrame) -> bool:
    """Whether each model has one row a dataset, or a metric and item of it."""
    place = runs.assign(**{n: table.text(found[n]) for n in ("metric", "item") if n in found})
    return not place.duplicated().any()


def _may_tell(table: Table, found: dict, runs: pd.DataFrame) -> str:
    """A hint at a column that no two runs of a model share, and that models do."""
    metric = [table.text(found["metric"])] if "metric" in found else []
    free = [c for c in table.columns if c not in used(found) and infer_direction(c) is None]
    for column in (c for c in free if not STEPS & words_of(c)):
        label = table.text(column)
        own = pd.concat([runs["model"], runs["dataset"], *metric, label], axis=1)
        shared = runs["model"].groupby(label).nunique().max() > 1
        if shared and (label != "").all() and not own.duplicated().any():
            return f" Column {column!r} would: `columns: {{seed: {column}}}`."
    return ""


def joined(table: Table, columns: str | list[str]) -> pd.Series:
    """A label; of several columns `svm, C=1`: the first as it is, others with their names."""
    first, *others = parts_of(columns)
    text = _labels(table, first)
    for column in others:
        text = text.str.cat(f"{plain(column)}=" + table.text(column), sep=", ")
    return text


def item_labels(table: Table, column: str) -> pd.Series:
    """The names of items; ReseedError for empty ones and for rows such as TREC's `all`."""
    text = _labels(table, column)
    _sums_up(table, column, text, "item")
    table.finish()
    return text


def _labels(table: Table, column: str) -> pd.Series:
    text = table.text(column)
    if (text == "").any():
        table.mistake(
            f"column {column!r} is empty", "Fill it in every row.", text.index[text == ""]
        )
    return text


def _sums_up(table: Table, column: str, text: pd.Series, noun: str) -> None:
    """Rows such as `mean` among the labels of runs, datasets or items are a mistake."""
    is_sum = sums_up_datasets if noun == "dataset" else sums_up
    sums = text.isin([label for label in text.unique() if is_sum(label)])
    if sums.any() and not sums.all():
        table.mistake(
            f"column {column!r} holds {text[sums].iloc[0]!r}: a row that sums up others is no "
            f"{noun} beside them",
            f"Remove these rows, or rename each {noun} that is called so.",
            text.index[sums],
        )


def _whole_numbers(table: Table, column: str) -> pd.Series:
    values = table.frame[column]
    if pd.api.types.is_integer_dtype(values) and not values.isna().any():
        return values.astype(np.int64)
    text = _labels(table, column)
    subsets = text.str.lower().isin(SUBSETS)
    if subsets.any():
        table.mistake(
            f"column {column!r} holds {text[subsets].iloc[0]!r}: it tells training rows from "
            "test rows, not one run from another",
            "Keep the rows of the test set, and remove the column or give it another name.",
            text.index[subsets],
        )
    _sums_up(table, column, text, "run")
    numbers = pd.to_numeric(text, errors="coerce").astype(np.float64)
    if (numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**53)).all():
        return numbers.astype(np.int64)
    return pd.Series(pd.factorize(text, sort=True)[0].astype(np.int64), text.index)


def long_table(table: Table, found: dict, wanted: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Long or wide table → `KEY`, `metric`, `value` (NaN: failed), `reason`, `row` of the table.

    `wanted`: the metrics that the study names, or none. Beside it the columns that hold the
    scores. That no metric can be told, several may be meant, or one is not there, are
    mistakes; the result is then without a use.
    """
    runs = runs_table(table, found)
    runs["row"] = runs.index
    columns = {} if "metric" in found else _metric_columns(table, found, wanted)
    # Beside columns that are metrics by name, `score` is not the metric that was asked for.
    elsewhere = wanted and not columns and "metric" not in found and _named(table, found)
    if "value" in found and not elsewhere and set(columns.values()) <= {found["value"]}:
        if "metric" in found:
            names = _labels(table, found["metric"])
        else:
            names = wanted[0] if wanted else short(table, found["value"])
        if not (wanted or "metric" in found):
            _left_out(table, _named(table, found))
        values = table.numbers(found["value"])
        return runs.assign(metric=names, value=values), [found["value"]]
    if "metric" in found:
        table.mistake(
            f"names metrics in column {found['metric']!r} but has no column of their values",
            f"Name it `value`, or map it: `columns: {{value: …}}`. {table.holds}",
        )
        return runs.assign(metric="", value=np.nan), []
    if wanted and not set(wanted) & set(columns):
        table.mistake(
            f"has no column for the metric {' or '.join(map(repr, wanted))}",
            f"{table.holds}{suggest_name(wanted[0], table.columns)}",
        )
    if not wanted:
        only = _only_metric(table, found)
        columns = {short(table, only): only} if only else {}
    if not columns:
        return runs.assign(metric="", value=np.nan), []
    parts = [runs.assign(metric=m, value=table.numbers(c)) for m, c in columns.items()]
    return pd.concat(parts, ignore_index=True), list(columns.values())


def short(table: Table, column: str) -> str:
    """A metric's name without its tool's prefix."""
    for prefix in table.layout.metrics:
        column = column.removeprefix(prefix)
    return column


def _metric_columns(table: Table, found: dict, wanted: list[str]) -> dict[str, str]:
    """The column of each wanted metric that has one."""
    columns = {}
    for metric in wanted:
        exact = [c for c in table.columns if c == metric or short(table, c) == metric]
        alike = [c for c in table.columns if plain(short(table, c)) == plain(metric)]
        free = [c for c in alike if not c.startswith(table.layout.settings)]
        if exact or free:
            columns[metric] = [*exact, *free][0]
    return columns


def _only_metric(table: Table, found: dict) -> str | None:
    """The one column of scores: the one named as a metric, else the only likely one.

    Likely is what the tool logged, else a column of numbers that is not bookkeeping by its name,
    else any column of numbers.
    """
    reserved = {name for known in NAMES.values() for name in known}
    taken = used(found)
    free = [c for c in table.columns if c not in taken and plain(c) not in reserved]
    named = _named(table, found)
    logged = [c for c in free if c.startswith(table.layout.metrics)]
    scores = logged or [c for c in free if c in named or _may_be_score(table, c)]
    scores = [c for c in scores if not TRAINING & words_of(c)]
    named = [c for c in scores if c in named]
    likely = logged or [c for c in scores if c in named or not BOOKKEEPING & words_of(c)] or scores
    others = [c for c in scores if c in likely and c not in named]
    candidates = named or others
    if len(candidates) == 1:
        if named:
            _left_out(table, others)
        return candidates[0]
    columns = _listed(table, [*named, *others] or table.columns)
    if candidates:
        table.mistake(
            f"has several columns that may be the score: {columns}",
            f"Choose one: `metric: {short(table, candidates[0])}`. Where datasets differ in it: "
            "`metric: [auc, log_loss]`, the first that a dataset has."
            + " Where each is a dataset: what they measure, `metric: accuracy`."
            * (not named),
        )
        return None
    by_name = [c for c in free if infer_direction(c) is not None and _holds_words(table.frame[c])]
    if len(by_name) == 1:
        return by_name[0]  # whoever reads it tells which cell is no number
    table.mistake(
        f"has no column of scores among {columns}",
        "Name it after the metric (`accuracy`, `mse`, …) or say which it is: `metric: …`.",
    )
    return None


def _left_out(table: Table, columns: list[str]) -> None:
    if columns:
        left = _listed(table, columns)
        table.notes.append(f"Left out: {left}; if one of them is the score, give `metric`.")


def _listed(table: Table, columns: list[str]) -> str:
    return few([short(table, c) for c in columns], LISTED)


def _may_be_score(table: Table, column: str) -> bool:
    """Whether a column holds numbers that are neither a setting nor the tool's bookkeeping."""
    own, settings = table.layout.own, table.layout.settings
    reserved = column.lower() in own or column.startswith(("_", *settings))
    return table.is_numeric(column) and not reserved


def _holds_words(column: pd.Series) -> bool:
    return any(
        isinstance(cell, bool) or (isinstance(cell, str) and cell.strip()) for cell in column
    )


def _named(table: Table, found: dict) -> list[str]:
    """Columns of numbers that are metrics by name and are not read as something else."""
    taken = used(found)
    free = [c for c in table.columns if c not in taken and not c.startswith(table.layout.settings)]
    return [c for c in free if infer_direction(c) is not None and table.is_numeric(c, lenient=True)]
