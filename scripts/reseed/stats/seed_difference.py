"""Difference of two models over training seeds, without scores of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reseed.stats import distributions as stats
from reseed.stats.inputs import as_finite, check_probability


@dataclass(frozen=True)
class SeedDifference:
    """Mean difference A − B over seeds, in score units, with its t interval.

    df: degrees of freedom; of unpaired seeds those of Welch. levels: the number of seeds, of the
    model with fewer.
    """

    difference: float
    se: float
    df: float
    low: float
    high: float
    levels: dict[str, int]

    def one_sided_p(self, bound: float, *, greater: bool = True) -> float:
        """Return the p-value that the true difference is at most `bound`; else at least `bound`."""
        distance = (self.difference - bound) * (1 if greater else -1)
        if self.se == 0:  # equal runs, as of a coarse score, show nothing about new seeds
            return 1.0
        return float(stats.t.sf(distance / self.se, self.df))


def seed_difference(
    a: ArrayLike, b: ArrayLike, *, shared_seeds: bool, level: float = 0.95
) -> SeedDifference:
    """Compute the paired t interval (shared seeds), or Welch's.

    Args:
        a, b: (seeds,) scores on one test set; in the same order if seeds are shared.
        shared_seeds: whether seed i of A is seed i of B.
        level: two-sided confidence level.

    Raises:
        ValueError: fewer than two seeds, NaN, or shared seeds that differ in number.
    """
    check_probability(level=level)
    x, y = as_finite(a, "a", ndim=1, min_size=2), as_finite(b, "b", ndim=1, min_size=2)
    if shared_seeds:
        if x.size != y.size:
            raise ValueError(f"shared seeds differ in number: {x.size} and {y.size}")
        variance, df = (x - y).var(ddof=1) / x.size, x.size - 1.0
    else:
        parts = np.array([x.var(ddof=1) / x.size, y.var(ddof=1) / y.size])
        variance = parts.sum()
        squares = float((parts**2 / (np.array([x.size, y.size]) - 1)).sum())
        df = float(variance**2 / squares) if squares else 1.0
    difference, se = float(x.mean() - y.mean()), float(np.sqrt(variance))
    half = float(stats.t.ppf((1 + level) / 2, df)) * se
    return SeedDifference(
        difference,
        se,
        float(df),
        difference - half,
        difference + half,
        {"seed": min(x.size, y.size)},
    )
