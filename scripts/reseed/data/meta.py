"""`meta.json` of a prepared dataset and of pretrained weights, as classes.

The module imports the standard library only, because planning reads these files too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, TypedDict

from reseed.core.atomic import write_json
from reseed.core.ownership import read_twice
from reseed.data.features import Feature
from reseed.data.kinds import META


class FileFacts(TypedDict):
    """Size in bytes, modification time and SHA-256 of a file."""

    size: int
    mtime_ns: int
    sha256: str


#: Fields that only one kind of inputs has; other kinds leave them out of the file.
_KIND_FIELDS = ("features", "shape", "columns")


@dataclass(frozen=True, kw_only=True)
class _Meta:
    """A `meta.json` file; its fields are those of the class."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read `meta.json` in `folder`. Raises Damaged."""
        path = Path(folder) / META
        known = {one.name for one in fields(cls)}

        def read() -> dict[str, Any]:
            content = json.loads(path.read_text(encoding="utf-8"))
            return {name: value for name, value in content.items() if name in known}

        return read_twice(path, lambda: cls(**read()))

    def write(self, folder: Path) -> None:
        """Write `meta.json` in `folder` in one step."""
        write_json(Path(folder) / META, self.to_json())

    def to_json(self) -> dict[str, Any]:
        """The content of the file."""
        content = asdict(self)
        return {k: v for k, v in content.items() if v is not None or k not in _KIND_FIELDS}


@dataclass(frozen=True, kw_only=True)
class DatasetDescription:
    """What was read of a dataset; its texts stay in its configuration file.

    classes: labels in the order of their codes; None for regression.
    positive: label of class 1 of a binary task.
    class_counts: rows by label.
    source: the source that was used, with the SHA-256 of each file.
    attempts: one line for each source that was tried.
    words: mean number of words of a text; None for other kinds of inputs.
    """

    name: str
    task: str
    target: str
    group: str | None = None
    classes: list[str] | None = None
    positive: str | None = None
    class_counts: dict[str, int] | None = None
    source: dict[str, Any] = field(default_factory=dict)
    attempts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: float | None = None


@dataclass(frozen=True, kw_only=True)
class DatasetMeta(DatasetDescription, _Meta):
    """`meta.json` of a prepared dataset.

    parts: rows of each official part, if the dataset has official parts.
    features: columns of a table.
    shape: height, width and channels of an image.
    columns: text columns.
    content_sha256: hash of everything in the data that decides the numbers of a trial.
    """

    kind: str
    rows: int
    inputs_sha256: str
    targets_sha256: str
    content_sha256: str
    files: dict[str, FileFacts]
    parts: dict[str, int] | None = None
    features: list[Feature] | None = None
    shape: list[int] | None = None
    columns: list[str] | None = None

    @property
    def input_fields(self) -> dict[str, Any]:
        """Fields that only this kind of inputs has (see `Inputs.describe`)."""
        return {k: getattr(self, k) for k in _KIND_FIELDS if getattr(self, k) is not None}


@dataclass(frozen=True, kw_only=True)
class WeightsMeta(_Meta):
    """`meta.json` of pretrained weights.

    sha256: hash of the names and bytes of the files. It is part of the key of each trial that
    uses the weights.
    """

    name: str
    files: dict[str, FileFacts]
    sha256: str
    title: str | None = None
    licence: str | None = None
    citation: str | None = None
    notes: list[str] | None = None
    source: dict[str, Any] = field(default_factory=dict)
    attempts: list[str] = field(default_factory=list)


def read_meta(folder: Path) -> DatasetMeta:
    """Read `meta.json` of a prepared dataset; no rows are read. Raises Damaged."""
    return DatasetMeta.read(folder)
