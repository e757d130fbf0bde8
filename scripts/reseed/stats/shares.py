"""Interval of a share of independent cases."""

from __future__ import annotations

from scipy import stats

from reseed.stats.inputs import check_probability


def share_interval(count: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share, `count` of `n` cases (Clopper & Pearson 1934).

    It covers at least `level` for independent cases, and more for few of them.

    Raises:
        ValueError: not 0 <= count <= n, n < 1, or a bad level.
    """
    check_probability(level=level)
    interval = stats.binomtest(count, n).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)
