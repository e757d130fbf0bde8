"""`reseed read`: what a table is understood as, without comparing."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from reseed.comparison.command_options import READING, add_flags, list_read_options


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
    from reseed.comparison.reading import describe_reading
    from reseed.readers.options import ReadOptions

    given = ReadOptions(**list_read_options(options))
    sources = options.results
    reading = describe_reading(sources[0] if len(sources) == 1 else sources, given)
    if options.json:
        print(json.dumps(asdict(reading), indent=2, ensure_ascii=False))
    else:
        print(*map(options.speak, reading.lines()), sep="\n")
