"""Rows held out of the training rows for early stopping, if a split has no validation rows."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from reseed.core.random_streams import derive_seed

#: Fraction of the training rows that is held out if a split has no validation rows.
VALIDATION_FRACTION = 0.2


def hold_out(
    rows: np.ndarray,
    size: float | int,
    target: np.ndarray,
    task: str,
    seed: int,
    groups: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Split row numbers into (remaining, held out).

    size: a fraction or a number of rows. The split is stratified for classification if each class
    has two rows and each part has at least as many rows as classes. groups: a label for each row
    of the dataset; then whole groups are held out, and `size` counts groups.
    """
    random_state = derive_seed(seed, "hold out")
    if groups is not None:
        splitter = GroupShuffleSplit(1, test_size=size, random_state=random_state)
        remaining, held_out = next(splitter.split(rows, groups=groups[rows]))
        return rows[remaining], rows[held_out]
    labels = target[rows] if task != "regression" else None
    if labels is not None:
        counts = np.unique(labels, return_counts=True)[1]
        part = np.ceil(size * len(rows)) if isinstance(size, float) else size
        if counts.min() < 2 or min(part, len(rows) - part) < len(counts):
            labels = None
    remaining, held_out = train_test_split(
        rows, test_size=size, random_state=random_state, stratify=labels
    )
    return remaining, held_out
