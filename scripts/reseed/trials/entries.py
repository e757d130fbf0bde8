"""Cache entries: every trial, search and exhibit once, under its key, read-only, never changed.

The files that Snakemake declares are hard links (or copies) to cache entries. So Snakemake may
delete and remake the outputs of a job: entries are linked again, an interrupted job loses nothing,
and a reverted edit costs nothing. Two results folders or machines may share a cache.
"""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from reseed.core.atomic import replace_atomically
from reseed.core.run_token import refuse_replacement

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


def link_entry(entry: Path, target: Path) -> None:
    """Make `target` a link to an entry, with the current time, in one step.

    It is a copy where the file system cannot link, or where the entry belongs to another user.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            os.link(entry, temporary)
            # Snakemake compares times: a target must be newer than its inputs.
            os.utime(temporary)
        except OSError:
            temporary.unlink(missing_ok=True)
            shutil.copyfile(entry, temporary)
            temporary.chmod(READ_ONLY)
        refuse_replacement(target)
        os.replace(temporary, target)
    finally:
        # Renaming a link to another link of the same file leaves both names.
        temporary.unlink(missing_ok=True)


def linked_entries(path: Path) -> list[Path]:
    """Entries of the cache around `path` that are the same file."""
    cache = next((p / "store" for p in path.absolute().parents if (p / "store").is_dir()), None)
    if cache is None or not path.is_file():
        return []
    return [entry for entry in cache.glob("??/*") if samefile(entry, path)]


def samefile(path: Path, other: Path) -> bool:
    """Whether two existing paths are links to one file."""
    return path.exists() and other.exists() and path.samefile(other)


def delete_files(paths: Iterable[Path]) -> None:
    """Delete files that the next run must make again."""
    for path in paths:
        path.unlink(missing_ok=True)
