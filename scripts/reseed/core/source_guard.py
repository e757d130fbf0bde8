"""Stamps of the code and data files behind a key, and the check that no run sees an edit."""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reseed.core.code_hash import code_files, find_named_entry
from reseed.core.content_files import read_content
from reseed.core.errors import ReseedError
from reseed.core.module_finder import is_third_party
from reseed.core.ownership import read_twice
from reseed.core.source_facts import read_now, read_source


class SourceStamp(NamedTuple):
    """Content hash of a file, with the times (ns) and size (bytes) it had then.

    content: empty for a large data file, of which these times and size are all that is known.
    ctime_ns: changes with every edit, also of one that sets `mtime_ns` back.
    is_data: a job reads the file once, and not before it starts.
    """

    content: str
    mtime_ns: int
    size: int
    ctime_ns: int
    is_data: bool = False


@cache
def stamp_sources(
    modules: tuple[str, ...], named: tuple[str, ...], project: Path
) -> dict[str, SourceStamp]:
    """Stamps of the files behind a key, by path: of this library, and of the user.

    modules: entries of `code_files`. named: entries of `code:`.
    """
    paths = [path for one in modules for path in code_files(one, project, not named).values()]
    for entry in (find_named_entry(name, project) for name in named):
        if isinstance(entry, Path):
            paths.append(entry)
        else:
            paths += code_files(entry, project, strict=False).values()
    sources = [read_source(path) for path in paths if not is_third_party(path)]
    return {
        one.path: SourceStamp(one.code, one.mtime_ns, one.size, one.ctime_ns) for one in sources
    }


class SourceGuard:
    """The files behind a job's keys, by path with their stamps at planning time.

    Content is hashed only where a time or the size of a file differ from its stamp.
    """

    def __init__(self, stamps: Mapping[str, SourceStamp]):
        self.stamps = dict(stamps)
        self._is_reading = False

    @classmethod
    def read(cls, path: str | Path) -> "SourceGuard":
        """Read the stamps of a file that is named by its checksum. Raises Damaged."""
        path = Path(path)
        content = read_content(path)
        stamps = read_twice(path, lambda: json.loads(content).items())
        return read_twice(path, lambda: cls({file: SourceStamp(*one) for file, one in stamps}))

    def refuse_edits(self) -> None:
        """Raise ReseedError for a file that was edited since the run was planned.

        Otherwise a result of the new bytes would be stored under the key of the old ones. A data
        file must not be touched at all between two calls: the job between them reads it once, and
        its bytes may have been others for a moment. Code is loaded before it is used.
        """
        for path, stamp in self.stamps.items():
            try:
                status = os.stat(path)
                stat = status.st_mtime_ns, status.st_size, status.st_ctime_ns
                edited = stat != stamp[1:4] and (
                    not stamp.content
                    or (self._is_reading and stamp.is_data)
                    or read_now(Path(path)).code != stamp.content
                )
            except FileNotFoundError:
                stat, edited = stamp[1:4], True
            if edited:
                raise ReseedError(
                    f"{path}: was edited after the run was planned. Results that were finished "
                    "before the edit are kept. Run snakemake again."
                )
            self.stamps[path] = SourceStamp(stamp.content, *stat, stamp.is_data)
        self._is_reading = True
