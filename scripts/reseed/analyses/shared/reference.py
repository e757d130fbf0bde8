"""The papers' own numbers, matched by name to the cells that were measured."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError

#: Columns of `config/published/*.csv` that say what a number is about.
ABOUT = [
    "table",
    "dataset",
    "metric",
    "algorithm",
    "varied_seed",
    "test_ratio",
    "hyperparameters",
]
#: The four numbers of Table 3 [Raste et al.].
STATISTICS = ["median", "iqr", "range", "relative_variation"]


def published_cells(folder: Path | None, files: list[str]) -> pd.DataFrame:
    """Read published tables, one row a cell of the paper; NaN where it prints no such number.

    Raises ReseedError for a file that is not there or lacks a column.
    """
    if folder is None or not files:
        return pd.DataFrame(columns=ABOUT + STATISTICS)
    parts = []
    for name in files:
        path = Path(folder) / f"{name}.csv"
        if not path.is_file():
            allowed = ", ".join(sorted(p.stem for p in Path(folder).glob("*.csv")))
            raise ReseedError(f"published table {name!r} is not in {folder}: it holds {allowed}")
        part = pd.read_csv(path)
        absent = [column for column in ABOUT if column not in part]
        if absent:
            raise ReseedError(f"{path} lacks the columns {absent}")
        parts.append(part.reindex(columns=ABOUT + STATISTICS))
    return pd.concat(parts, ignore_index=True)


def match(published: pd.Series, measured: pd.DataFrame, stand_ins: dict[str, str]) -> int | None:
    """Index of the row of `measured` (from `spread`) that a published cell is about, or None.

    The paper's numbers vary one seed with the other held: rows of that varied seed, the same
    dataset (or its stand-in), algorithm, test ratio, metric, and tuned once ("fixed") or anew for
    each pair ("tuned"). Untuned defaults count as "fixed": held, if not searched. Of several the
    one with most seeds is taken, searched before default.
    """
    dataset = stand_ins.get(published["dataset"], published["dataset"])
    tuned = measured["hyperparameters_source"].str.startswith("tuned")
    found = measured[
        (measured["dataset"].map(base_name) == dataset)
        & (measured["model"].map(base_name) == published["algorithm"])
        & (measured["varied"] == published["varied_seed"])
        & ((measured["test_ratio"] - published["test_ratio"]).abs() < 1e-9)
        & (measured["metric"] == published["metric"])
        & (tuned == (published["hyperparameters"] == "tuned"))
    ]
    if found.empty:
        return None
    searched = (found["hyperparameters_source"] != "default").astype(int)
    return (
        found.assign(searched=searched)
        .sort_values(["n", "searched"], ascending=False, kind="stable")
        .index[0]
    )
