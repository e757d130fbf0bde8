"""Figure of the intervals of ranks, in place of a critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reseed.comparison.claims.formatting import format_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a model's line, and most models with a name of their own, in inches and lines.
_LINE_HEIGHT = 0.26
_MAX_NAMES = 80
_COLOURS = {"new": "#4477AA", "these": "#CC6677"}
_LABELS = {"new": "on new tasks", "these": "on exactly these tasks"}


def draw_ranks(table: pd.DataFrame, level: float) -> Figure:
    """Draw one line a model: interval of its rank, and its rank as a dot; the best on top.

    Args:
        table: `Ranking.table`.
        level: simultaneous level of the intervals.
    """
    from matplotlib.figure import Figure as NewFigure

    height = 1.2 + _LINE_HEIGHT * min(len(table), _MAX_NAMES)
    figure = NewFigure(figsize=(6.4, height), layout="constrained")
    _draw_lines(figure.subplots(), table, level, height)
    return figure


def _draw_lines(axes: Axes, table: pd.DataFrame, level: float, height: float) -> None:
    models = len(table)
    y = np.arange(models)
    shown = [name for name in _LABELS if f"low_{name}" in table]
    for number, name in enumerate(shown):
        offset = 0.16 * (2 * number - len(shown) + 1)
        low, high = table[f"low_{name}"] - 0.25, table[f"high_{name}"] + 0.25
        axes.hlines(y + offset, low, high, color=_COLOURS[name], linewidth=3, label=_LABELS[name])
    axes.plot(table["rank"], y, "o", color="black", markersize=4, label="rank of the mean")
    if models <= _MAX_NAMES:
        axes.set_yticks(y, table["model"])
    else:
        axes.set_ylabel("models, the best first")
    axes.set_ylim(models - 0.4, -0.6)
    axes.set_xlim(0.4, models + 0.6)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel(f"rank, with simultaneous {format_level(level)} intervals")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.9 / height), ncols=3, frameon=False)
