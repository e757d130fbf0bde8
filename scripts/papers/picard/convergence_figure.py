"""Convergence time of each run against its final score."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.figure import Figure
from reseed.exhibits.curves_figure import NOTHING, measure_in_text, measure_title
from reseed.plugins.options import Arms as Options
from reseed.rendering import numbers, style
from reseed.rendering.arms import cells, select_rows
from reseed.rendering.data import ExhibitData, NothingToShow, footnote, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.panels import colours, entitle, panel_grid, undrawn

from papers.picard.extremes_table import LEAST

DRAWS = ("papers.picard.convergence:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each run."""
    rows = require_rows(select_rows(data, options), NOTHING)
    # Runs that all converge at one epoch, usually the last, show no relation.
    every = cells(data, rows)
    panels = [(title, part) for title, part in every if part["converged"].nunique() > 1]
    flat = [title for title, part in every if part["converged"].nunique() < 2]
    if not panels:
        raise NothingToShow("In every arm all runs converge at the same epoch.")
    palette = colours([title for title, _ in panels])
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.2)
    for axis, (title, part) in zip(axes, panels, strict=False):
        size = 3.6 if len(part) < 500 else 1.8
        axis.plot(part["converged"], part["final"], "o", ms=size, mew=0, alpha=0.6,
                  color=palette[title], rasterized=True)  # fmt: skip
        entitle(axis, title)
        axis.set_xlabel("Epoch of convergence")
        axis.set_ylabel(f"{measure_title(part['measure'].iloc[0])} at the end")
        axis.locator_params(axis="x", integer=True, nbins=6)
        axis.margins(x=0.06)
    several = rows["measure"].nunique() > 1
    within = [
        numbers.from_to(part["tolerance"], "{:.2g}".format)
        + (f" ({measure_in_text(measure)})" if several else "")
        for measure, part in rows.groupby("measure", sort=False)
    ]
    text = (
        "Convergence: the epoch from which on a run stays within"
        f" {numbers.several(within)} of its own last value."
    )
    if flat:
        text += f" Not drawn, as all runs converge at the same epoch: {numbers.several(flat)}."
    found = _findings(panels)
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text, undrawn([title for title, _ in panels], axes), per="arm"),
        findings=found,
        headline=_headline(panels),
        alt="A dot a run: the epoch at which it converged against its score at the end.",
    )  # fmt: skip


def _shown(row: pd.Series) -> bool:
    return row["rho_low"] > 0 or row["rho_high"] < 0


def _headline(panels: list) -> str:
    first = [part.iloc[0] for _, part in panels]
    judged = [row for row in first if math.isfinite(row["rho"]) and row["n"] >= LEAST]
    if not judged:
        return ""
    runs = numbers.from_to(row["n"] for row in judged)
    shown = sum(map(_shown, judged))
    if len(judged) == 1:
        phrase = "goes with" if shown else "is not shown to go with"
        return f"When a run converges {phrase} how it ends ({runs} runs)"
    return (
        f"When a run converges goes with how it ends in {shown} of {len(judged)} arms ({runs} runs)"
    )


def _findings(panels: list) -> list[str]:
    found = []
    for title, part in panels:
        row = part.iloc[0]
        if not math.isfinite(row["rho"]):
            continue
        word = "later" if row["rho"] > 0 else "earlier"
        phrase = f"runs that converge {word} end better" if _shown(row) else "no relation is shown"
        found.append(
            f"{title}: {phrase} (rank correlation of convergence time with the final score"
            f" {row['rho']:.2f}, {100 * row['level']:g} % interval {row['rho_low']:.2f} to"
            f" {row['rho_high']:.2f}, {len(part):,} runs)."
        )
    return found
