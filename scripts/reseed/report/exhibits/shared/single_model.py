"""What the runs of one model say: how far apart two of them may lie by chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, nan
from typing import TypeVar

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.designs import ASSUMED_TEST_SET, SEEDS
from reseed.comparison.claims.estimates import ANY_NUMBER, NO_NULL, Estimate, Sample
from reseed.comparison.claims.formatting import format_number
from reseed.metrics.names import is_share
from reseed.report.analyses.fold_scores import FoldRow
from reseed.report.analyses.leaderboard import BoardRow
from reseed.report.analyses.spread import SpreadRow
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, metric_title
from reseed.stats.spread import next_difference_limit

_PERCENT = 100.0
R = TypeVar("R", SpreadRow, FoldRow, BoardRow)
#: Names of the claims that answer where nothing is compared.
OF_ONE_MODEL = ("mean_over_items", "spread_over_seeds", "mean_over_splits", "data_seed_share")


@dataclass(frozen=True)
class _Subject:
    """What a claim is about: one model, and its dataset if there are several."""

    title: str
    is_alone: bool


def _list_cells(
    data: ExhibitData, rows: pd.DataFrame, kind: type[R], model: str = "arm"
) -> Iterator[tuple[pd.DataFrame, R, _Subject]]:
    """Each row of one model on a few datasets, as a table and typed; none of several models.

    None, too, of the reproduction of a paper, whose claims are those of the paper. model: the
    column that names the model.
    """
    is_one = rows[model].nunique() == 1 and len(rows) <= phrases.LISTED
    if not is_one or data.info.is_reproduction:
        return
    is_alone = len(rows) == 1
    for index, row in zip(rows.index, kind.read(rows), strict=True):
        title = arm_title(data, rows.loc[index, model], row.experiment)
        title += "" if is_alone else f" on {data.dataset(row.dataset)}"
        yield rows.loc[[index]], row, _Subject(title, is_alone)


def describe_spread_over_seeds(data: ExhibitData, rows: pd.DataFrame) -> Iterator[Claim]:
    """The spread of the only model over model seeds, on each dataset.

    rows: of the analysis `spread`, with spreads of enough seeds.
    """
    rows = rows[~rows["varied"].str.contains(r"data|\+")]
    for cell, row, subject in _list_cells(data, rows, SpreadRow):
        yield _describe_seeds(data, cell, row, subject)


def _describe_seeds(
    data: ExhibitData, cell: pd.DataFrame, row: SpreadRow, subject: _Subject
) -> Claim:
    places, note = numbers.decimals([row.sd], least=3 if abs(row.mean) < 10 else 1), ""
    cell = cell.assign(limit=next_difference_limit(row.sd, row.n, row.level))
    if row.sd == 0:  # equal runs do not show how much others vary
        cell = cell.assign(sd_low=nan, sd_high=nan)
    names = {
        "metric": phrases.name(metric_title(row.metric)),
        "mean": phrases.single(cell, "mean", partial(format_number, decimals=places)),
        "limit": phrases.single(cell, "limit", numbers.two_digits),
        "share": phrases.setting(row.level, numbers.percent),
    }
    if row.sd > 0:
        is_assumed = data.info.datasets[row.dataset].is_split_assumed
        note = (
            "Two new runs differ by less than {limit} in {share} of cases, for Gaussian scores and"
            f" {ASSUMED_TEST_SET if is_assumed else SEEDS.scope}."
        )
    return Claim(
        "spread_over_seeds",
        "mean {metric} {mean}, SD {estimates}",
        cell,
        names,
        Sample.of(cell, "n", "model seed"),
        headline="Two new runs differ by less than {limit} in {share} of cases"
        if note and subject.is_alone
        else False,
        subject=subject.title,
        note=note,
        show=numbers.two_digits,
        statistic="SD",
        estimates=Estimate.of_rows(cell, [row.arm], "sd", (0.0, inf), level=row.level),
        null=NO_NULL,
    )


def describe_mean_over_items(data: ExhibitData, rows: pd.DataFrame) -> Iterator[Claim]:
    """The mean of the only model over items, with its interval, on each dataset.

    rows: of the analysis `leaderboard`, on single datasets.
    """
    rows = BoardRow.select(rows, lambda row: isfinite(row.mean_low))
    for cell, row, subject in _list_cells(data, rows, BoardRow, "model"):
        yield _describe_items(cell, row, subject)


def _describe_items(cell: pd.DataFrame, row: BoardRow, subject: _Subject) -> Claim:
    places = numbers.interval_decimals([(row.mean_low, row.mean_high)])
    ends, bounds = (row.mean_low, row.mean_high), _bounds_of(row.metric, row.mean)
    one = row.holds_for.replace("these trained models", "this trained model")
    return Claim(
        "mean_over_items",
        "mean {metric} {estimates}",
        cell,
        {"metric": phrases.name(metric_title(row.metric)), "scope": phrases.name(one)},
        Sample.of(cell, "items", "item"),
        headline="Mean {metric} {estimates}" if subject.is_alone else False,
        subject=subject.title,
        note="It holds for {scope}.",
        show=partial(format_number, decimals=places),
        statistic="mean score",
        estimates=[Estimate.truncated(row.model, row.mean, ends, row.level, bounds)],
        null=NO_NULL,
    )


def describe_mean_over_splits(data: ExhibitData, rows: pd.DataFrame) -> Iterator[Claim]:
    """The mean of the only model over splits, with its corrected interval, on each dataset.

    rows: of the analysis `fold_scores`.
    """
    for cell, row, subject in _list_cells(data, rows, FoldRow):
        yield _describe_splits(cell, row, subject)


def _describe_splits(cell: pd.DataFrame, row: FoldRow, subject: _Subject) -> Claim:
    varies = row.low < row.high  # equal splits do not show how much others vary
    ends = (row.low, row.high) if varies else (nan, nan)
    places = numbers.interval_decimals([ends], otherwise=[row.mean])
    names = {
        "metric": phrases.name(metric_title(row.metric)),
        "sd": phrases.single(cell, "sd_folds", numbers.two_digits),
    }
    more = ""
    if isfinite(row.sd_seeds):
        names["sd_seeds"] = phrases.single(cell, "sd_seeds", numbers.two_digits)
        more = ", SD over seeds within a split {sd_seeds}"
    return Claim(
        "mean_over_splits",
        f"mean {{metric}} {{estimates}}, SD over splits {{sd}}{more}",
        cell,
        names,
        Sample.of(cell, "folds", "split"),
        headline="Mean {metric} {estimates} over {n}" if subject.is_alone else False,
        subject=subject.title,
        note="The interval is corrected for the training rows that splits share." * varies,
        show=partial(format_number, decimals=places),
        statistic="mean score",
        estimates=[
            Estimate.truncated(row.arm, row.mean, ends, row.level, _bounds_of(row.metric, row.mean))
        ],
        null=NO_NULL,
    )


def _bounds_of(metric: str, mean: float) -> tuple[float, float]:
    """Least and greatest score; shares may be in percent."""
    if is_share(metric) and 0 <= mean <= _PERCENT:
        return (0.0, 1.0 if mean <= 1 else _PERCENT)
    return ANY_NUMBER
