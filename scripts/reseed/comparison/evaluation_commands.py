"""Commands on item scores and score tables: `reseed items`, `rank`, `gate`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from reseed.comparison.command_options import (
    ITEMS,
    READING,
    add_flags,
    add_outputs,
    add_printed,
    check_figure,
    list_given,
    list_read_options,
    show,
    write_outputs,
)

#: Options of each command beside those of reading.
_ITEMS = (*ITEMS, "alpha", "level", "baseline")
_RANK = ("missing", "failed", "scale", "level")
_GATE = (*ITEMS, "alpha", "use")


def add_evaluation_commands(commands: Any) -> None:
    """Add the commands to the subparsers of `reseed`."""
    _add_items(commands)
    _add_rank(commands)
    _add_gate(commands)


def _add_items(commands: Any) -> None:
    command = commands.add_parser(
        "items",
        help="compare models by item scores, with clusters, repeats, prompts and seeds",
        description="Compare models by item scores, over items and the factors crossed with them.",
        epilog="example: reseed items scores.csv --cluster passage --repeats pass@5",
    )
    command.add_argument(
        "results", nargs="+", type=Path, help="CSV, Parquet or JSON lines; logs, or their folder"
    )
    add_flags(command, *READING, *_ITEMS)
    add = command.add_argument
    add("--rope", type=float, help="the largest difference that does not matter, in score units")
    add_outputs(command, "verdicts")
    add_printed(command)
    command.set_defaults(run=_run_items)


def _run_items(options: argparse.Namespace) -> None:
    from reseed.comparison.items import compare_items

    check_figure(options.figure)
    given = list_given(options, *_ITEMS, "rope")
    comparison = compare_items(options.results, **list_read_options(options), **given)
    show(comparison, options)


def _add_rank(commands: Any) -> None:
    command = commands.add_parser(
        "rank",
        help="rank models over tasks, with intervals of the ranks",
        description="Rank models by their mean over tasks, with simultaneous intervals.",
        epilog="example: reseed rank scores.csv --figure ranks.pdf",
    )
    command.add_argument("results", nargs="+", type=Path, help="CSV, Parquet or JSON lines")
    add_flags(command, *READING, "cluster", *_RANK)
    add_outputs(command, "ranks")
    add_printed(command)
    command.set_defaults(run=_run_rank)


def _run_rank(options: argparse.Namespace) -> None:
    from reseed.comparison.ranking import rank_models

    check_figure(options.figure)
    given = list_given(options, *_RANK)
    ranking = rank_models(options.results, **list_read_options(options), **given)
    show(ranking, options)


def _add_gate(commands: Any) -> None:
    command = commands.add_parser(
        "gate",
        help="decide by item scores whether a candidate may replace a baseline (for CI)",
        description="Exit status 0: better, or not worse by the margin; 10: worse, and a loss of "
        "the margin is not excluded; 11: undecided; 1 or 2: an error.",
        epilog="example: reseed gate candidate.csv --baseline stored.csv --margin 0.01",
    )
    command.add_argument("candidate", type=Path, help="item scores: CSV, Parquet or JSON lines")
    add = command.add_argument
    add("--baseline", type=Path, required=True, help="item scores of the baseline, same items")
    add("--margin", type=float, required=True, help="the loss that does not matter, score units")
    add_flags(command, *READING, *_GATE)
    add("--markdown", type=Path, metavar="FILE", help="write a comment for a pull request")
    add("--json", type=Path, metavar="FILE", help="write all numbers")
    add_outputs(command, "evidence", figure=False)
    command.set_defaults(run=_run_gate)


def _run_gate(options: argparse.Namespace) -> None:
    from reseed.comparison.gate import gate
    from reseed.core.atomic import write_text

    result = gate(
        options.candidate, options.baseline, options.margin, **list_read_options(options),
        **list_given(options, *_GATE),
    )  # fmt: skip
    print(result.sentence())
    for note in result.notes:
        print(f"Note: {note}")
    if options.markdown:
        write_text(options.markdown, result.to_markdown())
    if options.json:
        write_text(options.json, result.to_json())
    write_outputs(result, options)
    sys.exit(result.exit_code)
