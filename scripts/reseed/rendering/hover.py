"""Values of the points of a figure, which pages show beside the pointer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.colors import same_color, to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

# Most points of a figure: pages stay small. Lines with more vertices are curves without own points.
_MOST, _LONGEST_LINE = 500, 60
_DIGITS = 4  # of a value


def panels_of(figure: Figure) -> list[dict[str, Any]]:
    """The points of each panel of a figure that was laid out.

    A panel has: `box`, left, top, right and bottom as shares of the figure, from its top left
    corner; `x` and `y`, (lower limit, upper limit, whether logarithmic); `labels` of both axes;
    `names`, ticks of both axes that are names, as (position, name); and `series`, as (label, values
    x, y, x, y, …). Panels with other scales or three dimensions are left out. Empty for a figure of
    more than 500 points.
    """
    legends = _labels_by_colour(figure)
    panels = [_panel(axes, legends) for axes in figure.axes if _is_plain(axes)]
    panels = [panel for panel in panels if panel["series"]]
    count = sum(len(values) // 2 for panel in panels for _, values in panel["series"])
    return panels if count <= _MOST else []


def _is_plain(axes: Axes) -> bool:
    scales = {axes.get_xscale(), axes.get_yscale()}
    return axes.get_visible() and axes.name == "rectilinear" and scales <= {"linear", "log"}


def _panel(axes: Axes, legends: dict[str, str]) -> dict[str, Any]:
    box = axes.get_position()
    titles = [axes.get_title(loc=side) for side in ("left", "center", "right")]
    return {
        "title": " ".join(" ".join(titles).split()),
        "box": [round(float(v), 4) for v in (box.x0, 1 - box.y1, box.x1, 1 - box.y0)],
        "x": [*map(_short, axes.get_xlim()), axes.get_xscale() == "log"],
        "y": [*map(_short, axes.get_ylim()), axes.get_yscale() == "log"],
        "labels": [_label(axes.get_xlabel()), _label(axes.get_ylabel())],
        "names": [_names(axes.xaxis), _names(axes.yaxis)],
        "series": list(_series(axes, legends)),
    }


def _label(text: str) -> str:
    return " ".join(text.split())


def _names(axis: Axis) -> list[tuple[float, str]]:
    """(position, name) of ticks that are names, not numbers."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return []
    texts = [_label(tick.get_text()) for tick in axis.get_ticklabels()]
    if all(_is_number(text) for text in texts):
        return []
    named = zip(axis.get_majorticklocs(), texts, strict=False)
    return [(_short(position), text) for position, text in named if text]


def _is_number(text: str) -> bool:
    return not text or text.lstrip("−-+").replace(",", "")[:1].isdigit()


def _series(axes: Axes, legends: dict[str, str]) -> Iterator[tuple[str, list[float]]]:
    for artist in [*axes.lines, *axes.collections]:
        points, colour = _points(artist, axes)
        inside = [point for point in points if _is_inside(point, axes)]
        if inside:
            own = str(artist.get_label())
            label = legends.get(colour, "") if own.startswith("_") else own
            yield label, [_short(value) for point in inside for value in point]


def _points(artist: object, axes: Axes) -> tuple[Sequence[Sequence[float]], str]:
    """Points of a line with markers or few vertices, or of a scatter plot; its colour."""
    if isinstance(artist, Line2D) and artist.get_transform() == axes.transData:
        marked = artist.get_marker() not in ("None", "", " ", None)
        points = np.ma.filled(artist.get_xydata().astype(float), np.nan)
        if artist.get_visible() and (marked or 2 < len(points) <= _LONGEST_LINE):
            return points, to_hex(artist.get_color())
    if isinstance(artist, PathCollection) and artist.get_offset_transform() == axes.transData:
        faces = artist.get_facecolor()
        colours = {to_hex(face) for face in np.atleast_2d(faces)}
        points = np.ma.filled(np.ma.asarray(artist.get_offsets(), dtype=float), np.nan)
        return points, colours.pop() if len(colours) == 1 else ""
    return [], ""


def _is_inside(point: Sequence[float], axes: Axes) -> bool:
    limits = (axes.get_xlim(), axes.get_ylim())
    return all(min(ends) <= value <= max(ends) for value, ends in zip(point, limits, strict=True))


def _labels_by_colour(figure: Figure) -> dict[str, str]:
    """Label of each colour that has one meaning in the legends."""
    own = (axes.get_legend() for axes in figure.axes)
    legends: list[Legend] = [*figure.legends, *(legend for legend in own if legend)]
    found: dict[str, set[str]] = {}
    for legend in legends:
        for handle in legend.legend_handles:
            colour = handle.get_color() if isinstance(handle, Line2D) else None
            if isinstance(colour, str | tuple) and not same_color(colour, "none"):
                found.setdefault(to_hex(colour), set()).add(str(handle.get_label()))
    return {colour: labels.pop() for colour, labels in found.items() if len(labels) == 1}


def _short(value: float) -> float:
    """The value with four digits; a whole number as such."""
    rounded = float(f"{float(value):.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
