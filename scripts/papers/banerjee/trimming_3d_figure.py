"""Accuracy, churn and ECE of runs in 3D, with α̂ as colour [Banerjee et al., Figures 7, 12]."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from reseed.plugins.options import Arms
from reseed.rendering import style
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.numbers import from_to, several
from reseed.rendering.panels import undrawn

from papers.banerjee.trimming_text import (
    MEASURES,
    NOTHING,
    Measure,
    admitted,
    cells,
    ensembled,
    in_text,
    low_alpha,
    measured,
    note,
)

# Most panels of a page.
_MOST = 4
_AXES = ("accuracy", "churn_ensemble", "ece")


DRAWS = (
    "papers.banerjee.trimming:analyse",
    "papers.banerjee.trimming_ensembles:analyse",
)


class Options(Arms):
    """colour: a measurement, or `size` for ensembles."""

    colour: Measure | Literal["size"] = "alpha_hat"


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm, a dot for each run or ensemble."""
    rows = require_rows(measured(data, options), NOTHING)
    by, arms = options.colour, cells(data, rows)
    columns, panels = min(2, len(arms)), arms[:_MOST]
    lines = math.ceil(len(panels) / columns)
    canvas = style.new_figure(3.4 * lines + 0.2)
    # The box takes two thirds of a panel; the labels of the third axis need the rest.
    drawn = None
    values = np.log10(rows[by]) if by == "size" else rows[by]
    limits = float(values.min()), float(max(values.max(), values.min() + 1e-6))
    for number, (title, part) in enumerate(panels, 1):
        axis = canvas.add_subplot(lines, columns, number, projection="3d")
        colour = np.log10(part[by]) if by == "size" else part[by]
        drawn = axis.scatter(
            *(part[name] for name in _AXES), c=colour, cmap=style.SEQUENTIAL, s=14,
            vmin=limits[0], vmax=limits[1], depthshade=False,
        )  # fmt: skip
        for name, which in zip(_AXES, "xyz", strict=True):
            getattr(axis, f"set_{which}label")(MEASURES[name], labelpad=9)
            getattr(axis, f"{which}axis").set_major_locator(MaxNLocator(3))
        axis.set_title(title if len(arms) > 1 else "")
        axis.set_box_aspect(None, zoom=0.78)
    label = "Runs in the ensemble" if by == "size" else MEASURES[by]
    bar = canvas.colorbar(drawn, ax=canvas.axes, shrink=0.6, label=label)
    if by == "size":
        sizes = sorted(rows["size"].unique())
        bar.set_ticks(np.log10(sizes), labels=[f"{size:.0f}" for size in sizes])
    headline, found = ensembled(arms, _AXES) if by == "size" else _of_runs(arms)
    return canvas, FigureInfo(
        rows,
        note(data, rows, undrawn([title for title, _ in arms], panels)),
        findings=found,
        headline=headline,
        alt=(f"Dots in a space of {several(map(in_text, _AXES))}, coloured by"
                      f" {'the number of runs' if by == 'size' else in_text(by)}."),
    )  # fmt: skip


def _of_runs(arms: list) -> tuple[str, list[str]]:
    """Headline and sentences on the runs with a low α̂."""
    found = []
    for title, part in arms:
        low = part[part["admitted"].astype(bool)]
        if len(low) in (0, len(part)):
            continue
        ends = [
            f"{in_text(name)} {from_to(low[name], '{:.4f}'.format)} (all:"
            f" {from_to(part[name], '{:.4f}'.format)})"
            for name in _AXES
        ]
        found.append(f"{title}: {len(low)} of {len(part)} runs have a low α̂, with"
                     f" {several(ends)}.")  # fmt: skip
    return low_alpha(admitted(arms)), found
