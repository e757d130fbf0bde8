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
    """ended: how a run counts after its last epoch: `drop` (not at all), `carry` (its last value)
    or `cut` (only epochs that all runs have are shown).
    """

    ended: Literal["drop", "carry", "cut"] = "drop"


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm and epoch (from 1), over `n` of the arm's `runs` that did not fail."""
    curves = read_training_curves(data, options.column)
    rows = [row for of_arm in curves for row in _rows(of_arm, options.ended)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(curves: Curves, ended: Literal["drop", "carry", "cut"]) -> Iterator[Row]:
    values = curves.finished
    if not len(values):
        return
    band = curve_band(values, ended)
    shared = curves.key | {
        "column": curves.column,
        "measure": curves.name,
        "greater_is_better": curves.greater_is_better,
        "runs": len(values),
        "left_out": curves.n_left_out,
        "ended": ended,
    }
    for i in range(len(band.n)):
        yield shared | {
            "epoch": int(curves.epochs[i]),
            "n": int(band.n[i]),
            "mean": band.mean[i],
            "sd": band.sd[i],
            "min": band.min[i],
            "max": band.max[i],
        }
