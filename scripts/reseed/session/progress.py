"""A progress bar for trainings in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from reseed.pipeline.progress import format_duration

_WIDTH = 24
#: Fewest seconds between two updates.
_INTERVAL = 0.2


@contextmanager
def show_progress(
    total: int,
    shown: bool | None = None,
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Callable[[str], None]]:
    """Yield a function to call after each training with the name of the model.

    shown: by default in a terminal or a notebook only.
    """
    out = sys.stderr if stream is None else stream
    if shown is None:
        shown = out.isatty() or "ipykernel" in sys.modules
    started = updated = clock()
    done = 0

    def step(name: str) -> None:
        nonlocal done, updated
        done += 1
        now = clock()
        if shown and (now - updated >= _INTERVAL or done == total):
            updated = now
            spent = now - started
            rest = format_duration(spent / done * (total - done))
            left = f", about {rest} left" if done < total else ""
            bar = f"{'█' * round(_WIDTH * done / total):·<{_WIDTH}}"
            line = f"{bar} {done}/{total} trainings, {format_duration(spent)}{left}: {name}"
            out.write(f"\r{line:<88}")
            out.flush()

    try:
        yield step
    finally:
        if shown and done:
            out.write("\n")
