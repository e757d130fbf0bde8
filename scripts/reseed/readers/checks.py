"""Checks imported runs: repaired problems become notes, others become errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

import numpy as np
import pandas as pd

from reseed.core.errors import suggest_name
from reseed.core.pair_tests import MIN_DATASETS
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.metrics.names import has_metric_name
from reseed.readers.column_hints import propose_for_differences, propose_models
from reseed.readers.columns import (
    RUN_COLUMNS,
    ColumnMap,
    list_columns,
    list_unused_columns,
    list_used_columns,
    normalize_name,
)
from reseed.readers.hints import list_steps, suggest_means
from reseed.readers.proposals import FirstOf, Sentence, propose
from reseed.readers.run_keys import METRIC_KEY, ONE_DATASET, RUN_KEY
from reseed.readers.source_table import MAX_SHOWN, Layout, SourceTable, join_names
from reseed.readers.vocabulary import COSTS, DIFFERENCES, STEPS, SUBSETS, is_summary, split_heading

_SPLIT_KEY = [name for name in METRIC_KEY if name != "model"]
#: Statistics that a row which summarises models may hold, as `DataFrame.agg` names them.
_STATISTICS = ["mean", "median", "min", "max", "sum"]
#: Rounding error of a printed mean or SD, relative to the greatest score.
_TOLERANCE = 1e-3
#: Settings that a warning lists.
_MAX_SETTINGS = 6
# Words of columns that differ between repeats of one model and are no settings of it.
_OUTCOMES = STEPS | COSTS | SUBSETS | {"samples", "score", "best", "seed"}
#: Models that a message lists.
_MAX_MODELS = 20


def drop_empty_log_rows(
    table: SourceTable, columns: ColumnMap, long: pd.DataFrame, scores: Sequence[str]
) -> pd.DataFrame:
    """Drop rows of a log with an empty cell if other rows of the run hold the score, with a note.

    A logger writes one row a step, of which few hold a value that is measured once. A score that
    was logged as NaN is not an empty cell.

    Args:
        scores: the columns of scores, which `long` holds one below the other.
    """
    steps = list_steps(table, columns)
    if not (steps and scores):
        return long
    empty = np.concatenate([table.text(column).eq("") for column in scores])
    key = [long[name] for name in METRIC_KEY]
    dropped = empty & (~pd.Series(empty, long.index)).groupby(key).transform("any")
    if not dropped.any():
        return long
    table.notes.append(
        f"{int(dropped.sum())} rows of a log, one for each {steps[0]!r}, hold no score and were "
        "left out: other rows of their runs do."
    )
    return long[~dropped]


def keep_last_steps(table: SourceTable, columns: ColumnMap, long: pd.DataFrame) -> pd.DataFrame:
    """The last row of each run and metric, where the user says that a row is a step; a note."""
    steps = list_steps(table, columns)
    if not steps:
        raise table.error(
            "no column counts steps, and a row is said to be one",
            f"Name the column `step` or `epoch`. {table.column_list}",
        )
    order = table.frame[steps].apply(pd.to_numeric, errors="coerce").loc[long["row"]]
    ordered = long.iloc[np.lexsort([order[name].fillna(-np.inf) for name in reversed(steps)])]
    table.notes.append(
        f"Of each run the last row by {steps[0]!r} was read; no best step was chosen."
    )
    return ordered.drop_duplicates([*METRIC_KEY, "repetition"], keep="last").sort_index()


def drop_duplicate_rows(
    table: SourceTable, columns: ColumnMap, long: pd.DataFrame, *more: str
) -> pd.DataFrame:
    """Drop rows that repeat another row in every column of the file; a note says how many.

    Rows of one run that differ in any column are an error. more: labels besides those of a run.
    """
    key = [*METRIC_KEY, *more]
    duplicated = long.duplicated(key, keep=False)
    if not duplicated.any():
        return long
    some = long[duplicated]
    rows = table.joined_text(table.columns).loc[some["row"]].set_axis(some.index)
    differ = rows.groupby([some[name] for name in key]).transform("nunique") > 1
    if differ.any():
        first = long.loc[differ.index[differ][0], key]
        _report_duplicates(table, columns, long[(long[key] == first).all(axis=1)])
    extra = long.duplicated(key)
    table.notes.append(
        f"{int(extra.sum())} rows that repeat another row in every column were left out."
    )
    return long[~extra]


def _report_duplicates(table: SourceTable, columns: ColumnMap, rows: pd.DataFrame) -> None:
    """Add an error for several rows of one run, with the columns in which they differ."""
    first = rows.iloc[0]
    key = ", ".join(f"{name} {first[name]}" for name in RUN_KEY if name in columns)
    of_key = {name: columns[name] for name in (*RUN_KEY, "metric", "value") if name in columns}
    unread = table.frame.drop(columns=list_used_columns(of_key)).loc[rows["row"]]
    score = normalize_name(first["metric"])
    differ = [
        str(c)
        for c in unread
        if table.text(str(c))[rows["row"]].nunique() > 1 and normalize_name(str(c)) != score
    ]
    scores = join_names([f"{value:g}" for value in rows["value"]])
    report = table.ask if any(STEPS & split_heading(c) for c in differ) else table.add_error
    hint = f"Columns in which these rows differ: {', '.join(differ)}" if differ else ""
    report(
        f"{len(rows)} rows are the same run ({key}, metric {first['metric']}), with values "
        f"{scores}",
        (*_suggest_fix(table, columns, rows, differ), hint),
        rows["row"],
    )


def _suggest_fix(
    table: SourceTable, columns: ColumnMap, rows: pd.DataFrame, differ: list[str]
) -> Iterator[Sentence]:
    """How to resolve rows of one run that differ in the columns `differ`."""
    steps = [c for c in differ if STEPS & split_heading(c)]
    if steps:
        yield f"Keep one row of each run, the chosen or the last: {steps[0]!r} counts its steps."
        yield propose("To read the last: ", {"rows": "step"})
        return
    subsets = [c for c in differ if set(table.text(c)[rows["row"]].str.lower()) <= SUBSETS]
    if subsets:
        yield f"Keep the rows of the test set: {subsets[0]!r} names parts of the data."
        return
    free = [name for name in (*RUN_COLUMNS, "item") if name not in columns]
    if not free:
        yield "Remove all but one."
        return
    yield (
        f"Map the column that numbers the runs to one of {', '.join(free)}, or remove the rows "
        "that do not belong."
    )
    yield from propose_for_differences(table, columns, differ)


def refuse_summary_models(table: SourceTable, long: pd.DataFrame) -> None:
    """Add an error for a model named `mean` or `All` that holds that statistic of the others.

    The name alone is not enough: a baseline may be named `mean`.
    """
    summaries = {model for model in long["model"].unique() if is_summary(model)}
    others = long[~long["model"].isin(summaries) & np.isfinite(long["value"])]
    if not summaries or others["model"].nunique() < 2:
        return
    statistics = others.groupby(_SPLIT_KEY)["value"].agg(_STATISTICS)
    greatest = others["value"].abs().groupby(others["metric"]).max()
    for model, rows in long[long["model"].isin(summaries)].groupby("model", sort=False):
        values = rows["value"].to_numpy()[:, None]
        expected = statistics.reindex(pd.MultiIndex.from_frame(rows[_SPLIT_KEY])).to_numpy()
        tolerance = _TOLERANCE * rows["metric"].map(greatest).to_numpy()[:, None]
        is_close = np.isclose(values, expected, rtol=0, atol=tolerance) | ~np.isfinite(values)
        if np.isfinite(values).any() and is_close.all(axis=0).any():
            table.add_error(
                f"{model!r} is no model: it holds the {model} of the other models in each run",
                "Remove it, or rename the model of that name.",
                rows["row"],
            )


def refuse_difference_models(table: SourceTable, long: pd.DataFrame) -> None:
    """Add an error for a model named `diff` or the like that holds the difference of two others."""
    models = long["model"].unique()
    words = {model: split_heading(model) for model in models}
    suspects = [model for model in models if words[model] and words[model] <= DIFFERENCES]
    if not suspects:
        return
    runs = long.pivot_table(index=_SPLIT_KEY, columns="model", values="value")
    runs = runs.reindex(columns=models)
    tolerance = _TOLERANCE * runs.abs().max().max()
    for model in suspects:
        pairs = permutations([other for other in models if other not in suspects], 2)
        errors = (runs[one] - runs[other] - runs[model] for one, other in pairs)
        if any(e.notna().any() and (e.abs().dropna() <= tolerance).all() for e in errors):
            table.add_error(
                f"{model!r} is no model: it holds the difference of two others in each run",
                "Remove it, or rename the model of that name.",
                long.loc[long["model"] == model, "row"],
            )


def check_run_counts(table: SourceTable, columns: ColumnMap, metrics: pd.DataFrame) -> None:
    """Add an error if no model has a second run and there are too few datasets to compare by rank.

    With enough datasets, a note says what one run each can be compared by.
    """
    if metrics.groupby(["dataset", "model"]).size().max() > 1:
        return
    datasets, models = metrics["dataset"].nunique(), metrics["model"].nunique()
    if datasets >= MIN_DATASETS and models > 1:
        table.notes.append(
            "Each model has one run on each dataset: single datasets have no verdict; models are "
            f"compared over the {datasets} datasets by rank."
        )
        return
    if datasets > 1 and models > 1:
        table.ask(
            f"has one run of each model on each of {datasets} datasets, which are too few",
            f"Models with one run each are compared over {MIN_DATASETS} datasets or more. Add "
            "datasets, or runs with other seeds or folds on each dataset.",
        )
        return
    names = ", ".join(map(repr, list_used_columns({"model": columns["model"]})))
    others = {name: column for name, column in columns.items() if name != "model"}
    table.ask(
        f"has one run of each model (by column {names}: {models} models), which shows nothing of "
        "how much a result depends on the seed",
        (
            "Add runs with other seeds or folds (of files: `seed_3` or `fold_3` in each path), or "
            "map the column that names the model: `columns: {model: …}`.",
            FirstOf((*propose_models(table, others), suggest_means(table))),
        ),
    )


def check_requested_models(
    table: SourceTable,
    models: list[str],
    baseline: str | None,
    pairs: Iterable[Sequence[str]],
) -> None:
    """Add an error for each model of `baseline` or `pairs` that has no run."""
    requested = {
        "baseline": [baseline] if baseline else [],
        "pairs": [model for pair in pairs for model in pair],
    }
    for field, names in requested.items():
        for name in dict.fromkeys(names):
            if name not in models:
                table.add_error(
                    f"`{field}` names the model {name!r}, which has no run",
                    f"It has {', '.join(models[:_MAX_MODELS])}.{suggest_name(name, models)}",
                )


def warn_of_similar_names(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Warn of models or datasets whose names differ only in case, blanks, `-` and `_`."""
    for noun in ("model", "dataset"):
        names = pd.Series(metrics[noun].unique())
        normalized = names.str.casefold().str.replace(r"[\s_-]+", "-", regex=True)
        for _, similar in names.groupby(normalized, sort=False):
            if len(similar) > 1:
                table.notes.append(
                    f"Warning: {' and '.join(map(repr, similar))} are read as {len(similar)} "
                    f"{noun}s. If they are one, write one name: their runs are counted separately "
                    "here."
                )


def note_absent_models(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Note models that have no run, finished or not, on a dataset where others have."""
    runs = pd.crosstab(metrics["dataset"], metrics["model"])
    absent = [
        f"{', '.join(runs.columns[row == 0])} on {dataset}"
        for dataset, row in zip(runs.index, runs.to_numpy(), strict=True)
        if (row == 0).any()
    ]
    more = f" (so on {len(absent) - MAX_SHOWN} more datasets)" if len(absent) > MAX_SHOWN else ""
    if absent:
        table.notes.append(f"Without a run: {'; '.join(absent[:MAX_SHOWN])}{more}.")


def note_uneven_runs(table: SourceTable, metrics: pd.DataFrame) -> None:
    """Note runs that some models of a dataset have and others lack.

    Counted are the units that pairs are compared by: splits if there are several, else model seeds.
    """
    single, uneven = [], []
    for dataset, trials in metrics.groupby("dataset", sort=False):
        if trials["model"].nunique() < 2:
            single.append(str(dataset))
            continue
        has_splits = len(trials[SPLIT_COLUMNS].drop_duplicates()) > 1
        columns, noun = (SPLIT_COLUMNS, "splits") if has_splits else (["init"], "model seeds")
        runs = trials[["model", *columns]].drop_duplicates()
        total = len(runs[columns].drop_duplicates())
        missing = total - runs.groupby("model", sort=False).size()
        missing = missing[missing > 0]
        if len(missing):
            counts = [f"{model} lacks {count}" for model, count in missing.items()]
            uneven.append(f"{dataset}: of {total} {noun}, {join_names(counts)}.")
    if single:
        where = f" on {join_names(single)}" if single != [ONE_DATASET] else ""
        table.notes.append(f"One model only, so nothing is compared{where}.")
    table.notes.extend(uneven[:MAX_SHOWN])
    if len(uneven) > MAX_SHOWN:
        table.notes.append(f"So on {len(uneven) - MAX_SHOWN} more datasets.")
    if uneven:
        table.notes.append(
            "A pair is compared on the runs that both have; on one split with too few shared seeds "
            "it is compared on all runs, unpaired."
        )


def warn_of_sweep(table: SourceTable, columns: ColumnMap) -> None:
    """Add a warning that names settings which vary within a model: a search has no repeats."""
    model_columns, unused = list_columns(columns["model"]), list_unused_columns(table, columns)
    candidates = [c for c in unused if _may_be_setting(table.layout, c)]
    model = table.joined_text(model_columns)
    counts = {c: table.text(c).replace("", np.nan).groupby(model).nunique() for c in candidates}
    varying = {column: count.max() for column, count in counts.items() if count.max() > 1}
    if not varying:
        return
    settings = [f"{column} ({count} values)" for column, count in varying.items()]
    rest = len(settings) - _MAX_SETTINGS
    more = f" and {rest} more" if rest > 0 else ""
    fix = ", ".join([*model_columns, next(iter(varying))])
    table.notes.append(
        f"Warning: runs of one model differ in {', '.join(settings[:_MAX_SETTINGS])}{more}. If "
        "these are settings of a search, the runs are no repeats of one model and their spread is "
        "not that of a seed: keep one setting, or let it name the model, "
        f"`columns: {{model: [{fix}]}}`."
    )


def _may_be_setting(layout: Layout, column: str) -> bool:
    if layout.setting_prefixes:
        is_setting = column.startswith(layout.setting_prefixes)
        return is_setting and normalize_name(column) not in RUN_COLUMNS
    return (
        column.lower() not in layout.bookkeeping
        and not column.startswith("_")
        and not has_metric_name(column)
        and not split_heading(column) & _OUTCOMES
    )
