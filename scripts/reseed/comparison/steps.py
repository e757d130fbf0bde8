"""Shows on standard error which steps of a page are done."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

#: Lines of progress on a standard error that is not a terminal.
_MOST_PROGRESS_LINES = 5


def show_steps(names: Iterable[str], title: str, shown: bool) -> Iterator[str]:
    """The names, with a bar on standard error of those that are done; plain lines in a file."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    steps, console = list(names), Console(stderr=True)
    if not (shown and console.is_terminal):
        every = -(-len(steps) // _MOST_PROGRESS_LINES)
        for number, name in enumerate(steps):
            if shown and number % every == 0:
                print(
                    f"{title}: {number} of {len(steps)} done; {name}", file=sys.stderr, flush=True
                )
            yield name
        return
    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=console) as bar:
        task = bar.add_task("", total=len(steps))
        for name in steps:
            bar.update(task, description=name)
            yield name
            bar.advance(task)
