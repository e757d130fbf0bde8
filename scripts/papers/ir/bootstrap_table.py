"""Standard deviations of each score: test-set bootstrap, seeds, and what was published."""

from __future__ import annotations

import math

from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import cells
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.tables import GroupedRow, Rows, Table

from papers.ir.seed_scores import ScoreRow
from papers.ir.seed_scores_table import (
    METRICS,
    by_metric,
    by_test_set,
    decimals_of,
)

_BOOTSTRAP, _SEEDS = "mean ± bootstrap SD", "SD over seeds"

DRAWS = ("papers.ir.seed_scores:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and test set; below it the row of the paper, as printed."""
    rows = require_rows(
        data.rows(options.experiments), "No per-item scores of a classifier at this scale."
    )
    lines, places = Rows(), decimals_of(rows, "sd", "bootstrap_sd")
    for title, part in by_test_set(data, rows):
        for arm, cell in cells(data, part):
            scores = by_metric(cell)
            lines.add(_line(arm, scores, places), title)
            if not all(math.isnan(row.published_mean) for row in scores.values()):
                lines.add(_published_line(arm, scores), title)
    note = footnote(
        data,
        rows,
        f"Bootstrap: SD of one trained model over {rows['n_boot'].max():.0f} resamples of the test"
        " items, root mean square over seeds. Seeds: SD over seeds on the same test items. The"
        " first is the effect of which test items were drawn, the second that of the run. Scores"
        " that do not vary over seeds have no ratio. The interval of a ratio takes the SD of the"
        " bootstrap as known.",
        "Published: one model of the paper, as printed; its test sets are not these ones (the SDs"
        " imply other sizes than it states)."
        if rows["published_mean"].notna().any()
        else "",
    )
    return lines.table(
        data,
        rows,
        note,
    )


def _line(title: str, scores: dict[str, ScoreRow], places: dict[str, int]) -> GroupedRow:
    line = {("", "Model"): title}
    for metric, name in METRICS.items():
        score, digits = scores[metric], places[metric]
        line[name, _BOOTSTRAP] = numbers.plus_minus(score.mean, score.bootstrap_sd, digits)
        line[name, _SEEDS] = numbers.fixed(score.sd, digits)
    return line


def _published_line(title: str, scores: dict[str, ScoreRow]) -> GroupedRow:
    """The paper's row; it prints means with two decimals and SDs with three."""
    line = {("", "Model"): f"{title}, published"}
    for metric, name in METRICS.items():
        score = scores[metric]
        line[name, _BOOTSTRAP] = f"{score.published_mean:.2f} ± {score.published_bootstrap_sd:.3f}"
        line[name, _SEEDS] = numbers.NONE
    return line
