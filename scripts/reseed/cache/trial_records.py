"""The trial record: one small Parquet file, one row, named by its key alone.

It says what came out and in which environment, not which study or setting asked for it: the plan
knows that. So settings that mean the same share one record.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.coordinates import KEPT_PARTS
from reseed.core.errors import Damaged

CURVE_POINT = pa.struct(
    [("epoch", pa.int32())]
    + [
        (name, pa.float64())
        for name in ("train_loss", "validation_loss", "validation_metric", "test_metric")
    ]
)
#: What a record says in one JSON text. Few columns keep a small file small.
FACTS = (
    *("key", "seeds", "hyperparameters", "status", "error", "metrics", "validation_metrics"),
    *("classes", "converged", "train_seconds", "fingerprint", "environment", "commit"),
)
#: Of outputs that are missing; those that are there keep their own type.
SCHEMA = pa.schema(
    [
        ("facts", pa.string()),
        *((part, pa.list_(pa.float32())) for part in KEPT_PARTS),
        ("curve", pa.list_(CURVE_POINT)),
    ]
)


def write_trial(path: Path, record: dict) -> None:
    """Write one trial: `FACTS`, raw outputs by part, and `curve`; what is missing is null.

    Raw outputs (n,) or (n, classes) are kept row by row, in the type they have; `classes` tells
    them apart.
    """
    facts = {name: record.get(name) for name in FACTS}
    row, schema = {"curve": record.get("curve")}, SCHEMA
    for part in KEPT_PARTS:
        if record.get(part) is not None:
            outputs = np.asarray(record[part])
            facts["classes"] = outputs.shape[1] if outputs.ndim == 2 else 1
            row[part] = outputs.ravel()
            field = pa.field(part, pa.list_(pa.from_numpy_dtype(outputs.dtype)))
            schema = schema.set(schema.get_field_index(part), field)
    row["facts"] = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    table = pa.Table.from_pylist([row], schema=schema)
    pq.write_table(
        table, path, compression="zstd", write_statistics=False, write_page_checksum=True
    )


def read_trial(path: Path, columns: Iterable[str] = ()) -> dict:
    """One trial's facts as a dict, with those of `test`, `validation` and `curve` asked for.

    Raw outputs are arrays (n,) or (n, classes), as they were written, or None. Raises Damaged for
    a file that is cut short or whose bytes changed; FileNotFoundError.
    """
    wanted = ["facts", *(name for name in SCHEMA.names[1:] if name in columns)]
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read(columns=wanted)
        record = json.loads(table["facts"][0].as_py())
        for name in wanted[1:]:
            value = table[name][0]
            if name == "curve":
                record[name] = value.as_py()
            elif value.values is None:
                record[name] = None
            else:
                outputs = value.values.to_numpy(zero_copy_only=False)
                shape = (-1, record["classes"]) if record["classes"] > 1 else -1
                record[name] = outputs.reshape(shape)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
        raise Damaged(path, f"damaged ({error})") from None
    return record
