"""Churn of every pair of runs against their α̂ [Banerjee et al., Figure 10]."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.panels import dot, titled_panels

from papers.banerjee.trimming_text import NOTHING, footnote_trimming, group_by_arm, select_measured

_COLOURS = {0: style.BLUE, 1: style.ORANGE, 2: style.BLACK}
_LABELS = {0: "α̂ of both at or below", 1: "of one above", 2: "of both above"}

DRAWS = ("papers.banerjee.trimming_pairs:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each pair: churn against the greater α̂."""
    rows = require_rows(select_measured(data, options), NOTHING)
    threshold = rows["threshold"].iloc[0]
    above = (rows["alpha_high"] > threshold).astype(int) + (rows["alpha_low"] > threshold)
    rows = rows.assign(above=above)
    arms, few = with_least(
        group_by_arm(data, rows), Least(LEAST, lambda part: len({*part["seed_a"], *part["seed_b"]}))
    )
    canvas, panels, omitted = titled_panels(arms, 2.2, min(3, len(arms)), legend=0.6)
    for axis, part in panels:
        for number, colour in _COLOURS.items():
            chosen = part[part["above"] == number]
            axis.plot(chosen["alpha_high"], chosen["churn"], "o", ms=2.4, mew=0, alpha=0.45,
                      color=colour, rasterized=True)  # fmt: skip
        axis.axvline(threshold, color=style.GREY, lw=0.9, ls="--")
        axis.set_xlim(0, 1.04 * rows["alpha_high"].max() or 1)
        axis.set_ylim(0, 1.06 * rows["churn"].max() or 0.01)
        axis.set_xlabel("Greater α̂ of the pair")
        axis.set_ylabel("Pairwise churn")
        axis.xaxis.set_major_locator(MaxNLocator(4))
    handles = [dot(colour, _LABELS[number]) for number, colour in _COLOURS.items()]
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = f"The dashed line is the threshold, {threshold:g}. Pairs share runs."
    return canvas, FigureInfo(
        rows,
        footnote_trimming(data, rows, text, few, omitted),
        alt=("A dot a pair of runs: its churn against the greater α̂ of the two, coloured"
                      " by how many of them are above the dashed threshold."),
    )  # fmt: skip
