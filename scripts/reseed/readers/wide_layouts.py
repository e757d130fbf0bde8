"""Tables with one column a run or a dataset, next to one of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from reseed.metrics.directions import infer_direction
from reseed.metrics.names import MAX_ROUNDED_SHARE, is_share
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import Option, Proposal, Sentence, TableError, propose
from reseed.readers.run_columns import POSITION_NOTE, RunColumn, find_family, parse_run
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import (
    COSTS,
    STEPS,
    TIMES,
    is_size,
    is_spread_of,
    is_summary,
    may_be_dataset,
    split_heading,
)

#: Columns that a note lists.
MAX_LISTED = 30
#: Name of the column of headings while a table is made long; no table has it.
_HEADING = "\0heading"
#: What numbered headings may count.
_COUNTED = (
    Option({"headings": "fold"}, " (folds of one cross-validation)"),
    Option({"headings": "seed"}, " (trainings on one split)"),
    Option({"headings": "data_seed"}, " (random splits, with `test_train_ratio`)"),
    Option({"headings": "dataset"}),
    Option({"headings": "item"}, " (test cases)"),
)


def is_column_a_run(table: SourceTable, options: ReadOptions) -> bool:
    """Whether each fold or seed has a column of scores, next to a column that names the model.

    Columns of bare numbers next to a metric do not count: they are probabilities of classes, years
    or cut-offs.
    """
    names = options.list_standard_names(table)
    runs = options.find_run_columns(table)
    if "model" not in names or "value" in names or not runs:
        return False
    if any(run.metric for run in runs.values()):
        return _name_stems(runs, options) not in names
    return not _has_bare_numbers(runs) or not any(
        map(options.is_metric, _list_others(table, options))
    )


def _name_stems(runs: Mapping[str, RunColumn], options: ReadOptions) -> str:
    """What headings name besides the run: a metric, else a dataset."""
    stems = {run.metric for run in runs.values()}
    return "dataset" if len(stems) > 1 and not any(map(options.is_metric, stems)) else "metric"


def _has_bare_numbers(runs: Mapping[str, RunColumn]) -> bool:
    return any(column.strip().isdigit() for column in runs)


def _list_others(table: SourceTable, options: ReadOptions) -> list[str]:
    """Columns of numbers next to those of runs, such as their mean."""
    runs = options.find_run_columns(table)
    return [c for c in options.find_free_numeric_columns(table) if c not in runs]


def tidy_columns_of_runs(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and fold (or seed), and metric or dataset if columns hold several."""
    runs, others = options.find_run_columns(table), _list_others(table, options)
    used = {*runs, *others}
    rest = [c for c in table.columns if c not in used]
    metrics = {run.metric for run in runs.values()}
    score = "value" if len(metrics) > 1 else metrics.pop() or "value"
    frame = table.with_numbers(runs)
    long = frame.melt(rest, list(runs), _HEADING, score, ignore_index=False)
    heading = long.pop(_HEADING)
    for kind in next(iter(runs.values())).numbers:
        long[kind] = heading.map({c: run.numbers.get(kind) for c, run in runs.items()})
    if metrics:
        stems = {c: run.metric for c, run in runs.items()}
        long[_name_stems(runs, options)] = heading.map(stems)
    notes = [f"Read {len(runs)} columns ({join_names(list(runs), 3)}) as one run each."]
    if others:
        notes.append(f"Left out: {', '.join(others)}, which hold no value of a run.")
    if _has_bare_numbers(runs) and not options.headings:
        notes.append(
            "Columns with a bare number were taken as folds; name them `seed 0`, `seed 1`, … if "
            "they are seeds."
        )
    is_positional = all([*run.numbers] == ["fold"] for run in runs.values())
    notes += [POSITION_NOTE] if is_positional else []
    return table.with_frame(long, *notes, is_positional=is_positional)


def split_scores(table: SourceTable, options: ReadOptions) -> tuple[list[str], list[str]]:
    """Columns of numbers that may hold scores, and those that hold costs or summaries."""
    free = options.find_free_numeric_columns(table)
    others = {
        c: None
        for c in free
        if split_heading(c) & (STEPS | COSTS | TIMES)
        or is_summary(c, options.headings)
        or is_size(c)
        or is_spread_of(c, free)
    }
    return [c for c in free if c not in others], [*others]


def is_column_a_dataset(table: SourceTable, options: ReadOptions) -> bool:
    """Whether each dataset has a column of scores, next to a column that names the model.

    Only if the user requests a metric with a known direction, and no column has its name.
    """
    names = options.list_standard_names(table)
    if "model" not in names or names & {"dataset", "value", "metric", "item"}:
        return False
    if options.headings:
        return options.headings in ("dataset", "item") and bool(_list_datasets(table, options))
    datasets = _list_datasets(table, options)
    has_metric = bool(options.metrics) and all(
        infer_direction(m) is not None for m in options.metrics
    )
    if not has_metric or find_family(datasets):
        return False
    return len(datasets) > 1 and not any(map(options.is_metric, datasets))


def _list_datasets(table: SourceTable, options: ReadOptions) -> list[str]:
    """Columns of numbers that may hold scores on a dataset: those that the user names, if any."""
    if options.by_dataset:
        return [c for c in options.find_free_numeric_columns(table) if c in options.by_dataset]
    free = split_scores(table, options)[0]
    if options.headings == "item":
        return free
    free = [c for c in free if may_be_dataset(c)]
    return free if options.headings else [c for c in free if parse_run(c) is None]


def ask_headings(table: SourceTable, options: ReadOptions) -> None:
    """Raise the question what numbered headings count, if names do not say it."""
    names = options.list_standard_names(table)
    if options.headings or options.by_dataset or "model" not in names or "value" in names:
        return
    free = [c for c in options.find_free_numeric_columns(table) if c not in options.metrics]
    family = find_family(free)
    if family and not options.find_run_columns(table):
        raise ask_numbers(table, family)


def ask_numbers(table: SourceTable, columns: Sequence[str], *more: Option) -> TableError:
    """The question what the numbers in headings count."""
    return table.error(
        f"its columns {join_names(columns)} differ in a number only, and nothing says what it "
        "counts",
        Proposal("Say it: ", (*_COUNTED, *more)),
    )


def ask_levels(
    table: SourceTable, what: str, levels: Iterable[Sequence[str]], *fix: Sentence
) -> TableError:
    """The question which of two levels of labels names models."""
    names = " and ".join(f"({join_names(level)})" for level in levels)
    return table.error(f"{what} {names}, and nothing says which are models", fix)


def tidy_columns_of_datasets(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a dataset and run, with its metric if datasets differ in it."""
    datasets = _list_datasets(table, options)
    others = [c for c in options.find_free_numeric_columns(table) if c not in datasets]
    if table.layout.is_positional and not (options.headings or options.by_dataset):
        levels = [list(table.text("model").unique()), datasets]
        which = propose("Say it: ", {"headings": "dataset"}, {"headings": "model"})
        raise ask_levels(table, "the levels of the dict name", levels, which)
    if options.headings == "item":
        return stack(table, datasets, others, "item", "which by their names are no test cases")
    of_all = options.metrics[0] if options.metrics else ""
    metrics = {name: options.by_dataset.get(name, of_all) for name in datasets}
    for metric in dict.fromkeys(metrics.values()):
        same_metric = [name for name in datasets if metrics[name] == metric]
        check_range(table, same_metric, "dataset", (metric,) if metric else ())
    if not options.by_dataset:
        reason = "which by their names are no datasets"
        long = stack(table, datasets, others, "dataset", reason)
        if not options.metrics:  # of tasks, more is better unless the user says otherwise
            long = replace(long, layout=replace(long.layout, greater_by_default=True))
        return long
    long = stack(table, datasets, others, "dataset", "for which no `metric` is named")
    by_row = long.frame["dataset"].map(options.by_dataset)
    return replace(long, frame=long.frame.assign(metric=by_row))


def stack(
    table: SourceTable, columns: list[str], left_out: list[str], noun: str, reason: str
) -> SourceTable:
    """One row a cell of `columns`, with the heading in a column `noun`.

    reason: why `left_out` are dropped, for the note.
    """
    used = {*columns, *left_out}
    rest = [c for c in table.columns if c not in used]
    long = table.with_numbers(columns).melt(rest, columns, noun, "value", ignore_index=False)
    notes = [f"Read {len(columns)} columns ({join_names(columns, MAX_LISTED)}) as one {noun} each."]
    if left_out:
        notes.append(f"Left out: {', '.join(left_out)}, {reason}.")
    return table.with_frame(long, *notes)


def check_range(
    table: SourceTable, columns: Iterable[str], noun: str, metrics: Sequence[str]
) -> None:
    """Refuse columns outside the range of a share: 0 to 1, or 0 to 100 if all models exceed 1."""
    if not metrics or not all(map(is_share, metrics)):
        return
    scores = {c: pd.to_numeric(table.text(c), errors="coerce").abs() for c in columns}
    greatest = 1 if any(column.max() <= 1 for column in scores.values()) else 100
    outside = [c for c, column in scores.items() if column.max() > greatest * MAX_ROUNDED_SHARE]
    if outside:
        raise table.error(
            f"each column of numbers is read as a {noun}, but {', '.join(outside)} cannot be "
            f"{' or '.join(metrics)}, which lies between 0 and {greatest} here",
            f"Remove what is no {noun}, or write all scores on one scale.",
        )
