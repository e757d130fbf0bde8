"""One published score among its own seeds: the percentile of a number from one run."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import CELL, Cell, Data, cells
from reseed.analyses.shared.shares import whole
from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError
from reseed.plugins.options import Level, Strict
from reseed.stats.extremes import score_percentile
from reseed.stats.spread import spread

COLUMNS = [
    *CELL, "metric", "n", "failed", "source", "score", "mean", "sd", "percentile",
    "percentile_low", "percentile_high", "best_of", "sds", "level", "reason",
]  # fmt: skip


class Given(Strict):
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

    scores: Annotated[list[Given], Field(min_length=1)]
    level: Level = 0.95


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a given score and cell of that arm and dataset.

    `percentile`: share of the arm's seeds that the score beats (ties half), with its interval at
    `level`; `best_of`: the number of seeds whose best is as good on average; `sds`: distance from
    their mean in SD, positive where the score is better. A score in percent is not placed among
    shares of 1: its row has a `reason`.
    """
    rows = []
    for number, given in enumerate(options.get("scores", [])):
        if "arm" not in given or not isinstance(given.get("score"), int | float):
            raise ReseedError(f"scores.{number}: give `arm` and a number `score`, found {given}")
        found = [
            _row(cell, given, options.get("level", 0.95))
            for cell in cells(data, given.get("metric"))
            if _named(cell, given)
        ]
        rows += found or [_nothing(given)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _named(cell: Cell, given: dict) -> bool:
    arm, dataset = cell.key[ARM], cell.key["dataset"]
    right = given.get("dataset") in (None, dataset, base_name(dataset))
    return right and given["arm"] in (arm, base_name(arm)) and "+" not in cell.key["varied"]


def _row(cell: Cell, given: dict, level: float) -> dict:
    row = cell.key | {
        "metric": cell.metric,
        "n": len(cell.values),
        "failed": cell.failed,
        "source": given.get("source", "given"),
        "score": float(given["score"]),
        "level": level,
        "reason": "",
    }
    if cell.values.size < 2:
        return row | {"reason": "fewer than two seeds finished"}
    if whole(cell.metric, cell.values) == 1 and whole(cell.metric, [row["score"]]) != 1:
        return row | {"reason": f"{row['score']:g} is no share of 1, as the seeds' scores are"}
    found = score_percentile(float(given["score"]), cell.values, cell.greater_is_better, level)
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


def _nothing(given: dict) -> dict:
    return {
        ARM: given["arm"],
        "dataset": given.get("dataset", ""),
        "score": float(given["score"]),
        "source": given.get("source", "given"),
        "reason": "no run of this arm",
    }
