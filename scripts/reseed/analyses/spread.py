"""Spread of the primary metric over the seeds of each cell [Raste et al., Table 3]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Cell, Data, cells
from reseed.analyses.shared.published import (
    STATISTICS,
    find_measured_rows,
    read_published_results,
)
from reseed.core.schemas import CELL_COLUMNS, MODEL_SEED_COLUMNS, Row
from reseed.plugins.options import Count, Level, PublishedFiles
from reseed.stats.gaussian_range import gaussian_range_interval, range_against_gaussian
from reseed.stats.spread import spread, spread_intervals

#: What has an interval, where there are seeds enough for it.
WITH_INTERVAL = ["median", "iqr", "sd"]


COLUMNS = [
    *CELL_COLUMNS, "held", "metric", "n", "failed", "level", "median", "iqr", "range",
    "relative_variation", "mean", "sd", "min", "max", "median_low", "median_high", "iqr_low",
    "iqr_high", "sd_low", "sd_high", "range_next_low", "range_next_high", "range_in_sd",
    "range_in_sd_expected", "range_ratio_to_gaussian", "range_p_value", "normality_test",
    "normality_p_value", "tail",
]  # fmt: skip


class Options(PublishedFiles):
    """level: confidence level of the intervals.
    n_boot: resamples of the interval of the IQR.
    n_sim: Gaussian samples that the range is compared with.
    stand_ins: published dataset → the dataset that stands in for it.
    """

    level: Level = 0.95
    n_boot: Count = 2000
    n_sim: Count = 4000
    stand_ins: dict[str, str] = {}


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a cell, and two more for a cell that crosses data seeds with model seeds.

    The two further rows are slices at the first data seed and at the first model seed, where one
    seed varies as elsewhere in the paper (`held` names the fixed seed). If several roles of the
    model seed are crossed, they are still crossed in the slice along a data seed.

    Intervals at `level` are for the median, IQR and SD, each only with enough seeds for it to hold
    (`reseed.stats.spread.spread_intervals`). `range_next` predicts the range of as many new seeds
    for Gaussian scores. Crossed seeds are not independent: such a row has no interval and no test.
    """
    table = spread_table(data, options)
    return _with_published(table, data, options) if options.files else table


def spread_table(data: Data, options: Options) -> pd.DataFrame:
    """The table of `analyse`, without published numbers."""
    rows = [_row(part, held, options) for cell in cells(data) for part, held in with_slices(cell)]
    return pd.DataFrame(rows, columns=COLUMNS)


def with_slices(cell: Cell) -> Iterator[tuple[Cell, str]]:
    """The cell, and its two slices if it crosses data seeds with model seeds."""
    yield cell, ""
    if "data" not in cell.key["varied"] or "+" not in cell.key["varied"]:
        return
    data_seeds, model_seeds = cell.seeds["data_seed"], cell.seeds[MODEL_SEED_COLUMNS]
    first = data_seeds.min(), model_seeds.iloc[0]  # rows are sorted by seed
    rest = "+".join(part for part in cell.key["varied"].split("+") if part != "data")
    held = f"data seed {first[0]}"
    given = cell.seeds[["given_seed", "repeat"]]
    if given.nunique().min() > 1:  # then the data seed is a number for both
        held = "data seed {}, repeat {}".format(*given[data_seeds == first[0]].iloc[0])
    slices = {
        rest: (data_seeds == first[0], held),
        "data": ((model_seeds == first[1]).all(axis=1), f"model seed {first[1]['init']}"),
    }
    for varied, (chosen, held) in slices.items():
        yield replace(cell, key=cell.key | {"varied": varied}, seeds=cell.seeds[chosen]), held


def _row(cell: Cell, held: str, options: Options) -> Row:
    level = options.level
    row = cell.key | {
        "held": held,
        "metric": cell.metric,
        "n": len(cell.values),
        "failed": cell.failed,
        "level": level,
        "normality_test": "",
        "tail": "",
    }
    x = cell.values
    if x.size == 0:
        return row
    row |= {name: value for name, value in asdict(spread(x)).items() if name != "n"}
    if x.size < 2 or "+" in cell.key["varied"]:
        return row
    ends = spread_intervals(x, level, options.n_boot, rng=cell.rng("spread"))
    for name in WITH_INTERVAL:
        row[f"{name}_low"], row[f"{name}_high"] = getattr(ends.low, name), getattr(ends.high, name)
    row["range_next_low"], row["range_next_high"] = next_range(row["sd"], x.size, x.size, level)
    # A kurtosis needs four values, and values that differ.
    if x.size < 4 or row["sd"] <= 1e-13 * np.abs(x).max():
        return row
    gaussian = range_against_gaussian(x, n_sim=options.n_sim)
    return row | {
        "range_in_sd": gaussian.observed,
        "range_in_sd_expected": gaussian.expected,
        "range_ratio_to_gaussian": gaussian.ratio,
        "range_p_value": gaussian.p_value,
        "normality_test": gaussian.normality.test,
        "normality_p_value": gaussian.normality.p_value,
        "tail": gaussian.normality.tail,
    }


def next_range(sd: float, n: int, n_next: int, level: float = 0.95) -> tuple[float, float]:
    """Prediction interval of the range of `n_next` new seeds, for Gaussian scores.

    The range of new values over the SD of `n` independent others is the studentised range
    (Tukey) with n−1 degrees of freedom. It is exact and accounts for the estimated SD.
    """
    if n < 2 or n_next < 2 or not np.isfinite(sd):
        return float("nan"), float("nan")
    low, high = gaussian_range_interval(n_next, level, n - 1)
    return sd * low, sd * high


def _with_published(table: pd.DataFrame, data: Data, options: Options) -> pd.DataFrame:
    table = table.assign(**{f"published_{name}": np.nan for name in STATISTICS})
    printed = read_published_results(data.published, options.files).to_dict("records")
    for row, index in zip(
        printed, find_measured_rows(printed, table, options.stand_ins), strict=True
    ):
        if index is not None:
            table.loc[index, [f"published_{name}" for name in STATISTICS]] = [
                row[name] for name in STATISTICS
            ]
    return table
