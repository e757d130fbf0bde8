"""The trial record: one small Parquet file a trial, one row, with what made it as metadata."""

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from reseed.atomic import replacing
from reseed.coordinates import KEEP, ROLES

CURVE_POINT = pa.struct(
    [
        ("epoch", pa.int32()),
        ("train_loss", pa.float64()),
        ("validation_loss", pa.float64()),
        ("validation_metric", pa.float64()),
    ]
)
SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("scheme", pa.string()),
        ("data_seed", pa.int64()),
        ("repeat", pa.int16()),
        ("fold", pa.int16()),
        ("model", pa.string()),
        ("hyperparameters", pa.string()),
        ("seeds", pa.struct([(role, pa.int64()) for role in ROLES])),
        ("status", pa.string()),
        ("error", pa.string()),
        ("metrics", pa.map_(pa.string(), pa.float64())),
        ("y_score", pa.list_(pa.float64())),
        ("correct", pa.list_(pa.bool_())),
        ("curve", pa.list_(CURVE_POINT)),
        ("train_seconds", pa.float64()),
        ("fingerprint", pa.string()),
    ]
)
_METADATA = b"reseed"


def write_trial(path: str | Path, record: dict, made_by: dict) -> None:
    """Write one trial in one step.

    Args:
        path: target file.
        record: values by `SCHEMA` field; a missing field is null.
        made_by: JSON-able facts of the run (`key`, `keep`, machine, settings).
    """
    row = {name: record.get(name) for name in SCHEMA.names}
    row["metrics"] = sorted((row["metrics"] or {}).items())
    schema = SCHEMA.with_metadata({_METADATA: json.dumps(made_by, sort_keys=True).encode()})
    table = pa.Table.from_pylist([row], schema=schema)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def made_by(path: str | Path) -> dict | None:
    """What made the trial at `path`; None if there is no whole trial file there."""
    try:
        metadata = pq.read_schema(path).metadata or {}
        return json.loads(metadata[_METADATA])
    except (OSError, KeyError, ValueError):
        return None


def is_finished(path: str | Path, key: str, keep: str) -> bool:
    """Whether `path` holds a trial made under `key` that keeps at least `keep`."""
    facts = made_by(path)
    return (
        facts is not None and facts["key"] == key and KEEP.index(facts["keep"]) >= KEEP.index(keep)
    )


def read_trial(path: str | Path, columns: Iterable[str] | None = None) -> dict:
    """One trial as a dict (map and struct columns as Python dicts).

    Raises OSError (pyarrow's ArrowInvalid is one of ValueError) if the file is damaged.
    """
    file = pq.ParquetFile(path)
    row = file.read(columns=list(columns) if columns else None).to_pylist()[0]
    if row.get("metrics") is not None:
        row["metrics"] = dict(row["metrics"])
    return row
