"""Forest plot: differences of pairs of models with intervals, a panel for each setting."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.claims.formatting import format_p
from reseed.plugins.options import Experiments as Options
from reseed.rendering import coverage, style
from reseed.rendering.data import ExhibitData, NothingToShow
from reseed.rendering.figures import FigureInfo
from reseed.rendering.numbers import counted, percent, rounded_percent, spread_over
from reseed.rendering.panels import entitle, panel_grid, undrawn
from reseed.rendering.settings import (
    LONG_LABEL,
    adjusted_over,
    in_unit,
    note,
    pair_title,
    pair_titles,
    settings,
)

_LOOK = {
    "difference": (style.BLUE, "o", "full", "Difference shown"),
    "equivalent": (style.GREEN, "s", "full", "Equivalent"),
    "no difference shown": (style.GREY, "o", "none", "No difference shown"),
    "too few runs": (style.ORANGE, "s", "none", "Too few runs"),
    "no variation": (style.ORANGE, "D", "none", "No variation"),
    "not comparable": (style.RED, "x", "full", "Not comparable"),
}
_OTHER = (style.GREY, "x", "full", "Other")

# Points from the right edge of the panel to the right edges of the columns of numbers.
_OFFSETS = (36, 66)
# Most pairs of a panel.
_MOST = 40


DRAWS = ("pairs",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Differences with intervals."""
    rows = data.rows(options.experiments)
    if not rows.empty:
        rows = rows[rows["difference"].notna() & (rows["design"] != "datasets")]
    every = settings(data, rows)
    panels = [(title, part.sort_values("p_holm").head(_MOST)) for title, part in every]
    if not panels:
        reason = "No two models have runs that can be set side by side."
        raise NothingToShow(data.no_pairs(reason))
    longest = max(len(pair_title(data, row)) for row in rows.to_dict("records"))
    columns = 1 if longest > LONG_LABEL else 2
    heights = [0.17 * len(part) + 0.75 for _, part in panels]
    handles = _legend(rows)
    room = style.legend_room([handle.get_label() for handle in handles])
    canvas, axes = panel_grid(heights, columns, legend=room)
    for axis, (title, part) in zip(axes, panels, strict=False):
        _panel(axis, data, part.sort_values("difference"))
        entitle(axis, title, 26, pad=14)
    style.legend_below(canvas, handles)
    hidden = len(rows) - sum(len(part) for _, part in panels)
    found = _findings(rows)
    return canvas, FigureInfo(
        rows,
        note(
            data,
            rows,
            f"{hidden} pairs with greater p are in the table only." if hidden else "",
            undrawn([title for title, _ in panels], axes),
        ),
        findings=found,
        headline=_headline(data, rows),
        definitions=[
            f"Bars: {100 * rows['level'].iloc[0]:g} % interval of each pair alone. Right of the"
            f" line the model named first is better. p is Holm-adjusted over"
            f" {adjusted_over(rows, 'panel')}; flips: share of single runs that order the pair"
            " otherwise.",
            *coverage.corrected(rows),
        ],
        alt="Difference of each pair of models with its interval, by dataset.",
    )


def _headline(data: ExhibitData, rows: pd.DataFrame) -> str:
    """Number of shown differences."""
    shown = rows[rows["outcome"] == "difference"]
    if (rows["outcome"] == "too few runs").all():
        return f"Too few runs to tell {'the' if len(rows) == 1 else 'any'} pair apart"
    if len(rows) == 1:
        pair, better = rows.iloc[0], "is shown to be better than"
        names = pair_titles(data, pair)
        if len(shown):
            return f"{names[0]} {better} {names[1]}"
        return f"No difference is shown between {names[0]} and {names[1]}"
    if shown.empty:
        return f"No difference is shown for any of {counted(len(rows), 'pair')}"
    always = int((shown["instability"] == 0).sum())
    return f"Of {counted(len(shown), 'difference')} shown, {always} held in every single run"


def _findings(rows: pd.DataFrame) -> list[str]:
    open_ = rows[rows["outcome"].isin(["no difference shown", "equivalent"])]
    flips = open_["instability"].dropna()
    if flips.empty:
        return []
    return [
        f"Where no difference is shown ({counted(len(flips), 'pair')}), a single run orders the"
        f" pair the other way in {spread_over(flips, 'pair', rounded_percent)} of runs."
    ]


def _panel(axis: Axes, data: ExhibitData, part: pd.DataFrame) -> None:
    axis.axvline(0, color=style.BLACK, lw=0.8)
    beside = {
        "xycoords": axis.get_yaxis_transform(),
        "textcoords": "offset points",
        "ha": "right",
        "fontsize": 7,
    }
    for y, (_, row) in enumerate(part.iterrows()):
        colour, marker, fill, _ = _LOOK.get(row["outcome"], _OTHER)
        scale = row["factor"]
        axis.plot([row["low"] * scale, row["high"] * scale], [y, y], color=colour, lw=1.3)
        look = {"color": colour, "ms": 4.5, "fillstyle": fill, "mew": 1.0}
        axis.plot(row["difference"] * scale, y, marker, **look)
        p = format_p(row["p_holm"]).replace("below ", "< ") if np.isfinite(row["p_holm"]) else "–"
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
