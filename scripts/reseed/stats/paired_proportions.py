"""Difference of two proportions on the same items: Tango's score test and interval."""

from __future__ import annotations

import math

from scipy.special import bdtr, bdtri, ndtr, ndtri

from reseed.stats.inputs import check_at_least, check_probability
from reseed.stats.roots import brentq


def score_statistic(only_a: int, only_b: int, n: int, delta: float) -> float:
    """Return Tango's score statistic of a true difference `delta`; standard normal under it.

    The variance uses the maximum-likelihood estimate of P(only B) given `delta`. At 0 the square
    is McNemar's chi-square without continuity correction.

    Args:
        only_a, only_b: items on which only A, or only B, is right.
        n: number of items.
        delta: difference P(A right) − P(B right), -1 < delta < 1.

    Source: Tango (1998), Statistics in Medicine 17, 891-908, sec. 3.
    """
    linear = (2 * n - only_a + only_b) * delta - only_a - only_b
    root = math.sqrt(max(linear**2 + 8 * n * only_b * delta * (1 - delta), 0.0))
    only_b_rate = (root - linear) / (4 * n)
    variance = n * (2 * only_b_rate + delta * (1 - delta))
    distance = only_a - only_b - n * delta
    if variance <= 0:
        return 0.0 if distance == 0 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def score_p(only_a: int, only_b: int, n: int, delta: float) -> float:
    """Return the p-value that the true difference is at most `delta`, by Tango's score test.

    Without an item that only A has right, the normal approximation passes a loss that few items
    show in up to 7 % of samples, at a level of 5 %. So the exact binomial test of the items that
    only B has right must reject, too: the rule of three if there is none.
    """
    p = float(ndtr(-score_statistic(only_a, only_b, n, delta)))
    return max(p, float(bdtr(only_b, n, -delta))) if delta < 0 and not only_a else p


def kept_interval(only_a: int, only_b: int, n: int, level: float) -> tuple[float, float]:
    """Return the interval of differences that `score_p` does not reject on either side."""
    low, high = score_interval(only_a, only_b, n, level)
    if not only_a and only_b < n:
        low = min(low, -float(bdtri(only_b, n, (1 - level) / 2)))
    if not only_b and only_a < n:
        high = max(high, float(bdtri(only_a, n, (1 - level) / 2)))
    return low, high


def score_interval(only_a: int, only_b: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of differences that the score test does not reject.

    It has an end other than 0 also without a discordant item, unlike intervals by the normal
    approximation.

    Args:
        only_a, only_b, n: as in `score_statistic`.
        level: two-sided confidence level.

    Raises:
        ValueError: counts below 0, no item, or more discordant items than items.
    """
    check_probability(level=level)
    check_at_least(0, only_a=only_a, only_b=only_b)
    check_at_least(max(1, only_a + only_b), n=n)
    z = float(-ndtri((1 - level) / 2))
    estimate = (only_a - only_b) / n
    edge = 1 - 1e-12

    def crossing(target: float, end: float) -> float:
        def excess(delta: float) -> float:
            return score_statistic(only_a, only_b, n, delta) - target

        near, far = estimate * edge, end * edge
        if (excess(near) < 0) == (excess(far) < 0):
            return end
        return float(brentq(excess, near, far, xtol=1e-12))

    return crossing(z, -1.0), crossing(-z, 1.0)
