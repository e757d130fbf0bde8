"""Ratio of test to training rows, from a table's columns of split sizes."""

from __future__ import annotations

import numpy as np

from reseed.readers.columns import ColumnMap
from reseed.readers.run_keys import ONE_DATASET, join_labels
from reseed.readers.source_table import SourceTable


def read_test_train_ratios(table: SourceTable, columns: ColumnMap) -> dict[str, float]:
    """Test rows over training rows by dataset: the mean over its runs that state both sizes.

    Empty without the columns `n_train` and `n_test`. Tests that correct for overlapping splits
    need it (`analyses.shared.pairing`). Sizes that are not positive numbers are an error.
    """
    if not {"n_train", "n_test"} <= set(columns):
        return {}
    names = [str(columns[name]) for name in ("n_train", "n_test")]
    train, test = map(table.numbers, names)
    bad = (train <= 0) | (test <= 0)
    if bad.any():
        table.add_error(
            f"columns {names[0]!r} and {names[1]!r} must hold numbers of rows above 0",
            "Give how many rows each run trained and was tested on, or remove both columns.",
            bad.index[bad],
        )
        return {}
    ratio = test / train
    if "dataset" not in columns:
        means = {ONE_DATASET: float(ratio.mean())}
    else:
        by_dataset = ratio.groupby(join_labels(table, columns["dataset"])).mean()
        means = {str(name): float(mean) for name, mean in by_dataset.items()}
    return {name: mean for name, mean in means.items() if np.isfinite(mean)}
