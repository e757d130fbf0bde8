"""Percentile of a published score, from one run, among the seeds of its arm."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from reseed.core.coordinates import base_name
from reseed.core.schemas import CELL_COLUMNS, Row
from reseed.plugins.options import Level, Strict
from reseed.report.analyses.shared.arms import ARM
from reseed.report.analyses.shared.data import Cell, Data, cells
from reseed.report.analyses.shared.shares import share_maximum
from reseed.stats.extremes import score_percentile
from reseed.stats.spread import spread

COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "source", "score", "mean", "sd", "percentile",
    "percentile_low", "percentile_high", "best_of", "sds", "level", "reason",
]  # fmt: skip


class GivenScore(Strict):
    """arm: arm whose seeds the score is compared with, with or without its variant.
    score: score of one run.
    dataset: dataset of the score (None: any).
    metric: metric of the score (None: the dataset's primary metric).
    source: source of the score, in words.
    """

    arm: str
    score: float
    dataset: str | None = None
    metric: str | None = None
    source: str = "given"


class Options(Strict):
    """scores: scores to compare.
    level: confidence level of the intervals.
    """

    scores: Annotated[list[GivenScore], Field(min_length=1)]
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a score and cell of its arm and dataset.

    - `percentile`: share of the arm's seeds that the score beats (ties half), with its interval.
    - `best_of`: number of seeds whose best score is as good on average.
    - `sds`: distance from their mean in SDs, positive if the score is better.

    A score in percent is not compared with shares of 1: its row has a `reason`.
    """
    rows = []
    for given in options.scores:
        matching = [
            _row(cell, given, options.level)
            for cell in cells(data, given.metric)
            if _is_of(given, cell)
        ]
        rows += matching or [_row_without_runs(given)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _is_of(given: GivenScore, cell: Cell) -> bool:
    arm, dataset = cell.key[ARM], cell.key["dataset"]
    right = given.dataset in (None, dataset, base_name(dataset))
    return right and given.arm in (arm, base_name(arm)) and cell.varies_one_seed


def _row(cell: Cell, given: GivenScore, level: float) -> Row:
    row = cell.key | {
        "metric": cell.metric,
        "n": len(cell.values),
        "failed": cell.failed,
        "source": given.source,
        "score": given.score,
        "level": level,
        "reason": "",
    }
    if cell.values.size < 2:
        return row | {"reason": "fewer than two seeds finished"}
    if (
        share_maximum(cell.metric, cell.values) == 1
        and share_maximum(cell.metric, [row["score"]]) != 1
    ):
        return row | {"reason": f"{row['score']:g} is no share of 1, as the seeds' scores are"}
    percentile = score_percentile(given.score, cell.values, cell.greater_is_better, level)
    seeds_spread = spread(cell.values)
    return row | {
        "mean": float(seeds_spread.mean),
        "sd": float(seeds_spread.sd),
        "percentile": percentile.share,
        "percentile_low": percentile.low,
        "percentile_high": percentile.high,
        "best_of": percentile.best_of,
        "sds": percentile.sds,
    }


def _row_without_runs(given: GivenScore) -> Row:
    return {
        ARM: given.arm,
        "dataset": given.dataset or "",
        "score": given.score,
        "source": given.source,
        "reason": "no run of this arm",
    }
