"""A bar for trainings in a terminal or a notebook: how many are done, how long the rest takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from reseed.pipeline.progress import format_duration

_WIDTH = 24
#: Seconds between two drawings.
_EVERY = 0.2


@contextmanager
def bar(
    total: int, shown: bool | None = None, stream: TextIO | None = None, clock=time.monotonic
) -> Iterator[Callable[[str], None]]:
    """Give a function to call after each training, with what was trained.

    shown: None: on a terminal or in a notebook only.
    """
    out = sys.stderr if stream is None else stream
    if shown is None:
        shown = out.isatty() or "ipykernel" in sys.modules
    started = drawn = clock()
    done = 0

    def step(name: str) -> None:
        nonlocal done, drawn
        done += 1
        now = clock()
        if shown and (now - drawn >= _EVERY or done == total):
            drawn = now
            spent = now - started
            left = (
                f", about {format_duration(spent / done * (total - done))} left"
                if done < total
                else ""
            )
            blocks = "█" * round(_WIDTH * done / total)
            line = f"{blocks:·<{_WIDTH}} {done}/{total} trainings, {format_duration(spent)}{left}: {name}"
            out.write(f"\r{line:<88}")
            out.flush()

    try:
        yield step
    finally:
        if shown and done:
            out.write("\n")
