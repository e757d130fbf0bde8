"""The trial record: one small Parquet file, one row, named by its key alone.

It says what came out and in which environment, not which study or setting asked for it: the plan
knows that. So settings that mean the same share one record.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.coordinates import KEPT_PARTS, ROLES
from reseed.errors import Damaged

CURVE_POINT = pa.struct(
    [("epoch", pa.int32())]
    + [
        (name, pa.float64())
        for name in ("train_loss", "validation_loss", "validation_metric", "test_metric")
    ]
)
METRICS = pa.map_(pa.string(), pa.float64())
SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("seeds", pa.struct([(role, pa.int64()) for role in ROLES])),
        ("hyperparameters", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("metrics", METRICS),
        ("validation_metrics", METRICS),
        *((part, pa.list_(pa.float32())) for part in KEPT_PARTS),
        ("classes", pa.int32()),
        ("curve", pa.list_(CURVE_POINT)),
        ("converged", pa.bool_()),
        ("train_seconds", pa.float64()),
        ("fingerprint", pa.string()),
        ("environment", pa.string()),
        ("commit", pa.string()),
    ]
)


def write_trial(path: Path, record: dict) -> None:
    """Write one trial; values by `SCHEMA` field, a missing field is null.

    Raw outputs (n,) or (n, classes) are kept row by row; `classes` tells them apart.
    """
    row = {name: record.get(name) for name in SCHEMA.names}
    for name in ("metrics", "validation_metrics"):
        row[name] = sorted((row[name] or {}).items())
    for part in KEPT_PARTS:
        if row[part] is not None:
            outputs = np.asarray(row[part], dtype=np.float32)
            row["classes"] = outputs.shape[1] if outputs.ndim == 2 else 1
            row[part] = outputs.ravel()
    table = pa.Table.from_pylist([row], schema=SCHEMA)
    pq.write_table(
        table, path, compression="zstd", write_statistics=False, write_page_checksum=True
    )


def read_trial(path: Path, columns: Iterable[str] | None = None) -> dict:
    """One trial as a dict, its raw outputs as float32 arrays.

    Raises Damaged for a file that is cut short or whose bytes changed; FileNotFoundError.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read(columns=list(columns) if columns else None)
        row = {
            name: column[0].as_py()
            for name, column in zip(table.column_names, table.columns, strict=True)
            if name not in KEPT_PARTS
        }
        for part in set(KEPT_PARTS) & set(table.column_names):
            values = table[part][0].values
            row[part] = None if values is None else values.to_numpy(zero_copy_only=False)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise Damaged(path, f"damaged ({error})") from None
    for part in set(KEPT_PARTS) & set(row):
        if row[part] is not None and (row.get("classes") or 1) > 1:
            row[part] = row[part].reshape(-1, row["classes"])
    for name in ("metrics", "validation_metrics"):
        if name in row:
            row[name] = dict(row[name] or ())
    return row
