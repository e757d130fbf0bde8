"""Averages of a claim's estimates over its settings, with intervals at any level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, ceil, exp, hypot, inf, isclose, isfinite, log, tanh
from statistics import NormalDist
from typing import Protocol

from numpy.typing import ArrayLike

from reseed.stats import spread_contrasts
from reseed.stats.shares import wilson_interval
from reseed.stats.spread_contrasts import LEAST_SEEDS  # noqa: F401 - `report` may not import stats
from reseed.verdicts.settings import Setting

#: Power with which `needed` finds the value that was measured.
POWER = 0.8
_RATIO = (0, inf)


class Average(Protocol):
    """What a statement needs of the estimates of a claim; positions count the estimates."""

    def interval(self, chosen: Sequence[int], level: float) -> tuple[float, float, float]:
        """Value and two-sided interval of the average over the chosen estimates; NaN for none."""

    def needed(self, chosen: Sequence[int], limit: float, n: int) -> int | None:
        """Size of the sample with which the interval leaves out `limit` with `POWER`, about.

        n: its size now. None where no size is known.
        """


@dataclass(frozen=True)
class AverageOfEnds:
    """The average of the values of the estimates, with an interval from theirs.

    Values with the bounds 0 and ∞ are averaged as logarithms. Within a group the half-width is the
    mean of the half-widths, which is right for errors that are fully correlated and wide enough for
    any other. Groups are independent: their half-widths are combined as roots of variances. At
    another level than its own an interval is that of Wilson for shares of n cases, and otherwise
    about Gaussian on the scale of `transform`.
    """

    estimates: Sequence[Setting]

    def interval(self, chosen: Sequence[int], level: float) -> tuple[float, float, float]:
        """As `Average.interval`."""
        picked = [self.estimates[i] for i in chosen]
        bounds = picked[0].bounds
        parts = [(one.value, *interval_at(one, level)) for one in picked]
        to, back = (_log, exp) if bounds == _RATIO else (float, float)
        values, *ends = ([to(part[i]) for part in parts] for i in range(3))
        mean, widths = sum(values) / len(parts), []
        for side in ends:
            groups: dict[str, float] = {}
            for one, value, end in zip(picked, values, side, strict=True):
                groups[one.group] = groups.get(one.group, 0.0) + abs(end - value)
            widths.append(hypot(*groups.values()) / len(parts))
        value, low, high = (
            inf if x == inf else back(x) for x in (mean, mean - widths[0], mean + widths[1])
        )
        return value, low, high

    def needed(self, chosen: Sequence[int], limit: float, n: int) -> int | None:
        """As `Average.needed`: the half-width falls with √n."""
        bounds = self.estimates[chosen[0]].bounds
        value, low, high = (transform(x, bounds) for x in self.interval(chosen, 0.95))
        end, z = transform(limit, bounds), NormalDist().inv_cdf(0.975)
        distance, half = abs(value - end), (high - low) / 2
        if not isfinite(half) or not isfinite(distance) or distance == 0 or half == 0:
            return None
        factor = half / z * (z + NormalDist().inv_cdf(POWER)) / distance
        size = ceil(n * factor * factor)
        return size if size <= spread_contrasts.MOST_SEEDS else None


@dataclass(frozen=True)
class MeanLogRatio:
    """The geometric mean of ratios of SDs, with the interval of `stats.spread_contrasts`.

    cells: (dataset, kind of seed, seeds, scores).
    pairs: positions in `cells` of the numerator and the denominator of each estimate.
    """

    cells: Sequence[tuple[str, str, ArrayLike, ArrayLike]]
    pairs: Sequence[tuple[int, int]]

    def interval(self, chosen: Sequence[int], level: float) -> tuple[float, float, float]:
        """As `Average.interval`."""
        contrast = spread_contrasts.spread_contrast(self._groups(chosen), level)
        return exp(contrast.value), exp(contrast.low), exp(contrast.high)

    def needed(self, chosen: Sequence[int], limit: float, n: int) -> int | None:
        """As `Average.needed`."""
        return spread_contrasts.seeds_needed(self._groups(chosen), log(limit)) if limit else None

    def _groups(self, chosen: Sequence[int]) -> list[spread_contrasts.SeedGroup]:
        return spread_contrasts.mean_ratio_groups(self.cells, [self.pairs[i] for i in chosen])


def interval_at(estimate: Setting, level: float) -> tuple[float, float]:
    """The interval of an estimate at another level; NaN without one, unchanged without error."""
    low, high = estimate.low, estimate.high
    if not estimate.has_interval or estimate.level >= 1 or isclose(level, estimate.level):
        return low, high
    z, own = (NormalDist().inv_cdf((1 + one) / 2) for one in (level, estimate.level))
    n = share_n(estimate)
    if n is not None:
        return wilson_interval(estimate.value, n, level)
    bounds = estimate.bounds
    value, ends = (
        transform(estimate.value, bounds),
        (transform(low, bounds), transform(high, bounds)),
    )
    if not isfinite(value):
        return low, high
    scaled = (value + (end - value) * z / own for end in ends)
    below, above = (_inverse(end, bounds) for end in scaled)
    return max(below, bounds[0]), min(above, bounds[1])


def share_n(estimate: Setting) -> float | None:
    """n of a share: that of the estimate, or of Wilson's interval; None for another interval.

    Each end e of Wilson's interval of the share p solves (p − e)² = z² e (1 − e) / n.
    """
    if isfinite(estimate.share_n):
        return estimate.share_n
    if estimate.bounds != (0, 1):
        return None
    z, p = NormalDist().inv_cdf((1 + estimate.level) / 2), estimate.value
    sizes = [
        z * z * end * (1 - end) / (p - end) ** 2
        for end in (estimate.low, estimate.high)
        if 0 < end < 1 and end != p
    ]
    at_bound = len(sizes) == 1 and p in (0, 1)
    is_wilson = len(sizes) == 2 and isclose(*sizes, rel_tol=0.02)
    return sizes[0] if at_bound or is_wilson else None


def transform(value: float, bounds: tuple[float, float]) -> float:
    """Scale on which an estimate is about Gaussian: log of a ratio, Fisher's z of a correlation."""
    if bounds == _RATIO:
        return _log(value)
    if bounds == (-1, 1):
        return atanh(value) if abs(value) < 1 else inf * value
    return value


def _log(value: float) -> float:
    """Of 0 it is −∞, of NaN NaN."""
    return log(value) if value > 0 else value if value != value else -inf


def _inverse(value: float, bounds: tuple[float, float]) -> float:
    if bounds == _RATIO:
        return exp(value)
    return tanh(value) if bounds == (-1, 1) else value
