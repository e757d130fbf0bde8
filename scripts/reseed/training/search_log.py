"""Finished fits of a search on disk, so that an interrupted search can be resumed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.atomic import replace_atomically

FIT_COLUMNS = ["rung", "configuration", "fold"]


def compute_search_key(key: str, arrays: Iterable[np.ndarray | None], settings: Any) -> str:
    """Return the hash of everything that defines a search: the cache key, arrays and settings."""
    digest = hashlib.sha256(repr((key, settings)).encode())
    for array in arrays:
        digest.update(np.asarray([] if array is None else array).tobytes() + b"|")
    return digest.hexdigest()[:16]


class SearchLog:
    """One row for each finished fit, in Parquet files `{key}-{number}.parquet` of a folder.

    Files with another key are neither read nor changed.
    """

    def __init__(self, folder: Path, key: str):
        self.folder, self.key = Path(folder), key
        self.folder.mkdir(parents=True, exist_ok=True)
        stored = [pd.read_parquet(p) for p in sorted(self.folder.glob(f"{key}-*.parquet"))]
        self._rows: list[dict] = pd.concat(stored).to_dict("records") if stored else []
        self._files, self._saved = len(stored), len(self._rows)
        self._done = {tuple(row[k] for k in FIT_COLUMNS) for row in self._rows}

    def has(self, rung: int, configuration: int, fold: int) -> bool:
        """Whether a fit is finished."""
        return (rung, configuration, fold) in self._done

    def add(self, row: dict[str, Any]) -> None:
        """Add a fit; `save` writes it."""
        self._rows.append(row)
        self._done.add(tuple(row[k] for k in FIT_COLUMNS))

    def save(self) -> None:
        """Write the fits that were added since the last save to one file, in one step."""
        if len(self._rows) == self._saved:
            return
        path = self.folder / f"{self.key}-{self._files:05d}.parquet"
        with replace_atomically(path) as temporary:
            pd.DataFrame(self._rows[self._saved :]).to_parquet(temporary, index=False)
        self._files, self._saved = self._files + 1, len(self._rows)

    def frame(self) -> pd.DataFrame:
        """Return all fits, sorted independently of the time at which each finished."""
        columns = [*FIT_COLUMNS, "rows", "score", "seconds", "status", "error"]
        frame = pd.DataFrame(self._rows, columns=columns)
        return frame.sort_values(FIT_COLUMNS, ignore_index=True)
