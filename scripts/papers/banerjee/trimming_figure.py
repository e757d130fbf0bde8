"""α̂ of every run against other measurements, by arm [Banerjee et al., Figures 9, 11, 14]."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field
from reseed.plugins.options import Arms
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, NothingToShow, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.numbers import counted, several
from reseed.report.rendering.panels import colours, line, titled_panels

from papers.banerjee.alpha_hat import AUTHORS_GRID
from papers.banerjee.trimming_text import (
    MEASURES,
    NOTHING,
    Measure,
    footnote_trimming,
    group_by_arm,
    in_text,
    select_measured,
)

DRAWS = ("papers.banerjee.trimming:analyse",)

# The finest step of the authors' grid: values of α̂ within it are one value for them.
_STEP = AUTHORS_GRID[1]


class Options(Arms):
    """x: measurements on the horizontal axis, a panel for each.
    y: measurement on the vertical axis.
    """

    x: Annotated[list[Measure], Field(min_length=1)] = Field(["accuracy"])
    y: Measure = "alpha_hat"


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm and measurement, a dot for each run."""
    rows = require_rows(select_measured(data, options), NOTHING)
    across, y = options.x, options.y
    arms = group_by_arm(data, rows)
    if not any(_is_spread_out(part[y], y) for _, part in arms):
        flat = [f"{title} ({counted(len(part), 'run')}, at most {part[y].max():.2g})"
                for title, part in arms]  # fmt: skip
        raise NothingToShow(f"Not drawn, as {in_text(y)} hardly varies: {several(flat)}.")
    columns = min(3, len(across)) if len(across) > 1 else min(3, len(arms))
    palette = colours([title for title, _ in arms])
    measured = [(title, (part, x, palette[title])) for title, part in arms for x in across]
    canvas, panels, omitted = titled_panels(measured, 2.1, columns, legend=0.6, over=len(across))
    threshold = rows["threshold"].iloc[0]
    # A measurement has one scale in all panels, so that arms can be compared.
    ends = {name: _ends(rows[name]) for name in (*across, y)}
    if y.startswith("alpha"):
        ends[y] = 0, 1.08 * max(rows[y].max(), 1.5 * threshold)
    for axis, (part, x, colour) in panels:
        low = part["admitted"].astype(bool)
        for chosen, face in ((part[low], colour), (part[~low], "none")):
            if chosen.empty:  # an unclipped line without points would extend the layout
                continue
            axis.plot(chosen[x], chosen[y], "o", ms=3.6, mew=0.8, mec=colour, mfc=face,
                      alpha=0.8, clip_on=False)  # fmt: skip
        if y.startswith("alpha"):
            axis.axhline(threshold, color=style.GREY, lw=0.9, ls="--")
        axis.set_xlim(ends[x])
        axis.set_ylim(ends[y])
        axis.set_xlabel(MEASURES[x])
        axis.set_ylabel(MEASURES[y])
        axis.xaxis.set_major_locator(MaxNLocator(4))
        axis.yaxis.set_major_locator(MaxNLocator(5))
    handles = [line(style.GREY, f"α̂ = {threshold:g} (filled: at or below)", "--", 0.9)]
    canvas.legend(handles=handles, loc="outside lower center")
    return canvas, FigureInfo(
        rows,
        footnote_trimming(data, rows, omitted),
        alt=(f"A dot a run: {in_text(y)} against {several(map(in_text, across))}, filled"
                      " where α̂ is at or below the dashed threshold."),
    )  # fmt: skip


def _is_spread_out(values: pd.Series, y: str) -> bool:
    return not y.startswith("alpha") or bool(values.max() - values.min() >= _STEP)


def _ends(values: pd.Series) -> tuple[float, float]:
    """Limits of an axis for `values` with a margin."""
    room = 0.06 * (values.max() - values.min()) or 0.01
    return values.min() - room, values.max() + room
