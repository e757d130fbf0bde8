"""Code shared by the exhibits of α̂: measured rows, arms, footnote."""

from __future__ import annotations

from typing import Literal

import pandas as pd
from reseed.plugins.options import Arms
from reseed.report.exhibits.shared.left_out import left_out
from reseed.report.rendering import arms
from reseed.report.rendering.arms import TEST_SET_KEY
from reseed.report.rendering.data import ExhibitData, footnote
from reseed.report.rendering.numbers import from_to

# With a larger threshold of the KS test, α̂ detects coarse differences only.
_WIDE = 0.08
NOTHING = "No per-item outputs of enough model seeds of a classifier at this scale."
#: Titles of measurements on an axis, by name.
MEASURES = {
    "accuracy": "Test accuracy",
    "churn": "Churn against the other runs",
    "churn_ensemble": "Churn against the ensemble",
    "ece": "ECE",
    "alpha_hat": "α̂",
    "alpha_hat_grid": "α̂ on the authors’ grid",
    "ks": "KS distance to the reference",
}


#: The name of a measurement.
Measure = Literal[
    "accuracy", "churn", "churn_ensemble", "ece", "alpha_hat", "alpha_hat_grid", "ks"
]  # fmt: skip


def select_measured(data: ExhibitData, options: Arms) -> pd.DataFrame:
    """Measured rows, without published ones, of the `experiments` and `arms` of the options."""
    rows = data.rows(options.experiments)
    if rows.empty:
        return rows
    rows = rows[rows["reason"] == ""]
    if "published" in rows:
        rows = rows[~rows["published"].astype(bool)]
    return rows[rows["arm"].isin(options.arms)] if options.arms else rows


def group_by_arm(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each arm on each test set, in order of appearance."""
    return arms.cells(data, rows, TEST_SET_KEY)


def in_text(measure: str) -> str:
    """The name of a measurement within a sentence: `test accuracy`, but `ECE` and `KS distance`."""
    name = MEASURES[measure]
    return name[0].lower() + name[1:] if name[1].islower() else name


def footnote_trimming(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: definition of α̂ at this n, and arms left out."""
    delta = from_to(rows["delta"], "{:.3f}".format, to="–")
    items = int(rows["items"].min())
    few = (
        f" With {items:,} test items δ is wide and α̂ sees coarse differences only."
        if rows["delta"].min() > _WIDE
        else ""
    )
    return footnote(
        data,
        rows,
        f"α̂: smallest share of test items to be reweighted away for a run's logit gaps to lie"
        f" within δ = {delta} of the reference function; exact, mean over bootstraps.{few}",
        _count_references(rows),
        *sentences,
        left_out(data),
        per="arm",
    )


def _count_references(rows: pd.DataFrame) -> str:
    """Number of runs that are measured, where some are only references."""
    column = "candidates" if "candidates" in rows else "pool"
    if column not in rows or (rows[column] == rows["n"]).all():
        return ""
    return (
        f"Of an arm’s runs the first half is the reference; {from_to(rows[column], to='–')} are"
        " measured."
    )
