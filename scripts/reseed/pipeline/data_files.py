"""What keys hold of the user's data files: path, size, time, and a hash of the bytes."""

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from reseed.core.atomic import write_json
from reseed.core.source_guard import SourceStamp
from reseed.data.kinds import file_stats

#: Files of one source that are hashed at every start, if they are not larger (bytes) or more.
HASHED_BYTES = 16 * 2**20
HASHED_FILES = 2_000

#: Path, bytes, modification time (ns), and SHA-256 or an empty text.
FileDescription = tuple[str, int, int, str]


class DataFiles:
    """Describes data files. Larger files are hashed on request, and their hashes are recorded.

    Args:
        record: JSON file with the recorded hashes; None: nothing is recorded.
        check: hash all files (`check_data`).
        write: whether this process may write the record.
    """

    def __init__(self, record: Path | None = None, check: bool = False, write: bool = False):
        self.record, self.check, self.write = record, check, write
        self._recorded = _read_record(record) if record else {}
        self._stamps: dict[tuple[str, ...], dict[str, SourceStamp]] = {}

    def describe(self, paths: Iterable[str]) -> list[FileDescription]:
        """Every existing file of `paths` and in folders of `paths`, as `file_stats` lists them.

        A file of equal size and time but other bytes is found if its source is small, or with
        `check`. The hash that a check recorded stands for a large file of unchanged size and time.
        """
        stamps = self.stamp(paths)
        return [(path, one.size, one.mtime_ns, one.content) for path, one in stamps.items()]

    def stamp(self, paths: Iterable[str]) -> dict[str, SourceStamp]:
        """Stamps of the same files, by path: the job that reads them checks them.

        Files are looked at once. So the key of a job, which is taken when the run is planned, and
        its spec, which is written when it starts, are of the same bytes.
        """
        named = tuple(paths)
        if named not in self._stamps:
            stats = file_stats(named)
            changed = {path: os.stat(path).st_ctime_ns for path, _, _ in stats}
            self._stamps[named] = {
                path: SourceStamp(sha256, mtime_ns, size, changed[path], True)
                for (path, size, mtime_ns), sha256 in zip(stats, self._hash(stats), strict=True)
            }
        return self._stamps[named]

    def _hash(self, stats: list[tuple[str, int, int]]) -> list[str]:
        is_small = sum(size for _, size, _ in stats) <= HASHED_BYTES and len(stats) <= HASHED_FILES
        if is_small:
            return [_hash_bytes(*one) for one in stats]
        if self.check:
            self._record_hashes(stats)
        return [self._recorded.get(one, "") for one in stats]

    def _record_hashes(self, stats: list[tuple[str, int, int]]) -> None:
        hashes = {one: _hash_bytes(*one) for one in stats}
        if hashes.items() <= self._recorded.items():
            return
        paths = {path for path, _, _ in stats}
        kept = {one: sha256 for one, sha256 in self._recorded.items() if one[0] not in paths}
        self._recorded = kept | hashes
        if self.record and self.write:
            write_json(self.record, [[*one, sha256] for one, sha256 in self._recorded.items()])


def _read_record(path: Path) -> dict[tuple[str, int, int], str]:
    """Recorded hashes; none where the file is missing or damaged."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return {(name, size, mtime_ns): sha256 for name, size, mtime_ns, sha256 in rows}
    except (OSError, ValueError, TypeError):
        return {}


@cache
def _hash_bytes(path: str, size: int, mtime_ns: int) -> str:
    """SHA-256 of a file; a process reads it once. size, mtime_ns: another file has others."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
