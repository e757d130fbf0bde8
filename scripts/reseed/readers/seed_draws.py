"""What the seeds of imported runs draw: training, the split of the data, or both.

A seed such as `random_state` may have drawn the split too. Then runs of different models with one
seed share their test rows, and a test over seeds on one test set claims far too much.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from reseed.readers.columns import ColumnMap
from reseed.readers.options import SeedDraws
from reseed.readers.source_table import SourceTable

#: Columns that name the split of a run.
_SPLITS = ("fold", "data_seed", "repeat")
#: Median correlation of scores over shared seeds from which the note asks.
_CORRELATED = 0.2
#: Fewest shared seeds of a correlation.
_FEWEST = 4


def apply_seed_draws(
    table: SourceTable, columns: ColumnMap, runs: pd.DataFrame, draws: SeedDraws | None
) -> pd.DataFrame:
    """The runs with the split of each that its seed drew, if it did."""
    if draws in (None, "training"):
        return runs
    named = [name for name in _SPLITS if name in columns]
    if named:
        table.add_error(
            f"`seed_draws: {draws}`, but the column {columns[named[0]]!r} names the split",
            "Leave out `seed_draws`, or do not map this column.",
        )
    seeds = runs["seed"] if draws == "both" else 0
    return runs.assign(data_seed=runs["seed"], seed=seeds)


def find_assumed(
    columns: ColumnMap, runs: pd.DataFrame, draws: SeedDraws | None, has_items: bool
) -> set[str]:
    """Datasets whose runs are taken to be on one split, without a column or word that says so."""
    if draws or has_items or set(_SPLITS) & set(columns):
        return set()
    counts = runs.groupby("dataset", sort=False)[["fold", "data_seed", "repeat"]].nunique()
    return {str(name) for name in counts.index[counts.max(axis=1) == 1]}


def ask_what_seeds_draw(
    table: SourceTable, runs: pd.DataFrame, primary: Mapping[str, str], assumed: set[str]
) -> None:
    """Note datasets on which scores of different models move together over seeds."""
    found: dict[str, float] = {}
    for dataset, rows in runs[runs["dataset"].isin(assumed)].groupby("dataset", sort=False):
        scores = rows.pivot_table(index="seed", columns="model", values=primary[str(dataset)])
        with np.errstate(invalid="ignore"):
            matrix = scores.corr(min_periods=_FEWEST).to_numpy()
        pairs = matrix[np.triu_indices(len(matrix), 1)]
        known = pairs[np.isfinite(pairs)]
        if known.size and np.median(known) > _CORRELATED:
            found[str(dataset)] = float(np.median(known))
    if not found:
        return
    name, value = next(iter(found.items()))
    where = f"on {name}" if len(assumed) > 1 else ""
    others = f" (and on {len(found) - 1} more datasets)" if len(found) > 1 else ""
    table.notes.append(
        f"Scores of different models move together over seeds: median correlation {value:.2f}"
        f"{' ' if where else ''}{where}{others}. Did the seed draw the split too? Then the test is "
        "another one: give `seed_draws: split` or `both` (--seed-draws) with `test_train_ratio`; "
        "if it drew the training only, `seed_draws: training`."
    )
