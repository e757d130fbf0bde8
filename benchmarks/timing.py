"""Wall and CPU seconds of work that is done in child processes."""

import resource
import time
from collections.abc import Callable
from typing import NamedTuple


class Seconds(NamedTuple):
    """What some work took: by the clock, and of the processors (the one to believe on a busy
    machine).
    """

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.1f} s ({self.cpu:.1f} s CPU)"


def _now() -> Seconds:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(time.perf_counter(), used.ru_utime + used.ru_stime)


def seconds(work: Callable[[], object]) -> Seconds:
    """Do some work; its children count once they have ended."""
    before = _now()
    work()
    return Seconds(*(now - then for now, then in zip(_now(), before, strict=True)))
