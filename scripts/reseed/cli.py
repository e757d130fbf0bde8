"""The command `reseed`: from a table of results, or of means, to verdicts and a report."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from reseed.commands import add_commands
from reseed.core.errors import ReseedError

# Options of the analysis `pairs` that are one value, with its defaults; written out, as importing
# it takes a second.
_ANALYSIS: dict[str, dict[str, Any]] = {
    "level": {"type": float, "help": "of the intervals (0.95)"},
    "alpha": {"type": float, "help": "size of the tests, after Holm (0.05)"},
    "n_boot": {"type": int, "help": "resamples of the BCa interval (10000)"},
    "min_runs": {"type": int, "help": "with fewer, there is no verdict (5)"},
    "target_power": {"type": float, "help": "of the smallest detectable difference (0.8)"},
    "family": {
        "choices": ["dataset", "study"],
        "help": "what Holm adjusts over: `study`, all datasets and settings together (dataset)",
    },
}
_EXAMPLE = "example: reseed compare runs.csv --metric ndcg --baseline bm25 --html report.html"


def main(arguments: list[str] | None = None) -> None:
    """Entry point; a mistake in the table or the options is one message and exit status 1."""
    parser = argparse.ArgumentParser(prog="reseed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_compare(commands)
    _add_means(commands)
    add_commands(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except ReseedError as error:
        sys.exit(_message(str(error)))
    except OSError as error:
        where = error.filename2 or error.filename or "cannot write"
        sys.exit(f"Error: {where}: {error.strerror or error}")


def _add_compare(commands) -> None:
    command = commands.add_parser(
        "compare",
        help="compare models by a table of their runs",
        description="Compare models by a table of their runs, and say what the numbers carry.",
        epilog=_EXAMPLE,
    )
    add = command.add_argument
    add("results", nargs="+", help="CSV, Parquet or JSON file(s), or a folder of them")
    add("--metric", action="append", help="what to compare by; again for datasets without it")
    add("--baseline", help="compare each model with this one only")
    add("--pair", nargs=2, action="append", metavar=("A", "B"), help="compare these two only")
    add(
        "--column",
        action="append",
        default=[],
        metavar="NAME=COLUMN",
        help="what the file calls model, dataset, seed, fold, …: --column model=arch",
    )
    _add_direction(command)
    add("--test-train-ratio", type=float, help="of random splits: 0.25 for 80/20")
    add("--format", default="auto", help="the tool that wrote the file, if it is not recognised")
    add("--unit", default="", help="what scores are measured in")
    add("--title", default="Which model is better?", help="heading of the report")
    for name, given in _ANALYSIS.items():
        add(f"--{name.replace('_', '-')}", **given)
    add(
        "--rope",
        action="append",
        metavar="[METRIC=]WIDTH",
        help="the difference that would not matter, in units of the score (--rope 0.01); without "
        "it no pair is called equivalent",
    )
    add("--html", type=Path, metavar="FILE", help="write the report, one page")
    add("--latex", type=Path, metavar="FILE", help="write the table of comparisons as LaTeX")
    add("--figure", type=Path, metavar="FILE", help="write the difference figure (PDF, PNG, SVG)")
    add("--csv", type=Path, metavar="FILE", help="write the verdicts as CSV")
    add("--folder", type=Path, help="write every table, figure and statistic")
    command.set_defaults(run=_compare)


def _add_means(commands) -> None:
    command = commands.add_parser(
        "means",
        help="compare models by a paper's table of means, without the runs",
        description="Compare models by means ± SD over runs, as papers print them.",
        epilog="example: reseed means table.csv --runs 5 --metric accuracy --baseline BERT",
    )
    add = command.add_argument
    add("table", type=Path, help="CSV: a row a model; cells `90.4 ± 0.5`, or columns mean, sd, n")
    add("--runs", type=int, help="behind each mean, where no column n says it")
    add("--metric", help="what the means measure: its name may say which is better")
    add("--baseline", help="compare each model with this one only")
    add("--spread", choices=["sd", "se"], default="sd", help="what stands behind ± (sd)")
    _add_direction(command)
    for name in ("level", "alpha", "min_runs"):
        add(f"--{name.replace('_', '-')}", **_ANALYSIS[name])
    add("--csv", type=Path, metavar="FILE", help="write the verdicts as CSV")
    command.set_defaults(run=_means)


def _add_direction(command) -> None:
    group = command.add_mutually_exclusive_group()
    group.add_argument("--greater-is-better", dest="greater", action="store_true", default=None)
    group.add_argument("--lower-is-better", dest="greater", action="store_false", default=None)


# What a message says of a study's file → the option that says it here.
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


# What a message would map: Reseed's name, and the column or columns.
_MAPPED = re.compile(r"`columns: \{(\w+): ([^}]+)\}`")


def _message(text: str) -> str:
    """An error; where it names a field of a study's file, the option that says it here too."""
    mapped = [
        " ".join(_column_option(name, part) for part in columns.strip("[]").split(", "))
        for name, columns in _MAPPED.findall(text)
    ]
    hints = dict.fromkeys([*mapped, *(o for field, o in _OPTIONS.items() if field in text)])
    tail = f"\nOn the command line: {', '.join(hints)}" if hints else ""
    return f"Error: {text}{tail}"


def _column_option(name: str, column: str) -> str:
    entry = f"{name}={column}"
    return f"--column {shlex.quote(entry) if entry != f'{name}=…' else entry}"


def _means(options: argparse.Namespace) -> None:
    from reseed.comparison.means import CAUTION, compare_means
    from reseed.core.atomic import replace_atomically

    given = {name: getattr(options, name) for name in ("level", "alpha", "min_runs")}
    found = compare_means(
        options.table,
        runs=options.runs,
        metric=options.metric,
        baseline=options.baseline,
        spread=options.spread,
        greater_is_better=options.greater,
        **{name: value for name, value in given.items() if value is not None},
    )
    print(*(f"- {verdict}" for verdict in found["verdict"]), sep="\n")
    print(f"\n{CAUTION}")
    if options.csv:
        with replace_atomically(options.csv) as temporary:
            found.to_csv(temporary, index=False)


def _compare(options: argparse.Namespace) -> None:
    from reseed.comparison.compare import compare
    from reseed.core.atomic import replace_atomically, write_text

    sources = options.results
    metric = options.metric
    if options.figure:
        _can_be_drawn(options.figure)
    given = {name: getattr(options, name) for name in _ANALYSIS}
    found = compare(
        sources[0] if len(sources) == 1 else sources,
        metric=metric[0] if metric and len(metric) == 1 else metric,
        baseline=options.baseline,
        pairs=options.pair,
        columns=_columns(options.column),
        greater_is_better=options.greater,
        test_train_ratio=options.test_train_ratio,
        format=options.format,
        unit=options.unit,
        title=options.title,
        rope=_rope(options.rope),
        **{name: value for name, value in given.items() if value is not None},
    )
    print(found)
    if options.csv:
        with replace_atomically(options.csv) as temporary:
            found.verdicts.to_csv(temporary, index=False)
    if options.latex:
        write_text(options.latex, found.to_latex())
    if options.figure:
        found.plot().savefig(options.figure, dpi=200)
    if options.folder:
        found.save(options.folder)
    if options.html:
        found.to_html(options.html)
        print(f"\nReport: {options.html}")


def _can_be_drawn(figure: Path) -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if figure.suffix and figure.suffix[1:].lower() not in known:
        raise ReseedError(f"--figure {figure}: end its name in one of {', '.join(known)}.")


def _columns(entries: list[str]) -> dict[str, str | list[str]]:
    """`model=arch`, given more than once for a name: several columns."""
    found: dict[str, str | list[str]] = {}
    for entry in entries:
        name, sign, column = entry.partition("=")
        if not sign or not column:
            raise ReseedError(f"--column {entry}: write NAME=COLUMN, as model=arch.")
        known = found.get(name, [])
        others = [known] if isinstance(known, str) else known
        found[name] = [*others, column] if others else column
    return found


def _rope(entries: list[str] | None) -> float | dict[str, float] | None:
    """`0.01`, or `auc=0.01` once a metric."""
    found: dict[str, float] = {}
    for entry in entries or []:
        metric, _, width = entry.rpartition("=")
        try:
            found[metric] = float(width)
        except ValueError:
            raise ReseedError(f"--rope {entry}: write WIDTH or METRIC=WIDTH, as 0.01.") from None
    return found.pop("") if [*found] == [""] else found or None


if __name__ == "__main__":
    main()
