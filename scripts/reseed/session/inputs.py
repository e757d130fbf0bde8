"""Checks X, y, groups and weights in memory and converts them to training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.data.columns import encode_target, format_label, rank_times
from reseed.data.store import Targets
from reseed.metrics.outputs import TASKS

#: Whole numbers with more values than this are classes only if the user states it.
_MAX_CLASSES = 30
#: Estimated bytes of a row of a list or frame.
_ROW_BYTES = 200
#: Labels that a message lists.
_MAX_LABELS = 6
#: What errors name as the source of the data.
_SOURCE = "study"


@dataclass(frozen=True, eq=False)
class RowSubset:
    """Rows of X, and their weights or None."""

    X: Any
    weights: np.ndarray | None

    def __len__(self) -> int:
        return _count_rows(self.X)

    def get_X(self) -> Any:
        """X for one training: read-only arrays are shared, other types are copied.

        Changes to a frame, sparse matrix or list would affect later trainings.
        """
        is_shared = isinstance(self.X, np.ndarray) or not hasattr(self.X, "copy")
        return self.X if is_shared else self.X.copy()

    @property
    def nbytes(self) -> int:
        """Bytes of X, estimated if X does not state them."""
        return getattr(self.X, "nbytes", _ROW_BYTES * len(self))


class MemoryInputs:
    """X as the user passed it, followed by the rows of a test set if there is one.

    Rows reach a model unchanged: as rows of an array or sparse matrix, of a frame, or of a list.
    """

    def __init__(self, X: Any, X_test: Any = None, weights: np.ndarray | None = None):
        self.parts = [X] if X_test is None else [X, X_test]
        self.weights = weights

    def __len__(self) -> int:
        return sum(map(_count_rows, self.parts))

    def take(self, rows: np.ndarray) -> RowSubset:
        """Rows of these numbers: all in X, or all in the test set."""
        rows = np.asarray(rows, dtype=np.int64)
        n = _count_rows(self.parts[0])
        if rows.size and rows[0] >= n:
            return RowSubset(_take_rows(self.parts[1], rows - n), None)
        weights = None if self.weights is None else self.weights[rows]
        return RowSubset(_take_rows(self.parts[0], rows), weights)


def _count_rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _take_rows(X: Any, rows: np.ndarray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Checked data: `inputs` and `targets` of all rows, of which the first `rows` may be split.

    classes: labels in the order of their codes; None for a regression.
    """

    inputs: MemoryInputs
    targets: Targets
    task: str
    classes: list[str] | None
    rows: int
    notes: list[str]


def read_training_data(
    X: Any,
    y: Any,
    test_set: tuple[Any, Any] | None,
    task: str,
    positive: object,
    groups: Any,
    time: Any,
    sample_weight: Any,
) -> TrainingData:
    """Check X, y and a test set (X_test, y_test); arguments as of `reseed.study`.

    Raises ReseedError for invalid data, with the fix.
    """
    X, labels = _read_rows(X, "X"), _read_target(y, "y")
    rows = _count_rows(X)
    if not rows:
        raise ReseedError("X holds no rows")
    _check_length("y", labels, rows, "X")
    X_test = None
    if test_set is not None:
        X_test = _read_rows(test_set[0], "X of test")
        y_test = _read_target(test_set[1], "y of test")
        _check_length("y of test", y_test, _count_rows(X_test), "its X")
        labels = pd.concat([labels, y_test], ignore_index=True)
    labels.name = "y"
    # Labels that only the test set has do not count: they cannot be learned.
    inferred = _infer_task(labels[:rows]) if task == "auto" else task
    if inferred not in TASKS:
        raise ReseedError(f"task {task!r}: use auto, {', '.join(TASKS)}")
    if test_set is not None and inferred != "regression":
        _refuse_unseen_labels(labels[:rows], labels[rows:])
    target, classes = encode_target(_SOURCE, labels, inferred, positive)
    weights = _read_weights(sample_weight, rows)
    notes = []
    if weights is not None:
        notes = ["Sample weights were used in training; scores weigh all test rows equally."]
    return TrainingData(
        inputs=MemoryInputs(X, X_test, weights),
        targets=Targets(target, _read_groups(groups, rows), times=_read_times(time, rows)),
        task=inferred,
        classes=classes,
        rows=rows,
        notes=notes,
    )


def _refuse_unseen_labels(known: pd.Series, test: pd.Series) -> None:
    """Raise ReseedError for labels of the test set that y does not have."""
    classes = sorted(set(map(format_label, known.dropna())))
    unseen = sorted(set(map(format_label, test.dropna())) - set(classes))
    if unseen:
        raise ReseedError(
            f"y of test holds {', '.join(map(repr, unseen[:_MAX_LABELS]))}, y only "
            f"{', '.join(map(repr, classes[:_MAX_LABELS]))}. Write labels in the same way in both,"
            " or leave these rows out"
        )


def _read_rows(X: Any, name: str) -> Any:
    """X as an array, frame, sparse matrix or list; ReseedError if it has no rows of one length."""
    if isinstance(X, list | tuple):
        if X and isinstance(X[0], int | float | list):
            try:
                return np.asarray(X)
            except ValueError:
                raise ReseedError(
                    f"{name}: rows differ in length: give all rows the same length"
                ) from None
        return list(X)
    if not hasattr(X, "shape") or isinstance(X, pd.Series):
        return list(X)
    if len(X.shape) < 2:
        if getattr(X, "dtype", None) is not None and X.dtype.kind in "OUST":
            return X.tolist()
        raise ReseedError(
            f"{name} has shape {tuple(X.shape)}: give one row for each example (n, features),"
            " images as (n, height, width, channels), or a list of texts"
        )
    return X.tocsr() if hasattr(X, "tocsr") else X  # the sparse format whose rows can be selected


def _read_target(y: Any, name: str) -> pd.Series:
    values = y if hasattr(y, "shape") else np.asarray(y, dtype=None)
    if len(values.shape) == 2 and values.shape[1] == 1:
        values = values.iloc[:, 0] if hasattr(values, "iloc") else values[:, 0]
    if len(values.shape) != 1:
        if not values.shape:
            raise ReseedError(f"{name} is {y!r}: give one target for each row of X")
        columns = values.shape[1]
        raise ReseedError(
            f"{name} has {columns} columns, and one target is compared at a time: give one of them"
            f" ({name}[:, 0]), and call study once for each"
        )
    return pd.Series(np.asarray(values)).infer_objects()


def _check_length(what: str, values: Any, rows: int, source: str) -> None:
    if len(values) != rows:
        raise ReseedError(f"{what} has {len(values)} values for the {rows} rows of {source}")


def _infer_task(labels: pd.Series) -> str:
    """Regression for fractions and for many different floats, else by the number of classes."""
    count = len({format_label(value) for value in labels.dropna().unique()})
    is_float = pd.api.types.is_float_dtype(labels)
    has_fractions = is_float and (labels.dropna() % 1 != 0).any()
    if has_fractions or (is_float and count > _MAX_CLASSES):
        return "regression"
    if pd.api.types.is_numeric_dtype(labels) and count > _MAX_CLASSES:
        raise ReseedError(
            f"y holds {count} different whole numbers: say whether they are values"
            " (task='regression') or classes (task='multiclass')"
        )
    return "binary" if count == 2 else "multiclass"


def _read_groups(groups: Any, rows: int) -> np.ndarray | None:
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ReseedError(
            f"groups has shape {values.shape}: give one label for each row of X, as"
            " groups=X['patient']"
        )
    labels = pd.Series(values)
    _check_length("groups", labels, rows, "X")
    if labels.isna().any():
        raise ReseedError("groups: a row has none: give each row its group, or remove it")
    return pd.factorize(labels, sort=True)[0].astype(np.int64)


def _read_times(time: Any, rows: int) -> np.ndarray | None:
    if time is None:
        return None
    times = pd.Series(np.asarray(time), name="time")
    _check_length("time", times, rows, "X")
    return rank_times(_SOURCE, times)


def _read_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ReseedError(
            f"sample_weight has shape {weights.shape}: give one number for each row of X"
        )
    _check_length("sample_weight", weights, rows, "X")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ReseedError("sample_weight: give finite numbers of 0 or more, not all of them 0")
    return weights
