"""The one grid on which panels stand: as many a row as asked for, never taller than a page."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.exhibits.style import PAGE_WIDTH, new_figure

#: Inches a figure may be high and still share a page with its caption.
MOST_HEIGHT = 8.6


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
    and the caller says what is not drawn (`undrawn`). The first line is always made.
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
    grid = figure.subplots(
        len(lines), columns, squeeze=False, gridspec_kw={"height_ratios": lines}, **subplots
    )
    panels = min(len(heights), len(lines) * columns)
    for axis in grid.flat[panels:]:
        axis.set_visible(False)
    return figure, list(grid.flat[:panels])


def entitle(axis: Axes, title: str, characters: int = 34, **look) -> None:
    """The title of a panel, broken where it would run over the panel beside it."""
    axis.set_title("\n".join(textwrap.wrap(title, characters) or [""]), **look)


def undrawn(titles: Sequence[str], axes: Sequence[Axes]) -> str:
    """A sentence that names the panels for which the page had no room; empty if there are none."""
    rest = list(dict.fromkeys(titles[len(axes) :]))
    if not rest:
        return ""
    named = ", ".join(rest[:8]) + (f" and {len(rest) - 8} more" if len(rest) > 8 else "")
    return f"Not drawn for want of room, but in the CSV: {named}."
