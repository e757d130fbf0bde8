"""One published score among its own seeds: the percentile of a number from one run."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Cell, Data, cells
from reseed.analyses.shared.shares import share_maximum
from reseed.core.coordinates import base_name
from reseed.core.schemas import CELL_COLUMNS, Row
from reseed.plugins.options import Level, Strict
from reseed.stats.extremes import score_percentile
from reseed.stats.spread import spread

COLUMNS = [
    *CELL_COLUMNS, "metric", "n", "failed", "source", "score", "mean", "sd", "percentile",
    "percentile_low", "percentile_high", "best_of", "sds", "level", "reason",
]  # fmt: skip


class GivenScore(Strict):
    """arm: whose seeds the score is put among, with or without its variant.
    score: the number from one run.
    dataset: the one it is of (None: any).
    metric: the one it is on (None: the dataset's primary one).
    source: where it is from, in words.
    """

    arm: str
    score: float
    dataset: str | None = None
    metric: str | None = None
    source: str = "given"


class Options(Strict):
    """scores: those to place.
    level: of the interval of the percentile.
    """

    scores: Annotated[list[GivenScore], Field(min_length=1)]
    level: Level = 0.95


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a given score and cell of that arm and dataset.

    `percentile`: share of the arm's seeds that the score beats (ties half), with its interval at
    `level`; `best_of`: the number of seeds whose best is as good on average; `sds`: distance from
    their mean in SD, positive where the score is better. A score in percent is not placed among
    shares of 1: its row has a `reason`.
    """
    rows = []
    for given in options.scores:
        found = [
            _row(cell, given, options.level)
            for cell in cells(data, given.metric)
            if _is_of(given, cell)
        ]
        rows += found or [_row_without_runs(given)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _is_of(given: GivenScore, cell: Cell) -> bool:
    arm, dataset = cell.key[ARM], cell.key["dataset"]
    right = given.dataset in (None, dataset, base_name(dataset))
    return right and given.arm in (arm, base_name(arm)) and "+" not in cell.key["varied"]


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
    found = score_percentile(given.score, cell.values, cell.greater_is_better, level)
    own = spread(cell.values)
    return row | {
        "mean": float(own.mean),
        "sd": float(own.sd),
        "percentile": found.share,
        "percentile_low": found.low,
        "percentile_high": found.high,
        "best_of": found.best_of,
        "sds": found.sds,
    }


def _row_without_runs(given: GivenScore) -> Row:
    return {
        ARM: given.arm,
        "dataset": given.dataset or "",
        "score": given.score,
        "source": given.source,
        "reason": "no run of this arm",
    }
