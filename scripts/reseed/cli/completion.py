"""`reseed completion`: print the completion script of a shell."""

from __future__ import annotations

import argparse
from typing import Any

SHELLS = ("bash", "zsh", "tcsh")


def add_completion(commands: Any, parser: argparse.ArgumentParser) -> None:
    """Add the command to the subparsers of `parser`."""
    command = commands.add_parser(
        "completion",
        help="print the completion script of a shell",
        description="Print the script that completes commands and options of `reseed` in a shell.",
        epilog='example: eval "$(reseed completion bash)"',
    )
    command.add_argument("shell", choices=SHELLS)
    command.set_defaults(run=lambda options: _print_completion(parser, options.shell))


def _print_completion(parser: argparse.ArgumentParser, shell: str) -> None:
    import shtab

    print(shtab.complete(parser, shell))
