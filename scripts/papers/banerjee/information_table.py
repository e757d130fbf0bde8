"""Association of each measurement of a run with its disagreement on unseen items."""

from __future__ import annotations

from reseed.plugins.options import Arms as Options
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.tables import Rows, Table
from reseed.verdicts.formatting import format_level

from papers.banerjee.trimming_information import InformationRow
from papers.banerjee.trimming_text import NOTHING, group_by_arm, select_measured

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
    rows = require_rows(select_measured(data, options), NOTHING)
    lines, fixed = Rows(), []
    for title, part in group_by_arm(data, rows):
        for row in InformationRow.read(part):
            line = {
                "Measured on one half": _TITLES[row.measure],
                "Rank correlation": numbers.fixed(row.r, 2),
                "Given": ", ".join(_TITLES[name] for name in row.given.split(", ")),
                "Partial": numbers.with_interval(row.partial, row.partial_low, row.partial_high, 2),
                "Zeros": numbers.percent(row.share_zero),
            }
            lines.add(line, title)
        of_alpha = part[part["measure"] == "alpha_hat"]
        if of_alpha["partial"].isna().any():
            fixed.append(title)
    first = InformationRow.read_first(rows)
    return lines.table(
        data,
        rows,
        footnote(
            data,
            rows,
            f"Spearman correlation, over runs, of what is measured on one random half of the test"
            f" items with the mean churn against the other runs on the other half; partial: with"
            f" what is given taken out (normal scores). Means of {first.n_halves:.0f} halvings;"
            f" {format_level(first.level)} intervals for one halving. Zeros: runs that the"
            " measurement does not order.",
            coverage.at(first.level, coverage.PARTIAL),
            "Given accuracy, churn and ECE, α̂ or the disagreement does not vary, so nothing is left"
            f" to correlate: {numbers.several(fixed)}."
            if fixed
            else "",
            per="arm",
        ),
    )
