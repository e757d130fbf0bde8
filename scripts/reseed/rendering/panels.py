"""The one grid on which panels stand, never taller than a page, and marks that figures share."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from reseed.core.coordinates import base_name
from reseed.rendering import style
from reseed.rendering.colours import DASHES
from reseed.rendering.style import PAGE_WIDTH, new_figure

#: Inches a figure may be high and still share a page with its caption.
MOST_HEIGHT = 8.6
# Characters of a panel's title on an inch of its width.
_CHARACTERS = 9.7
# Names longer than this take the room of a second panel.
_LONG_NAME = 28
#: Colours of arms in their order of appearance, where models have no colour of their own.
COLOURS = [
    style.BLUE, style.RED, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, style.BLACK,
    style.GREY,
]  # fmt: skip


class SparseLocator(MaxNLocator):
    """Round numbers so far apart that a label of six characters does not touch the next one.

    Matplotlib's own locator allows for three.
    """

    def __init__(self) -> None:
        super().__init__(nbins=9, steps=[1, 2, 2.5, 5, 10])

    def __call__(self) -> np.ndarray:
        """Places of the ticks, in units of the axis, for the width that the axis has now."""
        self.set_params(nbins=min(9, max(2, self.axis.get_tick_space() * 3 // 5)))
        return super().__call__()


def panel_grid(
    heights: Sequence[float],
    columns: int = 2,
    *,
    legend: float = 0.35,
    width: float = PAGE_WIDTH,
    **subplots,
) -> tuple[Figure, list[Axes]]:
    """A figure with one panel for each of `heights` (inches, title and labels included).

    A line is as high as its highest panel; `legend` inches are left for what stands outside.
    Lines that would pass the height of a page are not made: fewer panels than heights come back,
    the figure says how many, and the caller may name them (`undrawn`). The first line is always
    made.
    """
    columns = max(1, min(columns, len(heights)))
    lines, total = [], legend
    for start in range(0, len(heights), columns):
        line = max(heights[start : start + columns])
        if lines and total + line > MOST_HEIGHT:
            break
        lines.append(line)
        total += line
    figure = new_figure(min(total, MOST_HEIGHT), width)
    if len(set(lines)) > 1:
        subplots["height_ratios"] = lines
    grid = figure.subplots(len(lines), columns, squeeze=False, **subplots)
    panels = min(len(heights), len(lines) * columns)
    for axis in grid.flat:
        axis.xaxis.set_major_locator(SparseLocator())
    for axis in grid.flat[panels:]:
        axis.set_visible(False)
    if panels < len(heights):
        more = len(heights) - panels
        rest = f"{more} more {'panel' if more == 1 else 'panels'}: see the CSV"
        # On top: a legend below takes the same room as a label there.
        figure.suptitle(rest, x=0.99, ha="right", fontsize=7, color=style.GREY)
    return figure, list(grid.flat[:panels])


def entitle(axis: Axes, title: str, characters: int | None = None, over: int = 1, **look) -> None:
    """The title of a panel, broken where it would run over the panel beside it.

    `characters` is what fits a line (None: what the panel's share of the figure's width holds, or
    that of so many panels as the title stands `over`).
    """
    if characters is None:
        columns = axis.get_gridspec().ncols
        characters = int(_CHARACTERS * axis.get_figure().get_figwidth() * over / columns)
    axis.set_title(
        "\n".join(textwrap.wrap(title, characters, break_on_hyphens=False) or [""]), **look
    )


def named_columns(names: Iterable[Sequence[str]]) -> int:
    """Panels a line where names of models (of each panel) stand at the lines of each."""
    longest = max(len(name) for panel in names for name in panel)
    return 1 if longest > _LONG_NAME else 2


def undrawn(titles: Sequence[str], axes: Sequence[Axes]) -> str:
    """A sentence that names the panels for which the page had no room; empty if there are none."""
    rest = list(dict.fromkeys(titles[len(axes) :]))
    if not rest:
        return ""
    between = "; " if any(", " in title for title in rest) else ", "
    named = between.join(rest[:8]) + (f" and {len(rest) - 8} more" if len(rest) > 8 else "")
    return f"Not drawn for want of room, but in the CSV: {named}."


def by_ratio(rows: pd.DataFrame, place: Sequence[str]) -> list[str]:
    """`place`, its scheme told by the test ratio where random splits differ in nothing else."""
    schemes = rows[["scheme", "test_ratio"]].drop_duplicates()
    random = schemes["scheme"].str.startswith("holdout-").all() and schemes["test_ratio"].is_unique
    known = random and schemes["test_ratio"].notna().all() and schemes["scheme"].is_unique
    return ["test_ratio" if known and name == "scheme" else name for name in place]


def colours(names: Sequence[str]) -> dict[str, str]:
    """A fixed colour a name; those of models where every name is a model with one."""
    names = list(dict.fromkeys(names))
    if names and all(base_name(name) in style.MODELS for name in names):
        return {name: style.colour_of(name, names) for name in names}
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def looks(names: Sequence[str]) -> dict[str, dict]:
    """A line's colour a name, and dashes where a colour returns: as many as both tell apart."""
    seen: Counter = Counter()
    found = {}
    for name, colour in colours(names).items():
        found[name] = {"color": colour, "ls": DASHES[seen[colour] % len(DASHES)]}
        seen[colour] += 1
    return found


def dot(colour: str, label: str, size: float = 4.5) -> Line2D:
    """A legend's dot."""
    return Line2D([], [], ls="", marker="o", ms=size, mew=0, color=colour, label=label)


def line(colour: str, label: str, dashes: str = "-", width: float = 1.4) -> Line2D:
    """A legend's line."""
    return Line2D([], [], color=colour, lw=width, ls=dashes, label=label)


def forest(
    axis: Axes, labels: Sequence[str], values: np.ndarray, low: np.ndarray, high: np.ndarray,
    colour: str = style.BLUE, shift: float = 0.0, width: float = 1.6,
) -> None:  # fmt: skip
    """Intervals with their point, one a line from the top; repeated calls share the lines."""
    y = np.arange(len(labels)) + shift
    axis.hlines(y, low, high, color=colour, lw=width)
    axis.plot(values, y, "o", ms=4 if width > 1.2 else 3, mew=0, color=colour, clip_on=False)
    axis.set_yticks(np.arange(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(True, axis="x")
    axis.grid(False, axis="y")
