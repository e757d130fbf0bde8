"""One look for every figure: fonts, sizes and fixed colours that colour-blind readers can tell.

Figures are made without pyplot, so no state outlives one. Colours are Okabe and Ito's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from reseed.core.coordinates import base_name
from reseed.rendering.colours import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    LIGHT,
    ORANGE,
    PURPLE,
    RED,
    SKY,
)
from reseed.rendering.data import ExhibitData
from reseed.rendering.short_names import SAID, with_short_names

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "LIGHT", "ORANGE", "PURPLE", "RED", "SKY"]

#: Width of a page's text in inches: figures are drawn at the size at which they are printed.
PAGE_WIDTH = 7.0
#: Width of one of two columns: what still reads at this width is marked so.
COLUMN_WIDTH = 3.4
#: As in the paper's Figure 3: red for model seeds, blue for data seeds.
VARIED = {"model": RED, "data": BLUE}
MODELS = {"ffnn": BLUE, "ffnn_res": SKY, "rf": GREEN, "gbm": ORANGE, "xgb": RED}
# Inches of a letter of a tick's label.
_CHARACTER = 0.055
# Names under columns: letters of one, and how many, that one of two panels a line has room for; how
# many a whole line has room for where they are not upright.
_LONG, _MANY, _UPRIGHT = 28, 14, 24
SEQUENTIAL = "cividis"
#: Away from a middle, to both sides.
DIVERGING = "PuOr"

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": LIGHT,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "text.parse_math": False,  # a $ in a name starts no formula
    "pdf.fonttype": 42,
    "svg.hashsalt": "reseed",
}


def styled(draw: Callable) -> Callable:
    """Run a drawing function of (data, …) → (figure, drawn) under the common style.

    It is given names of a length that can be drawn; the footnote says so where that changes any.
    """

    @wraps(draw)
    def run(data: ExhibitData, *args, **kwargs):
        short = with_short_names(data)
        with matplotlib.rc_context(STYLE):
            figure, drawn = draw(short, *args, **kwargs)
        if short is not data:
            drawn = replace(drawn, footnote=f"{drawn.footnote} {SAID}")
        return figure, drawn

    return run


def new_figure(height: float, width: float = PAGE_WIDTH) -> Figure:
    """An empty figure, in inches, with its own canvas and constrained layout."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def legend_columns(labels: Sequence[str], width: float = PAGE_WIDTH) -> int:
    """Columns of a legend that is no wider than its figure; reckoned from the longest label."""
    widest = 0.5 + 0.0625 * max((len(label) for label in labels), default=0)
    return max(1, min(len(labels), int(width / widest)))


def legend_room(labels: Sequence[str], width: float = PAGE_WIDTH) -> float:
    """Inches of height that such a legend takes."""
    return 0.1 + 0.17 * math.ceil(len(labels) / legend_columns(labels, width)) if labels else 0.0


def legend_below(figure: Figure, handles: Sequence[Artist]) -> None:
    """A legend under all panels that ends where the figure does."""
    labels = [str(handle.get_label()) for handle in handles]
    if labels:
        columns = legend_columns(labels, figure.get_figwidth())
        figure.legend(handles=list(handles), loc="outside lower center", ncols=columns)


def colour_of(model: str, models: Sequence[str]) -> str:
    """A model's fixed colour; one that has none, or a further variant, the next that is free."""
    names = list(dict.fromkeys(models))
    fixed: dict[str, str] = {}  # by colour, so that only the first variant has it
    for name in names:
        base = base_name(name)
        if base in MODELS:
            fixed.setdefault(MODELS[base], name)
    if model in fixed.values():
        return MODELS[base_name(model)]
    palette = (PURPLE, GREY, BLACK, *MODELS.values())
    free = [colour for colour in palette if colour not in fixed] or palette
    others = [name for name in names if name not in fixed.values()]
    return free[others.index(model) % len(free)]


def panels_of_columns(names: Sequence[str]) -> tuple[int, float]:
    """Panels a line where `names` stand under the columns of each, and inches added to a panel."""
    longest = max(map(len, names), default=0)
    slope = 1.0 if len(names) > _UPRIGHT else 0.5
    room = max(0.0, _CHARACTER * longest * slope - 0.75)
    return (1 if len(names) > _MANY or longest > _LONG else 2), room


def name_columns(axis: Axes, names: Sequence[str]) -> None:
    """Names under the columns of a panel, turned where they would run into one another."""
    turned = sum(len(name) for name in names) > 34
    axis.set_xticks(range(len(names)), list(names))
    if turned:
        upright = len(names) > _UPRIGHT
        axis.tick_params(axis="x", rotation=90 if upright else 30)
        for label in axis.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor", va="center" if upright else "baseline")
    axis.tick_params(axis="x", length=0)
    axis.set_xlim(-0.6, len(names) - 0.4)
