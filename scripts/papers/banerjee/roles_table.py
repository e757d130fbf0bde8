"""Shares of the variance of two roles of the model seed, for scores and for single items."""

from __future__ import annotations

from reseed.plugins.options import NoOptions
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.data import ExhibitData, footnote
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.formatting import format_level

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
    lines = Rows()
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
    )
