"""Training curves of each arm's runs, as one array an arm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import default_metric
from reseed.core.errors import ReseedError
from reseed.core.schemas import CELL_COLUMNS, SEED_COLUMNS, Row
from reseed.metrics.names import infer_direction
from reseed.plugins.options import Strict

#: The trial of a curve. Runs are sorted by these columns in this order.
RUN_COLUMNS = [*SEED_COLUMNS, "repeat", "fold"]
EPOCH = "epoch"


class CurveOptions(Strict):
    """column: of the training curves."""

    column: Literal["train_loss", "validation_loss", "validation_metric", "test_metric"] = (
        "validation_metric"
    )


@dataclass(frozen=True)
class Curves:
    """One arm's curves of one column.

    key: values of `CELL_COLUMNS`.
    name: the measure, in words.
    runs: one row a curve, with `RUN_COLUMNS`.
    epochs: (epochs,) from 1 on.
    values: (runs, epochs), NaN after a run's last epoch. An epoch without a measurement has the
        value of the epoch before.
    n_left_out: runs whose curve has no first value or an infinite one.
    failed: (runs,) whether a run ended in an error, such as a diverging loss. Its last value is
        not a result.
    """

    key: Row
    column: str
    name: str
    greater_is_better: bool
    runs: pd.DataFrame
    epochs: np.ndarray
    values: np.ndarray
    n_left_out: int
    failed: np.ndarray

    @property
    def finished(self) -> np.ndarray:
        """Values (runs, epochs) of the runs that did not fail."""
        return self.values[~self.failed]

    def epoch_of(self, position: np.ndarray) -> np.ndarray:
        """Epochs of positions in a curve, counted from 1; infinite stays infinite."""
        is_known = np.isfinite(position)
        epoch = self.epochs[np.where(is_known, position, 1).astype(int) - 1]
        return np.where(is_known, epoch, np.inf)


def read_training_curves(data: Data, column: str) -> Iterator[Curves]:
    """Curves of a column of the training curves, by arm.

    `validation_metric` and `test_metric` are the accuracy of classifiers and the mean squared
    error of regressions, whatever the primary metric of the dataset. Less is better in a column
    of a loss. Raises ReseedError for a column that was not collected.
    """
    table = data.predictions.read_curves() if data.predictions is not None else pd.DataFrame()
    if table.empty:
        return
    if column not in table:
        known = [name for name in table if name.endswith(("loss", "metric"))]
        raise ReseedError(
            f"column {column!r} is not in the training curves: they hold {', '.join(known)}. Set "
            "the analysis's option `column`, or let the models' recipes measure it."
        )
    experiments = set(data.metrics["experiment"]) if "experiment" in data.metrics else set()
    table = with_arms(table[table["experiment"].isin(experiments)])
    columns = [name for name in CELL_COLUMNS if name in table]
    trial = [*columns, *RUN_COLUMNS]
    broken = pd.MultiIndex.from_frame(data.metrics.loc[data.metrics["status"] != "ok", trial])
    for values_of_key, rows in table.groupby(columns, sort=False, dropna=False):
        key = dict(zip(columns, values_of_key, strict=True))
        runs, epochs, values, left_out = _stack(rows, column)
        if not values.size:
            continue
        metric = default_metric(data.info.datasets[key["dataset"]].task)
        name = column.replace("metric", metric).replace("_", " ")
        is_up = bool(infer_direction(name))
        failed = pd.MultiIndex.from_frame(runs.assign(**key)[trial]).isin(broken)
        yield Curves(key, column, name, is_up, runs, epochs, values, left_out, failed)


def _stack(rows: pd.DataFrame, column: str) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, int]:
    """Runs, epochs, values (runs, epochs), and the number of runs left out."""
    # Runs are numbered: a pivot by all seed columns would have a row for each combination of them.
    number = rows.groupby(RUN_COLUMNS, dropna=False, sort=True).ngroup()
    first_rows = rows[RUN_COLUMNS].assign(run=number).drop_duplicates("run")
    runs = first_rows.set_index("run").sort_index()
    wide = rows.assign(run=number).pivot(index="run", columns=EPOCH, values=column)
    wide = wide.loc[:, wide.notna().any()]
    values, epochs = wide.to_numpy(dtype=np.float64), wide.columns.to_numpy(dtype=np.int64)
    if not values.size:
        return runs, epochs, values, len(wide)
    # A missing measurement has the value before it; after the last measurement, the run is over.
    is_over = np.flip(np.cumsum(np.flip(~np.isnan(values), axis=1), axis=1), axis=1) == 0
    values = np.where(is_over, np.nan, wide.ffill(axis=1).to_numpy(dtype=np.float64))
    is_valid = ~np.isnan(values[:, 0]) & ~np.isinf(values).any(axis=1)
    runs = runs[is_valid].reset_index(drop=True)
    return runs, epochs + (epochs[0] == 0), values[is_valid], int((~is_valid).sum())
