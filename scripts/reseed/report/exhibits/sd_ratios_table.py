"""Ratios of the SDs over seeds of arms and baselines."""

from __future__ import annotations

import pandas as pd

from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import NoOptions
from reseed.report.analyses.sd_ratios import RatioRow
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import arm_title, cell_titles
from reseed.report.rendering.data import (
    ExhibitData,
    footnote,
    list_reasons,
    metric_title,
    require_rows,
)
from reseed.report.rendering.settings import p_cell
from reseed.report.rendering.tables import Rows, Table, TableRow

DRAWS = ("sd_ratios",)


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each arm and baseline, a section for each dataset of the arm."""
    every = data.require_rows("There is no arm to compare with a baseline at this scale.")
    reasons = list_reasons(every)
    rows = require_rows(data.measured(), f"No SD ratio: {'; '.join(reasons)}.")
    pairs = _title_pairs(data, rows)
    lines = Rows()
    ratios = RatioRow.read(rows)
    for (arm, baseline), row in zip(pairs, ratios, strict=True):
        places = numbers.decimals(
            sd for one in ratios if one.dataset == row.dataset for sd in (one.sd, one.sd_baseline)
        )
        section = f"{data.dataset(row.dataset)}, {metric_title(row.metric)}"
        lines.add(_line(arm, baseline, row, places), section)
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            "Ratio: SD over seeds of the arm, divided by that of the baseline; in brackets"
            f" {format_level(ratios[0].level)} intervals, each for itself. p: F test of a"
            " ratio of 1. Detectable: smallest ratio that it finds with a power of 80 %. Degrees of"
            " freedom are lowered for heavy tails: simulated, the intervals cover 95 to 98 % of"
            " Gaussian scores, 91 % of t with 5 degrees of freedom, and 83 to 86 % with 3.",
            _other_data(ratios),
            f"Left out: {'; '.join(reasons)}." if reasons else "",
            per="arm",
        ),
    )  # fmt: skip


def _title_pairs(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, str]]:
    """(title of the arm, title of the baseline) of each row."""
    return [
        (title, arm_title(data, row.baseline, row.baseline_experiment))
        for title, row in zip(cell_titles(data, rows), RatioRow.read(rows), strict=True)
    ]


def _line(arm: str, baseline: str, row: RatioRow, places: int) -> TableRow:
    return {
        "Arm": arm,
        "Baseline": baseline,
        "n": f"{row.n:,} and {row.n_baseline:,}",
        "SD": numbers.fixed(row.sd, places),
        "SD, baseline": numbers.fixed(row.sd_baseline, places),
        "Ratio": numbers.with_interval(row.ratio, row.ratio_low, row.ratio_high, 2),
        "p": p_cell(row.p),
        "Detectable": numbers.ratio(row.detectable),
    }


def _other_data(ratios: list[RatioRow]) -> str:
    if all(row.same_data for row in ratios):
        return ""
    return (
        "An arm and its baseline differ in data and test set, too: their ratio is not the effect of"
        " one difference alone."
    )
