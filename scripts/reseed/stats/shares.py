"""Intervals of a share of independent cases, and of subsets drawn from one pool."""

from __future__ import annotations

from math import comb, sqrt

from reseed.stats import distributions as stats
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


def wilson_interval(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return the score interval of a share of `n` independent cases (Wilson 1927).

    It covers about `level` on average over shares, also of few cases (Agresti & Coull 1998).

    Raises:
        ValueError: a share outside 0 to 1, n <= 0, or a bad level.

    Example:
        >>> low, high = wilson_interval(0.8, 200)
        >>> round(low, 3), round(high, 3)
        (0.739, 0.85)
    """
    check_probability(level=level)
    if not 0 <= share <= 1 or not n > 0:
        raise ValueError(f"no share of cases: {share} of {n}")
    z = float(stats.norm.isf((1 - level) / 2))
    centre = share + z * z / (2 * n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((centre + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    # At 0 and 1 the ends are exact, without a rounding error of 1e-17.
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def share_of_subsets_interval(
    share: float, size: int, pool: int, subsets: int, level: float = 0.95
) -> tuple[float, float, float]:
    """Return (low, high, n) of a share of random subsets that are drawn from one pool of cases.

    Subsets share members, so they are not independent. The variance of the share is at most
    p(1 − p)(k/N + (1 − k/N)/B) for B subsets of k of N independent cases (Hoeffding 1948; Blom 1976
    for random subsets; without the last term if all subsets are counted). This is the variance of a
    share of n = 1/(k/N + (1 − k/N)/B) independent cases, whose exact interval is returned (Korn &
    Graubard 1998).

    Args:
        share: of the subsets, p.
        size: cases in a subset, k.
        pool: cases, N.
        subsets: number of subsets, B.
        level: least coverage, if the normal approximation of the share is good.

    Raises:
        ValueError: a share outside 0 to 1, not 1 <= size <= pool, no subset, or a bad level.
    """
    check_probability(level=level)
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie between 0 and 1, got {share}")
    if not 1 <= size <= pool or subsets < 1:
        raise ValueError(f"{subsets} subsets of {size} of {pool} cases cannot be drawn")
    overlap = size / pool
    is_complete = subsets >= comb(pool, size)
    n = 1 / (overlap if is_complete else overlap + (1 - overlap) / subsets)
    count, tail = share * n, (1 - level) / 2
    low = stats.beta.ppf(tail, count, n - count + 1) if count > 0 else 0.0
    high = stats.beta.isf(tail, count + 1, n - count) if count < n else 1.0
    return float(low), float(high), n
