"""Association of each measurement of a run with its disagreement on unseen items."""

from __future__ import annotations

import math

import pandas as pd
from reseed.plugins.options import Arms as Options
from reseed.rendering import numbers
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.tables import Rows, Table

from papers.banerjee.trimming_text import NOTHING, cells, measured

_TITLES = {
    "alpha_hat": "α̂",
    "ks": "KS distance",
    "accuracy": "Accuracy",
    "churn": "Churn",
    "ece": "ECE",
}


DRAWS = ("papers.banerjee.trimming_information:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each measurement, a section for each arm."""
    rows = require_rows(measured(data, options), NOTHING)
    lines, findings, alpha = Rows(), [], []
    for title, part in cells(data, rows):
        for _, row in part.iterrows():
            line = {
                "Measured on one half": _TITLES[row["measure"]],
                "Rank correlation": numbers.fixed(row["r"], 2),
                "Given": ", ".join(_TITLES[g] for g in row["given"].split(", ")),
                "Partial": _partial(row),
                "Zeros": numbers.percent(row["share_zero"]),
            }
            lines.add(line, title)
        alpha.append(part.set_index("measure").loc["alpha_hat"])
        findings.append(_finding(title, alpha[-1]))
    level, halves = rows["level"].iloc[0], rows["n_halves"].iloc[0]
    return lines.table(
        data,
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
        findings=[*_over_arms(alpha), *findings],
        headline=_headline(alpha),
    )


def _partial(row: pd.Series) -> str:
    return numbers.with_interval(row["partial"], row["partial_low"], row["partial_high"], 2)


def _adds(row: pd.Series) -> bool:
    """Whether the interval of the partial correlation excludes 0."""
    return math.isfinite(row["partial"]) and not row["partial_low"] <= 0 <= row["partial_high"]


def _headline(alpha: list[pd.Series]) -> str:
    known = [row for row in alpha if math.isfinite(row["partial"]) and row["n"] >= LEAST]
    if not known:
        return ""
    return (
        f"α̂ is shown to add to accuracy, churn and ECE in {sum(map(_adds, known))} of"
        f" {numbers.counted(len(known), 'arm')}"
    )


def _over_arms(alpha: list[pd.Series]) -> list[str]:
    """One sentence on several arms."""
    if len(alpha) < 2:
        return []
    runs = numbers.from_to(row["n"] for row in alpha)
    return [
        f"Given accuracy, churn and ECE, α̂ is shown to add something about disagreement on unseen"
        f" items in {numbers.part_of(sum(map(_adds, alpha)), len(alpha), 'arm')}"
        f" ({runs} runs each)."
    ]


def _finding(title: str, row: pd.Series) -> str:
    if not math.isfinite(row["partial"]):
        return (
            f"{title}: given accuracy, churn and ECE, α̂ or the disagreement does not vary, so there"
            " is nothing left to correlate."
        )
    adds = "adds something" if _adds(row) else "is not shown to add anything"
    return (
        f"{title}: given accuracy, churn and ECE, α̂ {adds} about disagreement on unseen items"
        f" (partial rank correlation {_partial(row)}, {row['n']:,.0f} runs)."
    )
