"""Cache entries: every trial and search once, under its key, read-only, never changed.

The files that Snakemake declares are copies of them. So Snakemake, and an editor, may change the
outputs of a job: entries are copied again, an interrupted job loses nothing, and a reverted edit
costs nothing. Two results folders or machines may share a cache.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from reseed.core.atomic import replace_atomically

READ_ONLY = 0o444


def entry_path(cache: str | Path, key: str, suffix: str) -> Path:
    """Path of an entry: `ab/cdef….suffix` below the cache folder."""
    return Path(cache, key[:2], f"{key[2:]}{suffix}")


def add_entry(path: Path, write: Callable[[Path], None]) -> None:
    """Write an entry in one step and make it read-only; an existing entry is left as it is."""
    if path.exists():
        return
    with replace_atomically(path) as temporary:
        write(temporary)
        temporary.chmod(READ_ONLY)


def copy_entry(entry: Path, target: Path) -> None:
    """Make `target` a copy of an entry, in one step."""
    with replace_atomically(target) as temporary:
        shutil.copyfile(entry, temporary)
