"""Commands on item scores and score tables: `reseed items`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseed.core.errors import ReseedError

if TYPE_CHECKING:
    import pandas as pd


def add_evaluation_commands(commands: Any) -> None:
    """Add the commands to the subparsers of `reseed`."""
    _add_items(commands)


def add_score_options(command: argparse.ArgumentParser) -> None:
    """Add the options that say which columns hold what, and how scores are read."""
    add = command.add_argument
    add("--metric", help="the score to compare, if there are several")
    add(
        "--column",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="the file's column of model, item, seed, prompt, repeat, …: --column model=arch",
    )
    add("--cluster", metavar="COLUMN", help="column that names the cluster of each item")
    add(
        "--repeats",
        default="mean",
        help="how repeats of an item count: mean, pass@K, pass^K, or factor: as runs (mean)",
    )
    add(
        "--fixed",
        action="append",
        default=[],
        choices=["seed", "prompt"],
        help="do not generalise to new levels of this factor",
    )
    add(
        "--failed",
        default="refuse",
        choices=["refuse", "drop", "zero"],
        help="what an item without a score means (refuse)",
    )
    add("--lower-is-better", dest="greater", action="store_false", default=None)
    add("--greater-is-better", dest="greater", action="store_true")
    add("--level", type=float, default=0.95, help="level of the intervals (0.95)")
    add("--alpha", type=float, default=0.05, help="size of the adjusted tests (0.05)")


def read_score_options(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `compare_items` from the options of `add_score_options`."""
    columns = {}
    for entry in options.column:
        name, sign, column = entry.partition("=")
        if not sign or not column:
            raise ReseedError(f"--column {entry}: write NAME=COLUMN, as model=arch.")
        columns[name] = column
    return {
        "metric": options.metric,
        "columns": columns,
        "cluster": options.cluster,
        "repeats": options.repeats,
        "fixed": options.fixed,
        "failed": options.failed,
        "greater_is_better": options.greater,
        "level": options.level,
        "alpha": options.alpha,
    }


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table, or leave the file as it was."""
    from reseed.core.atomic import replace_atomically

    with replace_atomically(path) as temporary:
        table.to_csv(temporary, index=False)


def _add_items(commands: Any) -> None:
    command = commands.add_parser(
        "items",
        help="compare models by item scores, with clusters, repeats, prompts and seeds",
        description="Compare models by item scores, over items and the factors crossed with them.",
        epilog="example: reseed items scores.csv --cluster passage --repeats pass@5",
    )
    command.add_argument("results", nargs="+", type=Path, help="CSV, Parquet or JSON lines")
    add_score_options(command)
    add = command.add_argument
    add("--baseline", help="compare each model with this one only")
    add("--rope", type=float, help="the largest difference that does not matter, in score units")
    add("--csv", type=Path, metavar="FILE", help="write the verdicts as CSV")
    command.set_defaults(run=_run_items)


def _run_items(options: argparse.Namespace) -> None:
    from reseed.comparison.items import compare_items

    comparison = compare_items(
        options.results,
        baseline=options.baseline,
        rope=options.rope,
        **read_score_options(options),
    )
    print(comparison)
    if options.csv:
        write_csv(options.csv, comparison.verdicts)
