"""Shares of the variance of two roles of the model seed, for scores and for single items."""

from __future__ import annotations

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.comparison.claims.formatting import format_level
from reseed.plugins.options import NoOptions
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.data import ExhibitData, NothingToShow, footnote
from reseed.report.rendering.tables import Rows, Table

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
    rows = data.rows()
    good = rows[rows["reason"] == ""] if len(rows) else rows
    if good.empty:
        reasons = sorted(set(rows["reason"])) if len(rows) else []
        raise NothingToShow("No two roles were crossed: " + "; ".join(reasons))
    lines, claims = Rows(), []
    arms = group_by_arm(data, good)
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
    by = {row["component"]: gap.loc[[i]] for i, row in gap.iterrows()}
    first, second = gap["first"].iloc[0], gap["second"].iloc[0]
    ends = ("share_low", "share_high")

    def share(component: str, interval: tuple[str, str] | None = ends) -> phrases.Phrase:
        return phrases.single(by[component], "share", numbers.rounded_percent, interval)

    return Claim(
        f"gap_shares_{number + 1}" if number else "gap_shares",
        "of the variance of an item's logit gap, {first} alone make {first_share}, {second} alone"
        " {second_share}; {rest} is their interaction, which only the two together decide",
        gap,
        {
            "first": phrases.name(_ROLES[first].lower()),
            "second": phrases.name(_ROLES[second].lower()),
            "first_share": share(first),
            "second_share": share(second),
            "first_plain": share(first, None),
            "second_plain": share(second, None),
            "rest": share("residual"),
            "grid": phrases.setting(
                gap["first_levels"].iloc[0],
                lambda levels: f"{levels}×{gap['second_levels'].iloc[0]} seeds",
            ),
        },
        Sample.of(gap, "n", "run"),
        "Of a logit gap’s variance: {first} {first_plain}, {second} {second_plain}",
        subject=title,
        basis="{grid}, {n}, {level} intervals",
        statistic="share of the variance",
        null=NO_NULL,
        estimates=[
            Estimate(_ROLES[name], *row[["share", *ends, "level"]].astype(float).iloc[0], (0, 1))
            for name, row in by.items()
        ],
    )
