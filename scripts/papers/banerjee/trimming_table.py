"""Accuracy and pairwise churn by source of randomness [Banerjee et al., Tables II and III]."""

from __future__ import annotations

import math

import pandas as pd
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import TEST_SET_KEY, cell_titles
from reseed.report.rendering.data import AS_PUBLISHED, ExhibitData, require_rows
from reseed.report.rendering.tables import GroupedRow, Rows, Table

from papers.banerjee.trimming_summary import SummaryRow, read_published
from papers.banerjee.trimming_text import NOTHING, footnote_trimming, select_measured

DRAWS = ("papers.banerjee.trimming_summary:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, followed by the published numbers of the same source."""
    rows = require_rows(select_measured(data, options), NOTHING)
    lines, places = Rows(), _count_decimals(rows)
    titles, arms, published = cell_titles(data, rows, TEST_SET_KEY), SummaryRow.read(rows), False
    for title, row, printed in zip(titles, arms, read_published(rows), strict=True):
        lines.add(_line(title, row, places))
        if not math.isnan(printed.accuracy_min) or not math.isnan(printed.churn_min):
            lines.add(_line("  as published", printed, places))
            published = True
    return lines.table(
        data,
        rows,
        footnote_trimming(
            data,
            rows,
            f"Low α̂: at most {arms[0].threshold:g}; of a pair: of both runs. Churn: share of test"
            " items on which two runs predict different classes. Mean, SD and ranges are of all"
            " runs of an arm; the ensemble and low α̂ are of the measured runs. Ranges grow with the"
            " number of runs.",
            AS_PUBLISHED if published else "",
        ),
    )


def _count_decimals(rows: pd.DataFrame) -> dict[str, int]:
    """Decimals of accuracies by their SD over runs, and of shares by their test items."""
    return {
        "accuracy": numbers.spread_decimals(rows["accuracy_sd"], rows["n"].max()),
        "churn": numbers.item_decimals(rows["items"]),
    }


def _line(title: str, row: SummaryRow, places: dict[str, int]) -> GroupedRow:
    def span(measure: str, low: float, high: float) -> str:
        digits = places[measure]
        return "none" if math.isnan(low) else f"{low:.{digits}f}–{high:.{digits}f}"

    digits, is_measured = places["accuracy"], row.n > 0
    low_alpha = f"{row.admitted:.0f} of {row.candidates:.0f}" if is_measured else numbers.NONE
    return {
        ("", "Arm"): title,
        ("", "Runs"): f"{row.n:.0f}" if is_measured else numbers.NONE,
        ("Accuracy", "Mean ± SD"): numbers.plus_minus(row.accuracy_mean, row.accuracy_sd, digits),
        ("Accuracy", "Range"): span("accuracy", row.accuracy_min, row.accuracy_max),
        ("Accuracy", "Ensemble"): numbers.fixed(row.ensemble_accuracy, digits),
        ("Accuracy", "Range, low α̂"): span(
            "accuracy", row.low_alpha_accuracy_min, row.low_alpha_accuracy_max
        ),
        ("", "Low α̂"): low_alpha,
        ("Pairwise churn", "Range"): span("churn", row.churn_min, row.churn_max),
        ("Pairwise churn", "Range, low α̂"): span(
            "churn", row.low_alpha_churn_min, row.low_alpha_churn_max
        ),
    }
