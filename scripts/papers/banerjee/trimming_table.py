"""Accuracy and pairwise churn by source of randomness [Banerjee et al., Tables II and III]."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Arms as Options
from reseed.rendering import numbers
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.headlines import LEAST, listed
from reseed.rendering.tables import Rows, Table

from papers.banerjee.trimming_text import NOTHING, cells, measured, note

DRAWS = ("papers.banerjee.trimming_summary:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each arm, followed by the published numbers of the same source."""
    rows = require_rows(measured(data, options), NOTHING)
    lines = Rows()
    for title, part in cells(data, rows):
        row = part.iloc[0]
        lines.add(_line(title, row, ""))
        if row[[c for c in row.index if c.startswith("published_")]].notna().any():
            lines.add(_line("  as published", row, "published_"))
    threshold = rows["threshold"].iloc[0]
    return lines.table(
        data,
        rows,
        note(
            data,
            rows,
            f"Low α̂: at most {threshold:g}; of a pair: of both runs. Churn: share of test items on"
            " which two runs predict different classes. Ranges grow with the number of runs.",
        ),
        findings=_findings(data, rows),
        headline=_headline(data, rows),
    )


def _line(title: str, row: pd.Series, prefix: str) -> dict:
    def span(name: str) -> str:
        low, high = row[f"{prefix}{name}_min"], row[f"{prefix}{name}_max"]
        return "none" if pd.isna(low) else f"{low:.4f}–{high:.4f}"

    mine = prefix == ""
    mean = numbers.plus_minus(row["accuracy_mean"], row["accuracy_sd"], 4)
    return {
        ("", "Arm"): title,
        ("", "Runs judged"): f"{row['candidates']:.0f}" if mine else numbers.NONE,
        ("Accuracy", "Mean ± SD"): mean if mine else numbers.NONE,
        ("Accuracy", "Range"): span("accuracy"),
        ("Accuracy", "Ensemble"): numbers.fixed(row[f"{prefix}ensemble_accuracy"], 4),
        ("Accuracy", "Range, low α̂"): span("low_alpha_accuracy"),
        ("", "Low α̂"): numbers.percent(row["share_admitted"]) if mine else numbers.NONE,
        ("Pairwise churn", "Range"): span("churn"),
        ("Pairwise churn", "Range, low α̂"): span("low_alpha_churn"),
    }


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    known = [(title, part.iloc[0]) for title, part in cells(data, rows)]
    known = [(title, row) for title, row in known if row["candidates"] >= LEAST]
    if not known:
        return ""
    spreads = [(title, f"{row['accuracy_sd']:.4f}") for title, row in known]
    values = numbers.from_to((row["accuracy_sd"] for _, row in known), "{:.4f}".format)
    return listed("SD of accuracy", spreads, f"{values} in {len(known)} arms")


def _findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Spread of accuracy and churn of each arm; they are not ordered with few runs."""
    known = [(title, part.iloc[0]) for title, part in cells(data, rows)]
    spreads = [f"{row['accuracy_sd']:.4f} ({title})" for title, row in known]
    churn = [numbers.percent(row["churn_mean"], 1) for _, row in known]
    runs = numbers.from_to(row["candidates"] for _, row in known)
    return [
        f"The SD of accuracy over {runs} runs is {numbers.several(spreads)}; two of them disagree"
        f" on {numbers.several(churn)} of the test items on average."
    ]
