"""Wall and CPU seconds of work in child processes."""

import resource
import time
from collections.abc import Callable
from typing import NamedTuple


class Seconds(NamedTuple):
    """Wall and CPU seconds; on a busy machine CPU seconds are more reliable."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.1f} s ({self.cpu:.1f} s CPU)"


def _read_clocks() -> Seconds:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Seconds(time.perf_counter(), used.ru_utime + used.ru_stime)


def seconds(work: Callable[[], object]) -> Seconds:
    """Measure `work`; a child process counts once it has ended."""
    before = _read_clocks()
    work()
    return Seconds(*(now - then for now, then in zip(_read_clocks(), before, strict=True)))
