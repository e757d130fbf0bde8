"""Convergence time of each run against its final score."""

from __future__ import annotations

from matplotlib.figure import Figure
from reseed.plugins.options import Arms as Options
from reseed.report.exhibits.curves_figure import NOTHING, measure_in_text, measure_title
from reseed.report.rendering import numbers, style
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import Least, with_least
from reseed.report.rendering.panels import colours, titled_panels

from papers.picard.extremes import LEAST

DRAWS = ("papers.picard.convergence:analyse",)

# Fewer runs, or fewer epochs at which they converge, show no relation.
_LEAST = (
    Least(LEAST, len),
    Least(
        4,
        lambda part: part["converged"].nunique(),
        "epoch of convergence",
        "epochs of convergence",
    ),
)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each run."""
    rows = require_rows(select_rows(data, options), NOTHING)
    arms, few = with_least(cells(data, rows), *_LEAST)
    palette = colours([title for title, _ in arms])
    coloured = [(title, (part, palette[title])) for title, part in arms]
    canvas, panels, omitted = titled_panels(coloured, 2.1, legend=0.2)
    for axis, (part, colour) in panels:
        size = 3.6 if len(part) < 500 else 1.8
        axis.plot(part["converged"], part["final"], "o", ms=size, mew=0, alpha=0.6,
                  color=colour, rasterized=True)  # fmt: skip
        axis.set_xlabel("Epoch of convergence")
        axis.set_ylabel(f"{measure_title(part['measure'].iloc[0])} at the end")
        axis.locator_params(axis="x", integer=True)
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
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text, few, omitted, per="arm"),
        alt="A dot a run: the epoch at which it converged against its score at the end.",
    )  # fmt: skip
