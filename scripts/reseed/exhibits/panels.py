"""A figure of equal panels, and the two or three marks that several figures share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.exhibits import style

#: Colours of arms in their order of appearance, where models have no colour of their own.
COLOURS = [style.BLUE, style.RED, style.GREEN, style.ORANGE, style.PURPLE, style.SKY, style.BLACK]


def panel_grid(
    count: int, height: float, columns: int = 2, extra: float = 0.6
) -> tuple[Figure, list[Axes]]:
    """A page-wide figure of `count` panels of `height` inches, `columns` a line."""
    columns = max(1, min(columns, count))
    lines = math.ceil(count / columns)
    canvas = style.new_figure(height * lines + extra)
    axes = canvas.subplots(lines, columns, squeeze=False)
    for axis in axes.flat[count:]:
        axis.set_visible(False)
    return canvas, list(axes.flat[:count])


def colours(names: Sequence[str]) -> dict[str, str]:
    """A fixed colour a name; those of models where every name is a model with one."""
    names = list(dict.fromkeys(names))
    if names and all(name.partition("~")[0] in style.MODELS for name in names):
        return {name: style.colour_of(name, names) for name in names}
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


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
