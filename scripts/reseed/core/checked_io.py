"""Tables and facts that one job makes and another reads: damage is told, and made good.

Each page of a table carries a checksum. What cannot be read is `Damaged`: the script that finds it
removes the file, and the next run makes it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
    """Within it, what goes wrong is damage of `path`."""
    try:
        yield
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise Damaged(path, f"cannot be read ({error})") from None


def write_table(path: Path, frame: pd.DataFrame) -> None:
    """Write a table in one step."""
    with replace_atomically(path) as temporary:
        frame.to_parquet(temporary, index=False, write_page_checksum=True)


def read_table(path: Path) -> pd.DataFrame:
    """All of a table. Raises Damaged."""
    with raise_damaged(path):
        return pd.read_parquet(path, page_checksum_verification=True)


def read_json(path: Path) -> dict:
    """What a JSON file says. Raises Damaged."""
    with raise_damaged(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


class TableReader:
    """A table of which parts are read, one after another."""

    def __init__(self, path: Path):
        self.path = path
        with raise_damaged(path):
            self._dataset = ds.dataset(path, format=_CHECKED)

    def read(self, columns: list[str], condition: ds.Expression | None = None) -> pa.Table:
        """Columns of the rows that meet a condition. Raises Damaged."""
        with raise_damaged(self.path):
            return self._dataset.to_table(columns=columns, filter=condition)
