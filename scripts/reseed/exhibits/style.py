"""One look for every figure: fonts, sizes and fixed colours that colour-blind readers can tell.

Figures are made without pyplot, so no state outlives one. Colours are Okabe and Ito's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

#: Width of a page's text in inches: figures are drawn at the size at which they are printed.
PAGE_WIDTH = 7.2
BLUE, RED, GREEN, ORANGE, SKY, PURPLE = (
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7",
)  # fmt: skip
BLACK, GREY, LIGHT = "#222222", "#777777", "#DDDDDD"
#: As in the paper's Figure 3: red for model seeds, blue for data seeds.
VARIED = {"model": RED, "data": BLUE}
MODELS = {"ffnn": BLUE, "ffnn_res": SKY, "rf": GREEN, "gbm": ORANGE, "xgb": RED}
SEQUENTIAL = "cividis"

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
    "pdf.fonttype": 42,
    "svg.hashsalt": "reseed",
}


def styled(draw: Callable) -> Callable:
    """Run a drawing function under the common style."""

    @wraps(draw)
    def run(*args, **kwargs):
        with matplotlib.rc_context(STYLE):
            return draw(*args, **kwargs)

    return run


def new_figure(height: float, width: float = PAGE_WIDTH) -> Figure:
    """An empty figure, in inches, with its own canvas and constrained layout."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def colour_of(model: str, models: list[str]) -> str:
    """A model's fixed colour; one that has none takes the next free colour of the palette."""
    name = model.partition("~")[0]
    if name in MODELS:
        return MODELS[name]
    free = [c for c in (PURPLE, GREY, BLACK, *MODELS.values())]
    others = [m for m in models if m.partition("~")[0] not in MODELS]
    return free[others.index(model) % len(free)]
