"""The best and the worst of many seeds, compared with a Gaussian sample of the same SD.

Source: Picard, Tables 1 and 2 and section 4.2 ("black swans").
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.analyses.shared.published import find_published_row, read_published_table
from reseed.core.coordinates import base_name
from reseed.core.schemas import CELL_COLUMNS, SEED_COLUMNS, Row
from reseed.plugins.options import Count, Level, Positive, PublishedFiles
from reseed.stats.gaussian_range import range_against_gaussian
from reseed.stats.spread import range_content, spread

_PRINTED = ["mean", "std", "min", "max", "seeds"]
COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "mean", "sd", "min", "max", "range", "worst_seed",
    "best_seed", "range_in_sd", "range_in_sd_expected", "range_ratio", "range_p", "normality_test",
    "normality_p", "excess_kurtosis", "tail", "inside_expected", "inside_low", "level",
    *(f"published_{name}" for name in _PRINTED), "reason",
]  # fmt: skip


class Options(PublishedFiles):
    """metric: metric of the extremes (None: the dataset's primary metric).
    level: confidence level of the content of the observed range.
    n_sim: Gaussian samples for `range_p`.
    published: the row of `picard_tables` that an arm reproduces, {arm: {column: value}}. Its
        dataset is that of the arm unless `dataset` is a column.
    published_factor: divisor of the paper's numbers (100: they are percent).
    """

    metric: str | None = None
    level: Level = 0.95
    n_sim: Count = 4000
    published: dict[str, dict[str, str | int | float]] = {}
    published_factor: Positive = 100.0


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm: Tables 1 and 2, and whether its extremes are more than Gaussian.

    `range_in_sd` is the studentised range, `range_in_sd_expected` what a Gaussian sample of that
    size has on average, `range_p` the share of such samples with a range at least as large (Monte
    Carlo). `inside_expected`: share of all seeds that lie within the observed range, on average
    over samples, and with confidence `level` at least `inside_low` (no Gaussian needed).
    `best_seed` and `worst_seed` count the seed that varies: the data seed or that of a role.
    """
    rows = [_row(cell, options) for cell in cells(data, options.metric)]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return _with_published(table, data, options) if options.published else table


def _row(cell: Cell, options: Options) -> Row:
    level = options.level
    row = cell.key | {"metric": cell.metric, "n": len(cell.values), "failed": cell.failed}
    row |= {"level": level, "normality_test": "", "tail": "", "reason": ""}
    x = cell.values
    if x.size < 2:
        return row | {"reason": "fewer than two seeds finished"}
    found, scores = spread(x), cell.scores
    content = range_content(x.size, level)
    row |= {name: float(getattr(found, name)) for name in ("mean", "sd", "min", "max", "range")}
    row |= {"inside_expected": content.expected, "inside_low": content.lower}
    if not cell.varies_one_seed:
        return row | {"reason": "two seeds vary: its scores are no independent sample"}
    seed = next(name for name in SEED_COLUMNS if scores[name].nunique() > 1)
    best, worst = (cell.sign * x).argmax(), (cell.sign * x).argmin()
    row |= {"best_seed": scores[seed].iloc[best], "worst_seed": scores[seed].iloc[worst]}
    if x.size < 4 or found.sd <= 1e-13 * np.abs(x).max():
        return row | {"reason": "no spread to test, or fewer than four seeds"}
    gaussian = range_against_gaussian(x, n_sim=options.n_sim)
    return row | {
        "range_in_sd": gaussian.observed,
        "range_in_sd_expected": gaussian.expected,
        "range_ratio": gaussian.ratio,
        "range_p": gaussian.p_larger,
        "normality_test": gaussian.normality.test,
        "normality_p": gaussian.normality.p_value,
        "excess_kurtosis": gaussian.normality.excess_kurtosis,
        "tail": gaussian.normality.tail,
    }


def _with_published(table: pd.DataFrame, data: Data, options: Options) -> pd.DataFrame:
    printed = read_published_table(data.published, "picard_tables", _PRINTED)
    factor = options.published_factor
    for index, row in table.iterrows():
        where = options.published.get(row[ARM])
        own = {"dataset": base_name(row["dataset"])} if "dataset" in printed else {}
        found = find_published_row(printed, own | where) if where else None
        if found is not None:
            for name in _PRINTED:
                value = found[name] / (1.0 if name == "seeds" else factor)
                table.loc[index, f"published_{name}"] = value
    return table
