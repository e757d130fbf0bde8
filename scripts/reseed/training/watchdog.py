"""A time limit of a trial: what hangs is told and ended, for no code of its own can do it."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Compiled code that keeps Python's lock lets no thread speak: then ended without our own words.
GRACE_SECONDS = 5


@contextmanager
def time_limit(seconds: float | None, message: str) -> Iterator[None]:
    """End this process with a message if the body takes longer than so many seconds (None: any).

    The process, not the body alone: a thread that hangs in compiled code cannot be ended. What
    was finished before is in the store.
    """
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, _end, [message])
    timer.daemon = True
    timer.start()
    faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        timer.cancel()
        faulthandler.cancel_dump_traceback_later()


def _end(message: str) -> None:
    print(f"Error: {message}", file=sys.__stderr__, flush=True)
    os._exit(1)
