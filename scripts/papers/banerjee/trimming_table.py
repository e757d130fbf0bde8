"""Accuracy and pairwise churn by source of randomness [Banerjee et al., Tables II and III]."""

from __future__ import annotations

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.data import AS_PUBLISHED, ExhibitData, require_rows
from reseed.report.rendering.tables import GroupedRow, Rows, Table

from papers.banerjee.trimming_claims import show_percent
from papers.banerjee.trimming_text import NOTHING, footnote_trimming, group_by_arm, select_measured

# Greatest SD of shares: half zeros, half ones, of two runs.
_MOST = 0.5**0.5

DRAWS = ("papers.banerjee.trimming_summary:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, followed by the published numbers of the same source."""
    rows = require_rows(select_measured(data, options), NOTHING)
    lines, places = Rows(), _count_decimals(rows)
    printed = [name for name in rows if name.startswith("published_")]
    for title, part in group_by_arm(data, rows):
        row = part.iloc[0]
        lines.add(_line(title, row, "", places))
        if row[printed].notna().any():
            lines.add(_line("  as published", row, "published_", places))
    threshold = rows["threshold"].iloc[0]
    return lines.table(
        data,
        rows,
        footnote_trimming(
            data,
            rows,
            f"Low α̂: at most {threshold:g}; of a pair: of both runs. Churn: share of test items on"
            " which two runs predict different classes. Mean, SD and ranges are of all runs of an"
            " arm; the ensemble and low α̂ are of the measured runs. Ranges grow with the number of"
            " runs.",
            AS_PUBLISHED if rows[printed].notna().any(axis=None) else "",
        ),
        claims=_claims(data, rows, places["accuracy"]),
    )


def _count_decimals(rows: pd.DataFrame) -> dict[str, int]:
    """Decimals of accuracies by their SD over runs, and of shares by their test items."""
    return {
        "accuracy": numbers.spread_decimals(rows["accuracy_sd"], rows["n"].max()),
        "churn": numbers.item_decimals(rows["items"]),
    }


def _line(title: str, row: pd.Series, prefix: str, places: dict[str, int]) -> GroupedRow:
    def span(name: str) -> str:
        low, high = row[f"{prefix}{name}_min"], row[f"{prefix}{name}_max"]
        digits = places[name.rpartition("_")[2]]
        return "none" if pd.isna(low) else f"{low:.{digits}f}–{high:.{digits}f}"

    mine = prefix == ""
    low = f"{row['admitted']:.0f} of {row['candidates']:.0f}" if mine else numbers.NONE
    mean = numbers.plus_minus(row["accuracy_mean"], row["accuracy_sd"], places["accuracy"])
    ensemble = numbers.fixed(row[f"{prefix}ensemble_accuracy"], places["accuracy"])
    return {
        ("", "Arm"): title,
        ("", "Runs"): f"{row['n']:.0f}" if mine else numbers.NONE,
        ("Accuracy", "Mean ± SD"): mean if mine else numbers.NONE,
        ("Accuracy", "Range"): span("accuracy"),
        ("Accuracy", "Ensemble"): ensemble,
        ("Accuracy", "Range, low α̂"): span("low_alpha_accuracy"),
        ("", "Low α̂"): low,
        ("Pairwise churn", "Range"): span("churn"),
        ("Pairwise churn", "Range, low α̂"): span("low_alpha_churn"),
    }


def _claims(data: ExhibitData, rows: pd.DataFrame, places: int) -> list[Claim]:
    """SD of accuracy and mean churn of each arm. places: decimals of an accuracy in the table."""
    arms = [(title, part.iloc[0]) for title, part in group_by_arm(data, rows)]
    every = pd.DataFrame([row for _, row in arms])
    titles, sample = [title for title, _ in arms], Sample.of(every, "n", "run")
    churn = phrases.listed(every, "churn_mean", show_percent, titles, is_comparable=True)
    return [
        Claim(
            "sd",
            "",
            every,
            {},
            sample,
            headline="SD of accuracy: {values}",
            show=f"{{:.{places}f}}".format,
            statistic="SD of accuracy over runs",
            null=NO_NULL,
            estimates=Estimate.of_rows(every, titles, "accuracy_sd", (0, _MOST)),
        ),
        Claim(
            "churn",
            "two runs disagree on {churn} of the test items on average",
            every,
            {"churn": churn},
            sample,
            statistic="mean churn of a pair",
        ),
    ]
