"""Histogram and density of scores over seeds, a dash for each seed [Picard, Figures 2–6]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.data import cells as arm_cells
from reseed.metrics.names import metric_title as title_of
from reseed.plugins.options import Arms, Count
from reseed.report.rendering import style
from reseed.report.rendering.arms import cells, key_columns
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import Least, with_least
from reseed.report.rendering.numbers import decimals, from_to, several, two_digits
from reseed.report.rendering.panels import SAME_SCORES, line, titled_panels
from scipy import stats

from papers.picard.extremes import LEAST


class Options(Arms):
    """metric: shown (None: the primary one of the dataset).
    bins: number of bins, or a rule of numpy.
    """

    metric: str | None = None
    bins: Count | Literal["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"] = (
        "auto"
    )


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm with one kind of seed varied."""
    scores = require_rows(_scores(data, options), "No arm has finished seeds of one kind.")
    frame = pd.concat(scores, ignore_index=True)
    every = cells(data, frame)
    moving = [(title, part) for title, part in every if part["score"].nunique() > 1]
    still = [title for title, part in every if part["score"].nunique() == 1]
    same = f"{SAME_SCORES}: {several(still)}." if still else ""
    arms, few = with_least(moving, Least(LEAST, len, "seed"), describe=_describe, also=same)
    canvas, panels, omitted = titled_panels(arms, 2.1, legend=0.6)
    for axis, part in panels:
        _panel(axis, part["score"].to_numpy(), options.bins)
        axis.set_xlabel(f"{title_of(part['metric'].iloc[0])} ({len(part):,} seeds)")
        axis.set_ylabel("Seeds")
    handles = [
        line(style.BLACK, "Kernel density"),
        line(style.RED, "Gaussian of the same mean and SD", "--", 1.1),
        Line2D([], [], ls="", marker="|", ms=6, color=style.BLACK, label="A seed"),
    ]
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    cell = [*key_columns(frame), "model"]
    shown = frame.groupby(cell, dropna=False, sort=False).size().rename("n").reset_index()
    return canvas, FigureInfo(
        frame,
        footnote(data, shown, few, same, omitted, per="arm"),
        alt=("Histogram of the scores over seeds with a density, the Gaussian of the same"
                      " mean and SD dashed, and a dash for each seed."),
    )  # fmt: skip


def _describe(part: pd.DataFrame) -> str:
    """`5 seeds, 0.9584 to 0.9800, SD 0.009`: scores that are not drawn."""
    scores = part["score"]
    return f"{len(part)} seeds, {_name_ends(scores)}, SD {two_digits(scores.std())}"


def _name_ends(scores: pd.Series) -> str:
    """`0.9584 to 0.9800`."""
    return from_to(scores, _show(scores.std()))


def _show(sd: float) -> Callable[[float], str]:
    """Format of scores with this SD."""
    return f"{{:.{decimals([sd], least=3 if sd < 1 else 0)}f}}".format


def _scores(data: ExhibitData, options: Options) -> list[pd.DataFrame]:
    """Scores of each arm with enough seeds; crossed seeds are no independent sample."""
    metrics = data.metrics
    if options.experiments:
        metrics = metrics[metrics["experiment"].isin(options.experiments)]
    return [
        cell.scores.drop(columns="bad").assign(**cell.key, metric=cell.metric)
        for cell in arm_cells(Data(metrics, data.info), options.metric)
        if len(cell.scores) > 1
        and "+" not in cell.key["varied"]
        and cell.key["arm"] in (options.arms or [cell.key["arm"]])
    ]


def _panel(axis: Axes, x: np.ndarray, bins: int | str) -> None:
    counts, edges = np.histogram(x, bins)
    axis.stairs(counts, edges, fill=True, color=style.SKY, alpha=0.7)
    sd, width = x.std(ddof=1), edges[1] - edges[0]
    if sd > 1e-13 * np.abs(x).max():  # the density needs a spread
        span = np.linspace(x.min() - 0.8 * sd, x.max() + 0.8 * sd, 300)
        scale = x.size * width
        axis.plot(span, stats.gaussian_kde(x)(span) * scale, color=style.BLACK, lw=1.4)
        gaussian = stats.norm.pdf(span, x.mean(), sd) * scale
        axis.plot(span, gaussian, color=style.RED, lw=1.1, ls="--")
    top = axis.get_ylim()[1]
    axis.vlines(x, -0.09 * top, -0.02 * top, color=style.BLACK, lw=0.4,
                alpha=min(1.0, 60 / x.size + 0.05), rasterized=True)  # fmt: skip
    axis.set_ylim(-0.11 * top, top)
    whole = MaxNLocator(5, integer=True).tick_values(0, top)
    axis.set_yticks([tick for tick in whole if 0 <= tick <= top])
