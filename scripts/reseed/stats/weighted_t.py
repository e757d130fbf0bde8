"""Student's t where the variance is a sum of parts, each with degrees of freedom of its own.

The quantile is the mean of the parts' quantiles, weighted by the parts (Cochran and Cox 1957,
section 4.14). Satterthwaite's single number of degrees of freedom (1946) goes with the parts as
they came out: where the part with one degree of freedom happens to be small, its quantile forgets
that part, and the interval is too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.optimize import brentq
from scipy.special import stdtr, stdtrit

#: (variance, degrees of freedom) of each part; some variance is above 0.
Parts = Sequence[tuple[float, float]]

# The smallest probability that is told: far below it SciPy has not every quantile.
_LEAST = 1e-50


def upper_quantile(tail: float, parts: Parts) -> float:
    """What such a t exceeds with probability `tail`, 0 < tail <= 1/2."""
    total = math.fsum(part for part, _ in parts)
    return math.fsum(part * -float(stdtrit(df, tail)) for part, df in parts if part > 0) / total


def upper_tail(t: float, parts: Parts) -> float:
    """How often such a t exceeds `t`, at least `_LEAST`: the inverse of `upper_quantile`."""
    if t < 0:
        return 1 - upper_tail(-t, parts)
    known = [(part, df) for part, df in parts if part > 0]
    if len(known) == 1:
        return float(stdtr(known[0][1], -t))
    if upper_quantile(_LEAST, known) <= t:
        return _LEAST
    ends = math.log(_LEAST), math.log(0.5)
    return math.exp(brentq(lambda x: upper_quantile(math.exp(x), known) - t, *ends))
