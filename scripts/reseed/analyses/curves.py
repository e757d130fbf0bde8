"""Learning curves over seeds: mean, SD and extremes at each epoch [Picard, Figure 1]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.analyses.shared.training_curves import CurveOptions, Curves, read_training_curves
from reseed.core.schemas import CELL_COLUMNS, Row
from reseed.stats.curves import curve_band

READS = "curves"

COLUMNS = [
    *CELL_COLUMNS, "column", "measure", "greater_is_better", "epoch", "n", "runs", "left_out",
    "ended", "mean", "sd", "min", "max",
]  # fmt: skip


class Options(CurveOptions):
    """ended: what becomes of a run after its last epoch: `drop` (it counts until then), `carry`
    (its last value counts on) or `cut` (only epochs that all runs have).
    """

    ended: Literal["drop", "carry", "cut"] = "drop"


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm and epoch (from 1); `n` of the arm's `runs` enter it, failed ones do not."""
    rows = [
        row for found in read_training_curves(data, options.column) for row in _rows(found, options)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(found: Curves, options: Options) -> Iterator[Row]:
    ended, values = options.ended, found.finished
    if not len(values):
        return
    band = curve_band(values, ended)
    shared = found.key | {
        "column": found.column,
        "measure": found.name,
        "greater_is_better": found.greater_is_better,
        "runs": len(values),
        "left_out": found.n_left_out,
        "ended": ended,
    }
    for i in range(len(band.n)):
        yield shared | {
            "epoch": int(found.epochs[i]),
            "n": int(band.n[i]),
            "mean": band.mean[i],
            "sd": band.sd[i],
            "min": band.min[i],
            "max": band.max[i],
        }
