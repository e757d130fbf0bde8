"""Time limit of a trial: end the process with a message if the trial takes too long."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Extra time before the process ends without the message. Compiled code that holds Python's lock
#: blocks the thread that prints the message.
GRACE_SECONDS = 5


@contextmanager
def time_limit(seconds: float | None, message: str) -> Iterator[None]:
    """End this process with a message if the body takes more than `seconds` (None: no limit).

    The whole process ends, because a thread in compiled code cannot be stopped. Finished trials
    are in the cache, but for the last two seconds (`reseed.trials.cached_trials`).
    """
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, _end, [message])
    timer.daemon = True
    timer.start()
    stderr = sys.__stderr__ or sys.stderr
    faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=stderr)
    try:
        yield
    finally:
        timer.cancel()
        faulthandler.cancel_dump_traceback_later()


def _end(message: str) -> None:
    print(f"Error: {message}", file=sys.__stderr__, flush=True)
    os._exit(1)
