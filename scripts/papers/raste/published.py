"""Published numbers compared with those measured here."""

from __future__ import annotations

from math import nan
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field
from reseed.analyses import spread
from reseed.analyses.shared.data import Data, cells
from reseed.analyses.shared.published import (
    RESULT_COLUMNS,
    STATISTICS,
    find_measured_rows,
    read_published_results,
)
from reseed.core.schemas import Row
from reseed.plugins.options import Names, Strict
from reseed.stats.spread import next_median_interval

COLUMNS = [
    "table", "published_dataset", *RESULT_COLUMNS[2:], "statistic", "published", "measured",
    "ratio", "measured_low", "measured_high", "interval", "inside", "level", "n", "failed",
    "experiment", "held", "dataset", "model", "hyperparameters_source", "stand_in", "reason",
]  # fmt: skip
# Columns that identify a measured number, whichever published tables print it.
_MEASURED = ["dataset", "model", "varied_seed", "held", "test_ratio", "hyperparameters_source",
             "statistic"]  # fmt: skip
_NOT_RUN = "not run at this scale"


class Seeds(Strict):
    """Numbers of seeds of the paper's results.

    fixed: of Sections 4.1 and 4.2.
    tuned: of Section 5, slices of a 10×10 grid.
    """

    fixed: Annotated[int, Field(ge=2)] = 50
    tuned: Annotated[int, Field(ge=2)] = 10


class Options(spread.Options):
    """files: tables in the folder of published numbers.
    published_seeds: numbers of seeds of the paper's results.
    """

    files: Names
    published_seeds: Seeds = Seeds()


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row a published number: measured value, measured / published, interval, verdict.

    The paper's number is one of other seeds, as many as `published_seeds`, with an error of its
    own. So `inside` is whether it lies where that of so many new seeds falls: for the median
    between two order statistics (`stats.spread.next_median_interval`), for range and relative
    variation by the prediction interval of the range for Gaussian scores of the measured SD.
    It is NA for a median over model seeds, which depends on the fixed split, unknown for the paper;
    for an IQR, whose interval is a bootstrap interval; and on a stand-in. `interval`: its kind.
    Table 5's "tuned" rows are slices of the crossed grid (Section 5 does not say how the pairs
    were pooled): its medians and its small ranges over model seeds (RF 0.0013, over data seeds
    0.0136) are those of one fixed data seed, not of all pairs together.
    `repeated`: an earlier table printed it. A number that was not measured has `measured` NaN and a
    `reason`.
    """
    stand_ins = options.stand_ins
    measured = spread.spread_table(data, options)
    spreads = list(measured.itertuples())
    scores = [part.values for cell in cells(data) for part, _ in spread.with_slices(cell)]
    seeds = options.published_seeds.model_dump()
    rows = []
    printed = read_published_results(data.published, options.files).to_dict("records")
    for cell, index in zip(printed, find_measured_rows(printed, measured, stand_ins), strict=True):
        row = {name: cell[name] for name in RESULT_COLUMNS}
        row["published_dataset"] = row.pop("dataset")
        row["stand_in"] = cell["dataset"] in stand_ins
        for statistic in STATISTICS:
            if pd.notna(cell[statistic]):
                row |= {"statistic": statistic, "published": cell[statistic]}
                if index is None:
                    rows.append(row | {"measured": nan, "reason": _NOT_RUN})
                else:
                    n = seeds[cell["hyperparameters"]]
                    compared = _compare(row, spreads[index], scores[index], n)
                    rows.append(row | compared)
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["repeated"] = table["measured"].notna() & table.duplicated([*_MEASURED, "published"])
    return table.astype({"inside": "boolean", "n": "Int64", "failed": "Int64"})


def _compare(printed: Row, cell: Any, scores: np.ndarray, n: int) -> Row:
    """Columns on a printed number that was measured. scores: of the cell. n: the paper's seeds."""
    statistic, published, level = printed["statistic"], printed["published"], cell.level
    value: float = getattr(cell, statistic)
    if statistic == "median":
        kind = f"order statistics for {n} seeds"
        low, high = next_median_interval(scores, n, level) if len(scores) else (nan, nan)
    elif statistic == "iqr":
        kind, low, high = "bootstrap over seeds", cell.iqr_low, cell.iqr_high
    else:
        kind = f"prediction for {n} Gaussian seeds"
        median = abs(cell.median) or nan  # no relative variation around 0
        scale = 1 if statistic == "range" else 1 / median
        low, high = (end * scale for end in spread.next_range(cell.sd, cell.n, n, level))
    depends_on_split = statistic == "median" and printed["varied_seed"] == "model"
    has_verdict = statistic != "iqr" and not depends_on_split and not printed["stand_in"]
    has_verdict = has_verdict and np.isfinite(low) and np.isfinite(high)
    return {
        "measured": value,
        "ratio": value / published if published else nan,
        "measured_low": low,
        "measured_high": high,
        "interval": kind,
        "inside": bool(low <= published <= high) if has_verdict else pd.NA,
        "level": level,
        "n": cell.n,
        "failed": cell.failed,
        "experiment": cell.experiment,
        "held": cell.held,
        "dataset": cell.dataset,
        "model": cell.model,
        "hyperparameters_source": cell.hyperparameters_source,
        "reason": "" if np.isfinite(value) else "every trial failed",
    }
