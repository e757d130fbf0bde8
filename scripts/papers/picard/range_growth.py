"""How the range between the worst and the best seed grows with the number of seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.core.schemas import CELL_COLUMNS, Row
from reseed.plugins.options import Count, Level, Strict
from reseed.stats.gaussian_range import (
    expected_gaussian_range,
    expected_subset_range,
    gaussian_range_interval,
)
from reseed.stats.spread import spread

from papers.picard.extremes import RANGE_COLUMNS, count_items, judge_range, varies

COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "seeds", "range", "gaussian", "gaussian_low",
    "gaussian_high", "beyond", "items", *RANGE_COLUMNS, "level",
]  # fmt: skip


class Options(Strict):
    """metric: metric of the range (None: the dataset's primary metric).
    level: level of the interval of a Gaussian sample's range.
    up_to: largest number of seeds (None: that of the seeds run; beyond, only Gaussian samples have
        a range).
    points: points of the grid of numbers of seeds.
    n_sim: Gaussian samples for `range_p`.
    """

    metric: str | None = None
    level: Level = 0.95
    up_to: Annotated[int, Field(ge=2)] | None = None
    points: Annotated[int, Field(ge=2)] = 25
    n_sim: Count = 4000


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm and number of `seeds`, on a geometric grid.

    - `range`: expected range of so many seeds drawn from the finished ones, exact; NaN for more
      seeds than these (`beyond`).
    - `gaussian`: expected range of a Gaussian sample with the arm's SD, taken as known;
      `gaussian_low`, `gaussian_high`: central interval of a single sample.
    - `range_in_sd` to `range_power`, of all seeds run: as in `extremes`.
    """
    rows = [
        row | {"items": count_items(data, cell)}
        for cell in cells(data, options.metric)
        for row in _rows(cell, options)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(cell: Cell, options: Options) -> Iterator[Row]:
    x, level = cell.values, options.level
    if not (varies(x) and cell.varies_one_seed):
        return
    most = max(x.size, options.up_to or 0)
    grid = np.geomspace(2, most, options.points).round().astype(int)
    sizes = np.unique(np.append(grid, x.size))
    inside = sizes[sizes <= x.size]
    ranges = dict(zip(inside.tolist(), expected_subset_range(x, inside), strict=True))
    sd, expected = float(spread(x).sd), expected_gaussian_range(sizes)
    shared = cell.key | {"metric": cell.metric, "n": x.size, "failed": cell.failed, "level": level}
    shared |= judge_range(x, options.n_sim, level)
    for size, mean in zip(sizes.tolist(), expected, strict=True):
        low, high = gaussian_range_interval(size, level)
        yield shared | {
            "seeds": size,
            "range": ranges.get(size, np.nan),
            "gaussian": sd * mean,
            "gaussian_low": sd * low,
            "gaussian_high": sd * high,
            "beyond": size > x.size,
        }
