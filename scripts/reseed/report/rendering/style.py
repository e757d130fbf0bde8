"""Style of all figures: fonts, sizes and fixed colours for colour-blind readers.

Figures are created without pyplot, so they share no state. Colours: Okabe and Ito.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from reseed.core.coordinates import base_name
from reseed.report.rendering.colours import (
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
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.short_names import SAID, with_short_names

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "LIGHT", "ORANGE", "PURPLE", "RED", "SKY"]

#: Width of the text of a page in inches; figures are drawn at their printed size.
PAGE_WIDTH = 7.0
#: As in Figure 3 of Raste et al.: red for model seeds, blue for data seeds.
VARIED = {"model": RED, "data": BLUE}
MODELS = {"ffnn": BLUE, "ffnn_res": SKY, "rf": GREEN, "gbm": ORANGE, "xgb": RED}
# Width of a letter of a tick label in inches.
_CHARACTER = 0.055
# Limits for names under columns: letters of a name and number of names with two panels a line;
# number of names on a whole line that need not be upright.
_LONG, _MANY, _UPRIGHT = 28, 14, 24
SEQUENTIAL = "cividis"
#: Colour map that diverges from a centre.
DIVERGING = "PuOr"

STYLE: dict[Any, Any] = {
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
    "text.parse_math": False,  # names may contain $
    "pdf.fonttype": 42,
    "svg.hashsalt": "reseed",
}


def styled(draw: Callable) -> Callable:
    """Run a drawing function of (data, …) → (figure, drawn) under the common style.

    Long names are shortened; the footnote then says so.
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


def new_figure(height: float) -> Figure:
    """An empty figure of a page's width with a canvas and constrained layout; in inches."""
    figure = Figure(figsize=(PAGE_WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def legend_columns(labels: Sequence[str], width: float = PAGE_WIDTH) -> int:
    """Columns of a legend that fits the width of its figure, by the longest label."""
    widest = 0.5 + 0.0625 * max((len(label) for label in labels), default=0)
    return max(1, min(len(labels), int(width / widest)))


def legend_room(labels: Sequence[str]) -> float:
    """Height of such a legend of a page's width in inches."""
    return 0.1 + 0.17 * math.ceil(len(labels) / legend_columns(labels)) if labels else 0.0


def legend_below(figure: Figure, handles: Sequence[Artist]) -> None:
    """Draw a legend below all panels, within the width of the figure."""
    labels = [str(handle.get_label()) for handle in handles]
    if labels:
        columns = legend_columns(labels, figure.get_figwidth())
        figure.legend(handles=list(handles), loc="outside lower center", ncols=columns)


def colour_of(model: str, models: Sequence[str]) -> str:
    """Fixed colour of a model; other models and further variants get the next free colour."""
    names = list(dict.fromkeys(models))
    fixed: dict[str, str] = {}  # by colour: only the first variant gets it
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
    """Panels a line for panels with `names` under their columns, and inches added to each."""
    longest = max(map(len, names), default=0)
    slope = 1.0 if len(names) > _UPRIGHT else 0.5
    room = max(0.0, _CHARACTER * longest * slope - 0.75)
    return (1 if len(names) > _MANY or longest > _LONG else 2), room


def name_columns(axis: Axes, names: Sequence[str]) -> None:
    """Draw names under the columns of a panel, rotated if they would overlap."""
    turned = sum(len(name) for name in names) > 34
    axis.set_xticks(range(len(names)), list(names))
    if turned:
        upright = len(names) > _UPRIGHT
        axis.tick_params(axis="x", rotation=90 if upright else 30)
        for label in axis.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor", va="center" if upright else "baseline")
    axis.tick_params(axis="x", length=0)
    axis.set_xlim(-0.6, len(names) - 0.4)
