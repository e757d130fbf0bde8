"""Ensembles over their size: distance to the reference, α̂, accuracy, churn, ECE.

Banerjee et al., Figures 5 and 8 (`y: ks`, `y: alpha_hat`), 6 (`x`: another measurement).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field, model_validator
from reseed.plugins.options import Arms
from reseed.rendering import style
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.numbers import counted
from reseed.rendering.panels import dot, entitle, line, panel_grid, undrawn

from papers.banerjee.trimming_text import (
    MEASURES,
    NOTHING,
    Measure,
    cells,
    ensembled,
    in_text,
    measured,
    note,
)

_GOLDEN = (5**0.5 - 1) / 2
# Measurements with a threshold: its column and name.
_LIMITS = {
    "ks": ("delta", "δ of the KS test"),
    "alpha_hat": ("threshold", "a low α̂"),
    "alpha_hat_grid": ("threshold", "a low α̂"),
}


DRAWS = ("papers.banerjee.trimming_ensembles:analyse",)


class Options(Arms):
    """y: measurements on the vertical axis, a panel for each.
    x: as many measurements for the other axis, with the size as colour (None: the size).
    """

    y: Annotated[list[Measure], Field(min_length=1)] = Field(["ks", "alpha_hat"])
    x: list[Measure] | None = None

    @model_validator(mode="after")
    def _as_many(self) -> Options:
        if self.x is not None and len(self.x) != len(self.y):
            raise ValueError(f"x names {len(self.x)} measurements, y {len(self.y)}: one each")
        return self


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm and pair of axes, a dot for each ensemble."""
    rows = require_rows(measured(data, options), NOTHING)
    down, across = options.y, options.x
    arms = cells(data, rows)
    pairs = list(zip(across or [None] * len(down), down, strict=True))
    canvas, axes = panel_grid([2.2] * (len(arms) * len(pairs)), min(3, len(pairs)), legend=0.6)
    sizes = sorted(rows["size"].unique())
    panels = [(title, part, x, y) for title, part in arms for x, y in pairs]
    for number, (axis, (title, part, x, y)) in enumerate(zip(axes, panels, strict=False)):
        if x is None:
            _over_size(axis, part, y, sizes)
        else:
            _scatter(axis, part, x, y, sizes)
        entitle(axis, "" if number % len(pairs) else title, over=len(pairs))
        axis.set_ylabel(MEASURES[y])
    if across is None:
        handles = [dot(style.BLUE, "An ensemble"), line(style.BLACK, "Median")]
        drawn = [name for measure, (_, name) in _LIMITS.items() if measure in down]
        if drawn:
            limits = " or ".join(dict.fromkeys(drawn))
            handles.append(line(style.GREY, f"Threshold: {limits}", "--", 0.9))
    else:
        handles = [dot(_colour(size, sizes), counted(int(size), "run")) for size in sizes]
    canvas.legend(handles=handles, loc="outside lower center", ncols=min(5, len(handles)))
    text = "Large ensembles share most of their members, so they look more alike than new ones."
    headline, found = ensembled(arms, [*down, *(across or [])])
    seen = " ".join(
        f"{MEASURES[y]} against {in_text(x) if x else 'the number of runs in it'}."
        for x, y in pairs
    )
    return canvas, FigureInfo(
        rows,
        note(data, rows, text, undrawn([panel[0] for panel in panels], axes)),
        findings=found,
        headline=headline,
        alt=f"A dot an ensemble. {seen}",
    )


def _over_size(axis: Axes, part: pd.DataFrame, y: str, sizes: list) -> None:
    for place, size in enumerate(sizes):
        values = part.loc[part["size"] == size, y]
        shift = (np.arange(len(values)) * _GOLDEN % 1 - 0.5) * 0.6
        axis.plot(place + shift, values, "o", ms=1.8, mew=0, alpha=0.4, color=style.BLUE,
                  rasterized=True)  # fmt: skip
        if len(values):
            axis.plot([place - 0.35, place + 0.35], [values.median()] * 2, color=style.BLACK)
    if y in _LIMITS:
        axis.axhline(part[_LIMITS[y][0]].iloc[0], color=style.GREY, lw=0.9, ls="--")
        axis.set_ylim(bottom=0)
    axis.set_xticks(range(len(sizes)), [f"{size:.0f}" for size in sizes])
    axis.set_xlabel("Runs in the ensemble")


def _scatter(axis: Axes, part: pd.DataFrame, x: str, y: str, sizes: list) -> None:
    for size in sizes:
        chosen = part[part["size"] == size]
        axis.plot(chosen[x], chosen[y], "o", ms=2.4, mew=0, alpha=0.6,
                  color=_colour(size, sizes), rasterized=True)  # fmt: skip
    axis.set_xlabel(MEASURES[x])
    axis.locator_params(axis="x", nbins=4)


def _colour(size: float, sizes: list) -> tuple:
    from matplotlib import colormaps

    return colormaps[style.SEQUENTIAL](sizes.index(size) / max(1, len(sizes) - 1))
