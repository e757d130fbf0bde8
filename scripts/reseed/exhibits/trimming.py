"""What the exhibits of α̂ share: rows that were measured, arms, footnote."""

from __future__ import annotations

from typing import Literal

import pandas as pd

from reseed.exhibits import arms
from reseed.exhibits.arms import TEST_SET, arm_title
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.numbers import several

NOTHING = "No per-item outputs of enough model seeds of a classifier at this scale."
#: Measurements by name: title on an axis, factor to print by.
MEASURES = {
    "accuracy": ("Test accuracy", 1.0),
    "churn": ("Churn against the other runs", 1.0),
    "churn_ensemble": ("Churn against the ensemble", 1.0),
    "ece": ("ECE", 1.0),
    "alpha_hat": ("α̂", 1.0),
    "alpha_hat_grid": ("α̂ on the authors’ grid", 1.0),
    "ks": ("KS distance to the reference", 1.0),
}


#: The name of one.
Measure = Literal[
    "accuracy", "churn", "churn_ensemble", "ece", "alpha_hat", "alpha_hat_grid", "ks"
]  # fmt: skip


def measured(data: ExhibitData, options: dict) -> pd.DataFrame:
    """Rows measured here, restricted to `options["experiments"]` and `options["arms"]`."""
    rows = data.rows(options.get("experiments"))
    if rows.empty:
        return rows
    rows = rows[rows["reason"] == ""]
    if "published" in rows:
        rows = rows[~rows["published"].astype(bool)]
    return rows[rows["arm"].isin(options["arms"])] if options.get("arms") else rows


def cells(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each arm on each test set, in order of appearance."""
    return arms.cells(data, rows, TEST_SET)


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
    """The footnote: what α̂ is at this n, and what was left out."""
    low, high = rows["delta"].min(), rows["delta"].max()
    delta = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f}–{high:.3f}"
    items = int(rows["items"].min())
    few = (
        f" With {items:,} test items δ is wide and α̂ sees coarse differences only."
        if low > 0.08
        else ""
    )
    left_out = data.rows().query("reason != ''")
    without = [
        f"{arm_title(data, row['arm'])} on {data.dataset(row['dataset'])} ({row['reason']})"
        for _, row in left_out.drop_duplicates(["arm", "dataset", "reason"]).iterrows()
    ]
    return footnote(
        data,
        rows,
        f"α̂: smallest share of test items to be reweighted away for a run's logit gaps to lie"
        f" within δ = {delta} of the reference function; exact, mean over bootstraps.{few}",
        *sentences,
        f"Left out: {several(without)}." if without else "",
        per="arm",
    )
