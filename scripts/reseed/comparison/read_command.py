"""`reseed read`: what a table is understood as, without comparing."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from reseed.comparison.command_options import (
    READING,
    add_flags,
    list_read_options,
)

if TYPE_CHECKING:
    from reseed.readers.options import ReadOptions
    from reseed.readers.reading import Reading
    from reseed.readers.source_table import SourceTable


def add_read(commands: Any) -> None:
    """Add the command to the subparsers of `reseed`."""
    command = commands.add_parser(
        "read",
        help="show what a table is understood as, without comparing",
        description="Show what each column and heading is taken as, what is assumed, and what a "
        "comparison would ask.",
        epilog="example: reseed read runs.csv --metric auc",
    )
    add = command.add_argument
    add("results", nargs="+", help="as of `reseed compare`; or a table of means")
    add_flags(command, *READING, "seed_draws", "test_train_ratio")
    add("--json", action="store_true", help="print the reading as JSON")
    command.set_defaults(run=_run_read)


def _run_read(options: argparse.Namespace) -> None:
    from reseed.readers.options import ReadOptions

    given = ReadOptions(**list_read_options(options))
    sources = options.results
    reading = describe_reading(sources[0] if len(sources) == 1 else sources, given)
    if options.json:
        print(json.dumps(reading.as_dict(), indent=2, ensure_ascii=False))
    else:
        print(*map(options.speak, reading.lines()), sep="\n")


def describe_reading(source: Any, options: ReadOptions) -> Reading:
    """The reading of a source, with what a comparison would ask.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    from dataclasses import replace

    from reseed.core.errors import ReseedError
    from reseed.readers.design import choose_design
    from reseed.readers.paper_tables import holds_means
    from reseed.readers.read import read_scores
    from reseed.readers.sources import open_source
    from reseed.readers.study_info import StudyTexts
    from reseed.readers.study_tables import tabulate_runs

    table = open_source(source, options)
    if holds_means(table, options.columns):
        return _describe_means(table, options)
    scores, reading = read_scores(table, options)
    try:
        design = choose_design(scores)
        reading = replace(reading, design=design.describe())
        if design.unit == "items":
            return reading
        tabulate_runs(scores, options, StudyTexts("read", ""))
    except ReseedError as error:
        return replace(reading, asked=str(error))
    return replace(reading, notes=scores.notes)


def _describe_means(table: SourceTable, options: ReadOptions) -> Reading:
    """The reading of a table of means."""
    from reseed.readers.paper_tables import read_means
    from reseed.readers.reading import Reading

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
