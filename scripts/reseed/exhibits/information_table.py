"""What each measurement of a run says of its disagreement on unseen items."""

from __future__ import annotations

import math

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.tables import Table, empty_table
from reseed.exhibits.trimming import NOTHING, cells, measured
from reseed.options import Arms

_TITLES = {
    "alpha_hat": "α̂",
    "ks": "KS distance",
    "accuracy": "Accuracy",
    "churn": "Churn",
    "ece": "ECE",
}


DRAWS = ("trimming_information",)


class Options(Arms):
    """Which experiments and arms are shown."""


def table(data: ExhibitData, options: dict) -> Table:
    """One row a measurement, a section an arm."""
    rows = measured(data, options)
    if rows.empty:
        return empty_table(data, NOTHING)
    shown, sections, findings = [], [], []
    for title, part in cells(data, rows):
        for _, row in part.iterrows():
            shown.append(
                {
                    "Measured on one half": _TITLES[row["measure"]],
                    "Rank correlation": numbers.fixed(row["r"], 2),
                    "Given": ", ".join(_TITLES[g] for g in row["given"].split(", ")),
                    "Partial": numbers.with_interval(
                        row["partial"], row["partial_low"], row["partial_high"], 2
                    ),
                    "Zeros": numbers.percent(row["share_zero"]),
                }
            )
            sections.append(title)
        findings.append(_finding(title, part.set_index("measure").loc["alpha_hat"]))
    level, halves = rows["level"].iloc[0], rows["n_halves"].iloc[0]
    return Table(
        data,
        pd.DataFrame(shown),
        rows,
        footnote(
            data,
            rows,
            f"Spearman correlation, over runs, of what is measured on one random half of the test"
            f" items with the mean churn against the other runs on the other half; partial: with"
            f" what is given taken out (normal scores). Means of {halves:.0f} halvings;"
            f" {100 * level:g} % intervals for one halving. Zeros: runs that the measurement does"
            " not order.",
            per="arm",
        ),
        sections=sections,
        text_columns=1,
        findings=findings,
    )


def _finding(title: str, row: pd.Series) -> str:
    if not math.isfinite(row["partial"]):
        return f"{title}: α̂ is the same for (nearly) all runs, so it adds nothing to the others."
    inside = row["partial_low"] <= 0 <= row["partial_high"]
    adds = "is not shown to add anything" if inside else "adds something"
    return (
        f"{title}: given accuracy, churn and ECE, α̂ {adds} about disagreement on unseen items"
        f" (partial rank correlation {row['partial']:.2f})."
    )
