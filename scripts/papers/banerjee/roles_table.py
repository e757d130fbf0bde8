"""Shares of the variance of two roles of the model seed, for scores and for single items."""

from __future__ import annotations

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import NoOptions
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.data import ExhibitData, footnote
from reseed.report.rendering.tables import Rows, Table

from papers.banerjee.role_components import ComponentRow
from papers.banerjee.trimming_text import group_by_arm

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
    reasons = sorted({row.reason for row in ComponentRow.read(data.rows())})
    good = data.require_rows(
        f"No two roles were crossed: {'; '.join(reasons)}", keep=lambda rows: rows["reason"] == ""
    )
    lines, claims = Rows(), []
    for title, part in group_by_arm(data, good):
        for measure, parts in part.groupby("measure", sort=False):
            components = ComponentRow.read(parts)
            first = components[0]
            line = {
                "What varies": _MEASURES[measure],
                "Grid": f"{first.first_levels:.0f}×{first.second_levels:.0f}",
                "SD": numbers.fixed(first.sd, 2 if measure == "gap" else 4),
            }
            for row in components:
                line[_ROLES[row.component]] = numbers.share_with_interval(vars(row), "share")
            lines.add(line, title)
        claims.append(_claim(len(claims), title, part))
    level = good["level"].iloc[0]
    return lines.table(
        data,
        good,
        footnote(
            data,
            good,
            f"Shares of the variance over crossed seeds of two roles, with {format_level(level)}"
            " intervals: of accuracy by generalised pivotal quantities (Gaussian effects), by item"
            " by a jackknife over seeds.",
            coverage.at(level, coverage.ITEM_SHARES),
            "By item: components of each test item, averaged. SD: of one run, both"
            " roles drawn; these are other seeds than those of arms without a grid, so their SDs"
            " differ.",
            per="grid",
        ),
        claims=claims,
    )


def _claim(number: int, title: str, rows: pd.DataFrame) -> Claim:
    """Shares of both roles in the variance of an item's logit gap."""
    gap = rows[rows["measure"] == "gap"]
    one, ends = ComponentRow.read(gap)[0], ("share_low", "share_high")

    def share(component: str, interval: tuple[str, str] | None = ends) -> phrases.Phrase:
        row = gap[gap["component"] == component]
        return phrases.single(row, "share", numbers.rounded_percent, interval)

    return Claim(
        f"gap_shares_{number + 1}" if number else "gap_shares",
        "of the variance of an item's logit gap, {first} alone make {first_share}, {second} alone"
        " {second_share}; {rest} is their interaction, which only the two together decide",
        gap,
        {
            "first": phrases.name(_ROLES[one.first].lower()),
            "second": phrases.name(_ROLES[one.second].lower()),
            "first_share": share(one.first),
            "second_share": share(one.second),
            "first_plain": share(one.first, None),
            "second_plain": share(one.second, None),
            "rest": share("residual"),
            "grid": phrases.setting(
                one.first_levels, lambda levels: f"{levels:.0f}×{one.second_levels:.0f} seeds"
            ),
        },
        Sample.of(gap, "n", "run"),
        "Of a logit gap’s variance: {first} {first_plain}, {second} {second_plain}",
        subject=title,
        basis="{grid}, {n}, {level} intervals",
        statistic="share of the variance",
        null=NO_NULL,
        estimates=Estimate.of_rows(gap, gap["component"].map(_ROLES), "share", (0, 1)),
    )
