"""What was understood of a source: for people, before anything is compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from reseed.core.errors import ReseedError
from reseed.core.schemas import SPLIT_COLUMNS
from reseed.readers.design import choose_design
from reseed.readers.names import ALL_RUN_COLUMNS, find_metric, read_arrow
from reseed.readers.options import ReadOptions
from reseed.readers.paper_tables import holds_means, read_means
from reseed.readers.read import read_scores
from reseed.readers.scores import Scores
from reseed.readers.source_table import SourceTable, join_names
from reseed.readers.sources import open_source
from reseed.readers.study_tables import tabulate_runs

#: Layout → the option that says otherwise.
_HEADINGS = {
    "runs_in_columns": "headings: seed",
    "models_in_columns": "headings: dataset",
    "datasets_in_columns": "headings: fold",
}


@dataclass(frozen=True)
class Assumption:
    """What no name in the source says, and the field of a study file that says otherwise."""

    text: str
    change: str


@dataclass(frozen=True)
class Reading:
    """What was understood of a source.

    source: the file, or `The table`. layout: the tool or layout, a value of `format`.
    row: what one row is. rows: their number.
    columns: Reseed's name → the columns of the source.
    levels: number of values of each label.
    models, datasets: their names. directions: by metric, `greater` or `less` is better.
    assumed: what was taken for granted.
    asked: what a comparison asks or refuses; empty if nothing.
    notes: how the source was read.
    design: what varied, and what verdicts cover.
    """

    source: str
    layout: str
    row: str
    rows: int
    columns: dict[str, list[str]]
    levels: dict[str, int]
    models: list[str]
    datasets: list[str]
    directions: dict[str, str]
    assumed: tuple[Assumption, ...]
    notes: tuple[str, ...]
    asked: str = ""
    design: str = ""

    def lines(self) -> Iterator[str]:
        """The reading as lines of text."""
        yield f"{self.source}: {self.rows:,} rows; a row is {self.row} ({self.layout})."
        for name, columns in self.columns.items():
            where = " and ".join(c if c.startswith("the ") else repr(c) for c in columns)
            more = f", {self.levels[name]:,} values" if name in self.levels else ""
            yield f"  {name:<12}{where}{more}"
        yield f"Models ({len(self.models)}): {join_names(self.models, 10)}."
        yield f"Datasets ({len(self.datasets)}): {join_names(self.datasets, 10)}."
        for metric, direction in self.directions.items():
            yield f"Score: {metric}, {direction} is better."
        for one in self.assumed:
            yield f"Assumed: {one.text}. Otherwise: `{one.change}`."
        yield from (self.design,) if self.design else ()
        yield from (f"Note: {note}" for note in self.notes)
        yield f"Asked: {self.asked}" if self.asked else "A comparison asks nothing."


def describe_reading(source: Any, options: ReadOptions) -> Reading:
    """The reading of a source, with what a comparison would ask.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    table = open_source(source, options)
    if holds_means(table, options.columns):
        return _describe_means(table, options)
    scores = read_scores(table, options)
    reading = _describe_scores(scores, options)
    try:
        design = choose_design(scores)
        reading = replace(reading, design=design.describe())
        if design.unit == "items":
            return reading
        tabulate_runs(scores, options, {"name": "read"})
    except ReseedError as error:
        return replace(reading, asked=str(error))
    return replace(reading, notes=scores.notes)


def _describe_means(table: SourceTable, options: ReadOptions) -> Reading:
    """The reading of a table of means."""
    means = read_means(table, runs=2, mapping=options.columns)
    names = {
        name: list(dict.fromkeys(means[name].replace("", "data"))) for name in ("model", "dataset")
    }
    note = "Means with their spread, no runs: `reseed compare` compares them."
    return Reading(
        table.path, "means", "a mean with its spread", len(means), {},
        {name: len(values) for name, values in names.items()}, names["model"], names["dataset"],
        {}, (), (note,),
    )  # fmt: skip


def _describe_scores(scores: Scores, options: ReadOptions) -> Reading:
    """What was understood of the source of `scores`."""
    table, frame = scores.source, scores.frame
    used = {name: list(columns) for name, columns in scores.sources.items() if name != "value"}
    if scores.score_columns:
        used["score"] = list(scores.score_columns)
    labels = [name for name in used if name in frame and name != "metric"]
    return Reading(
        table.path,
        table.layout.format,
        _describe_row(scores),
        len(table.frame),
        used,
        {name: int(frame[name].nunique()) for name in labels},
        scores.models,
        list(scores.metrics),
        {name: "greater" if up else "less" for name, up in scores.greater.items()},
        tuple(_list_assumptions(scores, options)),
        scores.notes,
    )


def _describe_row(scores: Scores) -> str:
    has_runs = bool({*ALL_RUN_COLUMNS} & scores.named)
    if scores.predictions:
        return "a prediction of an item by a run"
    if scores.has_items:
        return "a score of an item of a run" if has_runs else "a score of an item"
    if not has_runs and scores.frame["dataset"].nunique() > 1:
        return "a model on a dataset"
    return "a run of a model"


def _list_assumptions(scores: Scores, options: ReadOptions) -> Iterator[Assumption]:
    """What no word of the source says beyond doubt."""
    table, named = scores.source, scores.named
    for name, columns in scores.sources.items():
        for one in columns:
            if name not in (*options.columns, one.lower(), "value") and not one.startswith("the "):
                yield Assumption(f"{one!r} is the {name}", f"columns: {{{name}: …}}")
    if (change := _HEADINGS.get(table.layout.format)) is not None:
        yield Assumption(f"the layout is {table.layout.format}", change)
    for metric, up in scores.greater.items():
        if read_arrow(metric) is None and metric not in table.layout.directions:
            by = "by its name" if find_metric(metric) is not None else "as stated"
            text = f"{'greater' if up else 'less'} {metric} is better, {by}"
            yield Assumption(text, f"greater_is_better: {str(not up).lower()}")
    if "dataset" not in named:
        yield Assumption("all rows are of one dataset", "columns: {dataset: …}")
    if "seed" in named and not ({*SPLIT_COLUMNS} & named or scores.has_items):
        yield Assumption("seeds drew the training, on one split", "seed_draws: split")
    if "fold" in named and "repeat" not in named:
        yield Assumption("folds are of one cross-validation", "test_train_ratio: 0.25")
