"""The command `reseed`: compares models by a table of results, or of means."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from reseed.commands import add_commands
from reseed.comparison.command_options import (
    add_columns,
    add_direction,
    add_item_options,
    parse_columns,
    read_item_options,
)
from reseed.comparison.evaluation_commands import add_evaluation_commands
from reseed.core.errors import ReseedError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLE = "example: reseed compare runs.csv --metric ndcg --baseline bm25 --html report.html"


#: Options of the analysis `pairs` that `reseed means` has too.
_MEANS_OPTIONS = ["level", "alpha", "min_runs"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command; an error in the table or the options is one message and exit status 1."""
    parser = argparse.ArgumentParser(prog="reseed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_compare(commands)
    _add_means(commands)
    add_evaluation_commands(commands)
    add_commands(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except ReseedError as error:
        sys.exit(_format_error(str(error)))
    except OSError as error:
        where = error.filename2 or error.filename or "cannot write"
        sys.exit(f"Error: {where}: {error.strerror or error}")


def _add_compare(commands: Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="compare models by a table of their runs",
        description="Compare models by a table of their runs, with a verdict on each pair.",
        epilog=_EXAMPLE,
    )
    add = command.add_argument
    add("results", nargs="+", help="CSV, Parquet or JSON file(s), or a folder of them")
    add(
        "--metric",
        action="append",
        help="what to compare by; repeat it for datasets without the first",
    )
    add("--baseline", help="compare each model with this one only")
    add("--pair", nargs=2, action="append", metavar=("A", "B"), help="compare these two only")
    add_columns(command)
    add_direction(command)
    add_item_options(command)
    add(
        "--test-train-ratio",
        type=float,
        help="test rows / training rows of random splits: 0.25 for 80/20",
    )
    add("--format", default="auto", help="the tool that wrote the file, if it is not recognised")
    add("--unit", default="", help="unit of the scores")
    add("--title", default="Which model is better?", help="heading of the report")
    for option in read_pair_options():
        option.add_to(command)
    add(
        "--rope",
        action="append",
        metavar="[METRIC=]WIDTH",
        help="the largest difference that does not matter, in units of the score (--rope 0.01); "
        "without it no pair is called equivalent",
    )
    add("--html", type=Path, metavar="FILE", help="write the report, one page")
    add("--latex", type=Path, metavar="FILE", help="write the table of comparisons as LaTeX")
    add("--figure", type=Path, metavar="FILE", help="write the first figure (PDF, PNG, SVG)")
    add("--csv", type=Path, metavar="FILE", help="write the verdicts as CSV")
    add("--folder", type=Path, help="write every table, figure and statistic")
    command.set_defaults(run=_run_compare)


def _add_means(commands: Commands) -> None:
    command = commands.add_parser(
        "means",
        help="compare models by a paper's table of means, without the runs",
        description="Compare models by means ± SD over runs, as papers print them.",
        epilog="example: reseed means table.csv --runs 5 --metric accuracy --baseline BERT",
    )
    add = command.add_argument
    add("table", type=Path, help="CSV: a row a model; cells `90.4 ± 0.5`, or columns mean, sd, n")
    add("--runs", type=int, help="number of runs of each mean, if no column n states it")
    add("--metric", help="what the means measure; its name may state the direction")
    add("--baseline", help="compare each model with this one only")
    add(
        "--spread",
        choices=["sd", "se", "ci95"],
        help="the meaning of ±: SD, standard error, or half of a 95 %% interval of the mean",
    )
    add("--decimals", type=int, help="decimals with which floats (of Parquet) were printed")
    add_direction(command)
    for option in read_pair_options():
        if option.name in _MEANS_OPTIONS:
            option.add_to(command)
    add("--csv", type=Path, metavar="FILE", help="write the verdicts as CSV")
    command.set_defaults(run=_run_means)


# Part of a message about a study file → the option of the command line for it.
_OPTIONS = {
    "`columns` maps": "--column model=…",
    "`metric:": "--metric …",
    "set `metric`": "--metric …",
    "`greater_is_better:": "--greater-is-better or --lower-is-better",
    "`test_train_ratio`": "--test-train-ratio …",
    "`format`": "--format …",
    "`unit:": "--unit …",
    "`rope`": "--rope WIDTH or --rope METRIC=WIDTH",
}


# A mapping that a message suggests: Reseed's name, and the column or columns.
_MAPPING = re.compile(r"`columns: \{(\w+): ([^}]+)\}`")


def _format_error(text: str) -> str:
    """An error message, with the option of the command line for a field of a study file."""
    columns = [
        " ".join(_format_column(name, part) for part in listed.strip("[]").split(", "))
        for name, listed in _MAPPING.findall(text)
    ]
    hints = dict.fromkeys([*columns, *(o for field, o in _OPTIONS.items() if field in text)])
    tail = f"\nOn the command line: {', '.join(hints)}" if hints else ""
    return f"Error: {text}{tail}"


def _format_column(name: str, column: str) -> str:
    entry = f"{name}={column}"
    return f"--column {shlex.quote(entry) if entry != f'{name}=…' else entry}"


class PairOption(NamedTuple):
    """An option of the analysis `pairs` with a default; `choices` are its values, if few."""

    name: str
    default: Any
    help: str
    choices: list[str] | None

    def add_to(self, command: argparse.ArgumentParser) -> None:
        """Add the option to a command, without its default: `compare` has it."""
        flag = f"--{self.name.replace('_', '-')}"
        text = f"{self.help.replace('%', '%%')} ({self.default})"
        command.add_argument(flag, type=type(self.default), choices=self.choices, help=text)


def read_pair_options() -> list[PairOption]:
    """Options of the analysis `pairs` with one value, in the order of its class `Options`.

    They are read from the source: importing the analysis takes a second.
    """
    path = Path(__file__).parent / "analyses" / "pairs.py"
    module = ast.parse(path.read_text(encoding="utf-8"))
    (options,) = (n for n in module.body if isinstance(n, ast.ClassDef) and n.name == "Options")
    lines = re.findall(r"^(\w+): (.+(?:\n +.+)*)", ast.get_docstring(options) or "", re.MULTILINE)
    helps = {name: " ".join(text.split()).removesuffix(".") for name, text in lines}
    result = []
    for node in options.body:
        if not (
            isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value
        ):
            continue
        default = ast.literal_eval(node.value)
        if default is not None:
            choices = re.findall(r"'([^']+)'", ast.unparse(node.annotation)) or None
            result.append(PairOption(node.target.id, default, helps[node.target.id], choices))
    return result


def _list_set_options(options: argparse.Namespace, names: list[str]) -> dict[str, Any]:
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _run_means(options: argparse.Namespace) -> None:
    from reseed.comparison.means import CAUTION, compare_means
    from reseed.core.csv_files import write_csv

    table = compare_means(
        options.table,
        runs=options.runs,
        metric=options.metric,
        baseline=options.baseline,
        spread=options.spread,
        decimals=options.decimals,
        greater_is_better=options.greater,
        **_list_set_options(options, _MEANS_OPTIONS),
    )
    print(*(f"- {verdict}" for verdict in table["verdict"]), sep="\n")
    print(f"\n{CAUTION}")
    if options.csv:
        write_csv(table, options.csv)


def _run_compare(options: argparse.Namespace) -> None:
    from reseed.comparison.compare import compare
    from reseed.core.atomic import write_text
    from reseed.core.csv_files import write_csv

    sources = options.results
    metric = options.metric
    if options.figure:
        _check_figure(options.figure)
    names = [option.name for option in read_pair_options()]
    comparison = compare(
        sources[0] if len(sources) == 1 else sources,
        metric=metric[0] if metric and len(metric) == 1 else metric,
        baseline=options.baseline,
        pairs=options.pair,
        columns=parse_columns(options.column),
        greater_is_better=options.greater,
        test_train_ratio=options.test_train_ratio,
        format=options.format,
        unit=options.unit,
        title=options.title,
        rope=_parse_rope(options.rope),
        **read_item_options(options),
        **_list_set_options(options, names),
    )
    print(comparison)
    if options.csv:
        write_csv(comparison.verdicts, options.csv)
    if options.latex:
        write_text(options.latex, comparison.to_latex())
    if options.figure:
        comparison.plot().savefig(options.figure, dpi=200)
    if options.folder:
        comparison.save(options.folder)
    if options.html:
        comparison.to_html(options.html)
        print(f"\nReport: {options.html}")


def _check_figure(figure: Path) -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if figure.suffix and figure.suffix[1:].lower() not in known:
        raise ReseedError(f"--figure {figure}: end its name in one of {', '.join(known)}.")


def _parse_rope(entries: list[str] | None) -> float | dict[str, float] | None:
    """A width for all metrics (`0.01`), or one by metric (`auc=0.01`)."""
    widths: dict[str, float] = {}
    for entry in entries or []:
        metric, _, width = entry.rpartition("=")
        try:
            widths[metric] = float(width)
        except ValueError:
            raise ReseedError(f"--rope {entry}: write WIDTH or METRIC=WIDTH, as 0.01.") from None
    return widths.pop("") if [*widths] == [""] else widths or None


if __name__ == "__main__":
    main()
