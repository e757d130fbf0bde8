"""Range from the worst to the best seed by number of seeds."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from reseed.plugins.options import Arms as Options
from reseed.report.rendering import coverage, style
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import Least, with_least
from reseed.report.rendering.panels import line, titled_panels
from reseed.report.rendering.settings import metric_title
from reseed.verdicts.formatting import format_level

from papers.picard.extremes import LEAST

DRAWS = ("papers.picard.range_growth:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm: measured range, and range of Gaussian samples with its interval."""
    rows = require_rows(
        select_rows(data, options), "No arm has four seeds of different scores at this scale."
    )
    arms, few = with_least(cells(data, rows), Least(LEAST, lambda part: part["n"].iloc[0], "seed"))
    canvas, panels, omitted = titled_panels(arms, 2.1, legend=0.6)
    for axis, part in panels:
        axis.fill_between(part["seeds"], part["gaussian_low"], part["gaussian_high"],
                          color=style.RED, alpha=0.15, lw=0)  # fmt: skip
        axis.plot(part["seeds"], part["gaussian"], color=style.RED, lw=1.1, ls="--")
        axis.plot(part["seeds"], part["range"], color=style.BLUE, lw=1.6)
        last = _last(part)
        axis.plot(last["seeds"], last["range"], "o", ms=4.5, mew=0, color=style.BLUE)
        axis.set_xscale("log")
        _number_seeds(axis, part["seeds"])
        axis.set_ylim(bottom=0)
        axis.set_xlabel("Seeds")
        axis.set_ylabel(f"Best – worst, {metric_title(part['metric'].iloc[0])}")
    level = rows["level"].iloc[0]
    handles = [
        line(style.BLUE, "Seeds run: mean over subsets of them"),
        line(style.RED, "Gaussian of the same SD", "--", 1.1),
        line(style.RED, f"{format_level(level)} of Gaussian samples", width=6),
    ]
    handles[-1].set_alpha(0.15)
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = "Dot: all seeds run. The SD of the Gaussian is the measured one. "
    text += coverage.at(level, coverage.RANGE_OF_GAUSSIANS)
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text.strip(), few, omitted, per="arm"),
        alt=("A curve an arm: the distance of best and worst seed by the number of seeds,"
                      " over the dashed curve and the band of Gaussian samples."),
    )  # fmt: skip


def _number_seeds(axis: Axes, seeds: pd.Series) -> None:
    """Label the axis of `seeds` with powers of ten, or plain numbers within one decade or two."""
    powers = [n for n in range(1, 9) if seeds.min() <= 10**n <= seeds.max()]
    labels = [rf"$\mathdefault{{10^{{{n}}}}}$" for n in powers]
    ticks = [10**n for n in powers]
    if len(powers) < 2:
        ticks = [n for n in (2, 5, 10, 20, 50) if seeds.min() <= n <= seeds.max()]
        labels = [str(n) for n in ticks]
    axis.set_xticks(ticks, labels, parse_math=True)
    axis.xaxis.set_minor_formatter(NullFormatter())


def _last(part: pd.DataFrame) -> pd.Series:
    """The row with all seeds."""
    return part[~part["beyond"].astype(bool)].iloc[-1]
