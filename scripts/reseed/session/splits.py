"""Splits of a session: random splits, a scikit-learn splitter's, or the user's row numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseed.core.errors import ReseedError
from reseed.core.identifiers import TIME_PREFIX
from reseed.data.splits import Scheme, Split, make_split, select_fold
from reseed.data.store import Targets

#: Share of the rows outside the test set that is used for early stopping, as in a study file. A
#: model that does not stop early is trained on them too.
_VALIDATION = 0.2
_NO_ROWS = np.empty(0, dtype=np.int64)
#: The split scheme if no folds are known.
UNKNOWN_SCHEME = "given"
#: The fix that `make_split` suggests for a study file, and the same fix here.
_UNSTRATIFIED = ("stratify: false", "task='regression' where y holds counts")


@dataclass(frozen=True, eq=False)
class SplitId:
    """One split, with the number of its repeat (`data_seed`) and fold."""

    data_seed: int
    fold: int
    split: Split


@dataclass(frozen=True, eq=False)
class Design:
    """All splits, the name of their scheme, and the share of test rows (NaN: unknown).

    are_windows: each tests on later rows than it trains on, so they are no draws.
    """

    splits: list[SplitId]
    scheme: str
    test_ratio: float = np.nan
    are_windows: bool = False


def make_design(splits: Any, test: float | None, targets: Targets, task: str, rows: int) -> Design:
    """The splits that `study` is called with.

    Args:
        splits: a number of random splits, their data seeds as a `range`, a scikit-learn splitter,
            or pairs (train, test) of row numbers or masks.
        test: share of the test rows, or None if the rows from `rows` on are the test set.

    Raises:
        ReseedError: for invalid splits.
    """
    if test is None:
        train, test_rows = np.arange(rows), np.arange(rows, len(targets))
        return Design([SplitId(0, 0, Split(train, _NO_ROWS, test_rows))], "official")
    if isinstance(splits, float) and 0 < splits < 1:
        raise ReseedError(
            f"splits: {splits} is no number of splits; test={splits} is the share of test rows"
        )
    if isinstance(splits, bool | str):
        raise ReseedError(
            "splits: give a number, a splitter as KFold(5), or pairs of row numbers, not "
            f"{splits!r}"
        )
    if targets.times is not None and isinstance(splits, int | np.integer | range):
        return _cut_windows(splits, test, targets, task)
    if isinstance(splits, int | np.integer):
        return _draw_splits(range(int(splits)), test, targets, task)
    if isinstance(splits, range):
        return _draw_splits(splits, test, targets, task)
    if hasattr(splits, "split"):
        try:
            pairs = list(splits.split(np.zeros((rows, 1)), targets.target, targets.groups))
        except ValueError as error:
            raise ReseedError(f"splits: {type(splits).__name__}: {error}") from None
    else:
        pairs = list(splits) if isinstance(splits, Iterable) else [splits]
    checked = [_check_pair(n, pair, targets, rows) for n, pair in enumerate(pairs)]
    if len(checked) > 1 and all(one.train.max() < one.test.min() for one in checked):
        numbered = [SplitId(0, fold, one) for fold, one in enumerate(checked)]
        return Design(numbered, f"{TIME_PREFIX}{len(checked)}", are_windows=True)
    return _number_splits(checked, rows)


def _cut_windows(splits: Any, test: float, targets: Targets, task: str) -> Design:
    if isinstance(splits, range):
        raise ReseedError("splits: windows of time have no data seeds: give their number")
    scheme: Scheme = {
        "kind": "time", "folds": int(splits), "test": test, "validation": _VALIDATION,
    }  # fmt: skip
    frame = make_split(scheme, targets, task, 0)
    numbered = [SplitId(0, fold, select_fold(frame, fold)) for fold in range(int(splits))]
    return Design(numbered, f"{TIME_PREFIX}{splits}", are_windows=True)


def _draw_splits(seeds: range, test: float, targets: Targets, task: str) -> Design:
    if not len(seeds):
        raise ReseedError("splits: give at least 1")
    test = test.item() if isinstance(test, np.generic) else test
    try:
        splits = [SplitId(seed, 0, _draw_split(test, targets, task, seed)) for seed in seeds]
    except ReseedError as error:
        raise ReseedError(str(error).replace(*_UNSTRATIFIED)) from None
    return Design(splits, f"holdout-{test!r}", float(test))


def _draw_split(test: float, targets: Targets, task: str, seed: int) -> Split:
    """A random split; without validation rows if there are too few rows to draw them.

    Most models use none; others then hold out training rows (`reseed.training.holdout`).
    """
    scheme: Scheme = {
        "kind": "holdout",
        "test": test,
        "validation": _VALIDATION,
        "stratify": True,
    }
    try:
        return select_fold(make_split(scheme, targets, task, seed))
    except ReseedError:
        return select_fold(make_split({**scheme, "validation": 0.0}, targets, task, seed))


def _check_pair(number: int, pair: Any, targets: Targets, rows: int) -> Split:
    """The split of a pair (train, test); ReseedError if its rows cannot be a split."""
    name = f"splits: number {number}"
    try:
        train, test = (_read_row_numbers(part, rows) for part in pair)
    except (TypeError, ValueError, IndexError):
        raise ReseedError(
            f"{name} is no pair (train, test) of row numbers or masks of {rows} rows"
        ) from None
    if not (train.size and test.size):
        raise ReseedError(f"{name} has no {'test' if train.size else 'training'} rows")
    both = np.concatenate([train, test])
    outside = both[(both < 0) | (both >= rows)]
    if outside.size:
        raise ReseedError(f"{name} names row {outside[0]}: rows are 0 … {rows - 1}")
    if np.intersect1d(train, test).size or np.unique(test).size < test.size:
        raise ReseedError(f"{name} tests on rows that it trains on, or twice on one row")
    groups = targets.groups
    if groups is not None and np.intersect1d(groups[train], groups[test]).size:
        raise ReseedError(f"{name} has a group on both sides: use a splitter for groups")
    times = targets.times
    if times is not None and times[train].max() >= times[test].min():
        raise ReseedError(f"{name} trains on times of its test rows, or later ones")
    return Split(train, _NO_ROWS, np.sort(test))


def _read_row_numbers(part: Any, rows: int) -> np.ndarray:
    values = np.asarray(part)
    if values.dtype == bool:
        if values.shape != (rows,):
            raise ValueError("the mask has another length")
        return np.flatnonzero(values)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise TypeError("not row numbers")
    return values.astype(np.int64)


def _number_splits(splits: list[Split], rows: int) -> Design:
    """Folds and repeats if the test sets partition the rows, else overlapping splits."""
    folds = _count_folds(splits, rows)
    ratio = float(np.mean([s.test.size / (s.test.size + s.train.size) for s in splits]))
    if folds is None:
        numbered = [SplitId(number, 0, split) for number, split in enumerate(splits)]
        return Design(numbered, UNKNOWN_SCHEME, ratio)
    numbered = [SplitId(n // folds, n % folds, split) for n, split in enumerate(splits)]
    return Design(numbered, f"kfold-{folds}", ratio)


def _count_folds(splits: list[Split], rows: int) -> int | None:
    """k if every k consecutive splits test each row once, else None."""
    is_tested, count, sizes = np.zeros(rows, dtype=bool), 0, []
    for split in splits:
        if is_tested[split.test].any():
            return None
        is_tested[split.test] = True
        count += 1
        if is_tested.all():
            sizes.append(count)
            is_tested, count = np.zeros(rows, dtype=bool), 0
    is_complete = not is_tested.any() and len(set(sizes)) == 1 and sizes[0] > 1
    return sizes[0] if is_complete else None
