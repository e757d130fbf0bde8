"""Pictures of a row of a result as inline SVG: single scores with their mean, and a gap."""

from __future__ import annotations

from collections import Counter
from html import escape
from math import floor, isfinite, log10

from reseed.verdicts.formatting import format_number
from reseed.verdicts.shown import ResultRow

WIDTH, _HEIGHT, _MARGIN = 280, 30, 8
#: With more scores, their range and quartiles are drawn in place of dots.
_MOST_DOTS = 200
_RADIUS, _STEP = 3.0, 5.0


def place(value: float, ends: tuple[float, float]) -> float:
    """Pixels from the left of a value between the ends of the axis."""
    span = (ends[1] - ends[0]) or 1.0
    return _MARGIN + (value - ends[0]) / span * (WIDTH - 2 * _MARGIN)


def wrap_svg(label: str, body: str, height: int = _HEIGHT) -> str:
    """A picture of one row. label: what it shows, for readers without it."""
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img" aria-label="{escape(label, quote=True)}">{body}</svg>'
    )


def _horizontal(kind: str, left: float, right: float, y: float) -> str:
    return f'<line class="{kind}" x1="{left:.1f}" x2="{right:.1f}" y1="{y:g}" y2="{y:g}"/>'


def draw_scores(row: ResultRow, ends: tuple[float, float]) -> str:
    """Every score as a dot, equal ones stacked, and the mean; of many scores their quartiles."""
    floor_y = _HEIGHT - 12
    parts = [_horizontal("base", _MARGIN, WIDTH - _MARGIN, floor_y)]
    if len(row.scores) > _MOST_DOTS:
        ordered = sorted(row.scores)
        at = [ordered[round(share * (len(ordered) - 1))] for share in (0, 0.25, 0.75, 1)]
        places = [place(value, ends) for value in at]
        parts.append(_horizontal("ci", places[0], places[3], floor_y))
        parts.append(
            f'<rect class="middle" x="{places[1]:.1f}" width="{max(places[2] - places[1], 1):.1f}" '
            f'y="{floor_y - 4}" height="8"/>'
        )
    else:
        stacked: Counter[int] = Counter()
        for score in row.scores:
            x, column = place(score, ends), round(place(score, ends) / _STEP)
            y = max(floor_y - _STEP * stacked[column], _RADIUS)
            stacked[column] += 1
            parts.append(
                f'<circle class="score" tabindex="-1" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}">'
                f"<title>{score:.6g}</title></circle>"
            )
    mean = place(row.mean, ends)
    parts.append(f'<line class="mean" x1="{mean:.1f}" x2="{mean:.1f}" y1="6" y2="{_HEIGHT - 3}"/>')
    label = f"{len(row.scores):,} scores of {row.name}, mean {row.mean:.4g}"
    return wrap_svg(label, "".join(parts))


def draw_gap(row: ResultRow, ends: tuple[float, float], null: float, word: str) -> str:
    """The estimate with its interval, and a line where there is no effect; empty without one."""
    if not isfinite(row.value):
        return ""
    parts = []
    if isfinite(null):
        x = place(null, ends)
        parts.append(f'<line class="zero" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_HEIGHT}"/>')
    if row.low < row.high:
        low, high = place(row.low, ends), place(row.high, ends)
        parts.append(_horizontal(f"ci {word}", low, high, 15))
    parts.append(f'<circle class="pt {word}" cx="{place(row.value, ends):.1f}" cy="15" r="4.5"/>')
    return wrap_svg(f"{row.name}: {row.estimate}", "".join(parts))


def draw_axis(ends: tuple[float, float]) -> str:
    """Round numbers below the pictures of a column."""
    span = ends[1] - ends[0]
    if not span > 0:
        return ""
    step = 10.0 ** floor(log10(span))
    step = next(size for size in (step / 5, step / 2, step, 2 * step) if span / size <= 7)
    first = -floor(-ends[0] / step)
    places = max(0, -floor(log10(step)))
    texts = []
    for number in range(first, floor(ends[1] / step) + 1):
        x = place(number * step, ends)
        text = format_number(number * step, places)
        texts.append(f'<text x="{x:.1f}" y="10" text-anchor="middle">{text}</text>')
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} 14" width="{WIDTH}" height="14"'
        f' aria-hidden="true">{"".join(texts)}</svg>'
    )
