"""Ratio of the SDs over seeds of arms: does one source of randomness move the score more?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.core.coordinates import base_name
from reseed.core.errors import suggest_name
from reseed.core.schemas import CELL_COLUMNS, Row
from reseed.plugins.options import Level, Strict
from reseed.stats.spread import sd_ratio

_LEAST = 5  # seeds of each of the two
#: With the arm, what names the cell of a baseline.
_PLACE = ["experiment", "dataset", "scheme", "varied", "hyperparameters_source"]


COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "mean", "sd", "baseline", "baseline_experiment",
    "baseline_dataset", "baseline_scheme", "baseline_varied", "baseline_hyperparameters_source",
    "n_baseline", "mean_baseline", "sd_baseline", "ratio", "ratio_low", "ratio_high", "p",
    "detectable", "same_data", "level", "reason",
]  # fmt: skip


class Options(Strict):
    """baselines: arms whose SD the others are divided by.
    arms: the other arms (None: all that are no baseline).
    metric: metric of the SDs (None: the dataset's primary metric).
    same_data: compare only arms on one dataset and scheme of splits.
    level: confidence level of the intervals.
    """

    baselines: list[str]
    arms: list[str] | None = None
    metric: str | None = None
    same_data: bool = False
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a cell and baseline of that metric: `ratio` = SD / SD of the baseline, over seeds.

    `p`: F test of a ratio of 1. `detectable`: smallest ratio that the test finds with a power of
    80 %. `same_data`: both have one dataset and scheme; else the ratio is that of different data,
    too. A pair without a ratio has its `reason`, such as a baseline that no experiment has.
    """
    candidates = [cell for cell in cells(data, options.metric) if cell.varies_one_seed]
    names = {name for cell in candidates for name in _names(cell)}
    baselines = [cell for cell in candidates if _names(cell) & set(options.baselines)]
    others = [
        cell
        for cell in candidates
        if not _names(cell) & set(options.baselines)
        and (options.arms is None or _names(cell) & set(options.arms))
    ]
    rows = [row for cell in others for row in _rows(cell, baselines, options.level)]
    if options.same_data:
        rows = [row for row in rows if row["same_data"]]
    for name in options.baselines:
        if name not in names:
            reason = f"there is no arm {name!r}.{suggest_name(name, names)}".rstrip(".")
            rows += [_missing(cell, name, options.level, reason) for cell in others]
    return pd.DataFrame(rows, columns=COLUMNS)


def _names(cell: Cell) -> set[str]:
    """The name of an arm; of a variant of a model, that of the model, too."""
    return {cell.key[ARM], base_name(cell.key[ARM])}


def _rows(cell: Cell, baselines: list[Cell], level: float) -> Iterator[Row]:
    for baseline in baselines:
        if cell.metric == baseline.metric:
            yield _row(cell, baseline, level)


def _missing(cell: Cell, baseline: str, level: float, reason: str) -> Row:
    return cell.key | {
        "metric": cell.metric,
        "n": cell.values.size,
        "failed": cell.failed,
        "baseline": baseline,
        "n_baseline": 0,
        "level": level,
        "reason": reason,
    }


def _row(cell: Cell, baseline: Cell, level: float) -> Row:
    x, y = cell.values, baseline.values
    place = ("dataset", "scheme")
    row = cell.key | {
        "metric": cell.metric,
        "n": x.size,
        "failed": cell.failed + baseline.failed,
        "baseline": baseline.key[ARM],
        **{f"baseline_{name}": baseline.key[name] for name in _PLACE},
        "n_baseline": y.size,
        "same_data": all(cell.key[name] == baseline.key[name] for name in place),
        "level": level,
        "reason": "",
    }
    if (n := min(x.size, y.size)) < _LEAST:
        return row | {"reason": f"{n} seeds are too few, {_LEAST} are needed"}
    try:
        ratio = sd_ratio(x, y, level)
    except ValueError as error:
        return row | {"reason": str(error)}
    return row | {
        "mean": float(np.mean(x)),
        "sd": float(np.std(x, ddof=1)),
        "mean_baseline": float(np.mean(y)),
        "sd_baseline": float(np.std(y, ddof=1)),
        "ratio": ratio.ratio,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "p": ratio.p_value,
        "detectable": ratio.detectable,
    }
