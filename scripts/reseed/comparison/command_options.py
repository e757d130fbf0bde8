"""Options that several commands share: columns, direction, and how scores of items are read."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from reseed.core.errors import ReseedError
from reseed.core.headings import HEADINGS, ROWS

#: Options of `add_item_options`, by argument of `compare_items`.
_ITEM_ARGUMENTS = ("cluster", "repeats", "fixed", "failed")


def add_columns(command: argparse.ArgumentParser) -> None:
    """Add `--column NAME=COLUMN`, which may be repeated."""
    command.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="the file's column of model, dataset, seed, item, …: --column model=arch",
    )


def add_seed_draws(command: argparse.ArgumentParser) -> None:
    """Add `--seed-draws`."""
    command.add_argument(
        "--seed-draws",
        choices=["split", "training", "both"],
        help="what the seed of a run drew (training, as an assumption)",
    )


def add_layout(command: argparse.ArgumentParser) -> None:
    """Add `--headings` and `--rows`, which say what names in the table do not say."""
    command.add_argument(
        "--headings",
        default="",
        choices=HEADINGS,
        help="what the headings of columns of scores are, if they do not say it",
    )
    command.add_argument(
        "--rows",
        default="",
        choices=ROWS,
        help="what a row is, if each column is a model and no column says it",
    )


def add_reading(command: argparse.ArgumentParser) -> None:
    """Add the options that say how a table of scores is read, the same for every command."""
    add = command.add_argument
    add(
        "--metric",
        action="append",
        help="what to compare by; repeat it for datasets without the first",
    )
    add_columns(command)
    add_layout(command)
    add_directions(command)
    add("--format", default="auto", help="the tool that wrote the file, if it is not recognised")
    add("--unit", default="", help="unit of the scores")


def list_read_options(options: argparse.Namespace) -> dict[str, Any]:
    """Fields of `ReadOptions` by the options of `add_reading` (and `--cluster`)."""
    metric = options.metric
    columns = parse_columns(options.column)
    cluster = getattr(options, "cluster", None)
    return {
        "metric": metric[0] if metric and len(metric) == 1 else metric,
        "columns": columns | ({"cluster": cluster} if cluster else {}),
        "headings": options.headings,
        "rows": options.rows,
        "greater_is_better": parse_directions(options.greater, options.direction),
        "format": options.format,
        "unit": options.unit,
    }


def parse_columns(entries: list[str]) -> dict[str, str | list[str]]:
    """Entries `model=arch` by name; a name that is repeated has several columns."""
    columns: dict[str, str | list[str]] = {}
    for entry in entries:
        name, sign, column = entry.partition("=")
        if not sign or not column:
            raise ReseedError(f"--column {entry}: write NAME=COLUMN, as model=arch.")
        earlier = columns.get(name, [])
        others = [earlier] if isinstance(earlier, str) else earlier
        columns[name] = [*others, column] if others else column
    return columns


def add_direction(command: argparse.ArgumentParser) -> None:
    """Add `--greater-is-better` and `--lower-is-better`, of which one may be given."""
    group = command.add_mutually_exclusive_group()
    group.add_argument("--greater-is-better", dest="greater", action="store_true", default=None)
    group.add_argument("--lower-is-better", dest="greater", action="store_false", default=None)


def add_directions(command: argparse.ArgumentParser) -> None:
    """Add the options of `add_direction`, and `--direction METRIC=less`, which may be repeated."""
    add_direction(command)
    command.add_argument(
        "--direction",
        action="append",
        metavar="METRIC=greater|less",
        help="which is better, for one of several metrics: --direction pinball=less",
    )


def parse_directions(
    greater: bool | None, entries: list[str] | None
) -> bool | dict[str, bool] | None:
    """The options of `add_directions`: the direction of all metrics, or by metric."""
    if not entries:
        return greater
    if greater is not None:
        raise ReseedError(
            "give --direction, or --greater-is-better or --lower-is-better, not both."
        )
    directions = {}
    for entry in entries:
        metric, sign, word = entry.rpartition("=")
        if not (sign and metric) or word not in ("greater", "less"):
            raise ReseedError(
                f"--direction {entry}: write METRIC=greater or METRIC=less, as log_loss=less."
            )
        directions[metric] = word == "greater"
    return directions


def add_item_options(command: argparse.ArgumentParser) -> None:
    """Add the options that say how scores of items are combined and generalised."""
    add = command.add_argument_group("scores of items").add_argument
    add("--cluster", metavar="COLUMN", help="column or field that names the cluster of each item")
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
    add_failed(add)


def add_failed(add: Callable[..., Any]) -> None:
    """Add `--failed` by the method `add_argument` of a parser or group."""
    add(
        "--failed",
        default="refuse",
        choices=["refuse", "drop", "zero", "repeats"],
        help="what an item without a score means (refuse)",
    )


def read_item_options(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `compare_items` and `compare` from the options of `add_item_options`."""
    return {name: getattr(options, name) for name in _ITEM_ARGUMENTS}
