"""One score of one item in the log of an evaluation harness."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError


@dataclass(frozen=True)
class LogRow:
    """A score; the labels are those of `Scores.items`.

    score: NaN if the sample failed. input_hash: of what the model was asked; empty if unknown.
    greater_is_better: None if the log does not say. file: the log.
    """

    dataset: str
    model: str
    item: str
    metric: str
    score: float
    seed: str = ""
    prompt: str = ""
    repeat: str = ""
    cluster: str = ""
    input_hash: str = ""
    greater_is_better: bool | None = None
    file: str = ""


def hash_input(value: Any) -> str:
    """Hash of a JSON value, equal for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def read_cluster(metadata: Any, cluster: str | None, path: Path, item: str) -> str:
    """The cluster of an item by a field of its metadata; empty if no field is requested."""
    if cluster is None:
        return ""
    value = metadata.get(cluster) if isinstance(metadata, dict) else None
    if value is None:
        names = ", ".join(metadata) if isinstance(metadata, dict) else "none"
        raise ReseedError(f"{path}: item {item} has no field {cluster!r}; it has {names}.")
    return str(value)
