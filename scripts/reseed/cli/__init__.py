"""The command `reseed`: its subcommands, their flags and exit codes.

In: arguments of the command line.
Out: printed lines, files, exit codes.
Decides: which function a subcommand calls, and what it asks before it acts.
Imports: every room.
Start: `main`.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reseed import __version__
from reseed.cli.completion import add_completion
from reseed.cli.error_hints import speak_flags
from reseed.cli.project_commands import add_commands
from reseed.comparison.command_options import (
    ITEMS,
    READING,
    add_flags,
    add_outputs,
    add_printed,
    check_figure,
    list_given,
    list_read_options,
    parse_columns,
    parse_directions,
    show,
)
from reseed.comparison.evaluation_commands import add_evaluation_commands
from reseed.comparison.init_command import add_init
from reseed.comparison.read_command import add_read
from reseed.core.errors import ReseedError
from reseed.core.pair_tests import PAIR_TESTS
from reseed.core.plain_text import show_controls

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLES = """examples:
  reseed compare runs.csv                      a table of runs: which model is better
  reseed compare runs.csv --baseline bm25 --html report.html
  reseed read runs.csv                         what each column is taken as, without comparing
  reseed means table.tex --runs 5              a paper's table of means ± SD
  reseed items logs/                           scores of test cases, from tables or logs
  reseed gate new.csv --baseline old.csv --margin 0.01
  reseed init mine --results runs.csv          a first study, which runs

exit status: 0 done; 1 an error in a table or an option, with its fix on standard error; 2 an
unknown option or command; 130 interrupted (Ctrl-C). `reseed gate` also: 10 worse, 11 undecided.
"""
_EXAMPLE = "example: reseed compare runs.csv --metric ndcg --baseline bm25 --html report.html"


#: Exit status after Ctrl-C, as shells report it.
_INTERRUPTED = 130
#: Options of `reseed means`, and of `reseed compare` beside those of reading.
_MEANS = ("runs", "baseline", "spread", "decimals", "level", "alpha", "min_runs")
_COMPARE = (
    "baseline", "deterministic", "seed_draws", "test_train_ratio", *ITEMS, "title", *PAIR_TESTS,
)  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Run the command; an error in the table or the options is one message and exit status 1."""
    parser = argparse.ArgumentParser(
        prog="reseed",
        description="Compare models by their runs, and say how much of a difference is luck.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"reseed {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_compare(commands)
    add_read(commands)
    _add_means(commands)
    add_evaluation_commands(commands)
    add_commands(commands)
    add_init(commands)
    add_completion(commands, parser)
    options = parser.parse_args(arguments)
    flags = commands.choices[options.command]._option_string_actions
    options.speak = partial(speak_flags, flags=flags)
    try:
        _keep_inputs(options)
        options.run(options)
    except ReseedError as error:
        sys.exit(show_controls(f"Error: {options.speak(getattr(error, 'fields', str(error)))}"))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except OSError as error:
        where = error.filename2 or error.filename or "cannot write"
        sys.exit(f"Error: {where}: {error.strerror or error}")


def _keep_inputs(options: argparse.Namespace) -> None:
    """Refuse to write a file over one that is read."""
    read = [getattr(options, name, None) for name in ("results", "table", "candidate", "baseline")]
    paths = [one for entry in read for one in (entry if isinstance(entry, list) else [entry])]
    for name in ("csv", "html", "latex", "figure", "markdown", "json"):
        written = getattr(options, name, None)
        if isinstance(written, Path) and any(
            Path(one).resolve() == written.resolve() for one in paths if one
        ):
            raise ReseedError(f"--{name} {written}: is read as input. Give another name.")


def _add_compare(commands: Commands) -> None:
    command = commands.add_parser(
        "compare",
        help="compare models by a table of their runs",
        description="Compare models by a table of their runs, with a verdict on each pair.",
        epilog=_EXAMPLE,
    )
    add = command.add_argument
    add("results", nargs="+", help="CSV, Parquet or JSON file(s), or a folder of them")
    add_flags(command, *READING, *_COMPARE, "pair", "rope")
    add_outputs(command, "verdicts")
    add_printed(command)
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
    add("--metric", help="what the means measure; its name may state the direction")
    add_flags(command, *_MEANS, "direction", "column")
    add_outputs(command, "verdicts")
    add_printed(command)
    command.set_defaults(run=_run_means)


def _run_means(options: argparse.Namespace) -> None:
    from reseed.comparison.means import compare_means

    check_figure(options.figure)
    found = compare_means(
        options.table,
        greater_is_better=parse_directions(options.greater, options.direction),
        columns=parse_columns(options.column or []),
        **list_given(options, "metric", *_MEANS),
    )
    show(found, options)


def _run_compare(options: argparse.Namespace) -> None:
    from reseed.comparison.compare import compare

    _use_plain_strings()
    sources = options.results
    check_figure(options.figure)
    comparison = compare(
        sources[0] if len(sources) == 1 else sources,
        pairs=options.pair,
        rope=_parse_rope(options.rope),
        **list_given(options, *_COMPARE) | list_read_options(options),
    )
    show(comparison, options)


def _use_plain_strings() -> None:
    """Let pandas keep texts as Python objects: reading single cells of Arrow takes longer."""
    import pandas as pd

    pd.set_option("mode.string_storage", "python")


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
