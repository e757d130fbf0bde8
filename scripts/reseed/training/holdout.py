"""Rows held out of training rows, for a model that stops early where a split has none for it."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from reseed.core.random_streams import derive_seed

#: Share of the training rows held out where a split has no validation rows.
VALIDATION_FRACTION = 0.2


def hold_out(
    rows: np.ndarray,
    size: float | int,
    target: np.ndarray,
    task: str,
    seed: int,
    groups: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Split row numbers into (kept, held out), ``size`` being a share or a number of rows.

    Stratified for classification where each class has two rows and each part room for every
    class; whole groups if ``groups`` (one label a row of the dataset) are given, where ``size``
    then counts groups.
    """
    random_state = derive_seed(seed, "hold out")
    if groups is not None:
        splitter = GroupShuffleSplit(1, test_size=size, random_state=random_state)
        kept, held = next(splitter.split(rows, groups=groups[rows]))
        return rows[kept], rows[held]
    labels = target[rows] if task != "regression" else None
    if labels is not None:
        counts = np.unique(labels, return_counts=True)[1]
        part = np.ceil(size * len(rows)) if isinstance(size, float) else size
        if counts.min() < 2 or min(part, len(rows) - part) < len(counts):
            labels = None
    kept, held = train_test_split(rows, test_size=size, random_state=random_state, stratify=labels)
    return kept, held
