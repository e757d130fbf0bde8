"""A prepared dataset on disk: its inputs, its targets, and what they are in ``meta.json``.

Targets stand in a file of their own: splits, metrics and collecting never open the inputs. Content
is hashed once, when it is written; a reader compares size and time of the file, and its bytes only
where those differ (a copied folder).
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.atomic import replace_atomically, write_json
from reseed.core.errors import Damaged, ReseedError
from reseed.data.files import check_file, describe_file, read_meta
from reseed.data.kinds import INPUTS_FILE, META, PARTS, TARGETS

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
    """What is predicted, row by row.

    target: (n,) float64 for regression, else int64 codes 0..k-1 (binary: 1 = positive). groups:
    (n,) int64 codes, or None. parts: (n,) of "train", "validation" or "test", the dataset's own
    parts, or None where it has none.
    """

    target: np.ndarray
    groups: np.ndarray | None = None
    parts: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.target)

    def sha256(self) -> str:
        """Hash of the values: not of a file format."""
        digest = hashlib.sha256()
        for name, values in (("target", self.target), ("group", self.groups)):
            if values is not None:
                digest.update(json.dumps([name, len(values)]).encode())
                digest.update((np.asarray(values, dtype="<f8") + 0.0).tobytes())
        if self.parts is not None:
            digest.update(json.dumps(["part", self.parts.tolist()]).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Prepared:
    """One dataset, ready to be split; nothing in it was fitted on the rows.

    inputs: as in `reseed.data.inputs`. target, groups, parts: as in `Targets`. meta: what
    ``meta.json`` holds; what can be counted or hashed is set by `write_prepared`.
    """

    inputs: object
    target: np.ndarray
    groups: np.ndarray | None
    parts: np.ndarray | None
    meta: dict

    @property
    def targets(self) -> Targets:
        """Target, groups and parts together."""
        return Targets(self.target, self.groups, self.parts)


def write_prepared(folder: Path, prepared: Prepared) -> dict:
    """Write inputs and targets atomically, then ``meta.json``; return the meta as written."""
    targets, inputs = prepared.targets, prepared.inputs
    sizes = {len(inputs), len(targets)}
    sizes |= {len(v) for v in (targets.groups, targets.parts) if v is not None}
    if len(sizes) > 1:
        raise ReseedError(f"{folder}: inputs, targets, groups and parts differ in length: {sizes}")
    if (prepared.meta.get("group") is None) != (targets.groups is None):
        raise ReseedError(f"{folder}: meta names a group, or groups are given, but not both")
    columns = {"target": pa.array(targets.target)}
    if targets.groups is not None:
        columns["group"] = pa.array(targets.groups.astype(np.int64))
    parts = None
    if targets.parts is not None:
        columns["part"] = pa.array(targets.parts.tolist()).dictionary_encode()
        parts = {part: int(np.sum(targets.parts == part)) for part in PARTS}
    folder = Path(folder)
    inputs_file = INPUTS_FILE[inputs.kind]
    with replace_atomically(folder / inputs_file) as path:
        inputs.write(path)
    with replace_atomically(folder / TARGETS) as path:
        pq.write_table(pa.table(columns), path, compression="zstd")
    meta = {
        **prepared.meta,
        **inputs.facts(),
        "kind": inputs.kind,
        "rows": len(targets),
        "parts": parts,
        "inputs_sha256": inputs.sha256(),
        "targets_sha256": targets.sha256(),
        "files": {name: describe_file(folder / name) for name in (inputs_file, TARGETS)},
    }
    meta["content_sha256"] = _content_sha256(meta)
    write_json(folder / META, meta)
    return meta


def _content_sha256(meta: dict) -> str:
    """What decides a trial's numbers on the side of the data: no title, licence or note."""
    names = ("kind", "task", "classes", "inputs_sha256", "targets_sha256")
    return hashlib.sha256(json.dumps([meta.get(name) for name in names]).encode()).hexdigest()


def read_targets(folder: Path) -> Targets:
    """Targets, groups and official parts; the inputs are not opened. Raises `Damaged`."""
    path = check_file(folder, read_meta(folder), TARGETS)

    def read() -> Targets:
        columns = read_columns(path)
        return Targets(columns["target"], columns.get("group"), columns.get("part"))

    return _reading(path, read)


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """Columns of numbers, or of few different texts, of a Parquet file that has no missing values.

    Without pandas, whose import takes longer than reading (pyarrow's own ``to_numpy`` imports it).
    """
    with pq.ParquetFile(path) as file:
        table = file.read()
    return {name: _values(table[name].combine_chunks()) for name in table.column_names}


def _values(column: pa.Array) -> np.ndarray:
    if isinstance(column, pa.DictionaryArray):
        return np.array(column.dictionary.to_pylist(), dtype="<U10")[_values(column.indices)]
    return np.array(np.from_dlpack(column))


def open_inputs(folder: Path) -> object:
    """The inputs of a prepared dataset, images mapped into memory. Raises `Damaged`."""
    from reseed.data.inputs import KINDS

    meta = read_meta(folder)
    path = check_file(folder, meta, INPUTS_FILE[meta["kind"]])
    return _reading(path, lambda: KINDS[meta["kind"]].open(path, meta))


def _reading(path: Path, read: Callable) -> object:
    try:
        return read()
    except (pa.ArrowInvalid, KeyError, ValueError, OSError) as error:
        raise Damaged(path, f"cannot be read ({error})") from None
