"""Forest plot: differences of pairs of models with intervals, a panel for each setting."""

from __future__ import annotations

from functools import partial
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reseed.plugins.options import Experiments as Options
from reseed.report.rendering import coverage, style
from reseed.report.rendering.data import ExhibitData, NothingToShow
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.numbers import percent
from reseed.report.rendering.panels import name_omitted, panel_grid, set_title
from reseed.report.rendering.settings import (
    LONG_LABEL,
    adjusted_over,
    footnote_pairs,
    group_by_setting,
    in_unit,
    p_cell,
    pair_title,
)
from reseed.verdicts.formatting import format_level
from reseed.verdicts.pair import is_over_datasets, read_pairs

_Look = tuple[str, str, Literal["full", "none"], str]
_LOOK: dict[str, _Look] = {
    "better": (style.BLUE, "o", "full", "Better"),
    "equal": (style.GREEN, "s", "full", "Equal"),
    "undecided": (style.GREY, "o", "none", "Undecided"),
    "not tested": (style.ORANGE, "D", "none", "Not tested"),
}
_OTHER: _Look = (style.GREY, "x", "full", "Other")

# Points from the right edge of the panel to the right edges of the columns of numbers.
_OFFSETS = (36, 66)
# Inches left and right of each panel: its labels stand next to the numbers of the panel before it.
_MARGIN = 0.1
# Most pairs of a panel.
_MOST = 40


DRAWS = ("pairs",)


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """Differences with intervals."""
    rows = data.rows(options.experiments)
    if not rows.empty:
        rows = rows[rows["difference"].notna() & ~is_over_datasets(rows)]
    every = group_by_setting(data, rows)
    panels = [(title, part.sort_values("p_adjusted").head(_MOST)) for title, part in every]
    if not panels:
        reason = "No two models have runs that can be set side by side."
        raise NothingToShow(data.no_pairs(reason))
    longest = max(len(pair_title(data, row)) for row in read_pairs(rows))
    columns = 1 if longest > LONG_LABEL else 2
    heights = [0.17 * len(part) + 0.75 for _, part in panels]
    handles = _legend(rows)
    room = style.legend_room([str(handle.get_label()) for handle in handles])
    canvas, axes = panel_grid(heights, columns, legend=room)
    canvas.set_layout_engine("constrained", w_pad=_MARGIN)
    for axis, (title, part) in zip(axes, panels, strict=False):
        _panel(axis, data, part.sort_values("difference"))
        set_title(axis, title, 26, pad=14)
    style.legend_below(canvas, handles)
    hidden = len(rows) - sum(len(part) for _, part in panels)
    return canvas, FigureInfo(
        rows,
        footnote_pairs(
            data,
            rows,
            f"{hidden} pairs with greater p are in the table only." if hidden else "",
            name_omitted([title for title, _ in panels], axes),
        ),
        definitions=[
            f"Bars: {format_level(1 - next(rows.itertuples()).alpha)} intervals. Right of the line"
            " the model named first is better. Intervals and p hold for"
            f" {adjusted_over(rows, 'panel')} at once; flips: share of single runs that order the"
            " pair otherwise.",
            *coverage.corrected(rows),
        ],
        alt="Difference of each pair of models with its interval, by dataset.",
    )


def _panel(axis: Axes, data: ExhibitData, part: pd.DataFrame) -> None:
    axis.axvline(0, color=style.BLACK, lw=0.8)
    annotate = partial(
        axis.annotate, xycoords=axis.get_yaxis_transform(), textcoords="offset points", ha="right",
        fontsize=7,
    )  # fmt: skip
    rows = read_pairs(part)
    for y, row in enumerate(rows):
        colour, marker, fill, _ = _LOOK.get(row.outcome, _OTHER)
        value, low, high = row.shown_difference
        axis.plot([low, high], [y, y], color=colour, lw=1.3)
        axis.plot(value, y, marker, color=colour, ms=4.5, fillstyle=fill, mew=1.0)
        texts = (p_cell(row.p_adjusted), percent(row.instability))
        for offset, text in zip(_OFFSETS, texts, strict=True):
            annotate(text, (1, y), (offset, 0), va="center")
    top = len(part) - 0.35
    for offset, text in zip(_OFFSETS, ("p", "flips"), strict=True):
        annotate(text, (1, top), (offset, 0), va="bottom", color=style.GREY)
    axis.set_yticks(range(len(part)), [pair_title(data, row) for row in rows])
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(-0.6, len(part) - 0.4)
    axis.grid(axis="x")
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(f"Difference, {in_unit(rows[0].metric, rows[0].unit)}")


def _legend(rows: pd.DataFrame) -> list[Line2D]:
    return [
        Line2D([], [], color=colour, marker=marker, fillstyle=fill, ms=4.5, label=label)
        for name, (colour, marker, fill, label) in _LOOK.items()
        if name in set(rows["outcome"])
    ]
