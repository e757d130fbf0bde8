"""Numbers as text."""

from __future__ import annotations

import math
from collections.abc import Iterable

NONE = "–"


def decimals(values: Iterable[float], significant: int = 2, least: int = 2, most: int = 6) -> int:
    """Decimals that show the smallest non-zero of `values` with `significant` digits."""
    sizes = [abs(v) for v in values if v is not None and math.isfinite(v) and v != 0]
    if not sizes:
        return least
    return min(most, max(least, significant - 1 - math.floor(math.log10(min(sizes)))))


def fixed(value: float | None, places: int) -> str:
    """`0.1234`; a dash where there is no number."""
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:.{places}f}"


def interval(low: float, high: float, places: int) -> str:
    """`[0.12, 0.34]`; empty where there is none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"[{low:.{places}f}, {high:.{places}f}]"


def with_interval(value: float, low: float, high: float, places: int) -> str:
    """`0.20 [0.12, 0.34]`."""
    return f"{fixed(value, places)} {interval(low, high, places)}".strip()


def percent(value: float, places: int = 0) -> str:
    """`0.123` → `12 %`."""
    return NONE if not math.isfinite(value) else f"{100 * value:.{places}f} %"


def seeds(n: int, failed: int) -> str:
    """Number of seeds behind a row, with what failed: `49 (1 failed)`."""
    return f"{n:,} ({failed:,} failed)" if failed else f"{n:,}"


def ratio(value: float) -> str:
    """A ratio with about three digits."""
    if not math.isfinite(value):
        return NONE
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def several(values: Iterable[str]) -> str:
    """`a, b and c`."""
    items = list(values)
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def counted(n: int, noun: str, plural: str = "") -> str:
    """`1 split`, `12 splits`; `noun` in the singular, `plural` where an s is not enough."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def times(value: float) -> str:
    """How many times, to be read in a heading: `1.4`, `4`, `12`."""
    if not math.isfinite(value):
        return NONE
    rounded = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
    return rounded.removesuffix(".0")


def spread_over(values: Iterable[float], noun: str, show=ratio, plural: str = "") -> str:
    """`3.20 (median of 12 pairs, 1.10 to 5.00)`; one value stands for itself: `3.20 (1 pair)`."""
    known = sorted(v for v in values if v is not None and math.isfinite(v))
    if not known:
        return NONE
    number = counted(len(known), noun, plural)
    middle = len(known) // 2
    median = known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2
    if len(known) == 1:
        return f"{show(median)} ({number})"
    return f"{show(median)} (median of {number}, {show(known[0])} to {show(known[-1])})"
