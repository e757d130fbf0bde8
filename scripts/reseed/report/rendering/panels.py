"""The grid of panels, never taller than a page, and marks that figures share."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence, Sized
from typing import TypeVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from reseed.core.coordinates import base_name
from reseed.report.rendering import style
from reseed.report.rendering.style import new_figure

#: Of panels that are named, not drawn.
SAME_SCORES = "Not drawn, as every score is the same"
#: Largest height of a figure in inches that leaves space for its caption on a page.
MOST_HEIGHT = 8.6
# Characters of a panel's title per inch of its width.
_CHARACTERS = 9.7
# Multiples of it fill an interval evenly: a low-discrepancy sequence.
_GOLDEN = (5**0.5 - 1) / 2
# With longer names there is one panel a line.
_LONG_NAME = 28
#: Colours of arms in order of appearance, for models without a fixed colour.
COLOURS = [
    style.BLUE, style.RED, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, style.BLACK,
    style.GREY,
]  # fmt: skip
Part = TypeVar("Part")


class SparseLocator(MaxNLocator):
    """Round numbers with space for labels of six characters (Matplotlib's: three)."""

    def __init__(self) -> None:
        super().__init__(nbins=9, steps=[1, 2, 2.5, 5, 10])

    def __call__(self) -> Sequence[float]:
        """Positions of the ticks in units of the axis, for its current width."""
        assert isinstance(self.axis, Axis)
        self.set_params(nbins=min(9, max(2, self.axis.get_tick_space() * 3 // 5)))
        return super().__call__()


def panel_grid(
    heights: Sequence[float],
    columns: int = 2,
    *,
    legend: float = 0.35,
    **subplots,
) -> tuple[Figure, list[Axes]]:
    """A figure with one panel for each of `heights` (inches, title and labels included).

    A line is as high as its highest panel. legend: inches kept free for a legend. Lines beyond the
    height of a page are left out, except the first: the figure then has fewer panels than heights
    and states how many are missing; `name_omitted` names them.
    """
    columns = max(1, min(columns, len(heights)))
    lines: list[float] = []
    total = legend
    for start in range(0, len(heights), columns):
        line = max(heights[start : start + columns])
        if lines and total + line > MOST_HEIGHT:
            break
        lines.append(line)
        total += line
    figure = new_figure(min(total, MOST_HEIGHT))
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
        # On top, since a legend below the panels uses the same space.
        figure.suptitle(rest, x=0.99, ha="right", fontsize=7, color=style.GREY)
    return figure, list(grid.flat[:panels])


def set_title(axis: Axes, title: str, characters: int | None = None, over: int = 1, **look) -> None:
    """Set the title of a panel, with line breaks so that it does not overlap the next panel.

    characters: of a line (None: by the panel's share of the width). over: panels below the title.
    """
    if characters is None:
        grid, figure = axis.get_gridspec(), axis.get_figure(root=True)
        assert grid is not None
        assert figure is not None
        characters = int(_CHARACTERS * figure.get_figwidth() * over / grid.ncols)
    axis.set_title(
        "\n".join(textwrap.wrap(title, characters, break_on_hyphens=False) or [""]), **look
    )


def titled_panels(
    panels: Sequence[tuple[str, Part]],
    heights: float | Sequence[float],
    columns: int = 2,
    *,
    legend: float = 0.35,
    over: int = 1,
    characters: int | None = None,
) -> tuple[Figure, list[tuple[Axes, Part]], str]:
    """A `panel_grid` of (title, part): the figure, (axis, part) of each panel, `name_omitted`.

    heights: of each panel, or one for all. over: neighbours below one title. characters: see
    `set_title`.
    """
    each = heights if isinstance(heights, Sequence) else [heights] * len(panels)
    figure, axes = panel_grid(each, columns, legend=legend)
    for number, (axis, (title, _)) in enumerate(zip(axes, panels, strict=False)):
        set_title(axis, "" if number % over else title, characters, over)
    drawn = [(axis, part) for axis, (_, part) in zip(axes, panels, strict=False)]
    return figure, drawn, name_omitted([title for title, _ in panels], axes)


def count_panel_columns(names: Iterable[Sequence[str]]) -> int:
    """Panels a line for panels whose rows are labelled with these names."""
    longest = max(len(name) for panel in names for name in panel)
    return 1 if longest > _LONG_NAME else 2


def name_omitted(titles: Sequence[str], drawn: Sized) -> str:
    """Sentence on the titles after those that were drawn; empty if all fit."""
    rest = list(dict.fromkeys(titles[len(drawn) :]))
    if not rest:
        return ""
    between = "; " if any(", " in title for title in rest) else ", "
    named = between.join(rest[:8]) + (f" and {len(rest) - 8} more" if len(rest) > 8 else "")
    return f"Not drawn for want of room, but in the CSV: {named}."


def name_by_test_ratio(rows: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """`columns`, with the test ratio for the scheme if random splits differ only in it."""
    schemes = rows[["scheme", "test_ratio"]].drop_duplicates()
    random = schemes["scheme"].str.startswith("holdout-").all() and schemes["test_ratio"].is_unique
    known = random and schemes["test_ratio"].notna().all() and schemes["scheme"].is_unique
    return ["test_ratio" if known and name == "scheme" else name for name in columns]


def colours(names: Sequence[str]) -> dict[str, str]:
    """A fixed colour for each name; the colours of models if every name is a model."""
    names = list(dict.fromkeys(names))
    if names and all(base_name(name) in style.MODELS for name in names):
        return {name: style.colour_of(name, names) for name in names}
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def offsets(n: int, half: float) -> np.ndarray:
    """Shifts (n,) of dots within ±half: even, and the same every time, in place of jitter."""
    return (np.arange(n) * _GOLDEN % 1 - 0.5) * 2 * half


def dot(colour: str, label: str, size: float = 4.5) -> Line2D:
    """A dot of a legend."""
    return Line2D([], [], ls="", marker="o", ms=size, mew=0, color=colour, label=label)


def line(colour: str, label: str, dashes: str = "-", width: float = 1.4) -> Line2D:
    """A line of a legend."""
    return Line2D([], [], color=colour, lw=width, ls=dashes, label=label)
