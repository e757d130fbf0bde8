"""Shares of the variance of two roles of the model seed, for scores and for single items."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import NoOptions
from reseed.rendering import coverage, numbers
from reseed.rendering.data import ExhibitData, NothingToShow, footnote
from reseed.rendering.headlines import listed
from reseed.rendering.tables import Rows, Table

from papers.banerjee.trimming_text import cells

# Fewest seeds of a role for a variance in the heading.
_LEAST = 3
_MEASURES = {
    "accuracy": "Accuracy",
    "correct": "Right or wrong, by item",
    "gap": "Logit gap, by item",
}
_ROLES = {
    "init": "Initial weights",
    "order": "Order of batches",
    "dropout": "Dropout masks",
    "augment": "Augmentation",
    "residual": "Interaction and rest",
}


DRAWS = ("papers.banerjee.role_components:analyse",)


def table(data: ExhibitData, options: NoOptions) -> Table:
    """One row for each measure, a section for each arm."""
    rows = data.rows()
    good = rows[rows["reason"] == ""] if len(rows) else rows
    if good.empty:
        reasons = sorted(set(rows["reason"])) if len(rows) else []
        raise NothingToShow("No two roles were crossed: " + "; ".join(reasons))
    lines, findings = Rows(), []
    arms = cells(data, good)
    for title, part in arms:
        for measure, parts in part.groupby("measure", sort=False):
            line = {
                "What varies": _MEASURES[measure],
                "Grid": f"{parts['first_levels'].iloc[0]}×{parts['second_levels'].iloc[0]}",
                "SD": numbers.fixed(parts["sd"].iloc[0], 2 if measure == "gap" else 4),
            }
            for _, row in parts.iterrows():
                line[_ROLES[row["component"]]] = numbers.share_with_interval(row, "share")
            lines.add(line, title)
        findings.append(_finding(part, f" ({title})" if len(arms) > 1 else ""))
    level = good["level"].iloc[0]
    return lines.table(
        data,
        good,
        footnote(
            data,
            good,
            f"Shares of the variance over crossed seeds of two roles, with {100 * level:g} %"
            " intervals: of accuracy by generalised pivotal quantities (Gaussian effects), by item"
            " by a jackknife over seeds.",
            coverage.at(level, coverage.ITEM_SHARES),
            "By item: components of each test item, averaged. SD: of one run, both roles drawn.",
            per="grid",
        ),
        findings=findings,
        headline=_headline([part for _, part in arms]),
    )


def _gap(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The components of the logit gap, and the two roles."""
    gap = rows[rows["measure"] == "gap"].set_index("component")
    return gap, [gap["first"].iloc[0], gap["second"].iloc[0]]


def _headline(parts: list[pd.DataFrame]) -> str:
    if len(parts) != 1 or parts[0][["first_levels", "second_levels"]].min(axis=None) < _LEAST:
        return ""
    gap, roles = _gap(parts[0])
    shares = [(_ROLES[r].lower(), numbers.percent(gap.loc[r, "share"])) for r in roles]
    return listed("Of a logit gap’s variance", shares, "by role of the seed")


def _finding(rows: pd.DataFrame, of: str) -> str:
    gap, (first, second) = _gap(rows)
    parts = (first, second, "residual")
    share = {name: numbers.share_with_interval(gap.loc[name], "share") for name in parts}
    grid = f"{gap['first_levels'].iloc[0]}×{gap['second_levels'].iloc[0]}"
    return (
        f"Of the variance of an item's logit gap{of}, {_ROLES[first].lower()} alone make"
        f" {share[first]}, {_ROLES[second].lower()} alone {share[second]}; {share['residual']} is"
        f" their interaction, which only the two together decide ({grid} seeds)."
    )
