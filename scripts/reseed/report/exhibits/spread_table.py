"""Median, IQR, range and relative variation, one seed varied at a time (Raste, Table 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from reseed.analyses.shared.arms import with_arms
from reseed.plugins.options import TheseExperiments as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.tables import GroupedRow, Rows, Table

#: Columns that identify a row of the table within a dataset.
ROW = ["dataset", "scheme", "hyperparameters_source", "arm"]
#: Fewest seeds for a spread.
LEAST = 3
# Scores from this size on have decimals of their own.
_LARGE = 10
# Fewest seeds for two digits of a spread.
_PRECISE = 20


DRAWS = ("spread",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each dataset and arm, a group of columns for each experiment."""
    experiments = options.experiments
    rows = require_rows(
        data.rows(experiments), "None of this table's experiments was run at this scale."
    )
    rows = with_arms(select_whole_cells(rows))
    places = count_equal_decimals(rows)
    lines, rows = Rows(), sort_by_dataset(rows)
    for (dataset, scheme, source, _), part in rows.groupby(ROW, sort=False):
        cells = {row.experiment: row for row in read_spreads(part)}
        line = {("", "Algorithm"): arm_titles(data, part)[0]}
        for name in experiments:
            line |= build_columns(data.experiment(name), cells.get(name), places[dataset])
        if len(experiments) == 2:
            pair = [cells[name].sd if name in cells else np.nan for name in experiments]
            line["", "SD ratio"] = numbers.ratio(_divide(*pair))
        lines.add(line, name_section(data, rows, dataset, scheme, source))
    first = [data.experiment(name).lower() for name in experiments]
    about_ratio = f"SD ratio: SD, {first[0]}, over SD, {first[1]}." if len(first) == 2 else ""
    return lines.table(
        data,
        rows,
        footnote(data, rows, note_missing_spreads(rows)),
        definitions=["Relative variation: range over median.", about_ratio, UNCERTAIN],
    )


UNCERTAIN = (
    "A range grows with the number of seeds: compare ranges at equal numbers only, SD otherwise."
)


def note_missing_spreads(rows: pd.DataFrame) -> str:
    """Sentence on spreads that are dashes; empty if there are none."""
    is_lacking = rows["n"].between(1, LEAST - 1).any()
    return f"No spread is given of fewer than {LEAST} seeds." if is_lacking else ""


def select_whole_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without slices of cells that cross seeds."""
    return rows[rows["held"] == ""]


def read_spreads(rows: pd.DataFrame) -> list[Any]:
    """The rows of the analysis; without spreads where there are too few seeds."""
    spreads = rows[["iqr", "range", "relative_variation", "sd"]].where(rows["n"] >= LEAST)
    return list(rows.assign(**spreads).itertuples())


def count_score_decimals(rows: pd.DataFrame) -> int:
    """Decimals for scores and their spreads on one dataset.

    The relative error of a spread over n runs is near 1 / √(2 n), so the smallest spread has two
    digits from 20 runs on and one digit below.
    """
    is_precise = rows["n"].max() >= _PRECISE
    least = 3 + is_precise if rows["median"].abs().max() < _LARGE else 1
    return numbers.decimals(rows["iqr"], 1 + is_precise, least=least)


def count_equal_decimals(rows: pd.DataFrame) -> dict[str, int]:
    """Decimals by dataset: the most of `count_score_decimals` of all datasets with scores below 10.

    So a column has equal decimals, unless the scores of a dataset have another size.
    """
    places = {str(d): count_score_decimals(part) for d, part in rows.groupby("dataset")}
    size = rows["median"].abs().groupby(rows["dataset"]).max()
    small = [dataset for dataset in places if not size[dataset] >= _LARGE]
    most = max((places[dataset] for dataset in small), default=0)
    return places | dict.fromkeys(small, most)


def sort_by_dataset(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows sorted by dataset, in order of appearance."""
    order = {name: i for i, name in enumerate(dict.fromkeys(rows["dataset"]))}
    return rows.sort_values("dataset", key=lambda s: s.map(order), kind="stable")


def name_section(
    data: ExhibitData, rows: pd.DataFrame, dataset: str, scheme: str, source: str
) -> str:
    """Heading of a dataset's rows, with split and hyper-parameters if they differ."""
    parts = [f"{data.dataset(dataset)}, {metric_title(data.metric(dataset))}"]
    parts += [scheme] if rows["scheme"].nunique() > 1 else []
    parts += [source] if rows["hyperparameters_source"].nunique() > 1 else []
    return ", ".join(parts)


def build_columns(title: str, row: Any, places: int, sd: bool = False) -> GroupedRow:
    """A group of columns: n, median and spreads of a row of the analysis; dashes for None."""
    if row is None:
        names = "Median", "IQR", "Range", *(["SD"] if sd else []), "Relative variation"
        return {(title, "n"): "not run"} | {(title, name): numbers.NONE for name in names}
    cells = {
        "n": numbers.seeds(int(row.n), int(row.failed)),
        "Median": numbers.fixed(row.median, places),
        "IQR": numbers.fixed(row.iqr, places),
        "Range": numbers.fixed(row.range, places),
        **({"SD": numbers.fixed(row.sd, places)} if sd else {}),
        "Relative variation": numbers.fixed(row.relative_variation, 3),
    }
    return {(title, name): cell for name, cell in cells.items()}


def _divide(a: float, b: float) -> float:
    return a / b if b and np.isfinite(a) and np.isfinite(b) else np.nan
