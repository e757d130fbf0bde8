"""Read and write tables and JSON files that one job writes and another reads.

Each page of a table has a checksum. A file that cannot be read raises `Damaged`; the job runner
deletes it, and the next run regenerates it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from reseed.core.atomic import replace_atomically
from reseed.core.errors import Damaged

_CHECKED = ds.ParquetFileFormat(
    default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
)


@contextmanager
def raise_damaged(path: Path) -> Iterator[None]:
    """Convert read errors of the body to `Damaged` for `path`."""
    try:
        yield
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise Damaged(path, f"cannot be read ({error})") from None


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Write a table in one step."""
    with replace_atomically(path) as temporary:
        frame.to_parquet(temporary, index=False, write_page_checksum=True)


def read_table(path: Path) -> pd.DataFrame:
    """Read all rows of a table. Raises Damaged."""
    with raise_damaged(path):
        return pd.read_parquet(path, page_checksum_verification=True)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file. Raises Damaged."""
    with raise_damaged(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


class TableReader:
    """A table that is read in parts."""

    def __init__(self, path: Path):
        self.path = path
        with raise_damaged(path):
            self._dataset = ds.dataset(path, format=_CHECKED)

    def read(self, columns: list[str], condition: ds.Expression | None = None) -> pa.Table:
        """Read columns of the rows that meet a condition. Raises Damaged."""
        with raise_damaged(self.path):
            return self._dataset.to_table(columns=columns, filter=condition)
