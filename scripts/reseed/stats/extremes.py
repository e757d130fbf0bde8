"""Extremes of many seeds: how the range grows with their number, and where one score stands.

Source of the question: Picard; expected ranges after Tippett (1925).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from reseed.stats.comparison import differences
from reseed.stats.inputs import Array, as_finite, check_at_least, check_probability
from reseed.stats.spread import spread


def expected_subset_range(x: ArrayLike, sizes: ArrayLike) -> Array:
    """Expected range of a random subset of `x` (n,) for each of `sizes` (all 2 ... n), exactly.

    Drawn without replacement, x₍ᵢ₎ is the largest of k with probability C(i−1, k−1)/C(n, k).
    Unbiased for the expected range of k new seeds, whatever the distribution (a U-statistic).
    """
    x = np.sort(as_finite(x, "x", ndim=1, min_size=2))
    k = np.atleast_1d(np.asarray(sizes))
    if k.dtype.kind not in "iu" or k.min() < 2 or k.max() > x.size:
        raise ValueError(f"sizes must be integers from 2 to the {x.size} scores, got {sizes}")
    n, below = x.size, np.arange(x.size, dtype=np.float64)

    def log_choose(a: Array, b: Array) -> Array:
        inside = a >= b
        a = np.where(inside, a, b)
        value = special.gammaln(a + 1) - special.gammaln(b + 1) - special.gammaln(a - b + 1)
        return np.where(inside, value, -np.inf)

    share = np.exp(
        log_choose(below, k[:, None] - 1.0) - log_choose(np.float64(n), k[:, None] * 1.0)
    )
    # The smallest is the largest mirrored; the centre keeps digits.
    centred = x - x.mean()
    return (share @ (centred - centred[::-1])).reshape(np.shape(sizes))


@cache  # all cells of a study have the same few sizes
def gaussian_range_interval(n: int, level: float = 0.95) -> tuple[float, float]:
    """Central interval of the range of `n` standard normal values.

    P(R <= r) = n ∫ φ(x) (Φ(x+r) − Φ(x))ⁿ⁻¹ dx by the trapezoidal rule, inverted.
    """
    check_at_least(2, n=n)
    check_probability(level=level)
    x = np.linspace(-12, 12, 4001)
    log_density, step = stats.norm.logpdf(x), x[1] - x[0]
    low = special.ndtr(x)

    def cdf(r: float) -> float:
        inside = np.maximum(special.ndtr(x + r) - low, 1e-300)
        return float(np.exp(np.log(n) + log_density + (n - 1) * np.log(inside)).sum() * step)

    return tuple(
        float(optimize.brentq(lambda r, q=q: cdf(r) - q, 1e-9, 60.0))
        for q in ((1 - level) / 2, (1 + level) / 2)
    )


@dataclass(frozen=True)
class ScorePercentile:
    """Where one score stands among seeds: the share of them that it beats, ties counted half.

    low, high: interval of the share of all seeds it beats. best_of: smallest number of seeds whose
    best is on average at least as good, 1/(1 − share) − 1 rounded up; infinite if none here is.
    sds: its distance from the mean of the seeds in their SD (positive: better).
    """

    n: int
    share: float
    low: float
    high: float
    best_of: float
    sds: float
    level: float


def score_percentile(
    score: float, seeds: ArrayLike, greater_is_better: bool = True, level: float = 0.95
) -> ScorePercentile:
    """Percentile of one published score among its own seeds (n,).

    The interval is Clopper and Pearson's on the count of seeds it beats, from ties lost to ties
    won: with few seeds it is wide, and says so. The score is taken as fixed, not as a draw.
    """
    x = as_finite(seeds, "seeds", ndim=1)
    check_probability(level=level)
    if not np.isfinite(score):
        raise ValueError(f"score must be a finite number, got {score}")
    sign = 1 if greater_is_better else -1
    n = x.size
    ahead = differences(np.full(n, score), x)
    beaten, tied = int((sign * ahead > 0).sum()), int((ahead == 0).sum())
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, beaten, n - beaten + 1)) if beaten else 0.0
    top = beaten + tied
    high = float(stats.beta.isf(tail, top + 1, n - top)) if top < n else 1.0
    share = (beaten + tied / 2) / n
    # The best of k seeds beats a share k/(k+1) of them on average.
    best_of = np.inf if share == 1 else max(1.0, np.ceil(share / (1 - share) - 1e-9))
    own = spread(x)
    sds = sign * (score - own.mean) / own.sd if own.sd > 0 else float("nan")
    return ScorePercentile(n, share, low, high, float(best_of), float(sds), level)
