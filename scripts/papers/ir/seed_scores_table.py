"""Scores over seeds, model by model, with a row for a constant prediction."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import numbers
from reseed.report.rendering.arms import TEST_SET_KEY, arm_title, cells, group_title, titled_groups
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.verdicts.settings import is_rounding_error

from papers.ir.seed_scores import ScoreRow

METRICS = {
    "accuracy": "Accuracy",
    "macro_precision": "Precision (macro)",
    "macro_recall": "Recall (macro)",
    "macro_f1": "F1 (macro)",
}
_MOST_DECIMALS = 4
DRAWS = ("papers.ir.seed_scores:analyse",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model and test set, then one for predicting the most frequent class."""
    rows = require_rows(
        data.rows(options.experiments), "No per-item scores of a classifier at this scale."
    )
    lines, places = Rows(), decimals_of(rows, "sd")
    for title, part in by_test_set(data, rows):
        for name, cell in cells(data, part):
            line = _line(name, by_metric(cell), places)
            lines.add(line, title)
        if known := by_metric(part.dropna(subset="majority")):
            constant = {
                name: numbers.fixed(known[metric].majority, places[metric])
                for metric, name in METRICS.items()
            }
            always = {"Model": "The commonest class, always"} | constant
            lines.add(dict.fromkeys(line, "") | always, title)
    note = footnote(
        data,
        rows,
        "Mean ± SD over seeds; precision, recall and F1 are means over classes (macro). Distinct:"
        " runs whose outputs differ from all earlier ones. Collapsed: runs that predict one class"
        " throughout. Diverged: share of runs that failed or collapsed. Seed"
        f" {rows['seed'].max():.0f} beats: share of the other seeds that score worse in F1.",
    )
    return lines.table(
        data,
        rows,
        note,
    )


def by_test_set(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each test set; the title is empty if there is one."""
    parts = titled_groups(data, rows, TEST_SET_KEY)
    return [(title if len(parts) > 1 else "", part) for title, part in parts]


def by_metric(rows: pd.DataFrame) -> dict[str, ScoreRow]:
    """The row of each metric; the last one of several."""
    return {row.metric: row for row in ScoreRow.read(rows)}


def decimals_of(rows: pd.DataFrame, *spreads: str) -> dict[str, int]:
    """Metric → decimals that show the smallest of the SDs with two digits, at most four.

    SDs that are a rounding error do not count.
    """
    return {
        metric: numbers.decimals(
            (sd for name in spreads for sd in part.loc[~is_rounding_error(part, name), name]),
            most=_MOST_DECIMALS,
        )
        for metric, part in rows.groupby("metric")
    }


def _line(title: str, scores: dict[str, ScoreRow], places: dict[str, int]) -> TableRow:
    f1 = scores["macro_f1"]
    return {
        "Model": title,
        **{
            name: numbers.plus_minus(scores[metric].mean, scores[metric].sd, places[metric])
            for metric, name in METRICS.items()
        },
        "Runs": f"{f1.n:.0f}",
        "Distinct": numbers.fixed(f1.distinct, 0),
        "Collapsed": numbers.fixed(f1.collapsed, 0),
        "Diverged": numbers.percent(f1.diverged),
        f"Seed {f1.seed:.0f} beats": numbers.percent(f1.seed_percentile),
    }


def name_row(data: ExhibitData, rows: pd.DataFrame, row: ScoreRow) -> str:
    """`XGB on Magic`, with the columns in which `rows` differ."""
    arm = arm_title(data, row.arm, row.experiment)
    return f"{arm} on {group_title(data, rows, vars(row))}"
