"""Reader of per-item outputs and training curves, one group of seeds at a time."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from reseed.core.checked_io import TableReader, read_table
from reseed.core.coordinates import KEPT_PARTS
from reseed.core.schemas import CLUSTER, MODEL_SEED_COLUMNS, PREDICTION_COLUMNS, TARGET_COLUMNS, Row
from reseed.metrics.outputs import as_stored_dtype, to_probabilities

_EMPTY = np.empty(0)


@dataclass(frozen=True)
class OutputGroup:
    """Stored outputs of one model on one test set, over model seeds.

    key: values of `PREDICTION_COLUMNS`, and the experiment.
    seeds: one tuple (init, order, dropout, augment) a run.
    scores: (seeds, items) predicted values or probabilities of class 1, or
        (seeds, items, classes) probabilities.
    y_true: (items,) targets.
    failed: number of trials without outputs.
    outputs: the raw outputs of `scores` (`as_stored_dtype`), of the same shape.
    validation: outputs of the validation rows; None if they were not stored.
    validation_true: targets of the validation rows.
    clusters: (items,) code of the cluster of each item, if imported scores have some.
    """

    key: Row
    seeds: list[tuple[int, ...]]
    scores: np.ndarray
    y_true: np.ndarray
    failed: int
    outputs: np.ndarray | None = None
    validation: np.ndarray | None = None
    validation_true: np.ndarray | None = None
    clusters: np.ndarray | None = None


class TemporaryFolder:
    """A folder that is deleted with this object, at the latest at the end of the process.

    `tempfile.TemporaryDirectory` warns where nobody closes it, and a result has no end of use.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="reseed-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class Predictions:
    """Reader of `{folder}/{experiment}/scores.parquet`, `targets.parquet` and `curves.parquet`.

    experiments: those to read, in this order; None for all, by name.
    tasks: the task of each dataset, which determines how raw outputs are read.
    held: the temporary folder of the files, which must live as long as the reader.
    """

    folder: Path
    experiments: list[str] | None = None
    tasks: dict[str, str | None] | None = None
    held: TemporaryFolder | None = None

    def read_groups(self) -> Iterator[OutputGroup]:
        """Every group of every experiment; memory holds the scores of one group at a time."""
        for folder in self._folders():
            if (folder / "scores.parquet").is_file():
                yield from self._read_groups_of(folder)

    def read_curves(self) -> pd.DataFrame:
        """Training curves (`schemas.CURVES`), one row a trial and epoch, of all experiments."""
        files = (folder / "curves.parquet" for folder in self._folders())
        tables = [read_table(file) for file in files if file.is_file()]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    def _folders(self) -> Iterator[Path]:
        """The folder of each experiment to read, in the order of `experiments`."""
        present = sorted(folder.name for folder in self.folder.iterdir())
        wanted = present if self.experiments is None else self.experiments
        return (self.folder / name for name in wanted if name in present)

    def _read_groups_of(self, folder: Path) -> Iterator[OutputGroup]:
        scores, targets = (TableReader(folder / f"{p}.parquet") for p in ("scores", "targets"))
        index = scores.read(PREDICTION_COLUMNS).to_pandas().drop_duplicates()
        for key in index.to_dict("records"):
            split = {name: key[name] for name in TARGET_COLUMNS}
            nested = [CLUSTER] if CLUSTER in targets.columns else []
            truth = _read_values(targets, split, [*KEPT_PARTS, *nested])
            rows = _read_values(scores, key, [*MODEL_SEED_COLUMNS, *KEPT_PARTS])
            finished = [i for i, outputs in enumerate(rows["test"]) if len(outputs)]
            y_true, validation_true = (truth[p][0] if len(truth[p]) else _EMPTY for p in KEPT_PARTS)
            test = _stack([rows["test"][i] for i in finished], len(y_true))
            validation = _stack([rows["validation"][i] for i in finished], len(validation_true))
            known = (self.tasks or {}).get(key["dataset"])
            task = known or ("multiclass" if test.ndim == 3 else "binary")
            test, validation = as_stored_dtype(task, test), as_stored_dtype(task, validation)
            yield OutputGroup(
                {"experiment": folder.name, **key},
                [tuple(int(rows[name][i]) for name in MODEL_SEED_COLUMNS) for i in finished],
                to_probabilities(task, test),
                y_true,
                len(rows["test"]) - len(finished),
                test,
                validation if validation.size else None,
                validation_true if validation.size else None,
                np.asarray(truth[CLUSTER][0]) if nested else None,
            )


def _read_values(table: TableReader, key: Row, columns: list[str]) -> dict[str, list]:
    """Columns of the rows that match `key`; lists are read as arrays, null as an empty one."""
    condition = None
    for name, value in key.items():
        test = pc.field(name) == pc.scalar(value)
        condition = test if condition is None else condition & test
    rows = table.read(columns, condition)
    return {name: [_to_array(cell) for cell in rows[name]] for name in columns}


def _to_array(cell: Any) -> np.ndarray | int:
    values = getattr(cell, "values", None)
    if values is not None:
        return values.to_numpy(zero_copy_only=False)
    value = cell.as_py()
    return np.empty(0) if value is None else value


def _stack(scores: list[np.ndarray], items: int) -> np.ndarray:
    """(seeds, items), or (seeds, items, classes) for several numbers an item."""
    if not scores or not items or any(len(score) % items or not len(score) for score in scores):
        return np.empty((0, items), dtype=np.float32)
    stacked = np.stack(scores)
    classes = stacked.shape[1] // items
    return stacked if classes == 1 else stacked.reshape(len(scores), items, classes)
