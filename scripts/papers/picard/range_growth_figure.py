"""Range from the worst to the best seed by number of seeds."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from reseed.plugins.options import Arms as Options
from reseed.rendering import coverage, numbers, style
from reseed.rendering.arms import cells, select_rows
from reseed.rendering.data import ExhibitData, footnote, require_rows
from reseed.rendering.figures import FigureInfo
from reseed.rendering.panels import entitle, line, panel_grid, undrawn
from reseed.rendering.settings import metric_title

from papers.picard.extremes_table import LEAST

DRAWS = ("papers.picard.range_growth:analyse",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel for each arm: measured range, and range of Gaussian samples with its interval."""
    rows = require_rows(
        select_rows(data, options), "No arm has two seeds of different scores at this scale."
    )
    panels = cells(data, rows)
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.6)
    for axis, (title, part) in zip(axes, panels, strict=False):
        axis.fill_between(part["seeds"], part["gaussian_low"], part["gaussian_high"],
                          color=style.RED, alpha=0.15, lw=0)  # fmt: skip
        axis.plot(part["seeds"], part["gaussian"], color=style.RED, lw=1.1, ls="--")
        axis.plot(part["seeds"], part["range"], color=style.BLUE, lw=1.6)
        last = _last(part)
        axis.plot(last["seeds"], last["range"], "o", ms=4.5, mew=0, color=style.BLUE)
        axis.set_xscale("log")
        _number_seeds(axis, part["seeds"])
        axis.set_ylim(bottom=0)
        entitle(axis, title)
        axis.set_xlabel("Seeds")
        axis.set_ylabel(f"Best – worst, {metric_title(part['metric'].iloc[0])}")
    level = 100 * rows["level"].iloc[0]
    handles = [
        line(style.BLUE, "Seeds run: mean over subsets of them"),
        line(style.RED, "Gaussian of the same SD", "--", 1.1),
        line(style.RED, f"{level:g} % of Gaussian samples", width=6),
    ]
    handles[-1].set_alpha(0.15)
    canvas.legend(handles=handles, loc="outside lower center", ncols=3)
    text = "Dot: all seeds run. The SD of the Gaussian is the measured one. "
    text += coverage.at(rows["level"].iloc[0], coverage.RANGE_OF_GAUSSIANS)
    found = _findings(panels)
    return canvas, FigureInfo(
        rows,
        footnote(data, rows, text.strip(), undrawn([t for t, _ in panels], axes), per="arm"),
        findings=found,
        headline=_headline(panels),
        alt=("A curve an arm: the distance of best and worst seed, rising with the number"
                      " of seeds, over the dashed curve and the band of Gaussian samples."),
    )  # fmt: skip


def _number_seeds(axis: Axes, seeds: pd.Series) -> None:
    """Label the axis of `seeds` with powers of ten, or plain numbers if it contains none."""
    powers = [n for n in range(1, 9) if seeds.min() <= 10**n <= seeds.max()]
    labels = [rf"$\mathdefault{{10^{{{n}}}}}$" for n in powers]
    ticks = [10**n for n in powers] or [n for n in (2, 5) if n <= seeds.max()]
    axis.set_xticks(ticks, labels or [str(n) for n in ticks], parse_math=True)
    axis.xaxis.set_minor_formatter(NullFormatter())


def _last(part: pd.DataFrame) -> pd.Series:
    """The row with all seeds."""
    return part[~part["beyond"].astype(bool)].iloc[-1]


def _inside(part: pd.DataFrame) -> bool:
    """Whether the range of all seeds is in the interval of Gaussian samples."""
    last = _last(part)
    return bool(last["gaussian_low"] <= last["range"] <= last["gaussian_high"])


def _headline(panels: list) -> str:
    judged = [part for _, part in panels if _last(part)["seeds"] >= LEAST]
    if not judged:
        return ""
    inside = sum(map(_inside, judged))
    if len(judged) > 1:
        arms = f"{inside} of {len(judged)} arms"
        return f"Best and worst seed are as far apart as a Gaussian’s in {arms}"
    phrase = "as" if inside else "not as"
    seeds = f"{_last(judged[0])['seeds']:,} seeds"
    return f"Best and worst of {seeds} are {phrase} far apart as a Gaussian’s"


def _findings(panels: list) -> list[str]:
    inside = sum(_inside(part) for _, part in panels)
    seeds = numbers.from_to(_last(part)["seeds"] for _, part in panels)
    found = [
        f"The best and the worst of {seeds} seeds are as far apart as Gaussian draws of that SD"
        f" would be in {numbers.part_of(inside, len(panels), 'arm')}."
    ]
    for title, part in panels:
        last, few = _last(part), part.iloc[0]
        found.append(
            f"{title}: two seeds are {few['range']:.2g} apart on average, the best and worst of"
            f" {last['seeds']:,} are {last['range']:.2g} apart;"
            f" {'as' if _inside(part) else 'not as'} a Gaussian of that spread would have it."
        )
    return found
