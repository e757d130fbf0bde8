"""Values of the points and areas of a figure, which pages show beside the pointer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import (
    Collection,
    LineCollection,
    PathCollection,
    PolyCollection,
)
from matplotlib.colors import same_color, to_hex
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.ticker import FixedLocator

# Most points and areas of a figure: pages stay small. Of more points, every second, third, … is
# kept, and of a curve or band at most so many.
_MOST, _MOST_OF_CURVE = 3000, 60
_DIGITS = 4  # of a value


def panels_of(figure: Figure) -> list[dict[str, Any]]:
    """The points and areas of each panel of a figure that was laid out.

    A panel has: `box`, left, top, right and bottom as shares of the figure, from its top left
    corner; `x` and `y`, (lower limit, upper limit, whether logarithmic); `labels` of both axes;
    `names`, ticks of both axes that are names, as (position, name); `series`, as (label, values x,
    y, x, y, …); and `areas`: cells of heat maps and bars, as (text, x from, x to, y from, y to).
    Panels with other scales or three dimensions are left out.
    """
    legends = _labels_by_colour(figure)
    panels = [_panel(axes, legends) for axes in figure.axes if _is_plain(axes)]
    panels = [panel for panel in panels if panel["series"] or panel["areas"]]
    count = sum(len(values) // 2 for panel in panels for _, values in panel["series"])
    step = -(-count // _MOST)
    for panel in panels:
        panel["series"] = [(label, _thin(values, step)) for label, values in panel["series"]]
        panel["areas"] = panel["areas"][:_MOST]
    return panels


def _thin(values: list[float], step: int) -> list[float]:
    """Every `step`-th point of x, y, x, y, …"""
    if step < 2:
        return values
    return [value for i in range(0, len(values), 2 * step) for value in values[i : i + 2]]


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
        "areas": [
            (text, *map(_short, box))
            for artist in (*axes.images, *axes.patches)
            for text, box in _areas(artist, axes)
        ],
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
            label_of_artist = str(artist.get_label())
            label = legends.get(colour, "") if label_of_artist.startswith("_") else label_of_artist
            yield label, [_short(value) for point in inside for value in point]


def _points(artist: object, axes: Axes) -> tuple[Iterable[Sequence[float] | np.ndarray], str]:
    """Points of a line, a scatter plot, the ends of segments or the edges of a band; its colour."""
    if isinstance(artist, Line2D) and artist.get_transform() is axes.transData:
        marked = artist.get_marker() not in ("None", "", " ", None)
        points: np.ndarray = np.ma.filled(np.ma.asarray(artist.get_xydata(), dtype=float), np.nan)
        if artist.get_visible() and (marked or len(points) > 1):
            return points if marked else _evenly(points), to_hex(artist.get_color())
    if not isinstance(artist, Collection) or not artist.get_visible():
        return [], ""
    if isinstance(artist, PathCollection) and artist.get_offset_transform() == axes.transData:
        points = np.ma.filled(np.ma.asarray(artist.get_offsets(), dtype=float), np.nan)
        return points, _one_colour(artist.get_facecolor())
    if artist.get_transform() is not axes.transData:
        return [], ""
    if isinstance(artist, LineCollection):
        ends = [end for segment in artist.get_segments() for end in segment]
        return ends, _one_colour(artist.get_edgecolor())
    if isinstance(artist, PolyCollection):
        edges = [_band(np.asarray(path.vertices)) for path in artist.get_paths()]
        return [point for edge in edges for point in edge], _one_colour(artist.get_facecolor())
    return [], ""


def _one_colour(colours: Any) -> str:
    distinct = {to_hex(colour) for colour in np.atleast_2d(colours)}
    return distinct.pop() if len(distinct) == 1 else ""


def _evenly(points: np.ndarray) -> np.ndarray:
    """At most `_MOST_OF_CURVE` vertices of a curve, its two ends among them."""
    if len(points) <= _MOST_OF_CURVE:
        return points
    return points[np.linspace(0, len(points) - 1, _MOST_OF_CURVE).round().astype(int)]


def _band(outline: np.ndarray) -> np.ndarray:
    """Points of both edges of a filled band: the outline without repeated vertices."""
    points = outline[: len(outline) - 1]  # the last one closes it
    return _evenly(points[np.r_[True, np.any(np.diff(points, axis=0) != 0, axis=1)]])


def _areas(artist: Artist, axes: Axes) -> Iterator[tuple[str, tuple[float, ...]]]:
    """(text, (x from, x to, y from, y to)) of each cell of an image, step or bar."""
    names = [_label(axes.get_xlabel()) or "x", _label(axes.get_ylabel()) or "y"]
    if isinstance(artist, AxesImage):
        yield from _cells(artist, axes, names)
    elif isinstance(artist, StepPatch):
        heights, edges, base = artist.get_data()
        floors = np.broadcast_to(0.0 if base is None else base, np.shape(heights))
        for i, height in enumerate(heights):
            if height != floors[i]:
                ends = float(edges[i]), float(edges[i + 1])
                text = f"{names[1]}: {_short(height)}\n{names[0]}: {_short(ends[0])} to"
                yield f"{text} {_short(ends[1])}", (*ends, float(floors[i]), float(height))
    elif isinstance(artist, Rectangle) and artist.get_data_transform() == axes.transData:
        x, y, width, height = *artist.get_xy(), artist.get_width(), artist.get_height()
        if width and height:
            text = f"{names[1]}: {_short(y)} to {_short(y + height)}"
            text += f"\n{names[0]}: {_short(x)} to {_short(x + width)}"
            yield text, (x, x + width, y, y + height)


def _cells(
    image: AxesImage, axes: Axes, names: Sequence[str]
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The cells of a heat map of numbers, with its value and its row and column."""
    values: np.ndarray = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
    if values.ndim != 2:
        return
    left, right, bottom, top = image.get_extent()
    first, last = (top, bottom) if image.origin == "upper" else (bottom, top)
    x = np.linspace(left, right, values.shape[1] + 1).tolist()
    y = np.linspace(first, last, values.shape[0] + 1).tolist()
    ticks = _ticks(axes.xaxis), _ticks(axes.yaxis)
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            at = [_tick(ticks[0], x[j], x[j + 1]), _tick(ticks[1], y[i], y[i + 1])]
            yield (
                f"{_short(value)}\n{names[1]}: {at[1]}\n{names[0]}: {at[0]}",
                (x[j], x[j + 1], *sorted((y[i], y[i + 1]))),
            )


def _ticks(axis: Axis) -> list[tuple[float, str]]:
    texts = [_label(tick.get_text()) for tick in axis.get_ticklabels()]
    return [(at, text) for at, text in zip(axis.get_majorticklocs(), texts, strict=False) if text]


def _tick(ticks: list[tuple[float, str]], start: float, end: float) -> str:
    """The label of a tick in the middle of a cell, else the middle of the cell."""
    middle, width = (start + end) / 2, abs(end - start)
    texts = (text for at, text in ticks if abs(at - middle) < width / 4)
    return next(texts, str(_short(middle)))


def _is_inside(point: Sequence[float] | np.ndarray, axes: Axes) -> bool:
    limits = (axes.get_xlim(), axes.get_ylim())
    return all(min(ends) <= value <= max(ends) for value, ends in zip(point, limits, strict=True))


def _labels_by_colour(figure: Figure) -> dict[str, str]:
    """Label of each colour that has one meaning in the legends."""
    of_axes = (axes.get_legend() for axes in figure.axes)
    legends: list[Legend] = [*figure.legends, *(legend for legend in of_axes if legend)]
    labels_of: dict[str, set[str]] = {}
    for legend in legends:
        for handle in legend.legend_handles:
            if not isinstance(handle, Line2D):
                continue
            colour = handle.get_color()
            if isinstance(colour, str | tuple) and not same_color(colour, "none"):
                labels_of.setdefault(to_hex(colour), set()).add(str(handle.get_label()))
    return {colour: labels.pop() for colour, labels in labels_of.items() if len(labels) == 1}


def _short(value: float) -> float:
    """The value with four digits; a whole number as such."""
    rounded = float(f"{float(value):.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
