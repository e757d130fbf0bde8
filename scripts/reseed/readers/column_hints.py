"""Proposals what a column that was not read may be: a dataset, a run, a test case, a setting."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from reseed.metrics.directions import is_metric_name
from reseed.readers.columns import RUN_COLUMNS, ColumnMap, list_used_columns
from reseed.readers.run_columns import count_up
from reseed.readers.source_table import SourceTable
from reseed.readers.vocabulary import (
    BOOKKEEPING,
    COSTS,
    RATERS,
    REPEATS,
    RESAMPLES,
    RUN_WORDS,
    STEPS,
    TIMES,
    may_be_item,
    split_heading,
)

#: A column with more labels than this for a model names test cases rather than runs.
_MOST_RUNS = 100
#: Fewer columns than this are tried in pairs.
_MOST_CROSSED = 8
#: Labels of a column that may name models.
_MOST_MODELS = 50


def suggest_run_column(table: SourceTable, columns: ColumnMap, runs: pd.DataFrame) -> str:
    """Propose what tells a model's rows apart where no column of runs was found; "" if nothing.

    runs: `model` and `dataset` of each row.
    """
    metric = [table.text(str(columns["metric"]))] if "metric" in columns else []
    used = list_used_columns(columns)
    free = [c for c in table.columns if c not in used and not is_metric_name(c)]
    raters = [c for c in free if RATERS & split_heading(c)]
    if "item" in columns and raters:
        return f" If {raters[0]!r} names who judged an item: {_map('repetition', raters[0])}."
    no_steps = [c for c in free if not STEPS & split_heading(c)]
    for column in no_steps:
        label = table.text(column)
        keys = pd.concat([runs["model"], runs["dataset"], *metric, label], axis=1)
        is_shared = runs["model"].groupby(label).nunique().max() > 1
        if not is_shared or (label == "").any():
            continue
        if keys.duplicated().any():
            repeats = [table.text(c) for c in free if REPEATS & split_heading(c)]
            if not may_be_item(column) or pd.concat([keys, *repeats], axis=1).duplicated().any():
                continue
        if may_be_item(column) or label.groupby(runs["model"]).nunique().max() > _MOST_RUNS:
            return (
                f" Column {column!r} seems to name test cases, not runs: "
                f"{_map('item', column)}. `reseed items` compares models by test cases."
            )
        words = split_heading(column)
        if RESAMPLES & words:
            return (
                f" Column {column!r} seems to number resamples of one test set, which are no runs:"
                " give the scores of its items."
            )
        is_count = table.is_numeric(column) and count_up(table.numbers(column).unique())
        if RUN_WORDS & words or (is_count and not words & (TIMES | BOOKKEEPING)):
            counts = f" Column {column!r} would: {_map('seed', column)}"
            if (REPEATS | {"episode", "rollout"}) & words:
                counts += (
                    " where it counts trainings, "
                    + _map("repetition", column)
                    + " where it counts evaluations of one trained model"
                )
            return f"{counts}."
    return _suggest_dataset(table, columns, no_steps)


def suggest_mapping(table: SourceTable, columns: ColumnMap, differ: Sequence[str]) -> str:
    """Propose what a column is in which rows of one run differ; "" if nothing."""
    free = [c for c in differ if not is_metric_name(c) and not split_heading(c) & COSTS]
    if not free:
        return ""
    are_many = table.text(free[0]).nunique() > _MOST_RUNS
    if not are_many and (of_dataset := _suggest_dataset(table, columns, free)):
        return of_dataset
    if are_many or may_be_item(free[0]):
        return f" Where {free[0]!r} names test cases: {_map('item', free[0])}."
    model = ", ".join([*list_used_columns({"model": columns["model"]}), free[0]])
    has_one_seed = "seed" in columns and table.text(str(columns["seed"])).nunique() == 1
    # If all runs have the same seed, another column may count them.
    counts = f" Where {free[0]!r} counts repeated trainings: {_map('seed', free[0])}."
    setting = (
        f" Where {free[0]!r} is a setting, it names the model too: `columns: {{model: [{model}]}}`."
    )
    is_run = bool(RUN_WORDS & split_heading(free[0]))
    return f"{counts if has_one_seed else ''}{'' if is_run else setting}"


def suggest_model_column(table: SourceTable, columns: ColumnMap) -> str:
    """Propose columns whose few labels have the same runs, as models have; "" without one."""
    used = list_used_columns(columns)
    names = (*RUN_COLUMNS, "item", "dataset")
    runs = list_used_columns({name: columns[name] for name in names if name in columns})
    if not runs:
        return _suggest_crossed_columns(table, used)
    key, found = table.joined_text(runs), []
    for column in table.columns:
        label = table.text(column)
        count = label.nunique()
        is_metric = is_metric_name(column) and table.is_numeric(column)
        if column in used or is_metric or not 1 < count <= _MOST_MODELS or (label == "").any():
            continue
        sets = key.groupby(label).agg(frozenset)
        if len(label) > count and sets.nunique() == 1 and len(sets.iloc[0]) > 1:
            found.append(column)
    for column in found:
        if not pd.concat([table.text(column), key], axis=1).duplicated().any():
            return f" If {column!r} names what is compared: {_map('model', column)}."
    # Several settings, each combination of which has the same runs.
    if len(found) > 1 and not table.joined_text([*found, *runs]).duplicated().any():
        both = f"[{', '.join(found)}]"
        return f" If each setting of {' and '.join(found)} is compared: {_map('model', both)}."
    return f" If {found[0]!r} names what is compared: {_map('model', found[0])}." if found else ""


def _suggest_crossed_columns(table: SourceTable, used: Sequence[str]) -> str:
    """Propose models and test cases where each label of one column has all those of another."""
    free = [c for c in table.columns if c not in used and not is_metric_name(c)]
    if len(free) >= _MOST_CROSSED:
        return ""
    full = [c for c in free if (table.text(c) != "").all()]
    for model in (c for c in full if not split_heading(c) & (TIMES | STEPS)):
        count = table.text(model).nunique()
        for item in filter(may_be_item, full):
            labels = table.text(item)
            pairs = count * labels.nunique()
            is_crossed = pairs == len(labels) == len({*zip(table.text(model), labels, strict=True)})
            if 1 < count < labels.nunique() and is_crossed:
                both = f"{_map('model', model)} and {_map('item', item)}"
                return f" If {model!r} names what is compared, and {item!r} test cases: {both}."
    return ""


def _map(name: str, column: str) -> str:
    return f"`columns: {{{name}: {column}}}`"


def _suggest_dataset(table: SourceTable, columns: ColumnMap, candidates: Sequence[str]) -> str:
    tested_on = _find_dataset_column(table, columns, candidates)
    if tested_on is None:
        return ""
    return f" If {tested_on!r} names what models were tested on: {_map('dataset', tested_on)}."


def _find_dataset_column(
    table: SourceTable, columns: ColumnMap, candidates: Sequence[str]
) -> str | None:
    """A column of words, on each of which every model has a row, if no column is the dataset."""
    if "dataset" in columns:
        return None
    model = table.joined_text(list_used_columns({"model": columns["model"]}))
    for column in candidates:
        label, words = table.text(column), split_heading(column)
        if RUN_WORDS & words:
            continue
        is_word = not table.is_numeric(column) and (label != "").all()
        is_name = is_word and not may_be_item(column) and not words & (BOOKKEEPING | RESAMPLES)
        if is_name or _repeats_runs(table, columns, label):
            shared = model.groupby(label).nunique()
            if len(shared) > 1 and model.nunique() > 1 and (shared == model.nunique()).all():
                return column
    return None


def _repeats_runs(table: SourceTable, columns: ColumnMap, label: pd.Series) -> bool:
    """Whether each label has the same folds or splits of each model: runs on a dataset of its own.

    Test cases of one dataset are each in one fold.
    """
    run = [str(columns[name]) for name in ("fold", "repeat", "data_seed") if name in columns]
    if not run or label.nunique() < 2 or (label == "").any():
        return False
    keys = table.joined_text([*list_used_columns({"model": columns["model"]}), *run])
    sets = keys.groupby(label).agg(frozenset)
    return sets.nunique() == 1 and not pd.concat([keys, label], axis=1).duplicated().any()
