"""Read and write tables and JSON files that one job writes and another reads.

Each page of a table has a checksum. A file that cannot be read raises `Damaged`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from reseed.core import atomic
from reseed.core.atomic import replace_atomically
from reseed.core.file_keys import FIELD, check_key, current_keys
from reseed.core.ownership import read_twice

_CHECKED = ds.ParquetFileFormat(
    default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
)


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Write a table, with the key of the job, in one step."""
    table = with_key(pa.Table.from_pandas(frame, preserve_index=False))
    with replace_atomically(path) as temporary:
        pq.write_table(table, temporary, write_page_checksum=True)


Keyed = TypeVar("Keyed", pa.Table, pa.Schema)


def with_key(table: Keyed) -> Keyed:
    """A table or schema with the key of the job that runs here, if any, in its metadata."""
    key = current_keys().own
    metadata = table.metadata if isinstance(table, pa.Schema) else table.schema.metadata
    keyed = {**(metadata or {}), FIELD.encode(): key.encode()}
    if not key:
        return table
    is_schema = isinstance(table, pa.Schema)
    return table.with_metadata(keyed) if is_schema else table.replace_schema_metadata(keyed)


def read_table(path: Path) -> pd.DataFrame:
    """Read all rows of a table. Raises Damaged, and Stale for another key than expected."""

    def read() -> pd.DataFrame:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            _check_schema(path, file.schema_arrow)
        return pd.read_parquet(path, page_checksum_verification=True)

    return read_twice(path, read)


def _check_schema(path: Path, schema: pa.Schema) -> None:
    written = (schema.metadata or {}).get(FIELD.encode())
    check_key(path, None if written is None else written.decode())


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON file, with the key of the job, in one step."""
    key = current_keys().own
    atomic.write_json(path, {**value, FIELD: key} if key else value)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file. Raises Damaged, and Stale for another key than expected."""

    def read() -> dict[str, Any]:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(value, dict):
            raise ValueError("it holds no object")
        check_key(path, value.pop(FIELD, None))
        return value

    return read_twice(path, read)


class TableReader:
    """A table that is read in parts."""

    def __init__(self, path: Path):
        self.path = path
        self._dataset = read_twice(path, lambda: ds.dataset(path, format=_CHECKED))
        read_twice(path, lambda: _check_schema(path, self._dataset.schema))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._dataset.schema.names

    def read(self, columns: list[str], condition: ds.Expression | None = None) -> pa.Table:
        """Read columns of the rows that meet a condition. Raises Damaged."""
        return read_twice(
            self.path, lambda: self._dataset.to_table(columns=columns, filter=condition)
        )
