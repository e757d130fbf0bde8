"""How many rows the splits of a user's table train and test on, where it says so."""

from __future__ import annotations

import numpy as np

from reseed.importers.long_table import ONE_DATASET, joined
from reseed.importers.source_table import Table


def split_sizes(table: Table, found: dict) -> dict[str, float]:
    """Test rows over training rows by dataset, the mean over its runs; empty without both columns.

    Tests that allow for overlapping splits need it (`analyses.pairing.test_train_ratio`). Sizes
    that are not positive numbers are a mistake; a run that does not state its own (a failed one) is
    passed over.
    """
    if not {"n_train", "n_test"} <= set(found):
        return {}
    train, test = (table.numbers(found[name]) for name in ("n_train", "n_test"))
    bad = (train <= 0) | (test <= 0)
    if bad.any():
        table.mistake(
            f"columns {found['n_train']!r} and {found['n_test']!r} must hold numbers of rows above "
            "0",
            "Give how many rows each run trained and was tested on, or remove both columns.",
            bad.index[bad],
        )
        return {}
    ratio = test / train
    dataset = joined(table, found["dataset"]) if "dataset" in found else None
    if dataset is None:
        means = {ONE_DATASET: ratio.mean()}
    else:
        means = ratio.groupby(dataset).mean().to_dict()
    return {name: float(mean) for name, mean in means.items() if np.isfinite(mean)}
