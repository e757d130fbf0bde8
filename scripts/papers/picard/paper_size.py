"""Spreads over seeds at the paper's number of test images and of seeds [Picard, Tables 1 and 2].

On few test images most of an SD over seeds is due to the images, and a range grows with the number
of seeds, so neither compares with the paper's as measured.
"""

from __future__ import annotations

import math

from reseed.plugins.options import NoOptions
from reseed.report.analyses.noise_split import NoiseRow
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import cell_titles
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import metric_title
from reseed.report.rendering.tables import Rows, Table, TableRow

DRAWS = ("noise_split",)

_KEY = ["experiment", "dataset", "scheme", "arm", "hyperparameters_source"]


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each arm: SD here, on the paper's number of test images, and the range there."""
    rows = require_rows(data.rows(), "No arm has outputs of single test items at this scale.")
    known = rows["sd_at"].gt(0) & rows["sd_at_low"].notna()
    rows = require_rows(rows[known], "No arm has the five seeds that an SD with an interval needs.")
    places, lines = numbers.decimals(rows["sd_at"], least=4), Rows()
    for title, row in zip(cell_titles(data, rows, _KEY), NoiseRow.read(rows), strict=True):
        section = f"{data.dataset(row.dataset)}, {metric_title(row.metric)}"
        lines.add(_line(title, row, places), section)
    at = rows["test_items"].max()
    return lines.table(
        data,
        rows,
        footnote(data, rows, per="arm"),
        definitions=[
            f"SD on {at:,.0f} images: covariance of two images over seeds, and the images' own"
            f" variance divided by {at:,.0f} (Jordan 2023). Range: that SD times the range of a"
            " Gaussian sample of the paper's number of seeds, which is an assumption.",
        ],
    )


def _line(title: str, row: NoiseRow, places: int) -> TableRow:
    is_known = not math.isnan(row.paper_seeds)
    return {
        "Arm": title,
        "n": numbers.seeds(int(row.n), int(row.failed)),
        "Test images": f"{row.items:,.0f}",
        "SD here": numbers.fixed(row.observed_sd, places),
        "SD on the paper's images": numbers.with_interval(
            row.sd_at, row.sd_at_low, row.sd_at_high, places
        ),
        "Paper's seeds": f"{row.paper_seeds:,.0f}" if is_known else numbers.NONE,
        "Range of them": numbers.with_interval(
            row.range_at, row.range_at_low, row.range_at_high, places
        )
        if is_known
        else numbers.NONE,
    }
