"""Options that several commands share: columns, direction, scores of items, and outputs."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.headings import HEADINGS, ROWS

if TYPE_CHECKING:
    from reseed.comparison.output import Result

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


def add_outputs(command: argparse.ArgumentParser, rows: str, figure: bool = True) -> None:
    """Add the options that every result has; `rows` names what is written, such as `verdicts`."""
    add = command.add_argument_group("output").add_argument
    add("--html", type=Path, metavar="FILE", help="write the report, one page")
    add("--latex", type=Path, metavar="FILE", help=f"write the {rows} as a LaTeX table")
    add("--csv", type=Path, metavar="FILE", help=f"write the {rows} as CSV")
    if figure:
        add("--figure", type=Path, metavar="FILE", help="write the first figure (PDF, PNG, SVG)")


def add_printed(command: argparse.ArgumentParser) -> None:
    """Add `--json` and `--quiet`, which print something else than the tables."""
    group = command.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print the answer and all numbers")
    group.add_argument("--quiet", action="store_true", help="print the answer alone")


def show(result: Result, options: argparse.Namespace) -> None:
    """Print a result as the options of `add_printed` say, and write its files."""
    try:
        _print(result, options)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` reads the first lines only; the files are still wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    write_outputs(result, options)


def _print(result: Result, options: argparse.Namespace) -> None:
    """Print for a terminal with colors and tables of its width; plain text otherwise."""
    if options.json:
        print(result.to_json())
    elif options.quiet:
        print(*result.answer, sep="\n")
    else:
        is_terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size((100, 24)).columns if is_terminal else None
        print(result.render(width, color=is_terminal and "NO_COLOR" not in os.environ))


def write_outputs(result: Result, options: argparse.Namespace) -> None:
    """Write the files that the options of `add_outputs` name."""
    if options.csv:
        result.to_csv(options.csv)
    if options.latex:
        write_text(options.latex, result.to_latex())
    if getattr(options, "figure", None):
        result.plot().savefig(options.figure, dpi=200)
    if getattr(options, "folder", None):
        result.save(options.folder)
    if options.html:
        result.to_html(options.html, progress=True)
        if options.json is False:
            print(f"\nReport: {options.html}")


def check_figure(figure: Path | None) -> None:
    """Refuse a format of figures that is not known, before anything is computed."""
    if figure is None or not figure.suffix:
        return
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if figure.suffix[1:].lower() not in known:
        raise ReseedError(f"--figure {figure}: end its name in one of {', '.join(known)}.")
