"""Converts tables with one column a run, a model or a dataset to one row a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reseed.metrics.directions import infer_direction
from reseed.metrics.names import MAX_ROUNDED_SHARE, is_share
from reseed.readers.columns import RUN_COLUMNS, find_standard_name, normalize_name
from reseed.readers.metric_headings import split_metric_headings
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import Fix, Option, Proposal, propose
from reseed.readers.run_columns import POSITION_NOTE, RunColumn, count_up, find_family, parse_run
from reseed.readers.source_table import UNNAMED, SourceTable, join_names
from reseed.readers.vocabulary import (
    COSTS,
    STEPS,
    SUMMARIES,
    is_size,
    is_spread_of,
    may_be_dataset,
    may_be_item,
    split_heading,
)

#: Columns that a note lists.
_MAX_LISTED = 30
#: Name of the column of headings while a table is made long; no table has it.
_HEADING = "\0heading"
#: Columns one of which identifies the rows of a table with one column a model.
_ROW_COLUMNS = {"dataset", "item", *RUN_COLUMNS}
#: Words of columns of test cases whose numbers may be those of runs.
_COUNTS = {"id", "ids", "uid", "idx", "index", "row", "case", "sample", "example", "instance"}
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
    if _has_bare_numbers(runs) and options.of_tasks and not options.headings:
        return False
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


def is_column_a_model(table: SourceTable, options: ReadOptions) -> bool:
    """Whether each model has a column of scores, next to a column of runs, datasets or items.

    Not if there is a column of targets: then the columns hold predictions. A table of such columns
    alone counts, but nothing says what its rows are.
    """
    names = options.list_standard_names(table)
    has_scores = names & {"value", "y_true"}
    if has_scores or options.headings not in ("", "model"):
        return False
    if "model" in names and (not options.headings or "dataset" in names):
        return False
    models, _ = _split_scores(table, options)
    named = [c for c in models if options.is_metric(c) or infer_direction(c) is not None]
    if len(models) < 2 or (named and not options.headings):
        return False
    is_alone = len(models) == len(table.columns) - len(_list_unnamed(table))
    has_rows = names & _ROW_COLUMNS or _find_items(table, options)
    return bool(has_rows or options.named_row or options.headings) or (
        is_alone and not options.find_run_columns(table)
    )


def _find_items(table: SourceTable, options: ReadOptions) -> str:
    """A column of distinct names of test cases (`question`, `image`); "" without one.

    Numbers in `id` or `index` may count runs too. Names repeat where a column names metrics.
    """
    metrics = [c for c in table.columns if options.find_standard_name(c) == "metric"]
    for column in filter(may_be_item, options.find_free_columns(table)):
        may_count = table.is_numeric(column) and split_heading(column) & _COUNTS
        if not may_count and not table.joined_text([column, *metrics]).duplicated().any():
            return column
    return ""


def _list_unnamed(table: SourceTable) -> list[str]:
    """Columns that pandas wrote for an index without a name."""
    return [column for column in table.columns if UNNAMED.fullmatch(column)]


def _split_scores(table: SourceTable, options: ReadOptions) -> tuple[list[str], list[str]]:
    """Columns of numbers that may hold scores, and those that hold costs or summaries."""
    free = options.find_free_numeric_columns(table)
    others = {
        c: None
        for c in free
        if UNNAMED.fullmatch(c)
        or split_heading(c) & (STEPS | COSTS)
        or normalize_name(c) in SUMMARIES
        or is_size(c)
        or is_spread_of(c, free)
    }
    return [c for c in free if c not in others], [*others]


def tidy_columns_of_models(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and run. Columns that cannot hold the requested metric are an error."""
    models, others = _split_scores(table, options)
    table = _name_datasets(table, options)
    if row := options.named_row:
        frame = table.frame.assign(**{row: _number_rows(table)})
        table = table.with_frame(frame, f"Each row was read as one {row}.")
    elif not _ROW_COLUMNS & options.list_standard_names(table):
        item = _find_items(table, options)
        if not item:
            table.ask(*_ask_rows(table, options, models))
            table.raise_errors()
        models = [column for column in models if column != item]
        note = f"Each row was read as one test case, named by {item!r}."
        table = table.with_frame(table.frame.rename(columns={item: "item"}), note)
    reason = "which by their names are no models"
    if split := split_metric_headings(models):
        long = _stack(table, models, others, "model", reason)
        found = [split[heading] for heading in long.frame["model"]]
        named = {"model": [one.model for one in found], "metric": [one.metric for one in found]}
        note = "Each of these headings was read as a model and its metric."
        return long.with_frame(long.frame.assign(**named), note)
    _ask_levels(table, options, models)
    _check_range(table, models, "model", options.metrics)
    return _stack(table, models, others, "model", reason)


def _ask_levels(table: SourceTable, options: ReadOptions, models: list[str]) -> None:
    """Raise the question which of two lines of headings names models, if each may."""
    first, last = ({c.rpartition("_")[part] for c in models} for part in (0, 2))
    is_crossed = len(first) > 1 and len(first) * len(last) == len(models)
    if table.layout.two_headings and is_crossed and not options.headings:
        names = " and ".join(f"({join_names(sorted(one))})" for one in (first, last))
        table.ask(
            f"its two lines of headings name {names}, and nothing says which are models",
            (
                "Give one row a score, with columns of model, dataset and score.",
                propose("If each pair is a model: ", {"headings": "model"}),
            ),
        )
        table.raise_errors()


def _name_datasets(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The table whose column of models holds datasets, as the user says that headings are models.

    So in `{dataset: {model: scores}}`, whose first level is taken as models elsewhere.
    """
    named = [c for c in table.columns if options.find_standard_name(c) == "model"]
    if not named:
        return table
    frame = table.frame.rename(columns={named[0]: "dataset"})
    return table.with_frame(frame, f"{named[0]!r} was read as the dataset, as headings are models.")


def _number_rows(table: SourceTable) -> pd.Series:
    """The numbers or names of the rows: of an index without a name, else their position."""
    unnamed = _list_unnamed(table)
    if unnamed and not table.text(unnamed[0]).duplicated().any():
        return table.text(unnamed[0])
    return pd.Series(np.arange(len(table.frame)).astype(str), table.frame.index)


def _ask_rows(table: SourceTable, options: ReadOptions, models: list[str]) -> tuple[str, Fix]:
    """The question what a row is, if each column seems to be a model."""
    first = models[0]
    values = table.text(first)
    # A first column of distinct whole numbers, or of words, may name the runs.
    is_label = not values.duplicated().any() and table.is_whole(first)
    if is_label and len(models) > 2:
        models = models[1:]
    named = [Option({"columns": {"fold": first}}, f", if {first!r} names the runs")]
    named = named if is_label else []
    if unnamed := _list_unnamed(table):
        if not table.is_numeric(unnamed[0]):
            return _ask_row_names(table, unnamed[0], models)
        numbers = {"columns": {"fold": unnamed[0]}}
        named = [Option(numbers, ", if its first column numbers the folds")]
    known = f" {', '.join(options.metrics)}" if options.metrics else ""
    rows = (
        Option({"rows": "fold"}, " (row i is fold i of every model)"),
        Option({"rows": "seed"}), Option({"rows": "dataset"}),
    )  # fmt: skip
    return (
        f"each column seems to hold the scores of a model ({join_names(models, _MAX_LISTED)}), "
        "and nothing says what a row is",
        (
            Proposal("Say it: ", (*named, *rows)),
            f"If a column is no model, name it (`metric`{known}).",
        ),
    )


def _ask_row_names(table: SourceTable, column: str, models: list[str]) -> tuple[str, Fix]:
    """The question what the names in a first column without a heading are."""
    names = join_names(list(table.text(column).unique()), 3)
    each = f"If each column ({join_names(models, 3)}) is a model: "
    return (
        f"nothing says what the names of its rows are ({names})",
        (
            propose(each, {"rows": "dataset"}, {"rows": "fold"}, {"rows": "seed"}),
            propose("If each row is a model: ", {"columns": {"model": column}}),
        ),
    )


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
    if not has_metric and not options.of_tasks:
        return False
    if options.of_tasks and any(infer_direction(c) is not None for c in datasets):
        return False
    if _find_unnamed_family(datasets, options):
        return False
    return len(datasets) > 1 and not any(map(options.is_metric, datasets))


def _list_datasets(table: SourceTable, options: ReadOptions) -> list[str]:
    """Columns of numbers that may hold scores on a dataset: those that the user names, if any."""
    if options.by_dataset:
        return [c for c in options.find_free_numeric_columns(table) if c in options.by_dataset]
    free = _split_scores(table, options)[0]
    if options.headings == "item":
        return free
    free = [c for c in free if may_be_dataset(c)]
    return free if options.headings else [c for c in free if parse_run(c) is None]


def _find_unnamed_family(columns: list[str], options: ReadOptions) -> list[str]:
    """Numbered columns of which nothing says what the number counts.

    Of a table of tasks, only those that are numbered scores (`auc1`, `score_1`), and numbers alone
    that count from 0 or 1: others may be the numbers of tasks.
    """
    family = find_family(columns)
    if not (family and options.of_tasks):
        return family
    stem, *more = dict.fromkeys(re.sub(r"\d+", "", column) for column in family)
    if more:
        return family
    if not stem.strip():
        return family if count_up(map(int, family)) else []
    is_score = infer_direction(stem) is not None or find_standard_name(stem.strip(" _-")) == "value"
    return family if is_score else []


def ask_headings(table: SourceTable, options: ReadOptions) -> None:
    """Raise the question what numbered headings count, if names do not say it."""
    names = options.list_standard_names(table)
    if (
        options.headings
        or options.by_dataset
        or "model" not in names
        or names & {"value", "metric"}
    ):
        return
    free = [c for c in options.find_free_numeric_columns(table) if c not in options.metrics]
    family = _find_unnamed_family(free, options)
    if family and (options.of_tasks or not options.find_run_columns(table)):
        raise table.error(
            f"its columns {join_names(family)} differ in a number only, and nothing says what it "
            "counts",
            Proposal("Say it: ", _COUNTED),
        )


def tidy_columns_of_datasets(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a dataset and run, with its metric if datasets differ in it."""
    datasets = _list_datasets(table, options)
    others = [c for c in options.find_free_numeric_columns(table) if c not in datasets]
    if options.headings == "item":
        return _stack(table, datasets, others, "item", "which by their names are no test cases")
    of_all = options.metrics[0] if options.metrics else ""
    metrics = {name: options.by_dataset.get(name, of_all) for name in datasets}
    for metric in dict.fromkeys(metrics.values()):
        same_metric = [name for name in datasets if metrics[name] == metric]
        _check_range(table, same_metric, "dataset", (metric,) if metric else ())
    if not options.by_dataset:
        reason = "which by their names are no datasets"
        long = _stack(table, datasets, others, "dataset", reason)
        if not options.metrics:  # of tasks, more is better unless the user says otherwise
            long = replace(long, layout=replace(long.layout, greater_by_default=True))
        return long
    long = _stack(table, datasets, others, "dataset", "for which no `metric` is named")
    by_row = long.frame["dataset"].map(options.by_dataset)
    return replace(long, frame=long.frame.assign(metric=by_row))


def _stack(
    table: SourceTable, columns: list[str], left_out: list[str], noun: str, reason: str
) -> SourceTable:
    """One row a cell of `columns`, with the heading in a column `noun`.

    reason: why `left_out` are dropped, for the note.
    """
    used = {*columns, *left_out}
    rest = [c for c in table.columns if c not in used]
    long = table.with_numbers(columns).melt(rest, columns, noun, "value", ignore_index=False)
    notes = [
        f"Read {len(columns)} columns ({join_names(columns, _MAX_LISTED)}) as one {noun} each."
    ]
    if left_out:
        notes.append(f"Left out: {', '.join(left_out)}, {reason}.")
    return table.with_frame(long, *notes)


def _check_range(
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
