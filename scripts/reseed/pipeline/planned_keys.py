"""Keys of the cache entries that planned trials use."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from reseed.core.errors import Damaged, ReseedError
from reseed.planning.plan import Plan
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import BlockFile


def planned_keys(plan: Plan, files: Iterable[Path]) -> Iterator[str]:
    """Keys of planned trials, so far as data, splits and searches are there, and those in files.

    files: planned block files. A trial may have an entry and no file, as after a killed run.
    """
    for path in files:
        with suppress(FileNotFoundError, Damaged):
            block = BlockFile(path)
            yield from (block.record(row).key for row in range(len(block)))
    for planned in plan.settings.values():
        cache = TrialCache(plan.layout.root, planned.spec)
        for trial in planned.trials:
            with suppress(ReseedError, FileNotFoundError):
                yield cache.key(trial)
