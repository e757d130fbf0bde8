"""A prepared dataset on disk: its inputs, its targets and `meta.json`.

Targets are in a separate file, so that splits, metrics and collection never open the inputs.
Content is hashed once, when it is written (see `reseed.data.files` for the check of a read).
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.atomic import replace_atomically
from reseed.core.errors import Damaged, ReseedError
from reseed.core.ownership import read_twice
from reseed.data.files import check_file, describe_file
from reseed.data.inputs import KINDS, Inputs
from reseed.data.kinds import INPUTS_FILE, META, PARTS, TARGETS
from reseed.data.meta import DatasetDescription, DatasetMeta, read_meta

__all__ = [
    "Damaged",
    "Prepared",
    "Targets",
    "open_inputs",
    "read_columns",
    "read_meta",
    "read_targets",
    "write_prepared",
]


@dataclass(frozen=True)
class Targets:
    """Targets of all rows.

    target: (n,) float64 for regression, else int64 codes 0 … k-1 (binary: 1 is the positive class).
    groups: (n,) int64 codes, or None.
    parts: (n,) of "train", "validation" or "test" if the dataset has official parts, else None.
    times: (n,) int64 ranks of the times of the rows, or None.
    """

    target: np.ndarray
    groups: np.ndarray | None = None
    parts: np.ndarray | None = None
    times: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.target)

    def sha256(self) -> str:
        """Hash of the values, independent of the file format."""
        digest = hashlib.sha256()
        for name, values in (
            ("target", self.target), ("group", self.groups), ("time", self.times),
        ):  # fmt: skip
            if values is not None:
                digest.update(json.dumps([name, len(values)]).encode())
                digest.update((np.asarray(values, dtype="<f8") + 0.0).tobytes())
        if self.parts is not None:
            digest.update(json.dumps(["part", self.parts.tolist()]).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Prepared:
    """One dataset that is ready to be split; nothing in it was fitted on the rows.

    target, groups, parts, times: as in `Targets`.
    """

    inputs: Inputs
    target: np.ndarray
    groups: np.ndarray | None
    parts: np.ndarray | None
    info: DatasetDescription
    times: np.ndarray | None = None

    @property
    def targets(self) -> Targets:
        """Target, groups, parts and times together."""
        return Targets(self.target, self.groups, self.parts, self.times)


def write_prepared(folder: Path, prepared: Prepared) -> DatasetMeta:
    """Write inputs and targets, each in one step, then `meta.json`; return its content.

    Raises ReseedError if the lengths differ, or if either groups or their column are missing.
    """
    folder, targets, inputs = Path(folder), prepared.targets, prepared.inputs
    _check_lengths(folder, prepared)
    columns = {"target": pa.array(targets.target)}
    if targets.groups is not None:
        columns["group"] = pa.array(targets.groups.astype(np.int64))
    if targets.times is not None:
        columns["time"] = pa.array(targets.times.astype(np.int64))
    parts = None
    if targets.parts is not None:
        columns["part"] = pa.array(targets.parts.tolist()).dictionary_encode()
        parts = {part: int(np.sum(targets.parts == part)) for part in PARTS}
    inputs_file = INPUTS_FILE[inputs.kind]
    with replace_atomically(folder / inputs_file) as path:
        inputs.write(path)
    with replace_atomically(folder / TARGETS) as path:
        pq.write_table(pa.table(columns), path, compression="zstd")
    info, hashes = prepared.info, (inputs.sha256(), targets.sha256())
    meta = DatasetMeta(
        **vars(info),
        **inputs.describe(),
        kind=inputs.kind,
        rows=len(targets),
        parts=parts,
        inputs_sha256=hashes[0],
        targets_sha256=hashes[1],
        content_sha256=_hash_content(inputs.kind, info.task, info.classes, *hashes),
        files={name: describe_file(folder / name) for name in (inputs_file, TARGETS)},
    )
    meta.write(folder)
    return meta


def _check_lengths(folder: Path, prepared: Prepared) -> None:
    targets = prepared.targets
    sizes = {len(prepared.inputs), len(targets)}
    sizes |= {len(v) for v in (targets.groups, targets.parts) if v is not None}
    if len(sizes) > 1:
        raise ReseedError(f"{folder}: inputs, targets, groups and parts differ in length: {sizes}")
    if (prepared.info.group is None) != (targets.groups is None):
        raise ReseedError(f"{folder}: either the group column or the groups are missing")


def _hash_content(*values: object) -> str:
    """Hash of everything in the data that decides the numbers of a trial."""
    return hashlib.sha256(json.dumps(list(values)).encode()).hexdigest()


def read_targets(folder: Path) -> Targets:
    """Read targets, groups, official parts and times; the inputs are not opened. Raises Damaged."""
    path = check_file(folder, read_meta(folder).files, TARGETS)

    def read() -> Targets:
        columns = read_columns(path)
        return Targets(
            columns["target"], columns.get("group"), columns.get("part"), columns.get("time")
        )

    return read_twice(path, read, path.with_name(META))


def read_columns(path: Path, row_group: int | None = None) -> dict[str, np.ndarray]:
    """Columns of a Parquet file without missing values: numbers, or texts of a few levels.

    row_group: read these rows alone.

    pandas is not imported, because that takes longer than the read itself (pyarrow's `to_numpy`
    imports it).
    """
    with pq.ParquetFile(path) as file:
        table = file.read() if row_group is None else file.read_row_group(row_group)
    return {name: _to_array(table[name].combine_chunks()) for name in table.column_names}


def _to_array(column: pa.Array) -> np.ndarray:
    if isinstance(column, pa.DictionaryArray):
        return np.array(column.dictionary.to_pylist(), dtype="<U10")[_to_array(column.indices)]
    return np.array(np.from_dlpack(column))


def open_inputs(folder: Path) -> Inputs:
    """Open the inputs of a prepared dataset; images are memory-mapped. Raises Damaged."""
    meta = read_meta(folder)
    path = check_file(folder, meta.files, INPUTS_FILE[meta.kind])
    opened = KINDS[meta.kind].open
    return read_twice(path, lambda: opened(path, meta.input_fields), path.with_name(META))
