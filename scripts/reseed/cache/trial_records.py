"""The trial record: one small Parquet file with one row, identified by its key alone.

It holds the outcome and the environment, not the study or setting that requested it. So settings
with the same meaning share one record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from reseed.core.coordinates import KEPT_PARTS
from reseed.core.errors import Damaged

CURVE_POINT = pa.struct(
    [("epoch", pa.int32())]
    + [
        (name, pa.float64())
        for name in ("train_loss", "validation_loss", "validation_metric", "test_metric")
    ]
)
#: Fields that are stored as one JSON text. Few columns keep a small file small.
FACTS = (
    *("key", "seeds", "hyperparameters", "status", "error", "metrics", "validation_metrics"),
    *("classes", "converged", "train_seconds", "fingerprint", "environment", "commit"),
    "environment_facts",
)
#: Raw outputs are float32 where they are missing; otherwise they have their own type.
SCHEMA = pa.schema(
    [
        ("facts", pa.string()),
        *((part, pa.list_(pa.float32())) for part in KEPT_PARTS),
        ("curve", pa.list_(CURVE_POINT)),
    ]
)


@dataclass(frozen=True, eq=False)
class TrialRecord:
    """What a trial gave, and where.

    environment, environment_facts: identifier and facts of `core.environment.Environment`. So a
    trial is described without other files; trials of versions up to 0.2 lack the facts.
    hyperparameters: JSON text with sorted keys. status: `ok` or `failed` (then `error` says why).
    classes: columns of the raw outputs. converged: None where training has no limit.
    test, validation: raw outputs (n,) or (n, classes), None where they are not stored or not read.
    curve: one dict an epoch.
    """

    key: str
    seeds: dict[str, int]
    hyperparameters: str
    status: str
    environment: str
    commit: str
    error: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    validation_metrics: dict[str, float] = field(default_factory=dict)
    classes: int | None = None
    converged: bool | None = None
    train_seconds: float = 0.0
    fingerprint: str | None = None
    test: NDArray[Any] | None = None
    validation: NDArray[Any] | None = None
    curve: list[dict[str, float]] | None = None
    environment_facts: dict[str, Any] = field(default_factory=dict)


def write_trial(path: Path, record: TrialRecord) -> None:
    """Write one trial. Raw outputs are stored row by row, in their own type."""
    facts = {name: getattr(record, name) for name in FACTS}
    row: dict[str, Any] = {"curve": record.curve}
    schema = SCHEMA
    for part in KEPT_PARTS:
        if getattr(record, part) is not None:
            outputs = np.asarray(getattr(record, part))
            facts["classes"] = outputs.shape[1] if outputs.ndim == 2 else 1
            row[part] = outputs.ravel()
            column = pa.field(part, pa.list_(pa.from_numpy_dtype(outputs.dtype)))
            schema = schema.set(schema.get_field_index(part), column)
    row["facts"] = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    table = pa.Table.from_pylist([row], schema=schema)
    pq.write_table(
        table, path, compression="zstd", write_statistics=False, write_page_checksum=True
    )


def read_trial(path: Path, columns: Iterable[str] = ()) -> TrialRecord:
    """One trial, with those of `test`, `validation` and `curve` that `columns` names.

    Raises Damaged for a file that is cut short or whose bytes changed; FileNotFoundError.
    """
    wanted = ["facts", *(name for name in SCHEMA.names[1:] if name in columns)]
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read(columns=wanted)
        fields = json.loads(table["facts"][0].as_py())
        for name in wanted[1:]:
            value = table[name][0]
            if name == "curve":
                fields[name] = value.as_py()
            elif value.values is not None:
                outputs = value.values.to_numpy(zero_copy_only=False)
                shape = (-1, fields["classes"]) if fields["classes"] > 1 else -1
                fields[name] = outputs.reshape(shape)
        return TrialRecord(**fields)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, IndexError, KeyError, TypeError) as error:
        raise Damaged(path, f"damaged ({error})") from None
