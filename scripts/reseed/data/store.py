"""A prepared dataset: raw typed rows in ``rows.parquet`` and what they are in ``meta.json``."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.atomic import replacing, write_json
from reseed.errors import ReseedError

ROWS = "rows.parquet"
META = "meta.json"


@dataclass(frozen=True)
class Prepared:
    """One dataset, ready to be split; nothing in it was fitted on the rows.

    features: one column a feature; numeric ones float64 (missing = NaN), categorical ones text
    (missing = NaN). target: float64 for regression, else int64 codes 0..k-1 (binary: 1 = positive).
    groups: int64 group code of each row, or None. meta: what ``meta.json`` holds.
    """

    features: pd.DataFrame
    target: np.ndarray
    groups: np.ndarray | None
    meta: dict


def content_sha256(features: pd.DataFrame, target: np.ndarray, groups: np.ndarray | None) -> str:
    """SHA-256 of the values, their names and order: not of any library's file format.

    Numbers enter as little-endian float64 with one NaN and one zero, text as length-prefixed UTF-8.
    """
    digest = hashlib.sha256()

    def add(name: str, values: pd.Series | np.ndarray) -> None:
        numeric = pd.api.types.is_numeric_dtype(values.dtype)
        digest.update(json.dumps([name, "numeric" if numeric else "text", len(values)]).encode())
        if numeric:
            numbers = np.asarray(values, dtype="<f8") + 0.0  # -0.0 becomes 0.0
            numbers[np.isnan(numbers)] = np.nan
            digest.update(numbers.tobytes())
            return
        codes, levels = pd.factorize(np.asarray(values, dtype=object))
        texts = [str(level).encode() for level in levels]
        coded = [len(text).to_bytes(8, "little") + text for text in texts] + [b"\xff" * 8]
        digest.update(b"".join(coded[code] for code in codes))  # code -1 (missing) = the last

    for name in features.columns:
        add(str(name), features[name])
    add("<target>", target)
    if groups is not None:
        add("<groups>", groups)
    return digest.hexdigest()


def write_prepared(folder: Path, prepared: Prepared) -> Prepared:
    """Write both files atomically, ``meta.json`` last; return what was written.

    ``meta["content_sha256"]`` and ``meta["rows"]`` are set here, from the values.
    """
    meta = prepared.meta
    group = meta.get("group")
    if (group is None) != (prepared.groups is None):
        raise ReseedError(
            f"{folder}: meta 'group' is {group!r}, which does not fit the groups given"
        )
    frame = prepared.features.assign(**{meta["target"]: prepared.target})
    if group is not None:
        frame[group] = prepared.groups
    if frame.shape[1] != prepared.features.shape[1] + 1 + (group is not None):
        raise ReseedError(f"{folder}: target or group column is also a feature: {meta['target']!r}")
    meta = {
        **meta,
        "rows": len(frame),
        "content_sha256": content_sha256(prepared.features, prepared.target, prepared.groups),
    }
    folder = Path(folder)
    with replacing(folder / ROWS) as path:
        table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        pq.write_table(table, path, compression="zstd")
    write_json(folder / META, meta)
    return dataclasses.replace(prepared, meta=meta)


def read_meta(folder: Path) -> dict:
    """``meta.json`` of a prepared dataset alone: cheap, no rows are read."""
    path = Path(folder) / META
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReseedError(f"{path} is missing: prepare the dataset first") from None
    except ValueError as error:
        raise ReseedError(
            f"{path} is damaged ({error}): delete the folder and prepare again"
        ) from None


def read_prepared(folder: Path) -> Prepared:
    """Read what `write_prepared` wrote; refuse rows that do not match ``meta.json``."""
    meta = read_meta(folder)
    path = Path(folder) / ROWS
    fix = "delete the folder and prepare again"
    try:
        frame = pq.read_table(path).to_pandas()
    except FileNotFoundError:
        raise ReseedError(f"{path} is missing: {fix}") from None
    except (pa.ArrowInvalid, OSError) as error:
        raise ReseedError(f"{path} is damaged ({error}): {fix}") from None
    names = [feature["name"] for feature in meta["features"]]
    absent = [name for name in [*names, meta["target"]] if name not in frame]
    if absent:
        raise ReseedError(f"{path} lacks {absent}, which {META} names: {fix}")
    features = frame[names].astype(
        {f["name"]: "str" if f["kind"] == "categorical" else "float64" for f in meta["features"]}
    )
    target = frame[meta["target"]].to_numpy()
    groups = None if meta["group"] is None else frame[meta["group"]].to_numpy()
    found = content_sha256(features, target, groups)
    if found != meta["content_sha256"]:
        raise ReseedError(
            f"{path}: values hash to {found}, {META} says {meta['content_sha256']}: {fix}"
        )
    return Prepared(features, target, groups, meta)
