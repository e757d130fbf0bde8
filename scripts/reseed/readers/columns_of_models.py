"""Tables with one column a model: a row is a run, a dataset or a test case."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.metrics.directions import infer_direction
from reseed.metrics.names import has_metric_name
from reseed.readers.columns import RUN_COLUMNS, find_labelled_runs
from reseed.readers.metric_headings import split_metric_headings
from reseed.readers.options import ReadOptions
from reseed.readers.proposals import Fix, Option, Proposal, propose, propose_column
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.vocabulary import REPEATS, TIMES, is_summary, may_be_item, split_heading
from reseed.readers.wide_layouts import MAX_LISTED, ask_levels, check_range, split_scores, stack

#: Columns one of which identifies the rows of a table with one column a model.
_ROW_COLUMNS = {"dataset", "item", *RUN_COLUMNS}
#: Words of columns of 0 and 1 that say what a test case is.
_FLAGS = {"is", "has"}
#: Words of columns of test cases whose numbers may be those of runs.
_COUNTS = {"id", "ids", "uid", "idx", "index", "row", "case", "sample", "example", "instance"}


def is_column_a_model(table: SourceTable, options: ReadOptions) -> bool:
    """Whether each model has a column of scores, next to a column of runs, datasets or items.

    Not if there is a column of targets: then the columns hold predictions, unless they are hits. A
    table of such columns alone counts, but nothing says what its rows are.
    """
    names = options.list_standard_names(table)
    models, others, item, are_hits = _split_columns(table, options)
    if "value" in names or options.headings not in ("", "model", *RUN_COLUMNS):
        return False
    if "model" in names and (not options.headings or "dataset" in names):
        return False
    if are_hits:
        return True
    named = [c for c in models if options.is_metric(c) or infer_direction(c) is not None]
    if "y_true" in names or len(models) < 2 or (named and not options.headings):
        return False
    rest = [*table.unnamed, *(c for c in others if split_heading(c) & TIMES)]
    is_alone = len(models) + len(rest) == len(table.columns)
    has_rows = _has_rows(table, options) or item
    return bool(has_rows or options.named_row or options.headings) or (
        is_alone and not options.find_run_columns(table)
    )


def _has_rows(table: SourceTable, options: ReadOptions) -> bool:
    """Whether a column names runs, datasets or test cases, or a metric for each row."""
    names = options.list_standard_names(table)
    metrics = [c for c in table.columns if options.find_standard_name(c) == "metric"]
    if metrics and not table.text(metrics[0]).duplicated().any():
        return True
    return bool(names & _ROW_COLUMNS) or bool(find_labelled_runs(table, options.columns))


def _split_columns(
    table: SourceTable, options: ReadOptions
) -> tuple[list[str], list[str], str, bool]:
    """Columns of models, other numbers, the column of test cases ("": none), and if all are hits.

    Hits are 0 and 1, or marks. Next to scores, names of test cases are distinct for each metric,
    and numbers in `id` or `index` may count runs.
    """
    models, others = split_scores(table, options)
    free = options.find_free_columns(table)
    hits = [c for c in free if table.holds_hits(c) and not has_metric_name(c)]
    hits = [c for c in hits if not split_heading(c) & _FLAGS]
    items = [c for c in table.columns if may_be_item(c) and c not in hits]
    # `correct` is the score of one model, next to what its test cases are.
    of_one = any(len(split_heading(c)) == 1 and infer_direction(c) is not None for c in hits)
    is_said = options.columns or options.metrics or options.headings
    if len(hits) > 1 and items and not (of_one or is_said):
        rest = [c for c in (*models, *others) if not split_heading(c) & REPEATS]
        return hits, [c for c in rest if c not in (*hits, items[0])], items[0], True
    metrics = [c for c in table.columns if options.find_standard_name(c) == "metric"]
    for column in filter(may_be_item, free):
        may_count = table.is_numeric(column) and split_heading(column) & _COUNTS
        if not may_count and not table.joined_text([column, *metrics]).duplicated().any():
            return models, others, column, False
    return models, others, "", False


def tidy_columns_of_models(table: SourceTable, options: ReadOptions) -> SourceTable:
    """One row a model and run. Columns that cannot hold the requested metric are an error."""
    models, others, item, are_hits = _split_columns(table, options)
    _ask_target(table, options, [c for c in models if c != item and not _numbers_rows(table, c)])
    table = _name_datasets(table, options)
    if row := options.named_row:
        frame = table.frame.assign(**{row: _number_rows(table)})
        table = table.with_frame(frame, f"Each row was read as one {row}.")
    elif are_hits or not _has_rows(table, options):
        if not item:
            table.ask(*_ask_rows(table, options, models))
            table.raise_errors()
        note = f"Test cases are named by {item!r}."
        table = table.with_frame(table.frame.rename(columns={item: "item"}), note)
    others += [c for c in models if c != item and _numbers_rows(table, c)]
    models = [c for c in models if c not in (item, *others)]
    reason = "which hold more than 0 and 1" if are_hits else "which by their names are no models"
    if poolings := [
        c for c in others if is_summary(c) and not (are_hits or is_summary(c, "model"))
    ]:
        reason += f" (if {join_names(poolings)} is one: `headings: model`)"
    if split := split_metric_headings(models):
        long = stack(table, models, others, "model", reason)
        headings = [split[heading] for heading in long.frame["model"]]
        named = {
            "model": [one.model for one in headings],
            "metric": [one.metric for one in headings],
        }
        note = "Each of these headings was read as a model and its metric."
        return long.with_frame(long.frame.assign(**named), note)
    _ask_two_headings(table, options, models)
    check_range(table, models, "model", options.metrics)
    if not options.headings:
        _ask_counts(table, models)
    long = stack(table, models, others, "model", reason)
    return long.with_frame(long.frame.rename(columns={"value": "correct"} if are_hits else {}))


def _ask_target(table: SourceTable, options: ReadOptions, models: list[str]) -> None:
    """Raise the question whether one column of 0 and 1, next to shares, holds what is true."""
    marks = [c for c in models if table.holds_hits(c)]
    shares = [c for c in models if table.numbers(c).between(0, 1).all()]
    if len(marks) == 1 and len(shares) == len(models) > 1 and not options.headings:
        table.ask(
            f"column {marks[0]!r} holds 0 and 1 alone, and the other columns shares",
            (
                propose_column("y_true", marks[0], "holds what is true, and they predictions"),
                propose("If it is a model: ", {"headings": "model"}),
            ),
        )
        table.raise_errors()


def _ask_counts(table: SourceTable, models: list[str]) -> None:
    """Raise the question whether columns of whole numbers, next to fractions, are models.

    They may be sizes or ages. Scores that are 0 or 1, or always the same, are no counts.
    """
    values = {c: table.numbers(c).dropna() for c in models}
    counts = [
        c for c, column in values.items()
        if (column % 1 == 0).all() and column.abs().max() > 1 and column.nunique() > 1
    ]  # fmt: skip
    if len(table.frame) > 2 and counts and any((values[c] % 1 != 0).any() for c in models):
        raise table.error(
            f"each column of numbers is read as a model, but {join_names(counts)} holds whole "
            "numbers, and others do not",
            propose("Remove what is no model. If all are models: ", {"headings": "model"}),
        )


def _ask_two_headings(table: SourceTable, options: ReadOptions, models: list[str]) -> None:
    """Raise the question which of two lines of headings names models, if each may."""
    first, last = ({c.rpartition("_")[part] for c in models} for part in (0, 2))
    is_crossed = len(first) > 1 and len(first) * len(last) == len(models)
    if table.layout.two_headings and is_crossed and not options.headings:
        each = propose("If each pair is a model: ", {"headings": "model"})
        text = "Give one row a score, with columns of model, dataset and score."
        raise ask_levels(
            table, "its two lines of headings name", [sorted(first), sorted(last)], text, each
        )


def _name_datasets(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The table whose column of models holds datasets, as the user says that headings are models.

    So in `{dataset: {model: scores}}`, whose first level is taken as models elsewhere.
    """
    named = [c for c in table.columns if options.find_standard_name(c) == "model"]
    if not named:
        return table
    frame = table.frame.rename(columns={named[0]: "dataset"})
    return table.with_frame(frame, f"{named[0]!r} was read as the dataset, as headings are models.")


def _numbers_rows(table: SourceTable, column: str) -> bool:
    """Whether a column `id` or the like holds distinct whole numbers, which are no scores."""
    is_named = may_be_item(column) and bool(split_heading(column) & _COUNTS)
    return is_named and table.is_whole(column) and not table.text(column).duplicated().any()


def _number_rows(table: SourceTable) -> pd.Series:
    """The numbers or names of the rows: of an index without a name, else their position."""
    unnamed = table.unnamed
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
    if unnamed := table.unnamed:
        if not table.is_numeric(unnamed[0]):
            return _ask_row_names(table, unnamed[0], models)
        numbers = {"columns": {"fold": unnamed[0]}}
        named = [Option(numbers, ", if its first column numbers the folds")]
    known = f" {', '.join(options.metrics)}" if options.metrics else ""
    rows = (
        Option({"rows": "fold"}, " (row i is fold i of every model)"),
        Option({"rows": "seed"}), Option({"rows": "dataset"}),
        Option({"rows": "item"}, " (test cases)"),
    )  # fmt: skip
    return (
        f"each column seems to hold the scores of a model ({join_names(models, MAX_LISTED)}), "
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
