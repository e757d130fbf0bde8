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
from reseed.cli.init_command import add_init
from reseed.cli.project_commands import add_commands
from reseed.comparison.commands import add_comparing_commands
from reseed.comparison.read_command import add_read
from reseed.comparison.speakers import speak
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.garbage import collect_rarely
from reseed.core.plain_text import print_any_text, show_controls

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLES = """examples:
  reseed compare runs.csv                      a table of runs: which model is better
  reseed compare runs.csv --baseline bm25 --html report.html
  reseed read runs.csv                         what each column is taken as, without comparing
  reseed compare table.tex --runs 5            a paper's table of means ± SD
  reseed compare logs/                         scores of test cases, from tables or logs
  reseed gate new.csv --baseline old.csv --margin 0.01
  reseed init mine --results runs.csv          a first study, which runs

exit status: 0 done; 1 an error in a table or an option, with its fix on standard error; 2 an
unknown option or command; 130 interrupted (Ctrl-C). `reseed gate` also: 10 worse, 11 undecided.
"""


#: Exit status after Ctrl-C, as shells report it.
_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command; an error in the table or the options is one message and exit status 1."""
    if arguments is None:  # this process is the command
        collect_rarely()
        print_any_text()
    parser = argparse.ArgumentParser(
        prog="reseed",
        description="Compare models by their runs, and say how much of a difference is luck.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"reseed {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    add_comparing_commands(commands)
    add_read(commands)
    add_commands(commands)
    add_init(commands)
    options = _parse(parser, commands, sys.argv[1:] if arguments is None else arguments)
    flags = commands.choices[options.command]._option_string_actions
    options.speak = partial(speak, speaker="flags", known=flags)
    try:
        _keep_inputs(options)
        options.run(options)
    except ReseedError as error:
        sys.exit(show_controls(f"Error: {options.speak(getattr(error, 'fields', str(error)))}"))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except ModuleNotFoundError as error:
        sys.exit(
            f"Error: `reseed {options.command}` needs the package {error.name}, of the extra "
            "`workflow`: `pip install '.[workflow]'` in a copy of Reseed's repository."
        )
    except OSError as error:
        where = error.filename2 or error.filename or "cannot write"
        sys.exit(f"Error: {where}: {error.strerror or error}")


def _parse(
    parser: argparse.ArgumentParser, commands: Commands, arguments: list[str]
) -> argparse.Namespace:
    """The options; an unknown command or option ends the process, with the nearest known one."""
    first = arguments[0] if arguments else "-"
    if not first.startswith("-") and first not in commands.choices:
        parser.error(f"there is no command {first!r}.{suggest_name(first, list(commands.choices))}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command = commands.choices[options.command]
        known = [flag for flag in command._option_string_actions if flag.startswith("--")]
        command.error(f"unknown arguments: {' '.join(unknown)}.{suggest_name(unknown[0], known)}")
    return options


def _keep_inputs(options: argparse.Namespace) -> None:
    """Refuse to write over a file that is read, or into a folder that is read."""
    entries = [getattr(options, name, None) for name in ("results", "candidate", "baseline")]
    listed = [one for entry in entries for one in (entry if isinstance(entry, list) else [entry])]
    read = [Path(one).resolve() for one in listed if one and Path(one).exists()]
    for name in ("csv", "html", "latex", "figure", "markdown", "json", "folder"):
        written = getattr(options, name, None)
        if not isinstance(written, Path):
            continue
        path = written.resolve()
        for one in read:
            is_same = path.exists() and path.samefile(one)
            if is_same or (one.is_dir() and path.is_relative_to(one)):
                inside = "" if is_same else f", as all of {one.name}/"
                raise ReseedError(f"--{name} {written}: is read as input{inside}. Name another.")
            if name == "folder" and one.parent == path and one.is_file():
                raise ReseedError(
                    f"--folder {written}: holds the input {one.name}, which a table could replace. "
                    "Give a folder of its own."
                )
