"""Finished fits of searches on disk, each in a file named by its key.

A fit's key contains neither the search space nor the number of configurations. So searches that
overlap share fits, and processes that work on one search never write the same file differently.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from reseed.core.atomic import write_json


def compute_fits_key(key: str, arrays: Iterable[np.ndarray | None], settings: Any) -> str:
    """Hash of all that fits of a search have in common: code and data, arrays and settings."""
    digest = hashlib.sha256(repr((key, settings)).encode())
    for array in arrays:
        digest.update(np.asarray([] if array is None else array).tobytes() + b"|")
    return digest.hexdigest()[:16]


class FitStore:
    """Results of fits in the files `{key}.json` of a folder.

    common: what all fits share. retry_failed: whether failed fits count as missing.
    """

    def __init__(self, folder: Path, common: str, retry_failed: bool = False):
        self.folder, self.common, self.retry_failed = Path(folder), common, retry_failed
        self.folder.mkdir(parents=True, exist_ok=True)

    def key(
        self, rows: int | None, hyperparameters: dict[str, Any], stack: int, folds: list[int]
    ) -> str:
        """Key of one fit: its training rows, hyper-parameters and folds."""
        parts = (self.common, rows, sorted(hyperparameters.items()), stack, folds)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    def load(self, key: str) -> list[dict[str, Any]] | None:
        """The row of each fold; None where the fit is not finished. A damaged file is deleted."""
        path = self.folder / f"{key}.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["key"] == key and content["sha256"] == _hash(content["rows"]):
                failed = any(row["status"] != "ok" for row in content["rows"])
                return None if failed and self.retry_failed else content["rows"]
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError):
            pass
        path.unlink(missing_ok=True)
        return None

    def save(self, key: str, rows: list[dict[str, Any]]) -> None:
        """Write a finished fit in one step."""
        content = {"key": key, "rows": rows, "sha256": _hash(rows)}
        write_json(self.folder / f"{key}.json", content)


def _hash(rows: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
