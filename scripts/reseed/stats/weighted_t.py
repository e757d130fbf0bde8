"""Student's t for a variance that is a sum of parts with different degrees of freedom.

The quantile is the mean of the quantiles of the parts, weighted by the parts (Cochran and Cox
1957, section 4.14). Satterthwaite's degrees of freedom (1946) depend on the estimated parts: if a
part with one degree of freedom is small by chance, it hardly affects the quantile, and the
interval is too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import stdtr, stdtrit

from reseed.stats.roots import brentq

#: (variance, degrees of freedom) of each part; at least one variance is positive.
Parts = Sequence[tuple[float, float]]

# Smallest probability returned; SciPy has no reliable quantiles far below it.
_MIN_TAIL = 1e-50


def upper_quantile(tail: float, parts: Parts) -> float:
    """Return the value exceeded with probability `tail`, 0 < tail <= 1/2."""
    total = math.fsum(part for part, _ in parts)
    return math.fsum(part * -float(stdtrit(df, tail)) for part, df in parts if part > 0) / total


def upper_tail(t: float, parts: Parts) -> float:
    """Return the probability of exceeding `t`, the inverse of `upper_quantile`.

    With several parts it is at least 1e-50.
    """
    if t < 0:
        return 1 - upper_tail(-t, parts)
    positive = [(part, df) for part, df in parts if part > 0]
    if len(positive) == 1:
        return float(stdtr(positive[0][1], -t))
    if upper_quantile(_MIN_TAIL, positive) <= t:
        return _MIN_TAIL
    low, high = math.log(_MIN_TAIL), math.log(0.5)
    return math.exp(brentq(lambda x: upper_quantile(math.exp(x), positive) - t, low, high))


def equivalent_df(tail: float, parts: Parts) -> float:
    """Return the degrees of freedom whose t has `upper_quantile(tail, parts)`; inf: no variance."""
    positive = [(part, df) for part, df in parts if part > 0]
    ends = [df for _, df in positive]
    if len({*ends}) < 2:
        return ends[0] if ends else math.inf
    quantile = upper_quantile(tail, positive)
    return float(brentq(lambda df: -stdtrit(df, tail) - quantile, min(ends), max(ends)))
