"""Small forest plots of statements with their limits, as inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import inf, isfinite, log

from reseed.verdicts.evidence import Evidence, ValueInUnit

#: Size in pixels. The axis is shared by all rows: values in multiples of the limit.
WIDTH, HEIGHT = 240, 34
#: The axis ends at this multiple of the limit, and at its inverse.
MOST = 16
_MARGIN = 8
#: Multiples with a tick.
TICKS = ((1 / 10, "÷10"), (1, "limit"), (10, "×10"))


@dataclass(frozen=True)
class Axis:
    """Position of values: multiples of the limit on a logarithmic axis.

    limit: value in the middle; for a region with two ends their geometric mean. Where it is 0, the
    axis is linear and ends at ±`span`.
    """

    limit: float
    span: float = 1.0

    @classmethod
    def of(cls, evidence: Evidence) -> Axis:
        """The axis of a statement: of a region around 0 it is linear and shows both ends."""
        ends = [end for end in region(evidence) if isfinite(end)] or [inf]
        if min(ends) < 0 < max(ends):
            ends = [0.0]
        limit = (ends[0] * ends[-1]) ** 0.5 if len(ends) > 1 else ends[0]
        sizes = [abs(value) for value in (*region(evidence), *evidence.statement.paper)]
        return cls(limit, 1.5 * max([2 / 3, *filter(isfinite, sizes)]))

    def x(self, value: float) -> float:
        """Pixels from the left; values beyond the ends stand at the ends."""
        if self.limit:
            share = log(value / self.limit) / log(MOST) if value / self.limit > 0 else -1.0
        else:
            share = value / self.span
        share = min(max(share, -1.0), 1.0)
        return WIDTH / 2 + share * (WIDTH / 2 - _MARGIN)


def draw(run: Evidence, reference: Evidence | None, label: str) -> str:
    """The plot of one statement. label: what it shows, in words, for readers without it."""
    known = reference or run
    low, high = region(known)
    axis = Axis.of(known)
    parts = [
        f'<svg class="forest" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' role="img" aria-label="{escape(label, quote=True)}">',
        _region(axis, low, high),
    ]
    parts += [_paper(axis, known)] if known.statement.paper else []
    shown = [(reference, "reference", 14.0)] if reference else []
    for evidence, name, y in [*shown, (run, "run", 25.0 if reference else 22.0)]:
        if evidence and evidence.average:
            parts += [_tick(axis, one, y) for one in evidence.settings]
            parts.append(_interval(axis, evidence.average, name, y))
    return "".join([*parts, "</svg>"])


def draw_axis() -> str:
    """The axis for the heading of the column."""
    axis = Axis(1.0)
    ticks = "".join(
        f'<text x="{axis.x(at):.0f}" y="11" text-anchor="middle">{text}</text>'
        f'<line x1="{axis.x(at):.1f}" x2="{axis.x(at):.1f}" y1="14" y2="18"/>'
        for at, text in TICKS
    )
    return (
        f'<svg class="forest axis" viewBox="0 0 {WIDTH} 18" width="{WIDTH}" height="18"'
        f' aria-hidden="true">{ticks}<line x1="{_MARGIN}" x2="{WIDTH - _MARGIN}" y1="18" y2="18"/>'
        "</svg>"
    )


def region(evidence: Evidence) -> tuple[float, float]:
    """The region of the statement in the unit that is shown; ±∞ for no end."""
    statement, factor = evidence.statement, evidence.factor
    low = -float("inf") if statement.above is None else statement.above * factor
    return low, float("inf") if statement.below is None else statement.below * factor


def _region(axis: Axis, low: float, high: float) -> str:
    left = axis.x(low) if isfinite(low) else 0.0
    right = axis.x(high) if isfinite(high) else float(WIDTH)
    lines = "".join(
        f'<line class="limit" x1="{axis.x(end):.1f}" x2="{axis.x(end):.1f}" y1="0" y2="{HEIGHT}"/>'
        for end in (low, high)
        if isfinite(end)
    )
    side = f'x="{left:.1f}" width="{right - left:.1f}" y="0" height="{HEIGHT}"'
    return f'<rect class="region" {side}/>{lines}'


def _paper(axis: Axis, evidence: Evidence) -> str:
    at = [axis.x(value) for value in evidence.statement.paper]
    marks = "".join(f'<path d="M{x:.1f} 1l4 4-4 4-4-4z"/>' for x in at)
    return (
        f'<g class="paper"><line x1="{min(at):.1f}" x2="{max(at):.1f}" y1="5" y2="5"/>{marks}</g>'
    )


def _tick(axis: Axis, one: ValueInUnit, y: float) -> str:
    x = axis.x(one.value)
    votes = "" if not one.reason else " apart"
    ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{y - 4:.1f}" y2="{y + 4:.1f}"'
    return f'<line class="setting{votes}" {ends}/>'


def _interval(axis: Axis, one: ValueInUnit, name: str, y: float) -> str:
    line = ""
    if isfinite(one.low):
        high = one.high if isfinite(one.high) else float("inf")
        left, right = axis.x(one.low), axis.x(high) if isfinite(high) else WIDTH - _MARGIN
        line = f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        for x, end, side in ((left, _MARGIN + 0.5, -1), (right, WIDTH - _MARGIN - 0.5, 1)):
            if (x - end) * side >= 0:
                tip = x + 5 * side
                line += f'<path d="M{tip:.1f} {y:.1f}l{-5 * side} 3v-6z"/>'
    return (
        f'<g class="{name}">{line}<circle cx="{axis.x(one.value):.1f}" cy="{y:.1f}" r="3.5"/></g>'
    )
