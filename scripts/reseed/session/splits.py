"""Which rows train and test: random splits of Reseed's own, a splitter's, or the user's indices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseed.core.errors import ReseedError
from reseed.data.splits import Split, make_split, select_fold
from reseed.data.store import Targets

#: As in a study's file: rows held for early stopping, of those that are not test rows. A model
#: that does not stop early is trained on them too.
_VALIDATION = 0.2
_NONE = np.empty(0, dtype=np.int64)
GIVEN = "given"
#: What `make_split` advises in a study's file, and what does the same here.
_UNSTRATIFIED = ("stratify: false", "task='regression' where y holds counts")


@dataclass(frozen=True, eq=False)
class Place:
    """One split, under the number of its repeat (`data_seed`) and fold."""

    data_seed: int
    fold: int
    split: Split


@dataclass(frozen=True, eq=False)
class Design:
    """All splits, the name of their scheme, and the share of test rows (NaN: told by the folds)."""

    places: list[Place]
    scheme: str
    test_ratio: float = np.nan


def design(splits: Any, test: float | None, targets: Targets, task: str, rows: int) -> Design:
    """Splits as `study` takes them; ReseedError for what cannot be split so.

    splits: a number of random splits, the numbers (data seeds) themselves as a `range`, a
    scikit-learn splitter, or pairs of row numbers or masks (train, test). test: share of the test
    rows, or None where the rows from `rows` on are the test set.
    """
    if test is None:
        train, own = np.arange(rows), np.arange(rows, len(targets))
        return Design([Place(0, 0, Split(train, _NONE, own))], "official")
    if isinstance(splits, float) and 0 < splits < 1:
        raise ReseedError(
            f"splits: {splits} is no number of splits; test={splits} is the share of test rows"
        )
    if isinstance(splits, bool | str):
        raise ReseedError(
            "splits: give a number, a splitter as KFold(5), or pairs of row numbers, not "
            f"{splits!r}"
        )
    if isinstance(splits, int | np.integer | range):
        return _random(splits, test, targets, task)
    if hasattr(splits, "split"):
        try:
            pairs = list(splits.split(np.zeros((rows, 1)), targets.target, targets.groups))
        except ValueError as error:
            raise ReseedError(f"splits: {type(splits).__name__}: {error}") from None
    else:
        pairs = list(splits) if isinstance(splits, Iterable) else [splits]
    return _named([_checked(n, pair, targets, rows) for n, pair in enumerate(pairs)], rows)


def _random(splits: int | range, test: float, targets: Targets, task: str) -> Design:
    seeds = splits if isinstance(splits, range) else range(int(splits))
    if not len(seeds):
        raise ReseedError("splits: give at least 1")
    test = test.item() if isinstance(test, np.generic) else test
    try:
        places = [Place(s, 0, _drawn(test, targets, task, s)) for s in seeds]
    except ReseedError as error:
        raise ReseedError(str(error).replace(*_UNSTRATIFIED)) from None
    return Design(places, f"holdout-{test!r}", float(test))


def _drawn(test: float, targets: Targets, task: str, seed: int) -> Split:
    """A random split, without validation rows where there are too few rows to draw them.

    Most models use none, and one that does then holds out training rows (`training.holdout`).
    """
    scheme = {"kind": "holdout", "test": test, "validation": _VALIDATION, "stratify": True}
    try:
        return select_fold(make_split(scheme, targets, task, seed))
    except ReseedError:
        return select_fold(make_split(scheme | {"validation": 0.0}, targets, task, seed))


def _checked(number: int, pair: Any, targets: Targets, rows: int) -> Split:
    name = f"splits: number {number}"
    try:
        train, test = (_numbers(part, rows) for part in pair)
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
    return Split(train, _NONE, np.sort(test))


def _numbers(part: Any, rows: int) -> np.ndarray:
    values = np.asarray(part)
    if values.dtype == bool:
        if values.shape != (rows,):
            raise ValueError("a mask of another length")
        return np.flatnonzero(values)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise TypeError("no row numbers")
    return values.astype(np.int64)


def _named(splits: list[Split], rows: int) -> Design:
    """Folds and repeats where test sets tile the rows, else splits that overlap."""
    folds = _folds(splits, rows)
    ratio = float(np.mean([s.test.size / (s.test.size + s.train.size) for s in splits]))
    if folds is None:
        places = [Place(number, 0, split) for number, split in enumerate(splits)]
        return Design(places, GIVEN, ratio)
    places = [Place(n // folds, n % folds, split) for n, split in enumerate(splits)]
    return Design(places, f"kfold-{folds}", ratio)


def _folds(splits: list[Split], rows: int) -> int | None:
    """k where every k splits in a row test each row once, else None."""
    seen, count, sizes = np.zeros(rows, dtype=bool), 0, []
    for split in splits:
        if seen[split.test].any():
            return None
        seen[split.test] = True
        count += 1
        if seen.all():
            sizes.append(count)
            seen, count = np.zeros(rows, dtype=bool), 0
    whole = not seen.any() and len(set(sizes)) == 1 and sizes[0] > 1
    return sizes[0] if whole else None
