"""The best and the worst of many seeds, compared with a Gaussian sample of the same SD.

Source: Picard, Tables 1 and 2 and section 4.2 ("black swans").
"""

from __future__ import annotations

import math
from math import nan

import numpy as np
import pandas as pd
from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.analyses.shared.published import read_published_table, with_published
from reseed.core.coordinates import base_name
from reseed.core.schemas import CELL_COLUMNS, SEED_COLUMNS, Row
from reseed.plugins.options import Count, Level, Positive, PublishedFiles
from reseed.stats.comparison import nadeau_bengio
from reseed.stats.gaussian_range import (
    expected_gaussian_range,
    range_against_gaussian,
    tail_power,
)
from reseed.stats.spread import range_content, spread, variance_limits

#: The range of an arm's scores against Gaussian samples, and the power against t with `POWER_DF`.
RANGE_COLUMNS = [
    "range_in_sd", "range_in_sd_expected", "range_ratio", "range_ratio_low", "range_ratio_high",
    "range_p", "range_power",
]  # fmt: skip
#: Degrees of freedom of Student's t that the power is stated against.
POWER_DF = 3
#: Fewest seeds for a density, and for the growth of a range: with fewer, the test of the range
#: finds the tails of t with three degrees of freedom in less than a third of the samples.
LEAST = 20
_LEAST_FOR_SD = 5  # fewer seeds have no interval of the SD
_PRINTED = ["mean", "std", "min", "max", "seeds"]
COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "mean", "mean_low", "mean_high", "sd", "min", "max",
    "range", "worst_seed", "best_seed", "items", "sd_low", "sd_high", "range_in_sd",
    "range_in_sd_expected", "range_ratio", "range_ratio_low", "range_ratio_high", "range_p",
    "range_power", "normality_test", "normality_p", "excess_kurtosis", "tail", "tail_p",
    "tail_power", "inside_expected", "inside_low", "level", "published_mean", "published_std",
    "published_min", "published_max", "published_seeds", "published_expected", "reason",
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
    size has on average, `range_ratio` their ratio with its interval, `range_p` the share of such
    samples with a range at least as large (Monte Carlo). `tail_p`: two-sided test of the excess
    kurtosis. `range_power`, `tail_power`: of these tests against Student's t with `POWER_DF`
    degrees of freedom. `items`: test items, where the study records them. `mean_low`,
    `mean_high`: t interval of the mean. `sd_low`, `sd_high`: interval of the SD. `inside_expected`:
    share of all seeds that lie within the observed range, on average over samples, and with
    confidence `level` at least `inside_low` (no Gaussian needed).
    `published_expected` is `range_in_sd_expected` of the paper's number of seeds.
    `best_seed` and `worst_seed` count the seed that varies: the data seed or that of a role.
    """
    rows = [
        _row(cell, options) | {"items": count_items(data, cell)}
        for cell in cells(data, options.metric)
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return _with_published(table, data, options) if options.published else table


def _row(cell: Cell, options: Options) -> Row:
    level = options.level
    row = cell.key | {"metric": cell.metric, "n": len(cell.values), "failed": cell.failed}
    row |= {"level": level, "normality_test": "", "tail": "", "reason": ""}
    x = cell.values
    if x.size < 2:
        return row | {"reason": "fewer than two seeds finished"}
    spreads, scores = spread(x), cell.scores
    if x.size >= _LEAST_FOR_SD:
        row["sd_low"], row["sd_high"] = np.sqrt(variance_limits(x, level))
    mean = nadeau_bengio(x, 0.0, level)
    row |= {"mean_low": mean.low, "mean_high": mean.high}
    content = range_content(x.size, level)
    row |= {name: float(getattr(spreads, name)) for name in ("mean", "sd", "min", "max", "range")}
    row |= {"inside_expected": content.expected, "inside_low": content.lower}
    if not cell.varies_one_seed:
        return row | {"reason": "two seeds vary: its scores are no independent sample"}
    seed = next(name for name in SEED_COLUMNS if scores[name].nunique() > 1)
    best, worst = (cell.sign * x).argmax(), (cell.sign * x).argmin()
    row |= {"best_seed": scores[seed].iloc[best], "worst_seed": scores[seed].iloc[worst]}
    if not varies(x):
        return row | {"reason": "no spread to test, or fewer than four seeds"}
    normality = range_against_gaussian(x, n_sim=options.n_sim).normality
    return (
        row
        | judge_range(x, options.n_sim, level)
        | {
            "normality_test": normality.test,
            "normality_p": normality.p_value,
            "excess_kurtosis": normality.excess_kurtosis,
            "tail": normality.tail,
            "tail_p": normality.excess_kurtosis_p,
            "tail_power": tail_power(x.size, df=POWER_DF, n_sim=options.n_sim).tail,
        }
    )


def judge_range(x: np.ndarray, n_sim: int, level: float) -> Row:
    """`RANGE_COLUMNS` of scores (seeds,), at least 4 and not all equal."""
    gaussian = range_against_gaussian(x, n_sim=n_sim, level=level)
    return {
        "range_in_sd": gaussian.observed,
        "range_in_sd_expected": gaussian.expected,
        "range_ratio": gaussian.ratio,
        "range_ratio_low": gaussian.low,
        "range_ratio_high": gaussian.high,
        "range_p": gaussian.p_larger,
        "range_power": tail_power(x.size, df=POWER_DF, n_sim=n_sim).range,
    }


def varies(x: np.ndarray) -> bool:
    """Whether a range can be judged: at least four scores that differ by more than rounding."""
    return bool(x.size >= 4 and np.ptp(x) > 1e-13 * np.abs(x).max())


def count_items(data: Data, cell: Cell) -> float:
    """Test items of the cell; NaN for folds, and where the study does not record them."""
    dataset = data.info.datasets[cell.key["dataset"]]
    parts = getattr(dataset, "parts", None) or {}
    if cell.key["scheme"] == "official":
        return float(parts.get("test", np.nan))
    ratio = cell.key["test_ratio"]
    return (
        float(math.ceil(ratio * dataset.rows)) if dataset.rows and ratio == ratio else float("nan")
    )


def _with_published(table: pd.DataFrame, data: Data, options: Options) -> pd.DataFrame:
    printed = read_published_table(data.published, "picard_tables", _PRINTED)
    wanted = [options.published.get(arm) for arm in table[ARM]]
    if "dataset" in printed:
        datasets = map(base_name, table["dataset"])
        wanted = [one and {"dataset": d, **one} for one, d in zip(wanted, datasets, strict=True)]
    units = dict.fromkeys(_PRINTED, options.published_factor) | {"seeds": 1.0}
    table = with_published(table, printed, wanted, units)
    expected = [expected_gaussian_range(n) if n == n else nan for n in table["published_seeds"]]
    return table.assign(published_expected=np.array(expected, dtype=float))
