"""Logit gaps of single runs and of their ensemble [Banerjee et al., Figure 4, left]."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import style
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.panels import line, titled_panels

from papers.banerjee.trimming_text import NOTHING, group_by_arm, select_measured

DRAWS = ("papers.banerjee.gap_distribution:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm: share of test items by logit gap, with a band over runs."""
    rows = require_rows(select_measured(data, options), NOTHING)
    arms, few = with_least(group_by_arm(data, rows), Least(LEAST, lambda part: part["n"].iloc[0]))
    canvas, panels, omitted = titled_panels(arms, 2.1, legend=0.6)
    for axis, part in panels:
        edges = np.append(part["left"], part["right"].iloc[-1])
        low, high, mean, together = (
            part[name].to_numpy() for name in ("runs_min", "runs_max", "runs_mean", "ensemble")
        )
        axis.fill_between(edges, np.append(low, low[-1]), np.append(high, high[-1]), step="post",
                          color=style.SKY, alpha=0.4, lw=0)  # fmt: skip
        axis.stairs(mean, edges, color=style.BLUE, lw=1.2)
        axis.stairs(together, edges, color=style.RED, lw=1.2)
        axis.set_xlabel("Logit gap")
        axis.set_ylabel("Share of test items")
        axis.set_ylim(bottom=0)
    handles = [
        line(style.SKY, "Single runs, least to most", width=6),
        line(style.BLUE, "Single runs, mean"),
        line(style.RED, "Ensemble of them"),
    ]
    handles[0].set_alpha(0.4)  # as in the panels
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = "Gaps are clipped: the outermost bins hold everything beyond."
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text, few, omitted, per="arm"),
        alt=("Share of the test items by logit gap: the ensemble's outline over that of"
                      " the mean single run and the band of all runs."),
    )  # fmt: skip
