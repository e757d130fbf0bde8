"""Options of all commands that compare or read, and their outputs."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.headings import HEADINGS, ROWS
from reseed.core.pair_tests import PAIR_TESTS

if TYPE_CHECKING:
    from reseed.comparison.output import Result
    from reseed.comparison.result import Comparison


class Flag(NamedTuple):
    """An option of the command line: the arguments of `add_argument` that are not None."""

    help: str
    type: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    metavar: str | tuple[str, str] | None = None
    action: str | None = None
    nargs: int | None = None


#: Every option with a value, by argument of the functions; none has a default but theirs.
FLAGS = {
    "metric": Flag("what to compare by; repeat it for datasets without the first", action="append"),
    "column": Flag(
        "the file's column of model, dataset, seed, item, …: --column model=arch",
        metavar="NAME=COLUMN", action="append",
    ),
    "leave_out": Flag("a column that is not read", metavar="COLUMN", action="append"),
    "keep": Flag(
        "read only the rows with this value: --keep split=test", metavar="COLUMN=VALUE",
        action="append",
    ),
    "paths": Flag("what the parts of the paths of files are: --paths '{model}_x_{seed}'"),
    "headings": Flag(
        "what the headings of columns of scores are, if they do not say it", choices=HEADINGS
    ),
    "rows": Flag(
        "what a row is, if no column says it; or which of several rows of a run", choices=ROWS
    ),
    "direction": Flag(
        "which is better, for one of several metrics: --direction pinball=less",
        metavar="METRIC=greater|less", action="append",
    ),
    "format": Flag("of files, if their names do not say it"),
    "unit": Flag("unit of the scores"),
    "seed_draws": Flag(
        "what the seed of a run drew (training, as an assumption)",
        choices=("split", "training", "both"),
    ),
    "test_train_ratio": Flag(
        "test rows / training rows of random splits: 0.25 for 80/20; 0: new data in each run", float
    ),
    "deterministic": Flag(
        "a model without randomness: its one run on a split is a fixed score",
        metavar="MODEL", action="append",
    ),
    "baseline": Flag("compare each model with this one only"),
    "pair": Flag("compare these two only", metavar=("A", "B"), action="append", nargs=2),
    "rope": Flag(
        "the largest difference that does not matter, in units of the score (--rope 0.01); "
        "without it no pair is called equivalent",
        metavar="[METRIC=]WIDTH", action="append",
    ),
    "title": Flag("heading of the report"),
    "cluster": Flag("column or field that names the cluster of each item", metavar="COLUMN"),
    "repeats": Flag("how repeats of an item count: mean, pass@K, pass^K, factor (as runs) (mean)"),
    "fixed": Flag(
        "do not generalise to new levels of this factor", choices=("seed", "prompt"),
        action="append",
    ),
    "failed": Flag(
        "what an item without a score means (refuse)",
        choices=("refuse", "drop", "zero", "repeats"),
    ),
    "use": Flag("the K-th candidate: all uses together have size alpha", int, metavar="K"),
    "runs": Flag("read means ± SD: the number of runs of each, if no column n states it", int),
    "spread": Flag(
        "read means: the meaning of ±: SD, standard error, or half of a 95 % interval of the mean",
        choices=("sd", "se", "ci95"),
    ),
    "decimals": Flag("read means: decimals with which floats (of Parquet) were printed", int),
    **{
        name: Flag(f"{text} ({default})", type(default), choices)
        for name, (default, text, choices) in PAIR_TESTS.items()
    },
}  # fmt: skip
#: Options that say how a table is read (`list_read_options`), the same for every command.
READING = (
    "metric", "column", "leave_out", "keep", "paths", "headings", "rows", "direction", "format",
    "unit",
)  # fmt: skip
#: Options that say how printed means are read.
MEANS = ("runs", "spread", "decimals")
#: Options that say how scores of items are combined and generalised.
ITEMS = ("cluster", "repeats", "fixed", "failed")


def add_flags(command: argparse.ArgumentParser, *names: str) -> None:
    """Add options of `FLAGS`; with `direction` also `--greater-is-better` and its opposite."""
    for name in names:
        options = {key: value for key, value in FLAGS[name]._asdict().items() if value is not None}
        options["help"] = FLAGS[name].help.replace("%", "%%")
        command.add_argument(f"--{name.replace('_', '-')}", **options)
    if "direction" in names:
        group = command.add_mutually_exclusive_group()
        group.add_argument("--greater-is-better", dest="greater", action="store_true", default=None)
        group.add_argument("--lower-is-better", dest="greater", action="store_false", default=None)


def list_given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The options of these names that were given."""
    values = {name: getattr(options, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def list_read_options(options: argparse.Namespace) -> dict[str, Any]:
    """Fields of `ReadOptions` by the options `READING`, and `cluster`."""
    names = ("leave_out", "paths", "headings", "rows", "format", "unit", "seed_draws",
             "test_train_ratio")  # fmt: skip
    metric, cluster = options.metric, getattr(options, "cluster", None)
    columns = parse_columns(options.column or [])
    return list_given(options, *names) | {
        "metric": metric[0] if metric and len(metric) == 1 else metric,
        "columns": columns | ({"cluster": cluster} if cluster else {}),
        "keep": parse_kept(options.keep or []),
        "greater_is_better": parse_directions(options.greater, options.direction),
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


def parse_kept(entries: list[str]) -> dict[str, str]:
    """Entries `split=test` by column."""
    kept = {}
    for entry in entries:
        column, sign, value = entry.partition("=")
        if not (column and sign):
            raise ReseedError(f"--keep {entry}: write COLUMN=VALUE, as split=test.")
        kept[column] = value
    return kept


def parse_directions(
    greater: bool | None, entries: list[str] | None
) -> bool | dict[str, bool] | None:
    """The options of a direction: the direction of all metrics, or by metric."""
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


def add_outputs(command: argparse.ArgumentParser, rows: str, figure: bool = True) -> None:
    """Add the options that every result has; `rows` names what is written, such as `verdicts`."""
    add = command.add_argument_group("output").add_argument
    add("--html", type=Path, metavar="FILE", help="write the report, one page")
    add("--latex", type=Path, metavar="FILE", help=f"write the {rows} as a LaTeX table")
    add("--csv", type=Path, metavar="FILE", help=f"write the {rows} as CSV")
    if figure:
        add("--figure", type=Path, metavar="FILE", help="write the first figure (PDF, PNG, SVG)")
        add("--folder", type=Path, help="write every table, figure and statistic")


def add_printed(command: argparse.ArgumentParser) -> None:
    """Add options of what is printed."""
    command.add_argument("--pairs", action="store_true", help="print every compared pair, too")
    group = command.add_mutually_exclusive_group()
    group.add_argument("--json", action="store_true", help="print the answer and all numbers")
    group.add_argument("--quiet", action="store_true", help="print the answer alone")


def show(result: Comparison, options: argparse.Namespace) -> None:
    """Print a result as the options of `add_printed` say, and write its files."""
    try:
        _print(result, options)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` reads the first lines only; the files are still wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    write_outputs(result, options)
    if options.figure:
        result.plot().savefig(options.figure, dpi=200)
    if options.folder:
        result.save(options.folder)


def _print(result: Comparison, options: argparse.Namespace) -> None:
    """Print for a terminal with colors and tables of its width; plain text otherwise."""
    if options.json:
        print(result.to_json())
    elif options.quiet:
        print(*result.answer, sep="\n")
    else:
        is_terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size((100, 24)).columns if is_terminal else None
        has_color = is_terminal and "NO_COLOR" not in os.environ
        text = result.render(width, color=has_color, pairs=options.pairs)
        print(options.speak(text))


def write_outputs(result: Result, options: argparse.Namespace) -> None:
    """Write the files that the options of `add_outputs` name."""
    if options.csv:
        result.to_csv(options.csv)
    if options.latex:
        write_text(options.latex, result.to_latex())
    if options.html:
        result.to_html(options.html)
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
