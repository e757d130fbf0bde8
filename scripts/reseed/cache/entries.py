"""The store: every trial and search once, under its key, read-only, never changed.

What Snakemake declares is a hard link (or a copy) into the store. So Snakemake may delete and
remake a block's targets as it likes: what the store holds is linked again, an interrupted block
loses nothing, an edit taken back costs nothing, and nothing stale can be linked. Two results
folders or machines may share a store.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from reseed.core.atomic import replace_atomically

READ_ONLY = 0o444


def place(folder: Path, key: str, suffix: str) -> Path:
    """Where an artefact stands: `ab/cdef….suffix` below the store's folder."""
    return folder / key[:2] / f"{key[2:]}{suffix}"


def add(path: Path, write: Callable[[Path], None]) -> None:
    """Write an artefact in one step and make it read-only; one that is there stays."""
    if path.exists():
        return
    with replace_atomically(path) as temporary:
        write(temporary)
        temporary.chmod(READ_ONLY)


def link(stored: Path, target: Path) -> None:
    """Make `target` the stored artefact, with the time of now, in one step.

    A copy where the file system cannot link, or the file is another user's.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            os.link(stored, temporary)
            # Snakemake compares times: a target must be younger than what it is made from.
            os.utime(temporary)
        except OSError:
            temporary.unlink(missing_ok=True)
            shutil.copyfile(stored, temporary)
            temporary.chmod(READ_ONLY)
        os.replace(temporary, target)
        # Renaming a link onto another link of the same file leaves both names.
    finally:
        temporary.unlink(missing_ok=True)


def stored_names(path: Path) -> list[Path]:
    """Names by which the store of the results folder around `path` has the same file."""
    store = next((p / "store" for p in path.absolute().parents if (p / "store").is_dir()), None)
    if store is None or not path.is_file():
        return []
    return [name for name in store.glob("??/*") if name.exists() and name.samefile(path)]


def discard(*paths: Path) -> None:
    """Remove damaged files, so that the next run makes them again."""
    for path in paths:
        path.unlink(missing_ok=True)
