"""Trial records: a cache entry holds one, identified by its key alone; a block file holds many.

A record has the outcome and the environment, not the study or setting that requested it. So
settings with the same meaning share one record. A block file has one row a trial, in the order of
`SeedBlock.trials`, with columns that name its seeds; so has a segment of the cache.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reseed.core.atomic import replace_atomically
from reseed.core.coordinates import KEPT_PARTS, Coordinates
from reseed.core.errors import ReseedError
from reseed.core.ownership import T, read_twice

CURVE_POINT = pa.struct(
    [("epoch", pa.int32())]
    + [
        (name, pa.float64())
        for name in ("train_loss", "validation_loss", "validation_metric", "test_metric")
    ]
)
#: Fields that are stored as one JSON text. Few columns keep a small file small.
FACTS = (
    *("key", "seeds", "hyperparameters", "status", "error", "metrics", "validation_metrics"),
    *("classes", "converged", "train_seconds", "fingerprint", "environment", "commit"),
    "environment_facts",
)
#: Columns of a block file that name the seeds of a row.
SEEDS = tuple(pa.field(name, pa.int64()) for name in Coordinates._fields)
#: Bytes of a row group of a block file in memory: what reading one trial reads.
GROUP_BYTES = 16 * 2**20
#: Raw outputs are float32 where they are missing; otherwise they have their own type.
SCHEMA = pa.schema(
    [
        ("facts", pa.string()),
        *((part, pa.list_(pa.float32())) for part in KEPT_PARTS),
        ("curve", pa.list_(CURVE_POINT)),
    ]
)


_FORMAT: dict[str, Any] = {
    "compression": "zstd",
    "write_statistics": False,
    "write_page_checksum": True,
}


@dataclass(frozen=True, eq=False)
class TrialRecord:
    """What a trial gave, and where.

    environment, environment_facts: identifier and facts of `core.environment.Environment`. So a
        trial is described without other files; trials of versions up to 0.2 lack the facts.
    hyperparameters: JSON text with sorted keys.
    status: `ok` or `failed` (then `error` says why).
    classes: columns of the raw outputs.
    converged: None where training has no limit.
    test, validation: raw outputs (n,) or (n, classes), None where they are not stored or not read.
    curve: one dict an epoch.
    """

    key: str
    seeds: dict[str, int]
    hyperparameters: str
    status: str
    environment: str
    commit: str
    error: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    validation_metrics: dict[str, float] = field(default_factory=dict)
    classes: int | None = None
    converged: bool | None = None
    train_seconds: float = 0.0
    fingerprint: str | None = None
    test: NDArray[Any] | None = None
    validation: NDArray[Any] | None = None
    curve: list[dict[str, float]] | None = None
    environment_facts: dict[str, Any] = field(default_factory=dict)


def make_row(record: TrialRecord) -> pa.Table:
    """The row of a record. Raw outputs are stored in their own type."""
    facts = {name: getattr(record, name) for name in FACTS}
    row: dict[str, Any] = {"curve": record.curve}
    schema = SCHEMA
    for part in KEPT_PARTS:
        if getattr(record, part) is not None:
            outputs = np.asarray(getattr(record, part))
            facts["classes"] = outputs.shape[1] if outputs.ndim == 2 else 1
            row[part] = outputs.ravel()
            column = pa.field(part, pa.list_(pa.from_numpy_dtype(outputs.dtype)))
            schema = schema.set(schema.get_field_index(part), column)
    row["facts"] = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return pa.Table.from_pylist([row], schema=schema)


def write_trial(path: Path, record: TrialRecord) -> None:
    """Write one trial."""
    pq.write_table(make_row(record), path, **_FORMAT)


def read_trial(path: Path, columns: Iterable[str] = ()) -> TrialRecord:
    """The trial of a cache entry, with those of `test`, `validation`, `curve` that `columns` names.

    Raises Damaged for a file that is cut short or whose bytes changed; FileNotFoundError.
    """
    return BlockFile(path, columns).record(0)


class BlockFile:
    """A file of trial records; one row group is in memory at a time.

    Args:
        path: a block file, a cache entry or a segment.
        columns: those of `test`, `validation` and `curve` to read.

    Raises:
        Damaged: a file that is cut short or whose bytes changed; so do all methods.
        FileNotFoundError: there is no such file.
    """

    def __init__(self, path: Path, columns: Iterable[str] = ()):
        self.path = path
        self.columns = ["facts", *(name for name in SCHEMA.names[1:] if name in columns)]
        self._group, self._table = -1, SCHEMA.empty_table()
        self._facts: list[str] = []
        self._check(self._open)

    def _open(self) -> None:
        with pq.ParquetFile(self.path, page_checksum_verification=True) as file:
            groups = [file.metadata.row_group(one) for one in range(file.num_row_groups)]
            self._ends = list(accumulate(group.num_rows for group in groups))
            if len(groups) == 1:
                self._keep(0, file.read(columns=self.columns))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def seeds(self) -> list[Coordinates]:
        """The trial of each row, by the columns that name its seeds."""

        def read() -> list[Coordinates]:
            with pq.ParquetFile(self.path, page_checksum_verification=True) as file:
                columns = file.read(columns=Coordinates._fields).to_pydict()
            return [Coordinates(*row) for row in zip(*columns.values(), strict=True)]

        return self._check(read)

    def record(self, number: int) -> TrialRecord:
        """The record of a row."""

        def read() -> TrialRecord:
            place = self._find(number)
            fields = json.loads(self._facts[place])
            for name in self.columns[1:]:
                value = self._table[name][place]
                if name == "curve":
                    fields[name] = value.as_py()
                elif value.values is not None:
                    outputs = value.values.to_numpy(zero_copy_only=False)
                    shape = (-1, fields["classes"]) if fields["classes"] > 1 else -1
                    fields[name] = outputs.reshape(shape)
            return TrialRecord(**fields)

        return self._check(read)

    def row(self, number: int) -> pa.Table:
        """A row, as `make_row` made it; of a file that was opened with all columns."""
        return self._check(lambda: self._table.slice(self._find(number), 1))

    def _find(self, number: int) -> int:
        """Place of a row in its row group, which is read."""
        group = bisect_right(self._ends, number)
        if group != self._group:
            with pq.ParquetFile(self.path, page_checksum_verification=True) as file:
                self._keep(group, file.read_row_group(group, columns=self.columns))
        return number - (self._ends[group - 1] if group else 0)

    def _keep(self, group: int, table: pa.Table) -> None:
        self._group, self._table = group, table
        self._facts = table["facts"].to_pylist()

    def _check(self, read: Callable[[], T]) -> T:
        return read_twice(self.path, read, optional=True)


def write_block(path: Path, rows: Iterable[tuple[Coordinates, pa.Table]]) -> None:
    """Write a block file from the rows of its trials, in one step.

    Memory is bounded by the size of a row group.
    """
    with replace_atomically(path) as temporary:
        write_rows(temporary, rows, path)


def write_rows(path: Path, rows: Iterable[tuple[Coordinates, pa.Table]], named: Path) -> None:
    """Write a file of rows with the columns that name their seeds. named: the file in errors."""
    writer: pq.ParquetWriter | None = None
    for group in _group_rows(rows):
        schema = writer.schema if writer else _common_schema(group)
        table = pa.concat_tables([_cast(row, schema, named) for row in group])
        writer = writer or pq.ParquetWriter(path, schema, **_FORMAT)
        writer.write_table(table, row_group_size=len(group))
    if writer is None:
        raise ValueError(f"{named}: a block without trials")
    writer.close()


def _group_rows(rows: Iterable[tuple[Coordinates, pa.Table]]) -> Iterator[list[pa.Table]]:
    """Rows of a block with the columns that name their seeds, in groups of a bounded size."""
    group: list[pa.Table] = []
    size = 0
    for trial, row in rows:
        seeds = [pa.array([value], kind.type) for value, kind in zip(trial, SEEDS, strict=True)]
        group.append(pa.table([*seeds, *row.columns], schema=pa.schema([*SEEDS, *row.schema])))
        size += row.nbytes
        if size > GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _common_schema(rows: list[pa.Table]) -> pa.Schema:
    """Schema of rows of which some have no outputs."""
    schema = rows[0].schema
    for part in KEPT_PARTS:
        with_outputs = (row.schema.field(part) for row in rows if row[part].null_count == 0)
        number = schema.get_field_index(part)
        schema = schema.set(number, next(with_outputs, schema.field(part)))
    return schema


def _cast(row: pa.Table, schema: pa.Schema, path: Path) -> pa.Table:
    """A row in the schema of its block. Raises ReseedError for outputs of another type."""
    for name in KEPT_PARTS:
        if row[name].null_count == 0 and row.schema.field(name) != schema.field(name):
            raise ReseedError(
                f"{path}: the outputs of its trials have two types, {schema.field(name).type} and "
                f"{row.schema.field(name).type}. Let the model's `predict` return one type."
            )
    return row.cast(schema)
