"""Per-item scores of an experiment's trials, read one group of seeds at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.dataset as ds

from reseed.analyses.arms import ARM

#: What trials of one group share: a model on one split, of which only the model seed differs.
GROUP = ["dataset", "scheme", "model", "hyperparameters_source", "data_seed", "repeat", "fold"]
SPLIT = ["dataset", "scheme", "data_seed", "repeat", "fold"]
SEEDS = ["init", "order", "dropout", "augment"]


@dataclass(frozen=True)
class Group:
    """Scores of one model on one test set.

    `scores` is (seeds, items), or (seeds, items, classes) for multi-class probabilities; `seeds`
    holds one tuple (init, order, dropout, augment) a row; `y_true` is (items,). `failed` trials
    have no scores and are counted only.
    """

    key: dict
    seeds: list[tuple[int, ...]]
    scores: np.ndarray
    y_true: np.ndarray
    failed: int


@dataclass(frozen=True)
class Predictions:
    """Reader of `{folder}/{experiment}/scores.parquet` and `targets.parquet`."""

    folder: Path
    experiments: list[str] | None = None

    def groups(self) -> Iterator[Group]:
        """Every group of every experiment; memory holds one group's scores at a time."""
        for folder in sorted(self.folder.iterdir()):
            wanted = self.experiments is None or folder.name in self.experiments
            if wanted and (folder / "scores.parquet").is_file():
                yield from self._groups_of(folder)

    def _groups_of(self, folder: Path) -> Iterator[Group]:
        scores, targets = (ds.dataset(folder / f"{part}.parquet") for part in ("scores", "targets"))
        place = [*GROUP, ARM] if ARM in scores.schema.names else GROUP
        index = scores.to_table(columns=place).to_pandas().drop_duplicates()
        for key in index.to_dict("records"):
            y_true = _values(targets, {name: key[name] for name in SPLIT}, ["y_true"])["y_true"]
            rows = _values(scores, key, [*SEEDS, "y_score"])
            kept = [i for i, score in enumerate(rows["y_score"]) if len(score)]
            truth = y_true[0] if len(y_true) else np.empty(0)
            yield Group(
                {"experiment": folder.name, **key},
                [tuple(int(rows[name][i]) for name in SEEDS) for i in kept],
                _stack([rows["y_score"][i] for i in kept], len(truth)),
                truth,
                len(rows["y_score"]) - len(kept),
            )


def _values(table: ds.Dataset, key: dict, columns: list[str]) -> dict[str, list]:
    """Columns of the rows that match `key`; a list comes as an array (null: an empty one)."""
    condition = None
    for name, value in key.items():
        test = pc.field(name) == pc.scalar(value)
        condition = test if condition is None else condition & test
    rows = table.to_table(columns=columns, filter=condition)
    return {name: [_array(cell) for cell in rows[name]] for name in columns}


def _array(cell) -> np.ndarray | int:
    values = getattr(cell, "values", None)
    if values is not None:
        return values.to_numpy(zero_copy_only=False)
    value = cell.as_py()
    return np.empty(0) if value is None else value


def _stack(scores: list[np.ndarray], items: int) -> np.ndarray:
    """(seeds, items) or, where there are several numbers an item, (seeds, items, classes)."""
    if not scores or not items:
        return np.empty((0, items))
    stacked = np.stack(scores)
    classes = stacked.shape[1] // items
    return stacked if classes == 1 else stacked.reshape(len(scores), items, classes)
