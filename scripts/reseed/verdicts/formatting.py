"""Numbers as text: fixed decimals, p-values, shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

#: Text of a missing number.
NONE = "–"


def keep_bounds_visible(bounds: Iterable[float], decimals: int) -> int:
    """`decimals`, plus up to two where a bound other than 0 would be printed as 0."""
    sizes = [abs(bound) for bound in bounds if math.isfinite(bound) and bound != 0]
    needed = -math.floor(math.log10(min(sizes))) if sizes else decimals
    return max(decimals, min(needed, decimals + 2))


def count_interval_decimals(low: float, high: float) -> int:
    """Decimals that show the half-width of an interval to two digits; 2 if it has no width."""
    half = (high - low) / 2
    if not math.isfinite(half) or half <= 0:
        return 2
    return max(0, keep_bounds_visible((low, high), 1 - math.floor(math.log10(half))))


def format_number(value: float, decimals: int) -> str:
    """Fixed decimals (an exponent instead of more than 8), with a true minus sign, never `-0`."""
    if decimals > 8 and value:
        text = f"{value:.{max(0, decimals + math.floor(math.log10(abs(value))))}e}"
    else:
        text = f"{value:.{min(decimals, 8)}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def two_digits(value: float) -> str:
    """At least two significant digits, without an exponent: `0.0078`, `0.10`, `1.2`, `1,080`."""
    if not math.isfinite(value) or value == 0:
        return "∞" if value else "0"
    rounded = float(f"{value:.1e}")
    if abs(rounded) >= 10:
        return f"{value:,.0f}".replace("-", "−")
    return format_number(rounded, 1 - math.floor(math.log10(abs(rounded))))


def format_p(p: float) -> str:
    """`below 0.001`, `0.013`, `0.24`; near 0.05 with as many digits as show on which side it is."""
    if p < 0.001:
        return "below 0.001"
    if 0.045 <= p < 0.055:
        texts = (f"{p:.{digits}g}" for digits in range(3, 18))
        return next(text for text in texts if float(text) != 0.05 or p == 0.05)
    return f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def format_level(level: float) -> str:
    """`95 %`, `99.5 %`: a confidence level."""
    return f"{100 * level:g} %"


def format_share(share: float, decimals: int = 0) -> str:
    """`4 %`; `below 1 %` and `over 99 %` where rounding would print 0 % or 100 %."""
    percent, least = 100 * share, 10.0**-decimals
    text = f"{percent:.{decimals}f}"
    if float(text) == 0 < percent:
        text = f"below {least:.{decimals}f}"
    elif float(text) == 100 > percent:
        text = f"over {100 - least:.{decimals}f}"
    return f"{text} %"


def count_noun(n: int, noun: str, plural: str = "") -> str:
    """`1 split`, `12 splits`; `plural` for a noun that needs more than an s."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def add_unit(number: str, unit: str) -> str:
    """`0.8 points`, `1 point`; the number alone without a unit."""
    is_one = unit == "points" and number.strip("±−") == "1"
    return f"{number} {'point' if is_one else unit}".rstrip()


def join_names(names: Iterable[str], last: str = "and") -> str:
    """`a, b and c`; `last` is the word before the last name."""
    items = list(names)
    return f" {last} ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def percent(value: float, places: int = 0) -> str:
    """`0.123` → `12 %`, as `format_share`; a dash where it is not finite."""
    return format_share(value, places) if math.isfinite(value) else NONE


def rounded_percent(value: float) -> str:
    """`0.996` → `100 %`, for use in a range or with an interval."""
    return f"{100 * value:.0f} %" if math.isfinite(value) else NONE


def whole(value: float) -> str:
    """`1,234`."""
    return f"{value:,.0f}"


def from_to(values: Iterable[float], show: Callable[[float], str] = whole, to: str = " to ") -> str:
    """`3 to 12`, the range of `values`; `3` if both ends have the same text."""
    known = [v for v in values if v is not None and math.isfinite(v)]
    if not known:
        return NONE
    low, high = show(min(known)), show(max(known))
    return _common_text(known, show) if low == high else f"{low}{to}{high}"


def _common_text(known: list[float], show: Callable[[float], str]) -> str:
    """Text of values with the same text; for shares one that holds for all of them."""
    if show is rounded_percent:
        return percent(max(known) if max(known) < 0.5 else min(known))
    return show(known[0])
