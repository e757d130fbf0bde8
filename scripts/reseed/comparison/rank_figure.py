"""Figures of the intervals of ranks, in place of a critical-difference diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a model's line, and most models with a name of their own, in inches and lines.
_LINE_HEIGHT = 0.26
_MAX_NAMES = 80
#: Most panels; tables have all.
_MAX_PANELS = 12
_COLOURS = {"new": "#4477AA", "these": "#CC6677", "items": "#4477AA"}
_LABELS = {
    "new": "on new tasks",
    "these": "on exactly these tasks",
    "items": "for new items",
}


def draw_ranks(table: pd.DataFrame, level: float) -> Figure:
    """Draw one line a model: interval of its rank, and its rank as a dot; the best on top.

    Args:
        table: `Ranking.table`.
        level: simultaneous level of the intervals.
    """
    return draw_rank_panels({"": table}, level)


def draw_rank_panels(tables: Mapping[str, pd.DataFrame], level: float) -> Figure:
    """Draw one panel a table, as `draw_ranks`; the title of a panel is the key.

    Args:
        tables: columns `model`, `rank`, and `low_NAME` and `high_NAME` of one or more intervals.
        level: simultaneous level of the intervals of a panel.
    """
    from matplotlib.figure import Figure as NewFigure

    shown = dict(list(tables.items())[:_MAX_PANELS])
    heights = [1.2 + _LINE_HEIGHT * min(len(table), _MAX_NAMES) for table in shown.values()]
    figure = NewFigure(figsize=(6.4, sum(heights)), layout="constrained")
    panels = figure.subplots(len(shown), squeeze=False, height_ratios=heights)[:, 0]
    for axes, height, (title, table) in zip(panels, heights, shown.items(), strict=True):
        _draw_panel(axes, table, level, height)
        if title:
            axes.set_title(title, loc="left", fontsize="medium")
    return figure


def _draw_panel(axes: Axes, table: pd.DataFrame, level: float, height: float) -> None:
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
    axes.set_xlabel(f"rank, with simultaneous {100 * level:g} % intervals")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.9 / height), ncols=3, frameon=False)


def draw_differences(rows: pd.DataFrame, level: float) -> Figure:
    """Draw one line a pair: the difference of means with its interval.

    Args:
        rows: `PairComparison.verdicts`.
        level: of the intervals, for each pair alone.
    """
    from matplotlib.figure import Figure as NewFigure

    rows = rows.head(_MAX_NAMES)
    height = 1.2 + _LINE_HEIGHT * len(rows)
    figure = NewFigure(figsize=(6.4, height), layout="constrained")
    axes = figure.subplots()
    y, factor = np.arange(len(rows)), rows["factor"]
    axes.hlines(y, rows["low"] * factor, rows["high"] * factor, color="#4477AA", linewidth=3)
    axes.plot(rows["difference"] * factor, y, "o", color="black", markersize=4)
    axes.axvline(0, color="black", linewidth=0.8)
    names = rows["model_a"] + " – " + rows["model_b"]
    if rows["dataset"].nunique() > 1:
        names = rows["dataset"] + ": " + names
    axes.set_yticks(y, names)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    unit = f" in {rows['unit'].iloc[0]}" if rows["unit"].iloc[0] else ""
    axes.set_xlabel(
        f"difference of {rows['metric'].iloc[0]}{unit}, with {100 * level:g} % intervals"
    )
    axes.grid(axis="x", alpha=0.3)
    return figure
