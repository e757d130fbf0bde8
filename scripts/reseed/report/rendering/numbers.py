"""Numbers as text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from reseed.verdicts.formatting import (  # noqa: F401 - exhibits import them from here
    NONE,
    from_to,
    keep_bounds_visible,
    percent,
    rounded_percent,
    two_digits,
    whole,
)
from reseed.verdicts.formatting import count_noun as counted  # noqa: F401
from reseed.verdicts.formatting import join_names as several  # noqa: F401

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


def times(value: float) -> str:
    """A factor for a heading: `1.4`, `4`, `12`, `0.02`."""
    if not math.isfinite(value):
        return NONE
    rounded = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
    return rounded.removesuffix(".0") if float(rounded) or not value else f"{value:.1g}"
