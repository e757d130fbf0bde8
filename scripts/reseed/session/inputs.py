"""What is learnt, from arrays, frames or lists in memory: rows, target, groups, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.data.columns import encode_target, format_label
from reseed.data.store import Targets
from reseed.metrics.outputs import TASKS

#: Whole numbers with more values than this are classes only if the user says so.
_MANY_CLASSES = 30
_WHERE = "study"


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of X, and their weights or None."""

    X: Any
    weights: np.ndarray | None

    def __len__(self) -> int:
        return _length(self.X)

    def own(self) -> Any:
        """X for one training: an array is shared and locked, a frame, sparse matrix or list a copy.

        They cannot be locked, and what one training wrote would reach those after it.
        """
        shared = isinstance(self.X, np.ndarray) or not hasattr(self.X, "copy")
        return self.X if shared else self.X.copy()

    @property
    def nbytes(self) -> int:
        """Bytes held, as far as X tells."""
        return getattr(self.X, "nbytes", 200 * len(self))


class Given:
    """X as the user holds it, with an own test set behind it if there is one.

    Rows reach a model as they are: an array's or sparse matrix's, a frame's, a list's.
    """

    def __init__(self, X: Any, X_test: Any = None, weights: np.ndarray | None = None):
        self.parts = [X] if X_test is None else [X, X_test]
        self.weights = weights

    def __len__(self) -> int:
        return sum(map(_length, self.parts))

    def take(self, rows: np.ndarray) -> Part:
        """Rows of these numbers, all of X or all of the own test set."""
        rows = np.asarray(rows, dtype=np.int64)
        n = _length(self.parts[0])
        if rows.size and rows[0] >= n:
            return Part(_rows(self.parts[1], rows - n), None)
        return Part(_rows(self.parts[0], rows), _weights(self.weights, rows))


def _weights(weights: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if weights is None else weights[rows]


def _length(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _rows(X: Any, rows: np.ndarray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


@dataclass(frozen=True, eq=False)
class Learnt:
    """Checked input: `inputs` and `targets` of all rows, of which the first `rows` may be split.

    `classes` are the labels in the order of their codes (None: a regression).
    """

    inputs: Given
    targets: Targets
    task: str
    classes: list[str] | None
    rows: int
    notes: list[str]


def _refuse_unseen(known: pd.Series, test: pd.Series) -> None:
    """ReseedError for labels of the test set that training never saw."""
    classes = sorted(set(map(format_label, known.dropna())))
    unseen = sorted(set(map(format_label, test.dropna())) - set(classes))
    if unseen:
        raise ReseedError(
            f"y of test holds {', '.join(map(repr, unseen[:6]))}, y only "
            f"{', '.join(map(repr, classes[:6]))}. Write labels alike in both, or leave these rows "
            "out"
        )


def learnt(
    X: Any,
    y: Any,
    own_test: tuple | None,
    task: str,
    positive: object,
    groups: Any,
    sample_weight: Any,
) -> Learnt:
    """Check X and y (and an own test set); ReseedError names what is wrong and the fix."""
    X, labels = _as_rows(X, "X"), _one_target(y, "y")
    rows = _length(X)
    if not rows:
        raise ReseedError("X holds no rows")
    _same_length("y", labels, rows, "X")
    X_test = None
    if own_test is not None:
        X_test, y_test = _as_rows(own_test[0], "X of test"), _one_target(own_test[1], "y of test")
        _same_length("y of test", y_test, _length(X_test), "its X")
        labels = pd.concat([labels, y_test], ignore_index=True)
    labels.name = "y"
    # A label that only the test set has makes no task: it could not be learnt.
    chosen = _task(labels[:rows]) if task == "auto" else task
    if chosen not in TASKS:
        raise ReseedError(f"task {task!r}: use auto, {', '.join(TASKS)}")
    if own_test is not None and chosen != "regression":
        _refuse_unseen(labels[:rows], labels[rows:])
    target, classes = encode_target(_WHERE, labels, chosen, positive)
    weights = _weights_of(sample_weight, rows)
    notes = ["Sample weights were used in training; scores weigh every test row alike."]
    return Learnt(
        Given(X, X_test, weights),
        Targets(target, _groups_of(groups, rows)),
        chosen,
        classes,
        rows,
        notes if weights is not None else [],
    )


def _as_rows(X: Any, name: str) -> Any:
    if isinstance(X, list | tuple):
        if X and isinstance(X[0], int | float | list):
            try:
                return np.asarray(X)
            except ValueError:
                raise ReseedError(f"{name}: rows differ in length: give each as many") from None
        return list(X)
    if not hasattr(X, "shape") or isinstance(X, pd.Series):
        return list(X)
    if len(X.shape) < 2:
        if getattr(X, "dtype", None) is not None and X.dtype.kind in "OUST":
            return X.tolist()
        raise ReseedError(
            f"{name} has shape {tuple(X.shape)}: give a row an example (n, features), images as"
            " (n, height, width, channels), or a list of texts"
        )
    return X.tocsr() if hasattr(X, "tocsr") else X  # of sparse forms the one whose rows are taken


def _one_target(y: Any, name: str) -> pd.Series:
    values = y if hasattr(y, "shape") else np.asarray(y, dtype=None)
    if len(values.shape) == 2 and values.shape[1] == 1:
        values = values.iloc[:, 0] if hasattr(values, "iloc") else values[:, 0]
    if len(values.shape) != 1:
        if not values.shape:
            raise ReseedError(f"{name} is {y!r}: give one target a row of X")
        columns = values.shape[1]
        raise ReseedError(
            f"{name} has {columns} columns, and one target is compared at a time: give one of them"
            f" ({name}[:, 0]), and call study once for each"
        )
    return pd.Series(np.asarray(values)).infer_objects()


def _same_length(what: str, values: Any, rows: int, whose: str) -> None:
    if len(values) != rows:
        raise ReseedError(f"{what} has {len(values)} values for the {rows} rows of {whose}")


def _task(labels: pd.Series) -> str:
    """Regression for fractions and for many different floats, else by the number of classes."""
    count = len({format_label(value) for value in labels.dropna().unique()})
    fractions = pd.api.types.is_float_dtype(labels) and (labels.dropna() % 1 != 0).any()
    if fractions or (pd.api.types.is_float_dtype(labels) and count > _MANY_CLASSES):
        return "regression"
    if pd.api.types.is_numeric_dtype(labels) and count > _MANY_CLASSES:
        raise ReseedError(
            f"y holds {count} different whole numbers: say whether they are values"
            " (task='regression') or classes (task='multiclass')"
        )
    return "binary" if count == 2 else "multiclass"


def _groups_of(groups: Any, rows: int) -> np.ndarray | None:
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.ndim != 1:
        raise ReseedError(
            f"groups has shape {values.shape}: give one label a row of X, as groups=X['patient']"
        )
    values = pd.Series(values)
    _same_length("groups", values, rows, "X")
    if values.isna().any():
        raise ReseedError("groups: a row has none: give each row its group, or remove it")
    return pd.factorize(values, sort=True)[0].astype(np.int64)


def _weights_of(sample_weight: Any, rows: int) -> np.ndarray | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ReseedError(f"sample_weight has shape {weights.shape}: give one number a row of X")
    _same_length("sample_weight", weights, rows, "X")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ReseedError("sample_weight: give finite numbers of 0 or more, not all of them 0")
    return weights
