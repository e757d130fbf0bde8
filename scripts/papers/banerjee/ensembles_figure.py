"""Ensembles over their size: distance to the reference, or α̂ [Banerjee et al., Figures 5, 8]."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field
from reseed.plugins.options import Arms
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.panels import dot, line, offsets, titled_panels

from papers.banerjee.trimming_text import (
    MEASURES,
    NOTHING,
    Measure,
    footnote_trimming,
    group_by_arm,
    in_text,
    select_measured,
)

# Measurements with a threshold: its column and name.
_LIMITS = {
    "ks": ("delta", "δ of the KS test"),
    "alpha_hat": ("threshold", "a low α̂"),
    "alpha_hat_grid": ("threshold", "a low α̂"),
}


# From so many ensembles of a size on, the dots are small and pale.
_MANY = 150

DRAWS = ("papers.banerjee.trimming_ensembles:analyse",)


class Options(Arms):
    """y: measurements on the vertical axis, a panel for each."""

    y: Annotated[list[Measure], Field(min_length=1)] = Field(["ks", "alpha_hat"])


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm and measurement, a dot for each ensemble."""
    rows = require_rows(select_measured(data, options), NOTHING)
    arms = group_by_arm(data, rows)
    wide = len(options.y)
    measured = [(title, (part, y)) for title, part in arms for y in options.y]
    canvas, panels, omitted = titled_panels(measured, 2.2, min(3, wide), legend=0.6, over=wide)
    sizes = sorted(rows["size"].unique())
    for axis, (part, y) in panels:
        _over_size(axis, part, y, sizes)
        axis.set_ylabel(MEASURES[y])
    handles = [dot(style.BLUE, "An ensemble"), line(style.BLACK, "Median")]
    limits = list(dict.fromkeys(name for y, (_, name) in _LIMITS.items() if y in options.y))
    if limits:
        handles.append(line(style.GREY, f"Threshold: {' or '.join(limits)}", "--", 0.9))
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = "Large ensembles share most of their members, so they look more alike than new ones."
    measures = " and ".join(map(in_text, options.y))
    return canvas, FigureInfo(
        rows,
        footnote_trimming(data, rows, text, omitted),
        alt=f"A dot an ensemble, a line for the median: {measures} by the number of runs in it.",
    )


def _over_size(axis: Axes, part: pd.DataFrame, y: str, sizes: list) -> None:
    for place, runs in enumerate(sizes):
        values = part.loc[part["size"] == runs, y]
        size, alpha = (1.8, 0.4) if len(values) > _MANY else (3.6, 0.8)
        axis.plot(place + offsets(len(values), 0.3), values, "o", ms=size, mew=0, alpha=alpha,
                  color=style.BLUE, rasterized=True, clip_on=False)  # fmt: skip
        if len(values):
            axis.plot([place - 0.35, place + 0.35], [values.median()] * 2, color=style.BLACK)
    if y in _LIMITS:
        axis.axhline(part[_LIMITS[y][0]].iloc[0], color=style.GREY, lw=0.9, ls="--")
        axis.set_ylim(bottom=0)
    axis.set_xticks(range(len(sizes)), [f"{size:.0f}" for size in sizes])
    axis.set_xlabel("Runs in the ensemble")
