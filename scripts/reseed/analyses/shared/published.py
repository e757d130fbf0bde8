"""Tables of published numbers, matched by name to the cells that were measured."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reseed.core.coordinates import base_name
from reseed.core.errors import ReseedError

#: Columns that say what a number of [Raste et al.] is about.
RESULT_COLUMNS = [
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


def read_published_table(folder: Path | None, name: str, columns: Sequence[str]) -> pd.DataFrame:
    """Read `{folder}/{name}.csv`. Raises ReseedError for a missing file or column."""
    path = Path(folder or ".") / f"{name}.csv"
    if folder is None or not path.is_file():
        known = ", ".join(sorted(p.stem for p in Path(folder).glob("*.csv"))) if folder else "none"
        raise ReseedError(f"published table {name!r} is not in {folder}: it holds {known}")
    table = pd.read_csv(path)
    missing = [column for column in columns if column not in table]
    if missing:
        raise ReseedError(f"{path} lacks the columns {missing}")
    return table


def find_published_row(table: pd.DataFrame, values: Mapping[str, object]) -> pd.Series | None:
    """The first row of a published table with these values; None if there is none.

    Raises ReseedError for a column that the table does not have.
    """
    for column in values:
        if column not in table:
            raise ReseedError(f"published numbers have no column {column!r}: {list(table)}")
    rows = table
    for column, value in values.items():
        rows = rows[rows[column].astype(str) == str(value)]
    return rows.iloc[0] if len(rows) else None


def with_published(
    table: pd.DataFrame,
    printed: pd.DataFrame,
    wanted: Iterable[Mapping[str, object] | None],
    units: Mapping[str, float],
) -> pd.DataFrame:
    """The table with `published_{column}` of the published row that each of its rows reproduces.

    wanted: values of `find_published_row` by row; None for none. units: divisor of each column.
    """
    rows = [None if values is None else find_published_row(printed, values) for values in wanted]
    columns = {
        f"published_{name}": [math.nan if row is None else row[name] / unit for row in rows]
        for name, unit in units.items()
    }
    return table.assign(**columns)


def read_published_results(folder: Path | None, files: Sequence[str]) -> pd.DataFrame:
    """One row a result of [Raste et al.]: `RESULT_COLUMNS` and `STATISTICS`.

    A statistic that a table does not print is NaN. No rows without a folder or files.
    """
    columns = RESULT_COLUMNS + STATISTICS
    if folder is None or not files:
        return pd.DataFrame(columns=columns)
    tables = [read_published_table(folder, name, RESULT_COLUMNS) for name in files]
    return pd.concat([table.reindex(columns=columns) for table in tables], ignore_index=True)


def find_measured_rows(
    published: Sequence[Mapping[Hashable, Any]],
    measured: pd.DataFrame,
    stand_ins: Mapping[str, str],
) -> list[int | None]:
    """Index of the row of `measured` (from `spread`) that each published result is about, or None.

    The row has the same varied seed, dataset (or its stand-in), algorithm, test ratio and metric.
    "tuned" results match hyper-parameters that were tuned for each pair of seeds. All others match
    "fixed" results. Of several rows, the one with most seeds is taken, tuned before default.
    """
    rows: dict[tuple[object, ...], list[tuple[int, bool, int]]] = {}
    for index, row in zip(measured.index, measured.to_dict("records"), strict=True):
        source, names = row["hyperparameters_source"], (row["dataset"], row["model"])
        key = (row["varied"], row["metric"], round(row["test_ratio"], 8), *map(base_name, names))
        place = rows.setdefault((*key, source.startswith("tuned")), [])
        place.append((row["n"], source != "default", -index))
    indices = []
    for one in published:
        dataset = stand_ins.get(one["dataset"], one["dataset"])
        key = (one["varied_seed"], one["metric"], round(one["test_ratio"], 8), dataset)
        candidates = rows.get((*key, one["algorithm"], one["hyperparameters"] == "tuned"))
        indices.append(-max(candidates)[2] if candidates else None)
    return indices
