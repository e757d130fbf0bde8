"""The trials of a setting in the cache: long ones in a file each, short ones many to a file.

A trial of a second or more has an entry of its own, which its key names. Shorter trials wait until
the oldest has waited for two seconds, and become one *segment*: a block file in a folder for trials
with neighbouring seeds, so that a search for one opens few files. So a kill loses two seconds of
training at most, and a damaged segment costs no more. Failures have entries, because
`retry_failed` deletes them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from reseed.core.code_hash import digest
from reseed.core.coordinates import Coordinates
from reseed.core.errors import Damaged
from reseed.core.ownership import delete
from reseed.core.source_guard import SourceGuard
from reseed.trials.entries import add_entry
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import (
    SCHEMA,
    BlockFile,
    TrialRecord,
    make_row,
    write_rows,
    write_trial,
)

#: Seconds after which waiting trials are written.
WAIT_SECONDS = 2.0
#: Seconds of training from which a trial has a file of its own.
ALONE_SECONDS = 1.0


class Place(NamedTuple):
    """A record in the cache. row: None in a segment whose columns of seeds are damaged."""

    path: Path
    row: int | None = 0


class CachedTrials:
    """Finds and reads the records of a setting's trials in the cache.

    Args:
        cache: the setting's files and keys.
        environment: identifier of the environment whose records are found beside the first.
    """

    def __init__(self, cache: TrialCache, environment: str = ""):
        self.cache, self.environment = cache, environment
        self._segments: dict[Path, list[tuple[Path, dict[Coordinates, int] | None]]] = {}
        self._file: BlockFile | None = None

    def find(
        self, trial: Coordinates, anywhere: bool = True, retry_failed: bool = False
    ) -> Place | None:
        """A sound record of a trial; None where there is none. Damaged files are deleted.

        anywhere: a record that was made in another environment serves too. retry_failed: delete
        the entries of a failed trial.
        """
        for place in self.places(trial):
            try:
                record = self.read(trial, place)
            except FileNotFoundError:
                continue
            except Damaged:
                self._delete(place.path)
                continue
            if record is None:
                continue
            if retry_failed and record.status == "failed":
                self._delete(place.path)
            elif anywhere or record.environment == self.environment:
                return place
        return None

    def places(self, trial: Coordinates) -> Iterator[Place]:
        """Where the cache may hold a trial. A damaged segment may hold any of its neighbours."""
        for entry in self.cache.entry_paths(self.cache.key(trial), self.environment):
            if entry.exists():
                yield Place(entry)
        for folder in self.cache.segment_folders(trial):
            for path, rows in self._list_segments(folder):
                if rows is None or trial in rows:
                    yield Place(path, None if rows is None else rows[trial])

    def files(self, trial: Coordinates) -> Iterator[Path]:
        """Cache files that hold a trial, or are damaged."""
        for place in self.places(trial):
            try:
                if self.read(trial, place):
                    yield place.path
            except Damaged:
                yield place.path
            except FileNotFoundError:
                continue

    def read(self, trial: Coordinates, place: Place) -> TrialRecord | None:
        """The record at a place; None for the same seeds under another key, as segments hold.

        Raises Damaged and FileNotFoundError.
        """
        if place.row is None:
            raise Damaged(place.path, "its columns of seeds are damaged")
        record = self._open(place.path).record(place.row)
        if record.key == self.cache.key(trial):
            return record
        if place.path.parent in self.cache.segment_folders(trial):
            return None
        raise Damaged(place.path, "it holds another trial")

    def row(self, place: Place) -> pa.Table:
        """The row at a place that `find` returned. Raises Damaged and FileNotFoundError."""
        return self._open(place.path).row(place.row or 0)

    def _open(self, path: Path) -> BlockFile:
        """A file; the last one stays open."""
        if self._file is None or self._file.path != path:
            self._file = BlockFile(path, SCHEMA.names)
        return self._file

    def _delete(self, path: Path) -> None:
        """Delete a file; the trial may be written to the same path again."""
        delete([path], self.cache.layout.root)
        self._file = None

    def _list_segments(self, folder: Path) -> list[tuple[Path, dict[Coordinates, int] | None]]:
        """Segments of a folder with the rows of their trials; None for a damaged one."""
        if folder not in self._segments:
            self._segments[folder] = [
                (path, _read_seeds(path)) for path in sorted(folder.glob("[!.]*.parquet"))
            ]
        return self._segments[folder]


def _read_seeds(path: Path) -> dict[Coordinates, int] | None:
    try:
        return {trial: row for row, trial in enumerate(BlockFile(path).seeds())}
    except FileNotFoundError:
        return {}
    except Damaged:
        return None


class TrialWriter:
    """Writes the trials of a setting to the cache. On leaving it, also by an error, none waits.

    Args:
        cache: the setting's files and keys.
        environment: identifier of the environment that trains them.
        guard: refuses trials of which the code was edited since the plan was made.
    """

    def __init__(self, cache: TrialCache, environment: str, guard: SourceGuard):
        self.cache, self.environment, self.guard = cache, environment, guard
        self.places: dict[Coordinates, Place] = {}
        self._waiting: dict[Coordinates, TrialRecord] = {}
        self._since = 0.0

    def __enter__(self) -> TrialWriter:
        self.guard.refuse_edits()
        return self

    def __exit__(self, *error: object) -> None:
        self.flush()

    def add(self, trial: Coordinates, record: TrialRecord) -> None:
        """Write a trial now, or with others in a moment. Raises ReseedError after an edit."""
        if record.status == "failed" or record.train_seconds >= ALONE_SECONDS:
            self.guard.refuse_edits()
            self._write_entry(trial, record)
        else:
            if not self._waiting:
                self._since = time.monotonic()
            self._waiting[trial] = record
        if self._waiting and time.monotonic() - self._since >= WAIT_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the trials that wait: neighbours with outputs of one type together."""
        if not self._waiting:
            return
        self.guard.refuse_edits()
        segments: dict[tuple[Path, str], dict[Coordinates, pa.Table]] = {}
        for trial, record in self._waiting.items():
            row, folder = make_row(record), self.cache.segment_folders(trial)[0]
            segments.setdefault((folder, str(row.schema)), {})[trial] = row
        for (folder, _), rows in segments.items():
            if len(rows) == 1:
                [trial] = rows
                self._write_entry(trial, self._waiting[trial])
            else:
                self._write_segment(folder, rows)
        self._waiting.clear()

    def _write_entry(self, trial: Coordinates, record: TrialRecord) -> None:
        entries = self.cache.entry_paths(record.key, self.environment)
        # An existing entry was made in another environment; the two are not pooled.
        entry = entries[len(entries) // 2] if entries[0].exists() else entries[0]
        add_entry(entry, partial(write_trial, record=record))
        self.places[trial] = Place(entry)

    def _write_segment(self, folder: Path, rows: dict[Coordinates, pa.Table]) -> None:
        keys = sorted(self._waiting[trial].key for trial in rows)
        path = folder / f"{digest(keys, self.environment)}.parquet"
        add_entry(path, lambda temporary: write_rows(temporary, rows.items(), path))
        places = {trial: Place(path, row) for row, trial in enumerate(rows)}
        self.places |= places
