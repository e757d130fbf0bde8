"""Code shared by the exhibits of α̂: measured rows, arms, footnote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pandas as pd
from reseed.exhibits.shared.left_out import left_out
from reseed.plugins.options import Arms
from reseed.rendering import arms
from reseed.rendering.arms import TEST_SET_KEY
from reseed.rendering.data import ExhibitData, footnote
from reseed.rendering.headlines import LEAST, listed
from reseed.rendering.numbers import counted, decimals, fixed, from_to, several

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


def measured(data: ExhibitData, options: Arms) -> pd.DataFrame:
    """Measured rows, without published ones, of the `experiments` and `arms` of the options."""
    rows = data.rows(options.experiments)
    if rows.empty:
        return rows
    rows = rows[rows["reason"] == ""]
    if "published" in rows:
        rows = rows[~rows["published"].astype(bool)]
    return rows[rows["arm"].isin(options.arms)] if options.arms else rows


def cells(data: ExhibitData, rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(title, rows) of each arm on each test set, in order of appearance."""
    return arms.cells(data, rows, TEST_SET_KEY)


def low_alpha(arms: list[tuple[str, int, int]]) -> str:
    """Headline on the number of runs with a low α̂. arms: (title, low α̂, measured)."""
    known = [(title, low, judged) for title, low, judged in arms if judged >= LEAST]
    if not known:
        return ""
    noun = " runs" if len(known) == 1 else ""
    counts = [(title, f"{low} of {judged}{noun}") for title, low, judged in known]
    low, judged = (sum(arm[i] for arm in known) for i in (1, 2))
    return listed("Low α̂", counts, f"{low:,} of {judged:,} runs in {len(known)} arms")


def admitted(arms: list[tuple[str, pd.DataFrame]]) -> list[tuple[str, int, int]]:
    """(title, runs with a low α̂, measured runs) of each arm. arms: one row for each run."""
    return [(title, int(part["admitted"].astype(bool).sum()), len(part)) for title, part in arms]


def in_text(measure: str) -> str:
    """The name of a measurement within a sentence: `test accuracy`, but `ECE` and `KS distance`."""
    name = MEASURES[measure]
    return name[0].lower() + name[1:] if name[1].islower() else name


def ensembled(
    arms: list[tuple[str, pd.DataFrame]], measures: Sequence[str]
) -> tuple[str, list[str]]:
    """Headline and sentences that compare the whole pool with ensembles of the smallest size.

    Churn against the whole pool is left out, since it is zero for the pool itself.
    """
    names = [name for name in dict.fromkeys(measures) if name != "churn_ensemble"]
    found, first = [], []
    for title, part in arms:
        least, most = int(part["size"].min()), int(part["size"].max())
        if not names or least == most:
            continue
        values = []
        for name in names:
            ends = [part.loc[part["size"] == size, name].mean() for size in (least, most)]
            values.append([fixed(end, decimals(ends, 2, 3)) for end in ends])
        phrase = several(
            f"{in_text(name)} {'goes ' if name == names[0] else ''}from {low} to {high}"
            for name, (low, high) in zip(names, values, strict=True)
        )
        delta = f" (δ = {part['delta'].iloc[0]:.3f})" if "ks" in names else ""
        found.append(
            f"{title}: from ensembles of {counted(least, 'run')} (on average) to that of all {most}"
            f" runs {phrase}{delta}."
        )
        first.append(f"{MEASURES[names[0]]} {values[0][0]} of {counted(least, 'run')},"
                     f" {values[0][1]} of {most} together")  # fmt: skip
    enough = len(arms) == 1 and arms[0][1]["size"].max() >= LEAST
    return first[0] if first and enough else "", found


def note(data: ExhibitData, rows: pd.DataFrame, *sentences: str) -> str:
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
        *sentences,
        left_out(data),
        per="arm",
    )
