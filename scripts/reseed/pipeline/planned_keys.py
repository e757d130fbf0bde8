"""Keys of the cache entries that planned trials and searches use."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from reseed.core.errors import ReseedError
from reseed.planning.plan import Plan
from reseed.trials.trial_cache import TrialCache, read_winner
from reseed.trials.trial_records import BlockFile


class Keys(NamedTuple):
    """The keys that are known, and why others are not: a line for each trial or search."""

    known: set[str]
    unknown: list[str]


def planned_keys(plan: Plan) -> Keys:
    """Keys of planned trials and searches, so far as data, splits and searches are there."""
    keys = Keys(set(), [])
    for planned in plan.settings.values():
        cache = TrialCache(plan.layout.root, planned.spec)
        for key, ats in ((cache.key, planned.trials), (cache.search_key, planned.searches())):
            for at in ats:
                try:
                    keys.known.add(key(at))
                except ReseedError as error:
                    keys.unknown.append(str(error))
    return keys


def recorded_keys(files: Iterable[Path]) -> Keys:
    """Keys in files of blocks and searches. A trial may have an entry and no file, or another."""
    keys = Keys(set(), [])
    for path in files:
        try:
            if path.suffix == ".json":
                keys.known.add(read_winner(path).key)
            elif not path.with_suffix(".json").exists():  # the log of a search
                block = BlockFile(path)
                keys.known.update(block.record(row).key for row in range(len(block)))
        except FileNotFoundError:
            continue
        except ReseedError as error:
            keys.unknown.append(str(error))
    return keys
