"""Runs of nearly the same accuracy that are not alike [Banerjee et al., Tables IV and V]."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.tables import Table, empty_table
from reseed.exhibits.trimming import NOTHING, cells, measured, note
from reseed.options import Arms, Count

DRAWS = ("trimming",)


class Options(Arms):
    """count: rows of an arm."""

    count: Count = 9


def table(data: ExhibitData, options: dict) -> Table:
    """The `count` (9) most accurate runs of each arm, by rising α̂."""
    rows = measured(data, options)
    if rows.empty:
        return empty_table(data, NOTHING)
    shown, sections, chosen = [], [], []
    for title, part in cells(data, rows):
        best = part.sort_values(["accuracy", "alpha_hat"], ascending=[False, True], kind="stable")
        best = best.head(options.get("count", 9)).sort_values("alpha_hat", kind="stable")
        items = best["items"].iloc[0]
        for _, row in best.iterrows():
            shown.append(
                {
                    "Seed": str(row["init"]),
                    "α̂": numbers.fixed(row["alpha_hat"], 3),
                    "α̂, authors’ grid": numbers.fixed(row["alpha_hat_grid"], 3),
                    "Accuracy": numbers.fixed(row["accuracy"], 4),
                    "Churn, ensemble": f"{row['churn_ensemble'] * items:,.0f}",
                    "Churn, mean": f"{row['churn'] * items:,.1f}",
                    "ECE": numbers.fixed(row["ece"], 4),
                }
            )
            sections.append(f"{title} ({items:,} test items)")
        chosen.append(best)
    return Table(
        data,
        pd.DataFrame(shown),
        pd.concat(chosen, ignore_index=True),
        note(
            data,
            rows,
            "The most accurate runs only, so their accuracies are biased upwards. Churn in test"
            " items: against the ensemble of all judged runs, and mean against each of them.",
        ),
        sections=sections,
    )
