"""Mean, SD, worst and best of many seeds, against a Gaussian [Picard, Tables 1 and 2]."""

from __future__ import annotations

import math

from reseed.plugins.options import Arms as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import cell_titles, select_rows
from reseed.report.rendering.data import AS_PUBLISHED, ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import metric_title, p_cell, tail_cell
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.stats.gaussian_range import expected_gaussian_range
from reseed.verdicts.formatting import format_level

from papers.picard.extremes import POWER_DF, ExtremesRow

DRAWS = ("papers.picard.extremes:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, followed by the published numbers of the same row."""
    rows = ExtremesRow.select(select_rows(data, options), lambda row: row.n > 1)
    rows = require_rows(rows, "No arm has two finished seeds at this scale.")
    lines = Rows()
    places = {d: numbers.decimals(part["sd"], least=3) for d, part in rows.groupby("dataset")}
    for title, row in zip(cell_titles(data, rows), ExtremesRow.read(rows), strict=True):
        digits = places[row.dataset]
        section = f"{data.dataset(row.dataset)}, {metric_title(row.metric)}"
        lines.add(_line(title, row, digits), section)
        if math.isfinite(row.published_mean):
            lines.add(_line("  as published", _published(row), digits), section)
    level = ExtremesRow.read_first(rows).level
    reasons = sorted({reason for reason in rows["reason"] if reason})
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            "Range in SD: worst to best over the SD; Gaussian: its mean in Gaussian samples of that"
            " size; p: share of them with a range at least as large. A range grows with the number"
            " of seeds: compare it with the Gaussian in its row, not with another row.",
            f"Power: of this p and of the tails, against t with {POWER_DF} degrees of freedom.",
            f"Within: share of all seeds that lie between worst and best, at least, with"
            f" confidence {format_level(level)} (whatever the distribution).",
            f"Not judged: {'; '.join(reasons)}." if reasons else "",
            AS_PUBLISHED if rows["published_mean"].notna().any() else "",
            per="arm",
        ),
    )


def _line(title: str, row: ExtremesRow, digits: int) -> TableRow:
    return {
        "Arm": title,
        "n": numbers.seeds(int(row.n), int(row.failed)),
        "Test items": numbers.NONE if math.isnan(row.items) else f"{row.items:,.0f}",
        "Mean ± SD": numbers.plus_minus(row.mean, row.sd, digits),
        "Minimum": numbers.fixed(row.min, digits),
        "Maximum": numbers.fixed(row.max, digits),
        "Range": numbers.fixed(row.range, digits),
        "Range in SD": numbers.fixed(row.range_in_sd, 2),
        "Gaussian": numbers.fixed(row.range_in_sd_expected, 2),
        "p": p_cell(row.range_p),
        "Tails": tail_cell(row.tail),
        "Power": _power(row),
        "Within": numbers.percent(row.inside_low, 1),
    }


def _published(row: ExtremesRow) -> ExtremesRow:
    """The paper's row, as far as its numbers follow from those that it prints."""
    low, high, n = row.published_min, row.published_max, int(row.published_seeds)
    return ExtremesRow(
        n=n,
        mean=row.published_mean,
        sd=row.published_std,
        min=low,
        max=high,
        range=high - low,
        range_in_sd=(high - low) / row.published_std,
        range_in_sd_expected=float(expected_gaussian_range(n)),
    )


def _power(row: ExtremesRow) -> str:
    powers = row.range_power, row.tail_power
    if not all(map(math.isfinite, powers)):
        return numbers.NONE
    return " / ".join(numbers.percent(power) for power in powers)
