"""Seeded draws of rows that equal those of scikit-learn, in NumPy alone.

A published data seed is usually the `random_state` of scikit-learn's `train_test_split`, so the
same seed must draw the same rows here. An import of scikit-learn would cost every small job a
second. The streams are those of NumPy's legacy `RandomState`, which are frozen. A test compares
every function with scikit-learn.
"""

import numpy as np


def shuffle_split(
    n: int, drawn: int, stream: np.random.RandomState, strata: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Divide 0 … n-1 at random into the rest and `drawn` of them, both in drawn order.

    strata: (n,) class of each row; both parts have the class shares of the whole, up to rounding.
    Equals `train_test_split(arange(n), test_size=drawn, stratify=strata, random_state=stream)`.
    Raises ValueError if a part would be empty or smaller than the number of classes.
    """
    rest = n - drawn
    if min(rest, drawn) < 1:
        raise ValueError(f"the parts would have {rest} and {drawn} members")
    if strata is None:
        order = stream.permutation(n)
        return order[drawn:], order[:drawn]
    _, codes, counts = np.unique(strata, return_inverse=True, return_counts=True)
    if counts.min() < 2:
        raise ValueError("the rarest class has only one member, and each part needs one")
    if min(rest, drawn) < counts.size:
        raise ValueError(
            f"the parts would have {rest} and {drawn} members, fewer than the {counts.size} classes"
        )
    rest_counts = _allocate(counts, rest, stream)
    drawn_counts = _allocate(counts - rest_counts, drawn, stream)
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    shuffled = [one[stream.permutation(one.size)] for one in members]
    first = np.concatenate([one[:k] for one, k in zip(shuffled, rest_counts, strict=True)])
    second = np.concatenate(
        [one[k : k + m] for one, k, m in zip(shuffled, rest_counts, drawn_counts, strict=True)]
    )
    return stream.permutation(first), stream.permutation(second)


def _allocate(counts: np.ndarray, total: int, stream: np.random.RandomState) -> np.ndarray:
    """Number of rows of each class among `total`: largest remainders, ties drawn at random."""
    exact = counts / counts.sum() * total
    whole = np.floor(exact)
    missing = int(total - whole.sum())
    remainder = exact - whole
    for value in np.unique(remainder)[::-1]:
        if missing <= 0:
            break
        tied = np.flatnonzero(remainder == value)
        count = min(tied.size, missing)
        whole[stream.choice(tied, size=count, replace=False)] += 1
        missing -= count
    return whole.astype(int)


def assign_folds(
    n: int, folds: int, stream: np.random.RandomState, strata: np.ndarray | None = None
) -> np.ndarray:
    """Fold (0 … folds-1) of each of n rows; equals shuffled `KFold` or `StratifiedKFold`."""
    number = np.empty(n, dtype=np.int64)
    if strata is None:
        order = np.arange(n)
        stream.shuffle(order)
        for fold, rows in enumerate(np.array_split(order, folds)):
            number[rows] = fold
        return number
    # scikit-learn numbers classes in the order of their first row.
    _, first, inverse = np.unique(strata, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[inverse.ravel()]
    ordered = np.sort(codes)
    sizes = np.array([np.bincount(ordered[f::folds], minlength=first.size) for f in range(folds)])
    for code in range(first.size):
        class_folds = np.repeat(np.arange(folds), sizes[:, code])
        stream.shuffle(class_folds)
        number[codes == code] = class_folds
    return number


def draw_rows(n: int, count: int, seed: int, strata: np.ndarray | None) -> np.ndarray:
    """Ascending numbers of `count` of n rows, drawn by `seed`. Errors as in `shuffle_split`."""
    order, _ = shuffle_split(n, n - count, np.random.RandomState(seed), strata)
    return np.sort(order)
