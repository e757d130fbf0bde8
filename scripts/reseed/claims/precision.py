"""From which true value on a statement would be decided with enough power."""

from __future__ import annotations

from math import atanh, exp, inf, isclose, isfinite, log, sqrt, tanh
from statistics import NormalDist

from reseed.claims.claim import Estimate
from reseed.claims.formatting import format_share, from_to
from reseed.core.statement import Statement

#: Least power of a test whose failure to reject counts against a statement.
ENOUGH_POWER = 0.8
_POWER = format_share(ENOUGH_POWER)
_NO_INTERVAL = "no power: no interval was computed"
_EXACT = "no power: counted, without sampling error"
_AT_A_BOUND = "no power: the interval ends at a limit of the possible values"
_IMPOSSIBLE = f"no possible value would be decided with a power of {_POWER}"
_NARROW = f"the range is too narrow: no value in it would be found with a power of {_POWER}"


def describe(statement: Statement, estimates: list[Estimate], verdict: str) -> str:
    """From which true values on the statement is decided with `ENOUGH_POWER`, about.

    That it holds; for the verdict `not held`, that it does not. For a range with two ends, beyond
    the end that is nearer to the estimate. As if the intervals were those of Gaussian estimates: of
    the logarithm of a ratio (bounds 0 and ∞), of Fisher's z of a correlation (bounds −1 and 1);
    Wilson's intervals of a share count as such. Where there is no power, the reason.
    """
    values: dict[str, list[float]] = {}
    reasons: list[str] = []
    for estimate in estimates:
        found = find_decided(statement, estimate, inside=verdict != "not held")
        if isinstance(found, str):
            reasons.append(found)
        else:
            sign, value = found
            side = "above" if sign > 0 else "below"
            values.setdefault(side, []).append(value * estimate.factor)
    if not values:
        return "; ".join(dict.fromkeys(reasons)) or _NO_INTERVAL
    unit = estimates[0].unit
    parts = (f"{side} {from_to(known, '{:.2g}'.format)}" for side, known in values.items())
    return (
        f"power of about {_POWER} for a true value {' or '.join(parts)}{f' {unit}' if unit else ''}"
    )


def find_decided(statement: Statement, estimate: Estimate, inside: bool) -> tuple[int, float] | str:
    """(direction, value) of the true value that is decided; the reason where there is none."""
    low, high, bounds = estimate.low, estimate.high, estimate.bounds
    if not estimate.has_interval:
        return _NO_INTERVAL
    if low == high or estimate.level >= 1:
        return _EXACT
    ends = {1: statement.above, -1: statement.below}  # direction into the range, from each end
    known = {sign: end for sign, end in ends.items() if end is not None}
    inward = min(known, key=lambda sign: abs(_transform(known[sign], bounds) - _middle(estimate)))
    end, sign = known[inward], inward if inside else -inward
    n = _share_n(estimate)
    if n is not None:
        value = _share_decided(end, sign, n, estimate.level)
    elif {low, high} & set(bounds):
        return _AT_A_BOUND
    else:
        width = _transform(high, bounds) - _transform(low, bounds)
        z = _quantile(estimate.level)
        reach = (z + NormalDist().inv_cdf(ENOUGH_POWER)) / (2 * z)
        value = _inverse(_transform(end, bounds) + sign * reach * width, bounds)
    if not bounds[0] < value < bounds[1]:
        return _IMPOSSIBLE
    other = known.get(-inward)
    if inside and other is not None and sign * (value - other) > 0:
        return _NARROW
    return sign, float(value)


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


def _middle(estimate: Estimate) -> float:
    return _transform(estimate.value, estimate.bounds)


def _transform(value: float, bounds: tuple[float, float]) -> float:
    """Scale on which the estimate is about Gaussian; ±∞ at its limits."""
    if bounds == (0, inf):
        return log(value) if value > 0 else -inf
    if bounds == (-1, 1):
        return atanh(value) if abs(value) < 1 else inf * value
    return value


def _inverse(value: float, bounds: tuple[float, float]) -> float:
    if bounds == (0, inf):
        return exp(value)
    return tanh(value) if bounds == (-1, 1) else value


def _share_n(estimate: Estimate) -> float | None:
    """n of a share: that of the estimate, or of Wilson's interval; None for another interval.

    Each end e of Wilson's interval of the share p solves (p − e)² = z² e (1 − e) / n.
    """
    if isfinite(estimate.share_n):
        return estimate.share_n
    if estimate.bounds != (0, 1):
        return None
    z, p = _quantile(estimate.level), estimate.value
    found = [
        z * z * end * (1 - end) / (p - end) ** 2
        for end in (estimate.low, estimate.high)
        if 0 < end < 1 and end != p
    ]
    at_bound = len(found) == 1 and p in (0, 1)
    is_wilson = len(found) == 2 and isclose(*found, rel_tol=0.02)
    return found[0] if at_bound or is_wilson else None


def _share_decided(end: float, sign: int, n: float, level: float) -> float:
    """The share whose Wilson interval leaves out `end` with `ENOUGH_POWER`; ±∞ for none.

    It solves s = end ± (z √(end (1 − end)) + z′ √(s (1 − s))) / √n, a quadratic equation in s.
    """
    z, power = _quantile(level), NormalDist().inv_cdf(ENOUGH_POWER)
    a = end + sign * z * sqrt(end * (1 - end) / n)
    c = power * power / n
    root = c * c + 4 * c * a * (1 - a)
    value = (2 * a + c + sign * sqrt(root)) / (2 * (1 + c)) if root >= 0 else inf
    return value if 0 < a < 1 and isfinite(value) else sign * inf
