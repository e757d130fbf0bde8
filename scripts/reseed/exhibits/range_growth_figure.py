"""How far the best seed is from the worst, over the number of seeds looked at."""

from __future__ import annotations

from matplotlib.figure import Figure

from reseed.exhibits import coverage, style
from reseed.exhibits.arms import cells, chosen
from reseed.exhibits.data import ExhibitData, footnote
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.panels import entitle, line, panel_grid
from reseed.exhibits.settings import metric_title
from reseed.options import Arms

DRAWS = ("range_growth",)


class Options(Arms):
    """Which experiments and arms are shown."""


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """A panel an arm: measured range, the Gaussian's, its interval; `experiments`, `arms`."""
    rows = chosen(data, options)
    if rows.empty:
        return empty_figure(data, "No arm has two seeds of different scores at this scale.")
    panels = cells(data, rows)
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.6)
    for axis, (title, part) in zip(axes, panels, strict=False):
        axis.fill_between(part["seeds"], part["gaussian_low"], part["gaussian_high"],
                          color=style.RED, alpha=0.15, lw=0)  # fmt: skip
        axis.plot(part["seeds"], part["gaussian"], color=style.RED, lw=1.1, ls="--")
        axis.plot(part["seeds"], part["range"], color=style.BLUE, lw=1.6)
        last = part[~part["beyond"].astype(bool)].iloc[-1]
        axis.plot(last["seeds"], last["range"], "o", ms=4.5, mew=0, color=style.BLUE)
        axis.set_xscale("log")
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
    text += coverage.RANGE_OF_GAUSSIANS
    return canvas, Drawn(rows, footnote(data, rows, text, per="arm"), findings=_findings(panels))


def _findings(panels: list) -> list[str]:
    found = []
    for title, part in panels:
        last, few = part[~part["beyond"].astype(bool)].iloc[-1], part.iloc[0]
        inside = last["gaussian_low"] <= last["range"] <= last["gaussian_high"]
        found.append(
            f"{title}: two seeds are {few['range']:.2g} apart on average, the best and worst of"
            f" {last['seeds']:,} are {last['range']:.2g} apart;"
            f" {'as' if inside else 'not as'} a Gaussian of that spread would have it."
        )
    return found
