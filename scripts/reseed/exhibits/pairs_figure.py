"""Forest plot: the difference of every pair of models with its interval, a panel each setting."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.exhibits import style
from reseed.exhibits.data import ExhibitData
from reseed.exhibits.figures import Drawn, empty_figure
from reseed.exhibits.numbers import percent
from reseed.exhibits.settings import LONG_LABEL, in_unit, note, pair_title, settings
from reseed.verdicts import p_text

_LOOK = {
    "difference": (style.BLUE, "o", "full", "Difference shown"),
    "equivalent": (style.GREEN, "s", "full", "Equivalent"),
    "no difference shown": (style.GREY, "o", "none", "No difference shown"),
    "too few runs": (style.ORANGE, "s", "none", "Too few runs"),
    "no variation": (style.ORANGE, "D", "none", "No variation"),
    "not comparable": (style.RED, "x", "full", "Not comparable"),
}

# Points from the panel's right edge to the right edges of the columns of numbers.
_OFFSETS = (36, 66)
# Pairs a panel has room for.
_MOST = 40


@style.styled
def figure(data: ExhibitData, options: dict) -> tuple[Figure, Drawn]:
    """Differences with intervals; `options["experiments"]` may restrict them."""
    rows = data.rows(options.get("experiments"))
    if not rows.empty:
        rows = rows[rows["difference"].notna() & (rows["design"] != "datasets")]
    every = settings(data, rows)
    panels = [(title, part.sort_values("p_holm").head(_MOST)) for title, part in every]
    if not panels:
        return empty_figure(data, "No two models have runs that can be set side by side.")
    labels = [pair_title(data, row) for _, row in rows.iterrows()]
    columns = 1 if len(panels) == 1 or max(map(len, labels)) > LONG_LABEL else 2
    lines = math.ceil(len(panels) / columns)
    tallest = [max(len(part) for _, part in panels[i * columns :][:columns]) for i in range(lines)]
    heights = [0.17 * count + 0.75 for count in tallest]
    canvas = style.new_figure(sum(heights) + 0.35)
    axes = canvas.subplots(lines, columns, squeeze=False, height_ratios=heights)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (title, part) in zip(axes.flat, panels, strict=False):
        _panel(axis, data, part.sort_values("difference"))
        axis.set_title(title, pad=14)
    canvas.legend(handles=_legend(rows), loc="outside lower center", ncols=4)
    sentence = (
        f"Bars: {100 * rows['level'].iloc[0]:g} % interval of each pair alone. Right of the line "
        "the model named first is better. p is Holm-adjusted over the pairs of a panel; flips: "
        "share of single runs that order the pair otherwise."
    )
    hidden = len(rows) - sum(len(part) for _, part in panels)
    rest = f"{hidden} pairs with greater p are in the table only." if hidden else ""
    return canvas, Drawn(rows, note(data, rows, sentence, rest))


def _panel(axis: Axes, data: ExhibitData, part: pd.DataFrame) -> None:
    axis.axvline(0, color=style.BLACK, lw=0.8)
    beside = {
        "xycoords": axis.get_yaxis_transform(),
        "textcoords": "offset points",
        "ha": "right",
        "fontsize": 7,
    }
    for y, (_, row) in enumerate(part.iterrows()):
        colour, marker, fill, _ = _LOOK[row["outcome"]]
        scale = row["factor"]
        axis.plot([row["low"] * scale, row["high"] * scale], [y, y], color=colour, lw=1.3)
        look = {"color": colour, "ms": 4.5, "fillstyle": fill, "mew": 1.0}
        axis.plot(row["difference"] * scale, y, marker, **look)
        p = p_text(row["p_holm"]).replace("below ", "< ") if np.isfinite(row["p_holm"]) else "–"
        texts = (p, percent(row["instability"]))
        for offset, text in zip(_OFFSETS, texts, strict=True):
            axis.annotate(text, (1, y), (offset, 0), va="center", **beside)
    top = len(part) - 0.35
    for offset, text in zip(_OFFSETS, ("p", "flips"), strict=True):
        axis.annotate(text, (1, top), (offset, 0), va="bottom", color=style.GREY, **beside)
    axis.set_yticks(range(len(part)), [pair_title(data, row) for _, row in part.iterrows()])
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(-0.6, len(part) - 0.4)
    axis.grid(axis="x")
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(f"Difference, {in_unit(part.iloc[0])}")


def _legend(rows: pd.DataFrame) -> list[Line2D]:
    return [
        Line2D([], [], color=colour, marker=marker, fillstyle=fill, ms=4.5, label=label)
        for name, (colour, marker, fill, label) in _LOOK.items()
        if (rows["outcome"] == name).any()
    ]
