"""Per-item scores of an experiment's trials, read one group of seeds at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from reseed.core.checked_io import TableReader, read_table
from reseed.core.coordinates import KEPT_PARTS
from reseed.core.schemas import MODEL_SEED_COLUMNS, PREDICTION_COLUMNS, TARGET_COLUMNS
from reseed.metrics.outputs import as_stored_dtype as kept_as
from reseed.metrics.outputs import to_probabilities


@dataclass(frozen=True)
class Group:
    """Scores of one model on one test set.

    `scores` is (seeds, items) predictions or probabilities of class 1, or (seeds, items, classes)
    probabilities; `outputs` are the raw outputs behind them (`as_stored_dtype`), of their shape;
    `validation` those of the validation rows (None where they were not kept). `seeds` holds one
    tuple (init, order, dropout, augment) a row; `y_true` is (items,), `validation_true` likewise.
    `failed` trials have no scores and are counted only.
    """

    key: dict
    seeds: list[tuple[int, ...]]
    scores: np.ndarray
    y_true: np.ndarray
    failed: int
    outputs: np.ndarray | None = None
    validation: np.ndarray | None = None
    validation_true: np.ndarray | None = None


@dataclass(frozen=True)
class Predictions:
    """Reader of `{folder}/{experiment}/scores.parquet`, `targets.parquet` and `curves.parquet`.

    `tasks`: the task of each dataset, by which raw outputs are read. `held`: what keeps a temporary
    folder, which then lives as long as its reader.
    """

    folder: Path
    experiments: list[str] | None = None
    tasks: dict[str, str] | None = None
    held: Any = None

    def folders(self) -> Iterator[Path]:
        """The folder of each wanted experiment."""
        for folder in sorted(self.folder.iterdir()):
            if self.experiments is None or folder.name in self.experiments:
                yield folder

    def groups(self) -> Iterator[Group]:
        """Every group of every experiment; memory holds one group's scores at a time."""
        for folder in self.folders():
            if (folder / "scores.parquet").is_file():
                yield from self._groups_of(folder)

    def curves(self) -> pd.DataFrame:
        """Learning curves (`schemas.CURVES`), one row a trial and epoch, of all experiments."""
        files = (folder / "curves.parquet" for folder in self.folders())
        frames = [read_table(file) for file in files if file.is_file()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def _groups_of(self, folder: Path) -> Iterator[Group]:
        scores, targets = (
            TableReader(folder / f"{part}.parquet") for part in ("scores", "targets")
        )
        index = scores.read(PREDICTION_COLUMNS).to_pandas().drop_duplicates()
        for key in index.to_dict("records"):
            truth = _values(targets, {name: key[name] for name in TARGET_COLUMNS}, list(KEPT_PARTS))
            rows = _values(scores, key, [*MODEL_SEED_COLUMNS, *KEPT_PARTS])
            kept = [i for i, outputs in enumerate(rows["test"]) if len(outputs)]
            y_true, y_validation = (truth[p][0] if len(truth[p]) else _NONE for p in KEPT_PARTS)
            outputs = _stack([rows["test"][i] for i in kept], len(y_true))
            held = _stack([rows["validation"][i] for i in kept], len(y_validation))
            task = (self.tasks or {}).get(key["dataset"]) or _task_of(outputs)
            outputs, held = kept_as(task, outputs), kept_as(task, held)
            yield Group(
                {"experiment": folder.name, **key},
                [tuple(int(rows[name][i]) for name in MODEL_SEED_COLUMNS) for i in kept],
                to_probabilities(task, outputs),
                y_true,
                len(rows["test"]) - len(kept),
                outputs,
                held if held.size else None,
                y_validation if held.size else None,
            )


_NONE = np.empty(0)


def _task_of(outputs: np.ndarray) -> str:
    return "multiclass" if outputs.ndim == 3 else "binary"


def _values(table: TableReader, key: dict, columns: list[str]) -> dict[str, list]:
    """Columns of the rows that match `key`; a list comes as an array (null: an empty one)."""
    condition = None
    for name, value in key.items():
        test = pc.field(name) == pc.scalar(value)
        condition = test if condition is None else condition & test
    rows = table.read(columns, condition)
    return {name: [_array(cell) for cell in rows[name]] for name in columns}


def _array(cell) -> np.ndarray | int:
    values = getattr(cell, "values", None)
    if values is not None:
        return values.to_numpy(zero_copy_only=False)
    value = cell.as_py()
    return np.empty(0) if value is None else value


def _stack(scores: list[np.ndarray], items: int) -> np.ndarray:
    """(seeds, items) or, where there are several numbers an item, (seeds, items, classes)."""
    if not scores or not items or any(len(score) % items or not len(score) for score in scores):
        return np.empty((0, items), dtype=np.float32)
    stacked = np.stack(scores)
    classes = stacked.shape[1] // items
    return stacked if classes == 1 else stacked.reshape(len(scores), items, classes)
