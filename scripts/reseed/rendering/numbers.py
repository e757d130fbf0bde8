"""Numbers as text."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from reseed.claims.formatting import count_noun as counted
from reseed.claims.formatting import format_share, keep_bounds_visible

NONE = "–"
#: Decimals of a double near 1 that are exact.
MOST_DECIMALS = 12
# With more decimals than this, small numbers are printed with an exponent.
_PLAIN = 6


def decimals(
    values: Iterable[float],
    significant: int = 2,
    least: int = 2,
    most: int = MOST_DECIMALS,
    *,
    otherwise: Iterable[float] = (),
) -> int:
    """Decimals that show the smallest non-zero of `values` with `significant` digits.

    otherwise: used if all values are zero or missing, as the spreads of single runs.
    least: fewest decimals, unless a large number would have more than six digits.
    """
    sizes = _sizes(values) or _sizes(otherwise)
    if not sizes:
        return least
    magnitude = math.floor(math.log10(min(sizes)))
    return min(most, max(min(least, 5 - magnitude), significant - 1 - magnitude, 0))


def interval_decimals(
    ends: Iterable[tuple[float, float]], *, otherwise: Iterable[float] = ()
) -> int:
    """Decimals that show the half-widths of intervals with two digits; else as `decimals`.

    Up to two more decimals if a non-zero bound would be printed as 0.
    """
    known = [(low, high) for low, high in ends if math.isfinite(low) and math.isfinite(high)]
    places = decimals([(high - low) / 2 for low, high in known], 2, 1, otherwise=otherwise)
    return keep_bounds_visible(
        (bound for ends in known if ends[0] != ends[1] for bound in ends), places
    )


def _sizes(values: Iterable[float]) -> list[float]:
    return [abs(v) for v in values if v is not None and math.isfinite(v) and v != 0]


def gaps(values: Iterable[float]) -> list[float]:
    """Steps between neighbouring values; a single value itself."""
    known = sorted({v for v in values if math.isfinite(v)})
    return [high - low for low, high in pairwise(known)] or known


def fixed(value: float | None, places: int) -> str:
    """`0.1234`, never `-0.0000`; a dash for a missing number.

    With more than six decimals a small number has an exponent and ends at the same decimal:
    5.1e-07 with 7 and 8 decimals is `5e-07` and `5.1e-07`. It has three digits if that would be 0.
    """
    if value is None or not math.isfinite(value):
        return NONE
    if places >= _PLAIN and 0 < abs(value) < 10.0 ** (2 - _PLAIN):
        digits = places + math.floor(math.log10(abs(value)))
        if digits < 0 or places > _PLAIN:
            return f"{value:.{digits if digits >= 0 else 2}e}"
    text = f"{value:.{places}f}" if value or places <= _PLAIN else "0"
    return text if float(text) else text.removeprefix("-")


def interval(low: float, high: float, places: int) -> str:
    """`[0.12, 0.34]`; empty for a missing interval."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"[{fixed(low, places)}, {fixed(high, places)}]"


def with_interval(value: float, low: float, high: float, places: int) -> str:
    """`0.20 [0.12, 0.34]`."""
    return f"{fixed(value, places)} {interval(low, high, places)}".strip()


def plus_minus(mean: float, sd: float, places: int) -> str:
    """`0.900 ± 0.012`; the mean alone for a single run."""
    text = fixed(mean, places)
    return f"{text} ± {fixed(sd, places)}" if math.isfinite(sd) else text


def percent(value: float, places: int = 0) -> str:
    """`0.123` → `12 %`, as `claims.formatting.format_share`; a dash where it is not finite."""
    return format_share(value, places) if math.isfinite(value) else NONE


def rounded_percent(value: float) -> str:
    """`0.996` → `100 %`, for use in a range or with an interval."""
    return f"{100 * value:.0f} %" if math.isfinite(value) else NONE


def share_with_interval(row: Mapping, name: str) -> str:
    """`40 % [12, 74]` from `name`, `name_low` and `name_high`; without an interval `40 %`."""
    text, low, high = rounded_percent(row[name]), row[f"{name}_low"], row[f"{name}_high"]
    return f"{text} [{100 * low:.0f}, {100 * high:.0f}]" if math.isfinite(low) else text


def seeds(n: int, failed: int) -> str:
    """Number of seeds of a row, with failures: `49 (1 failed)`."""
    return f"{n:,} ({failed:,} failed)" if failed else f"{n:,}"


def ratio(value: float) -> str:
    """A ratio with about three digits: `1.23`, `1,234`, `0.001`."""
    if not math.isfinite(value):
        return NONE
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.2f}"
    return text if float(text) or not value else f"{value:.1g}"


def several(values: Iterable[str]) -> str:
    """`a, b and c`."""
    items = list(values)
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def times(value: float) -> str:
    """A factor for a heading: `1.4`, `4`, `12`, `0.02`."""
    if not math.isfinite(value):
        return NONE
    rounded = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
    return rounded.removesuffix(".0") if float(rounded) or not value else f"{value:.1g}"


def whole(value: float) -> str:
    """`1,234`."""
    return f"{value:,.0f}"


def from_to(values: Iterable[float], show: Callable[[float], str] = whole, to: str = " to ") -> str:
    """`3 to 12`, the range of `values`; `3` if both ends have the same text."""
    known = [v for v in values if v is not None and math.isfinite(v)]
    if not known:
        return NONE
    low, high = show(min(known)), show(max(known))
    return _alike(known, show) if low == high else f"{low}{to}{high}"


def _alike(known: list[float], show: Callable[[float], str]) -> str:
    """Text of values with the same text; for shares one that holds for all of them."""
    if show is rounded_percent:
        return percent(max(known) if max(known) < 0.5 else min(known))
    return show(known[0])


def part_of(n: int, total: int, noun: str, plural: str = "") -> str:
    """`3 of the 5 others`, `none of the 5 others`, `all 5 others`, `the one other`, `no other`."""
    if n == total:
        return f"the one {noun}" if total == 1 else f"all {counted(total, noun, plural)}"
    if n == 0:
        return f"no {noun}" if total == 1 else f"none of the {counted(total, noun, plural)}"
    return f"{n:,} of the {counted(total, noun, plural)}"


def spread_over(values: Iterable[float], noun: str, show=ratio, plural: str = "") -> str:
    """`3.20 (median of 12 pairs, 1.10 to 5.00)`: median, number of values and range.

    `3.20 (1 pair)` for one value, `0 % (each of 4 cells)` for values with the same text.
    """
    known = [v for v in values if v is not None and math.isfinite(v)]
    if not known:
        return NONE
    number, ends = counted(len(known), noun, plural), from_to(known, show)
    if len(known) == 1:
        return f"{ends} ({number})"
    if show(min(known)) == show(max(known)):
        return f"{ends} (each of {number})"
    return f"{show(statistics.median(known))} (median of {number}, {ends})"
