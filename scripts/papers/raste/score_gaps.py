"""Differences of two algorithms over data seeds, in SDs of a score (Raste, Section 4.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import nan

import numpy as np
import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import ANY_NUMBER, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.verdicts import ALL_DATASETS
from reseed.core.coordinates import base_name
from reseed.core.schemas import Row
from reseed.plugins.options import Strict
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.data import cells as arm_cells
from reseed.report.analyses.shared.pairing import Pair
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.tables import Rows, Table

DRAWS = ("pairs",)
_ENDS = ("low", "high")


@dataclass(frozen=True)
class GapRow(PairRow):
    """A row of the table: its gap and interval are in SDs of a score."""

    title: str = ""
    sd: float = nan
    median_a: float = nan
    median_b: float = nan
    gap: float = nan


#: (experiment, dataset, arm) → its scores.
_Scores = dict[tuple[str, str, str], pd.Series]


class Options(Strict):
    """pairs: of arms; a difference is positive where the first scores better."""

    pairs: list[Pair]


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each pair of arms on each dataset, with medians and the difference of means.

    The test is that of the analysis `pairs`. In SDs: divided by the SD of one score over data
    seeds, the root mean square of both arms, which is taken as known.
    """
    scores = {
        (cell.key["experiment"], cell.key["dataset"], cell.key["arm"]): cell.scores["score"]
        for cell in arm_cells(Data(data.metrics, data.info))
    }
    rows = pd.DataFrame([row for pair in options.pairs for row in _rows(data, scores, *pair)])
    rows = require_rows(rows, "No two of these algorithms share enough splits at this scale.")
    lines = Rows()
    for row in GapRow.read(rows):
        medians, gap = (row.median_a, row.median_b), (row.gap, row.low, row.high)
        places = numbers.decimals(medians, 2, 4)
        lines.add(
            {
                "Algorithms": row.title,
                "n": f"{row.n:.0f}",
                "Medians": " and ".join(numbers.fixed(median, places) for median in medians),
                "Difference": numbers.with_interval(*(size * row.sd for size in gap), places),
                "In SDs of a score": numbers.with_interval(*gap, 2),
            },
            f"{data.dataset(row.dataset)}, {metric_title(row.metric)}",
        )
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            "Difference of means over data seeds, positive where the first algorithm scores better,"
            f" with its {format_level(rows['level'].iloc[0])} interval (corrected resampled t). SD:"
            " of a single score over data seeds.",
            per="row",
        ),
        claims=[_claim(data, part) for _, part in rows.groupby("pair", sort=False)],
    )


def _rows(data: ExhibitData, scores: _Scores, first: str, second: str) -> list[Row]:
    rows, pairs = [], data.rows()
    for row, columns in zip(PairRow.read(pairs), pairs.to_dict("records"), strict=True):
        models = base_name(row.model_a), base_name(row.model_b)
        if row.dataset == ALL_DATASETS or {*models} != {first, second}:
            continue
        sign = 1 if models[0] == first else -1
        arms = [row.model_a, row.model_b][::sign]
        a, b = (scores[row.experiment, row.dataset, arm] for arm in arms)
        sd = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        if not sd > 0 or not np.isfinite(row.low):
            continue
        ends = sorted(sign * end / sd for end in (row.low, row.high))
        names = [arm_title(data, arm, row.experiment) for arm in arms]
        rows.append(
            columns
            | {"arm": arms[0], "pair": f"{first}_{second}", "title": " and ".join(names), "sd": sd}
            | {"median_a": a.median(), "median_b": b.median()}
            | {"gap": sign * row.difference / sd, **dict(zip(_ENDS, ends, strict=True))}
        )
    return rows


def _claim(data: ExhibitData, rows: pd.DataFrame) -> Claim:
    subjects = [data.dataset(name) for name in rows["dataset"]]
    rows = rows.assign(metric="score in SDs")  # the one unit of all gaps, whatever the metrics
    return Claim(
        name=f"gap_{rows['pair'].iloc[0]}",
        finding="the first scores better by {estimates} SDs of a score over data seeds",
        rows=rows,
        phrases={
            "title": phrases.name(rows["title"].iloc[0]),
            "short": phrases.extent(rows, "gap", "{:.1f}".format, is_comparable=True),
        },
        sample=Sample.of(rows, "n", "data seed"),
        headline="{title} differ by {short} SDs of a score",
        subject=rows["title"].iloc[0],
        statistic="difference in SDs of a score over data seeds",
        null="no difference",
        estimates=Estimate.of_rows(rows, subjects, "gap", ANY_NUMBER, _ENDS),
    )
