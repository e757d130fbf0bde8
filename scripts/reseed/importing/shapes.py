"""Every shape of results file → one long table: a row for each run and metric."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.errors import nearest
from reseed.importing.columns import NAMES, RUN, plain
from reseed.importing.table import Table
from reseed.metric_names import direction

#: What identifies a run.
KEY = ["model", "dataset", *RUN]
_FINISHED = {"", "ok", "finished", "success", "succeeded", "completed", "complete", "done"}
_SUBSETS = {"train", "training", "val", "valid", "validation", "dev", "test", "testing"}
#: A file of which no column names the dataset is about one.
ONE_DATASET = "data"


def runs_table(table: Table, found: dict[str, str], tracker: bool) -> pd.DataFrame:
    """The columns of `KEY` and `reason` (why a run failed, or empty), indexed as the file.

    Labels that are not whole numbers (fold `a`, `b`) are numbered in their sorted order. Raises
    ReseedError for an empty label, for a `split` of training and test rows, or where nothing
    tells the runs of a model apart.
    """
    runs = pd.DataFrame(index=table.frame.index)
    for name in ("model", "dataset"):
        runs[name] = _labels(table, found[name]) if name in found else ONE_DATASET
    named = [name for name in RUN if name in found]
    if not named and not tracker:
        raise table.refuse(
            "no column tells the runs of a model apart",
            "Add one that does, or map it: `seed` (of the training), `data_seed` (of the split), "
            f"`fold` or `repeat`. It has {', '.join(table.frame.columns)}.",
        )
    for name in RUN:
        runs[name] = _whole_numbers(table, found[name]) if name in found else np.int64(0)
    if not named:  # no two runs share a seed, so that none are taken for a pair
        runs["seed"] = np.arange(len(runs))
    status = table.text(found["status"]) if "status" in found else pd.Series("", runs.index)
    runs["reason"] = ("status " + status).where(~status.str.lower().isin(_FINISHED), "")
    return runs


def _labels(table: Table, column: str) -> pd.Series:
    text = table.text(column)
    if (text == "").any():
        raise table.refuse(
            f"column {column!r} is empty", "Fill it in every row.", text.index[text == ""]
        )
    return text


def _whole_numbers(table: Table, column: str) -> pd.Series:
    text = _labels(table, column)
    subsets = text.str.lower().isin(_SUBSETS)
    if subsets.any():
        raise table.refuse(
            f"column {column!r} holds {text[subsets].iloc[0]!r}: it tells training rows from "
            "test rows, not one run from another",
            "Keep the rows of the test set, and remove the column or give it another name.",
            text.index[subsets],
        )
    numbers = pd.to_numeric(text, errors="coerce").astype(np.float64)
    if (numbers.notna() & (numbers % 1 == 0) & (numbers.abs() < 2**53)).all():
        return numbers.astype(np.int64)
    return pd.Series(pd.factorize(text, sort=True)[0].astype(np.int64), text.index)


def long_table(
    table: Table, found: dict[str, str], metric: str | None, tracker: bool
) -> pd.DataFrame:
    """Long or wide file → `KEY`, `metric`, `value` (NaN: failed), `reason`; a row a run and metric.

    Raises ReseedError where no metric can be told, or several without `metric` in the study.
    """
    runs = runs_table(table, found, tracker)
    wanted = _metric_column(table, metric) if metric and "metric" not in found else None
    # Beside columns that are metrics by name, `score` is not the metric that was asked for.
    elsewhere = metric and wanted is None and "metric" not in found and _named(table, found)
    if "value" in found and not elsewhere and wanted in (None, found["value"]):
        if "metric" in found:
            names = _labels(table, found["metric"])
        else:
            names = metric or found["value"]
        return runs.assign(metric=names, value=table.numbers(found["value"]))
    if "metric" in found:
        raise table.refuse(
            f"names metrics in column {found['metric']!r} but has no column of their values",
            "Name it `value`, or map it: `columns: {value: …}`. "
            f"It has {', '.join(table.frame.columns)}.",
        )
    if metric and wanted is None:
        columns = list(table.frame.columns)
        raise table.refuse(
            f"has no column for the study's metric {metric!r}",
            f"It has {', '.join(columns)}.{nearest(metric, columns)}",
        )
    wanted = wanted or _only_metric(table, found)
    return runs.assign(metric=metric or _short(wanted), value=table.numbers(wanted))


def _short(column: str) -> str:
    return column.removeprefix("metrics.")


def _metric_column(table: Table, metric: str) -> str | None:
    columns = table.frame.columns
    exact = [c for c in (f"metrics.{metric}", metric) if c in columns]
    alike = [c for c in columns if plain(c) == plain(metric) and not c.startswith("params.")]
    return next(iter([*exact, *alike]), None)


def _only_metric(table: Table, found: dict[str, str]) -> str:
    """The one column of scores: MLflow says which they are; else by name; else the only number."""
    reserved = {name for known in NAMES.values() for name in known}
    free = [c for c in table.frame.columns if c not in found.values() and plain(c) not in reserved]
    logged = [c for c in free if c.startswith("metrics.")]
    candidates = logged or _named(table, found) or [c for c in free if _is_numeric(table, c)]
    if len(candidates) == 1:
        return candidates[0]
    columns = ", ".join(_short(c) for c in candidates or table.frame.columns)
    if candidates:
        raise table.refuse(
            f"has several columns that may be the score: {columns}",
            f"Choose one: `metric: {_short(candidates[0])}`.",
        )
    raise table.refuse(
        f"has no column of scores among {columns}",
        "Name it after the metric (`accuracy`, `mse`, …) or say which it is: `metric: …`.",
    )


def _named(table: Table, found: dict[str, str]) -> list[str]:
    """Columns of numbers that are metrics by name and are not read as something else."""
    free = [c for c in table.frame.columns if c not in found.values()]
    return [c for c in free if direction(c) is not None and _is_numeric(table, c, lenient=True)]


def _is_numeric(table: Table, column: str, lenient: bool = False) -> bool:
    """Whether a column holds numbers; `lenient`: some, so that a typing mistake hides no metric."""
    parsed = pd.to_numeric(table.frame[column], errors="coerce").notna()
    present = table.text(column) != ""
    return bool((parsed & present).any() if lenient else (parsed == present).all() and parsed.any())
