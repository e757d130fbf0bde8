"""The answer on the runs of one model: how much its score varies, and with what."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING

import pandas as pd

from reseed.comparison.claims.designs import ASSUMED_TEST_SET, SEEDS
from reseed.comparison.claims.formatting import count_noun, format_level, format_number, two_digits
from reseed.comparison.claims.verdicts import ALL_DATASETS
from reseed.core.study_info import DatasetInfo
from reseed.metrics.names import is_share, metric_title_in_text
from reseed.report.analyses.fold_scores import FoldRow
from reseed.report.analyses.leaderboard import BoardRow
from reseed.report.analyses.spread import SpreadRow
from reseed.report.exhibits.spread_table import LEAST
from reseed.report.rendering import numbers
from reseed.stats.spread import next_difference_limit

if TYPE_CHECKING:
    from reseed.comparison.result import Comparison

#: Most datasets with a sentence each; of more, the table has the scores.
_MOST = 4
_PERCENT = 100.0


def state_variation(comparison: Comparison) -> list[str]:
    """A sentence on each source of variation and dataset; one that says why there is none."""
    datasets = comparison.leaderboard["dataset"].nunique()
    if datasets > _MOST:
        return [f"One model on {datasets} datasets: the table has its scores."]
    known = {
        name: comparison.statistics(name)
        for name in ("leaderboard", "spread", "folds", "variance")
        if name in comparison.analyses and name in comparison.exhibits
    }
    data = comparison.load_exhibit("leaderboard")[1]

    def subject(model: str, dataset: str) -> str:
        return data.model(model) + (f" on {data.dataset(dataset)}" if datasets > 1 else "")

    sentences = [
        f"{subject(row.model, row.dataset)}: {_over_items(row)}"
        for row in BoardRow.read(known["leaderboard"])
        if row.dataset != ALL_DATASETS and isfinite(row.mean_low)
    ]
    spreads = [
        row
        for row in SpreadRow.read(known.get("spread", pd.DataFrame()))
        if row.n >= LEAST and not row.held and "data" not in row.varied and "+" not in row.varied
    ]
    if len(spreads) <= _MOST:
        sentences += [
            f"{subject(row.arm, row.dataset)}: {_over_seeds(row, data.info.datasets[row.dataset])}"
            for row in spreads
        ]
    folds = FoldRow.read(known.get("folds", pd.DataFrame()))
    sentences += [f"{subject(row.arm, row.dataset)}: {_over_splits(row)}" for row in folds]
    if "variance" in known:
        shares = known["variance"]
        for _, grid in shares[shares["component"] != "none"].groupby(["dataset", "arm"]):
            row = grid.iloc[0]
            sentences += [
                f"{subject(row['arm'], row['dataset'])}: {text}" for text in _of_variance(grid)
            ]
    return sentences or ["Too few runs show how much the score varies."]


def _over_items(row: BoardRow) -> str:
    low, high = _bounded(row.metric, row.mean, row.mean_low, row.mean_high)
    scope = row.holds_for.replace("these trained models", "this trained model")
    return (
        f"{_mean(row.metric, row.mean, low, high)} ({format_level(row.level)} interval,"
        f" {count_noun(int(row.items), 'item')}). It holds for {scope}."
    )


def _over_seeds(row: SpreadRow, dataset: DatasetInfo) -> str:
    places = numbers.decimals([row.sd], least=3 if abs(row.mean) < 10 else 1)
    n = count_noun(row.n, "model seed")
    mean = f"mean {metric_title_in_text(row.metric)} {format_number(row.mean, places)}"
    if not row.sd:  # equal runs do not show how much others vary
        return f"{mean}, SD 0 ({n})."
    sd = two_digits(row.sd)
    if isfinite(row.sd_low):
        sd += f" [{two_digits(row.sd_low)}, {two_digits(row.sd_high)}]"
        n = f"{format_level(row.level)} interval, {n}"
    limit = two_digits(next_difference_limit(row.sd, row.n, row.level))
    scope = ASSUMED_TEST_SET if dataset.is_split_assumed else SEEDS.scope
    return (
        f"{mean}, SD {sd} ({n}). Two new runs differ by less than {limit} in"
        f" {format_level(row.level)} of cases, for Gaussian scores and {scope}."
    )


def _over_splits(row: FoldRow) -> str:
    varies = row.low < row.high  # equal splits do not show how much others vary
    low, high = _bounded(row.metric, row.mean, row.low, row.high) if varies else (nan, nan)
    sds = f"SD over splits {two_digits(row.sd_folds)}"
    if isfinite(row.sd_seeds):
        sds += f", SD over seeds within a split {two_digits(row.sd_seeds)}"
    n = count_noun(row.folds, "split")
    text = f"{_mean(row.metric, row.mean, low, high)}, {sds}"
    if not varies:
        return f"{text} ({n})."
    return (
        f"{text} ({format_level(row.level)} interval, {n}). The interval is corrected for the"
        " training rows that splits share."
    )


def _of_variance(grid: pd.DataFrame) -> list[str]:
    """Shares of the data seed and the model seed; empty where the grid is not crossed by both."""
    shares = grid.set_index("component")
    if not {"data_seed", "model_seed"} <= {*shares.index}:
        return []
    split, seed = (
        numbers.share_with_interval(shares.loc[name], "share")
        for name in ("data_seed", "model_seed")
    )
    return [
        f"of the variance of a score, {split} is due to the data seed (the split), {seed} to the"
        f" model seed, the rest to their interaction ({format_level(grid['level'].iloc[0])}"
        f" intervals, {count_noun(int(grid['n'].iloc[0]), 'trial')})."
    ]


def _mean(metric: str, mean: float, low: float, high: float) -> str:
    places = numbers.interval_decimals([(low, high)], otherwise=[mean])
    text = f"mean {metric_title_in_text(metric)} {format_number(mean, places)}"
    if not isfinite(low):
        return text
    return f"{text} [{format_number(low, places)}, {format_number(high, places)}]"


def _bounded(metric: str, mean: float, low: float, high: float) -> tuple[float, float]:
    """The interval without scores that no model has; shares may be in percent."""
    if not (is_share(metric) and 0 <= mean <= _PERCENT):
        return low, high
    most = 1.0 if mean <= 1 else _PERCENT
    return max(low, 0.0), min(high, most)
