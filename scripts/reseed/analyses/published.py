"""The papers' numbers beside those measured here."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from reseed.analyses import spread
from reseed.analyses.data import Data
from reseed.analyses.reference import ABOUT, STATISTICS, match, published_cells
from reseed.options import Names, Strict

COLUMNS = [
    *ABOUT, "statistic", "published", "measured", "ratio", "measured_low", "measured_high",
    "interval", "inside", "level", "n", "failed", "experiment", "held", "measured_dataset",
    "measured_model", "hyperparameters_source", "stand_in", "reason",
]  # fmt: skip
_NOT_RUN = "not run at this scale"


class Seeds(Strict):
    """Seeds behind the paper's numbers.

    fixed: of Sections 4.1 and 4.2.
    tuned: of Section 5, slices of a 10×10 grid.
    """

    fixed: Annotated[int, Field(ge=2)] = 50
    tuned: Annotated[int, Field(ge=2)] = 10


class Options(spread.Options):
    """files: tables in the folder of published numbers.
    published_seeds: seeds behind the paper's numbers.
    """

    files: Names
    published_seeds: Seeds = Seeds()


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a published number: measured value, measured / published, interval, verdict.

    `interval` says which: for the median order statistics of the seeds, for the IQR the bootstrap
    interval over them (`stats.spread.spread_intervals`); for range and
    relative variation, where a bootstrap has no coverage, the prediction interval of the range of
    as many seeds as the paper took (`published_seeds`), for Gaussian scores of the measured SD.
    Table 5's "tuned" rows are slices of the crossed grid (Section 5 does not say how the pairs
    were pooled): its medians and its small ranges over model seeds (RF 0.0013, over data seeds
    0.0136) are those of one held data seed, not of all pairs together.
    A published number that was not measured is kept, with `measured` NaN and a `reason`.
    """
    stand_ins = options.get("stand_ins", {})
    plain = {name: value for name, value in options.items() if name != "files"}
    measured = spread.analyse(data, plain)
    seeds = Seeds(**options.get("published_seeds", {})).model_dump()
    rows = []
    for _, cell in published_cells(data.published, options["files"]).iterrows():
        found = match(cell, measured, stand_ins)
        entry = None if found is None else measured.loc[found]
        stand_in = cell["dataset"] in stand_ins
        for statistic in STATISTICS:
            if pd.notna(cell[statistic]):
                row = dict(cell[ABOUT]) | {"statistic": statistic, "published": cell[statistic]}
                row |= _compare(row, entry, seeds[cell["hyperparameters"]])
                rows.append(row | {"stand_in": stand_in})
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.astype({"inside": "boolean", "n": "Int64", "failed": "Int64"})


def _compare(row: dict, entry: pd.Series | None, published_seeds: int) -> dict:
    statistic, published = row["statistic"], row["published"]
    if entry is None:
        return {"measured": np.nan, "reason": _NOT_RUN}
    value, level = entry[statistic], entry["level"]
    if statistic in ("median", "iqr"):
        kind = "order statistics of the seeds" if statistic == "median" else "bootstrap over seeds"
        low, high = entry[f"{statistic}_low"], entry[f"{statistic}_high"]
    else:
        kind = f"prediction for {published_seeds} Gaussian seeds"
        scale = 1 if statistic == "range" else 1 / abs(entry["median"])
        ends = spread.next_range(entry["sd"], int(entry["n"]), published_seeds, level)
        low, high = (end * scale for end in ends)
    known = np.isfinite(low) and np.isfinite(high)
    return {
        "measured": value,
        "ratio": value / published if published else np.nan,
        "measured_low": low,
        "measured_high": high,
        "interval": kind,
        "inside": bool(low <= published <= high) if known else pd.NA,
        "level": level,
        "n": entry["n"],
        "failed": entry["failed"],
        "experiment": entry["experiment"],
        "held": entry["held"],
        "measured_dataset": entry["dataset"],
        "measured_model": entry["model"],
        "hyperparameters_source": entry["hyperparameters_source"],
        "reason": "" if np.isfinite(value) else "every trial failed",
    }
