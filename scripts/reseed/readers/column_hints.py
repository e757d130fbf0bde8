"""Proposes what a column that was not read may be; the reader tries each (`advice`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from reseed.core.schemas import SPLIT_COLUMNS
from reseed.metrics.directions import is_metric_name
from reseed.readers.columns import RUN_COLUMNS, ColumnMap, list_unused_columns, list_used_columns
from reseed.readers.model_labels import split_model_labels
from reseed.readers.proposals import Option, Proposal, propose, propose_column
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
    TRAINING,
    may_be_item,
    split_heading,
)

#: A column with more labels than this for a model names test cases rather than runs.
_MOST_RUNS = 100
#: Labels of a column that may name models.
_MOST_MODELS = 50
#: Columns of words that are no models and datasets: so many or more.
_MOST_LABELS = 3
#: Words of columns that count evaluations as often as trainings.
_EVALUATIONS = REPEATS | {"episode", "rollout"}


def propose_runs(table: SourceTable, columns: ColumnMap) -> Iterator[Proposal | str]:
    """What may tell a model's rows apart, where no column of runs was found; the best first."""
    free = [c for c in _list_free(table, columns) if not STEPS & split_heading(c)]
    if "item" in columns:
        yield from (
            propose_column("repetition", column, "names who judged an item")
            for column in free
            if RATERS & split_heading(column)
        )
    for column in free:
        words = split_heading(column)
        if _names_items(table, columns, column):
            yield _propose_item(column)
        elif RESAMPLES & words and table.is_numeric(column):
            yield (
                f"Column {column!r} seems to number resamples of one test set, which are no runs: "
                "give the scores of its items."
            )
        elif RUN_WORDS & words or _counts_up(table, column):
            yield from _propose_trainings(column)
    datasets = [*_list_datasets(table, columns, free)]
    yield from map(_propose_dataset, datasets)
    for item in filter(may_be_item, free):
        for dataset in datasets:
            yield propose(
                f"If {item!r} names test cases, and {dataset!r} what they belong to: ",
                {"columns": {"item": item, "dataset": dataset}},
            )


def propose_for_differences(
    table: SourceTable, columns: ColumnMap, differ: Sequence[str]
) -> Iterator[Proposal]:
    """What a column may be in which rows of one run differ: all that it may be."""
    free = [c for c in differ if not is_metric_name(c) and not split_heading(c) & COSTS]
    of_dataset = [*_list_datasets(table, columns, free)]
    yield from map(_propose_dataset, of_dataset)
    for column in [] if of_dataset else free[:1]:
        if _names_items(table, columns, column):
            yield _propose_item(column)
            return
        if "seed" in columns and table.text(str(columns["seed"])).nunique() == 1:
            yield propose_column("seed", column, "counts trainings")
        if not RUN_WORDS & split_heading(column):
            model = [*list_used_columns({"model": columns["model"]}), column]
            yield propose(
                f"If {column!r} is a setting, it names the model too: ",
                {"columns": {"model": model}},
            )


def propose_models(table: SourceTable, columns: ColumnMap) -> Iterator[Proposal]:
    """Columns whose few labels have the same runs, as models have; else models and test cases."""
    free = _list_free(table, columns)
    names = (*RUN_COLUMNS, "item", "dataset")
    runs = list_used_columns({name: columns[name] for name in names if name in columns})
    meaning = "names what is compared"
    if runs:
        settings = [column for column in free if _repeats(table, runs, column)]
        yield from (propose_column("model", column, meaning) for column in settings)
        if len(settings) > 1:  # several settings, each combination of which has the same runs
            yield propose_column("model", settings, "are settings that are compared")
        return
    for column in free:
        if len(split_model_labels(table, {"model": column})[1]) > 1:
            yield propose_column("model", column, "names models with their runs")
    for model, item in permutations(free, 2):
        if may_be_item(item) and not split_heading(model) & TIMES and _cross(table, model, item):
            both = {"columns": {"model": model, "item": item}}
            yield propose(f"If {model!r} {meaning}, and {item!r} test cases: ", both)


def propose_labels(table: SourceTable, columns: ColumnMap) -> Iterator[Proposal]:
    """Columns of words as models and datasets, and one of whole numbers if models repeat in them.

    Only where nothing else is known of the table, as with headings in another language.
    """
    free = [c for c in _list_free(table, columns) if not split_heading(c) & (TIMES | BOOKKEEPING)]
    words = [c for c in free if not (table.is_numeric(c) or split_heading(c) & {"class", "label"})]
    counts = [c for c in free if c not in words and table.is_whole(c) and not may_be_item(c)]
    if not 0 < len(words) < _MOST_LABELS:
        return
    is_unique = not table.joined_text(words).duplicated().any()
    crossed = []
    for run, model in product([[]] if is_unique else [[c] for c in counts], words):
        is_run = not table.joined_text([*words, *run]).duplicated().any()
        if is_run and 1 < table.text(model).nunique() <= _MOST_MODELS:
            labels = [model, *(other for other in words if other != model)]
            named = [*zip(("model", "dataset"), labels, strict=False), *(("seed", c) for c in run)]
            crossed.append({"columns": dict(named)})
    if crossed:
        yield propose("Where these name models and their runs: ", *crossed)


def propose_scores(table: SourceTable, columns: ColumnMap) -> Iterator[Proposal]:
    """Columns of numbers that may hold a metric which no column is named after."""
    free = [
        {"columns": {"value": column}}
        for column in list_unused_columns(table, columns)
        if may_be_score(table, column) and not (BOOKKEEPING | TRAINING) & split_heading(column)
    ]
    if free:
        yield propose("Where another column holds it: ", *free)


def may_be_score(table: SourceTable, column: str) -> bool:
    """Whether a column holds numbers that are neither a setting nor the tool's bookkeeping."""
    is_reserved = column.lower() in table.layout.bookkeeping or column.startswith(
        ("_", *table.layout.setting_prefixes)
    )
    return table.is_numeric(column) and not is_reserved


def propose_items(table: SourceTable, columns: ColumnMap) -> Iterator[Proposal]:
    """Columns that may name test cases."""
    free = [c for c in _list_free(table, columns) if c.lower() not in table.layout.bookkeeping]
    yield from (_propose_item(column) for column in free if may_be_item(column))


def _list_free(table: SourceTable, columns: ColumnMap) -> list[str]:
    return [c for c in list_unused_columns(table, columns) if not is_metric_name(c)]


def _propose_item(column: str) -> Proposal:
    return propose_column("item", column, "names test cases")


def _propose_trainings(column: str) -> Iterator[Proposal]:
    if not _EVALUATIONS & split_heading(column):
        yield propose_column("seed", column, "counts trainings")
        return
    yield Proposal(
        f"Column {column!r} would: ",
        (
            Option({"columns": {"seed": column}}, " where it counts trainings"),
            Option(
                {"columns": {"repetition": column}},
                " where it counts evaluations of one trained model",
            ),
        ),
    )


def _names_items(table: SourceTable, columns: ColumnMap, column: str) -> bool:
    model = table.joined_text(list_used_columns({"model": columns["model"]}))
    are_many = table.text(column).groupby(model).nunique().max() > _MOST_RUNS
    return may_be_item(column) or bool(are_many)


def _counts_up(table: SourceTable, column: str) -> bool:
    """Whether a column of no other meaning holds 0, 1, 2, …"""
    is_other = split_heading(column) & (TIMES | BOOKKEEPING)
    return not is_other and table.is_numeric(column) and count_up(table.numbers(column).unique())


def _propose_dataset(column: str) -> Proposal:
    return propose_column("dataset", column, "names what models were tested on")


def _list_datasets(
    table: SourceTable, columns: ColumnMap, candidates: Sequence[str]
) -> Iterator[str]:
    """Columns of words, or labels of the same runs, with a row of every model each."""
    model = table.joined_text(list_used_columns({"model": columns["model"]}))
    runs = [str(columns[name]) for name in SPLIT_COLUMNS if name in columns]
    for column in candidates:
        words = split_heading(column)
        is_word = not table.is_numeric(column) and not words & (BOOKKEEPING | RESAMPLES)
        is_name = is_word and not _names_items(table, columns, column)
        if "dataset" in columns or RUN_WORDS & words or not (is_name or runs):
            continue
        shared = model.groupby(table.text(column)).nunique()
        if (shared == model.nunique()).all() and (is_name or _repeats(table, runs, column)):
            yield column


def _repeats(table: SourceTable, runs: Sequence[str], column: str) -> bool:
    """Whether each of the few labels of a column has the same runs, and several of them.

    Test cases of one dataset are each in one fold.
    """
    label = table.text(column)
    sets = table.joined_text(runs).groupby(label).agg(frozenset)
    return 1 < len(sets) <= _MOST_MODELS and sets.nunique() == 1 and len(sets.iloc[0]) > 1


def _cross(table: SourceTable, model: str, item: str) -> bool:
    """Whether each of some models has one row with each of more test cases."""
    models, items = (table.text(column).nunique() for column in (model, item))
    pairs = table.joined_text([model, item])
    return 1 < models < items and models * items == pairs.nunique() == len(pairs)
