"""Accuracy, churn and ECE by pairs, coloured [Banerjee et al., Figures 6, 7, 12, 15, 16].

The paper's three-dimensional Figures 7, 12 and 16 show the three measurements at once; depth cannot
be read from dots in print, so each pair of them is a panel.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from reseed.plugins.options import Arms
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.panels import titled_panels

from papers.banerjee.trimming_text import (
    MEASURES,
    NOTHING,
    Measure,
    footnote_trimming,
    group_by_arm,
    in_text,
    select_measured,
)

#: The panels: vertical and horizontal measurement.
PAIRS = (("accuracy", "churn_ensemble"), ("accuracy", "ece"), ("ece", "churn_ensemble"))

DRAWS = (
    "papers.banerjee.trimming:analyse",
    "papers.banerjee.trimming_ensembles:analyse",
)


class Options(Arms):
    """colour: a measurement, or `size` for ensembles."""

    colour: Measure | Literal["size"] = "alpha_hat"


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Three panels for each arm, a dot for each run or ensemble."""
    rows = require_rows(select_measured(data, options), NOTHING)
    by = options.colour
    is_size = by == "size"
    arms, few = with_least(
        group_by_arm(data, rows),
        Least(LEAST, lambda part: part["pool"].iloc[0] if is_size else len(part)),
    )
    values = np.log10(rows[by]) if is_size else rows[by]
    scale = Normalize(float(values.min()), float(max(values.max(), values.min() + 1e-6)))
    measured = [(title, (part, *pair)) for title, part in arms for pair in PAIRS]
    wide = len(PAIRS)
    canvas, panels, omitted = titled_panels(measured, 2.3, wide, legend=0.9, over=wide)
    for axis, (part, y, x) in panels:
        colour = np.log10(part[by]) if is_size else part[by]
        axis.scatter(part[x], part[y], c=colour, cmap=style.SEQUENTIAL, norm=scale,
                     s=9, alpha=0.8, lw=0, rasterized=True)  # fmt: skip
        axis.set_xlabel(MEASURES[x])
        axis.set_ylabel(MEASURES[y])
        axis.xaxis.set_major_locator(MaxNLocator(4))
        axis.yaxis.set_major_locator(MaxNLocator(5))
    label = "Runs in the ensemble" if is_size else MEASURES[by]
    bar = canvas.colorbar(
        ScalarMappable(scale, colormaps[style.SEQUENTIAL]), ax=[axis for axis, _ in panels],
        label=label, location="bottom", shrink=0.5, aspect=40,
    )  # fmt: skip
    if is_size:
        sizes = sorted(rows["size"].unique())
        bar.set_ticks(np.log10(sizes), labels=[f"{size:.0f}" for size in sizes])
    shown = "the number of runs" if is_size else in_text(by)
    return canvas, FigureInfo(
        rows,
        footnote_trimming(data, rows, few, omitted),
        alt=f"Test accuracy, churn against the ensemble and ECE by pairs; colour: {shown}.",
    )
