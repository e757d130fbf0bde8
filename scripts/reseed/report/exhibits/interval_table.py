"""Spread of each cell with its interval, and a comparison of its range with a Gaussian's."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pandas as pd

from reseed.plugins.options import TheseExperiments as Options
from reseed.report.exhibits.spread_table import (
    LEAST,
    count_equal_decimals,
    name_section,
    note_missing_spreads,
    read_spreads,
    select_whole_cells,
    sort_by_dataset,
)
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.arms import arm_titles
from reseed.report.rendering.data import (
    VARIED,
    ExhibitData,
    NothingToShow,
    footnote,
    require_rows,
)
from reseed.report.rendering.settings import tail_cell
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.verdicts.formatting import format_level

DRAWS = ("spread",)
_LINE = ["dataset", "scheme", "hyperparameters_source"]


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each cell of `experiments`: estimates with intervals over seeds."""
    rows = require_rows(
        data.rows(options.experiments), "None of this table's experiments was run at this scale."
    )
    rows = sort_by_dataset(select_whole_cells(rows))
    if (most := rows["n"].max()) < LEAST:
        raise NothingToShow(
            f"A spread needs {LEAST} seeds, and every setting has at most {most:,}."
        )
    places = count_equal_decimals(rows)
    lines = Rows()
    # Titles of experiments are shown if several vary the same seed of an arm, or if arms of two
    # experiments share a title.
    rows = rows.assign(title=arm_titles(data, rows))
    same = rows.groupby([*_LINE, "title", "varied"], dropna=False)["experiment"]
    alone = same.transform("nunique") == 1
    for title, is_alone, row in zip(rows["title"], alone, read_spreads(rows), strict=True):
        varied = VARIED.get(row.varied, row.varied)
        place = "" if is_alone else f" ({data.experiment(row.experiment)})"
        names = {"Algorithm": title, "Varied": f"{varied}{place}"}
        where = name_section(data, rows, row.dataset, row.scheme, row.hyperparameters_source)
        lines.add(names | _line(row, places[row.dataset]), where)
    level = rows["level"].max()
    percent = format_level(level)
    return lines.table(
        data,
        rows.drop(columns="title"),
        footnote(data, rows, note_missing_spreads(rows)),
        definitions=[
            f"Brackets: {percent} intervals over seeds. {coverage.spread(level)}{_crossed(rows)}",
            f"Next range: where the range of as many new seeds falls ({percent}) if scores are"
            " Gaussian (studentised range).",
            "Range / Gaussian: observed range over that expected of a Gaussian sample of that size"
            " and SD. Tail: from the excess kurtosis at the 5 % level, one test a row; with many"
            " rows some are off by chance, and with few seeds little can be seen.",
        ],
        text_columns=2,
        drop_empty=True,
    )


def _crossed(rows: pd.DataFrame) -> str:
    crossed = rows["varied"].str.contains("+", regex=False).any()
    return " Nor where seeds are crossed: they are not independent." if crossed else ""


def _line(row: Any, places: int) -> TableRow:
    def bracketed(value: float, low: float, high: float) -> str:
        return numbers.with_interval(value, low, high, places) if isfinite(value) else numbers.NONE

    new = numbers.interval(row.range_next_low, row.range_next_high, places)
    return {
        "n": numbers.seeds(int(row.n), int(row.failed)),
        "Median": bracketed(row.median, row.median_low, row.median_high),
        "IQR": bracketed(row.iqr, row.iqr_low, row.iqr_high),
        "SD": bracketed(row.sd, row.sd_low, row.sd_high),
        "Range": numbers.fixed(row.range, places),
        "Next range": (new if isfinite(row.range) else "") or numbers.NONE,
        "Range / Gaussian": numbers.ratio(row.range_ratio_to_gaussian),
        "Tail": tail_cell(row.tail),
    }
