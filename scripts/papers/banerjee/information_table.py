"""Association of each measurement of a run with its disagreement on unseen items."""

from __future__ import annotations

import pandas as pd
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.comparison.claims.formatting import format_level, format_number
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import coverage, numbers
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.tables import Rows, Table
from reseed.stats.association import detectable_correlation

from papers.banerjee.trimming_information import InformationRow
from papers.banerjee.trimming_text import NOTHING, group_by_arm, select_measured

_TITLES = {
    "alpha_hat": "α̂",
    "ks": "KS distance",
    "accuracy": "Accuracy",
    "churn": "Churn",
    "ece": "ECE",
}


_GIVEN = ("accuracy", "churn", "ece")

DRAWS = ("papers.banerjee.trimming_information:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each measurement, a section for each arm."""
    rows = require_rows(select_measured(data, options), NOTHING)
    lines, alpha, fixed = Rows(), [], []
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
        if of_alpha["partial"].notna().all():
            alpha.append((title, of_alpha))
        else:
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
        claims=[_claim(alpha)] if alpha else [],
    )


def _claim(arms: list[tuple[str, pd.DataFrame]]) -> Claim:
    """Whether α̂ has information beyond accuracy, churn and ECE."""
    titles, rows = [title for title, _ in arms], pd.concat([row for _, row in arms])
    adds = (rows["partial_low"] > 0) | (rows["partial_high"] < 0)
    precision = ""
    if not adds.all():
        least = detectable_correlation(rows["n"], controls=len(_GIVEN))
        precision = (
            f"power 80 % against a partial correlation of {numbers.from_to(least, '{:.2f}'.format)}"
        )
    return Claim(
        "added_information",
        "given accuracy, churn and ECE, α̂ is shown to add something about disagreement on unseen"
        " items in {adds}; the partial rank correlation is {estimates}",
        rows,
        {"adds": phrases.share(rows, adds, "arm")},
        Sample.of(rows, "n", "run"),
        "Information of α̂ beyond accuracy, churn and ECE: shown in {adds}",
        show=_correlation,
        statistic="partial rank correlation",
        estimates=Estimate.of_rows(rows, titles, "partial", (-1, 1)),
        null="partial correlation 0",
        precision=precision,
    )


def _correlation(value: float) -> str:
    return format_number(value, 2)
