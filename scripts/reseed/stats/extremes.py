"""Extremes over seeds: growth of the range with the number of seeds, percentile of one score.

The question is Picard's; expected ranges follow Tippett (1925).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from reseed.stats import distributions as stats
from reseed.stats.comparison import differences
from reseed.stats.inputs import Array, as_finite, check_probability
from reseed.stats.spread import spread


def expected_subset_range(x: ArrayLike, sizes: ArrayLike) -> Array:
    """Return the exact expected range of a random subset of `x`, for each subset size.

    In a subset of k drawn without replacement, x₍ᵢ₎ is the largest with probability
    C(i−1, k−1)/C(n, k). The result is a U-statistic: it is unbiased for the expected range of k
    new seeds, for any distribution.

    Args:
        x: (n,) scores.
        sizes: subset sizes from 2 to n, scalar or array.

    Returns:
        The shape of `sizes`, in the unit of the scores.

    Raises:
        ValueError: sizes that are not integers from 2 to n; NaN.
    """
    x = np.sort(as_finite(x, "x", ndim=1, min_size=2))
    k = np.atleast_1d(np.asarray(sizes))
    if k.dtype.kind not in "iu" or k.min() < 2 or k.max() > x.size:
        raise ValueError(f"sizes must be integers from 2 to the {x.size} scores, got {sizes}")
    n, below = x.size, np.arange(x.size, dtype=np.float64)

    def log_choose(a: Array, b: Array) -> Array:
        is_valid = a >= b
        a = np.where(is_valid, a, b)
        value = special.gammaln(a + 1) - special.gammaln(b + 1) - special.gammaln(a - b + 1)
        return np.where(is_valid, value, -np.inf)

    is_largest = np.exp(
        log_choose(below, k[:, None] - 1.0) - log_choose(np.array(float(n)), k[:, None] * 1.0)
    )
    # By symmetry the same weights give the minimum. Centring preserves digits.
    centred = x - x.mean()
    return (is_largest @ (centred - centred[::-1])).reshape(np.shape(sizes))


@dataclass(frozen=True)
class ScorePercentile:
    """Percentile of one score among seeds: the share of seeds that are worse, ties counting 1/2.

    `low` and `high` bound the share of all possible seeds that are worse. `best_of` is the
    smallest number of seeds whose best is on average at least as good: 1/(1 − share) − 1, rounded
    up; infinite if no seed is as good. `sds` is the distance from the mean of the seeds in SD,
    positive if better.
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
    """Compute the percentile of one (published) score among seeds of the same model.

    The interval is Clopper and Pearson's on the number of worse seeds. Its lower end counts ties
    as better seeds, its upper end as worse ones. The score is treated as fixed, not as random.

    Args:
        score: the score to rank.
        seeds: (n,) scores over seeds.
        greater_is_better: False for losses.
        level: two-sided confidence level.

    Raises:
        ValueError: NaN or infinity, bad level.
    """
    x = as_finite(seeds, "seeds", ndim=1)
    check_probability(level=level)
    if not np.isfinite(score):
        raise ValueError(f"score must be a finite number, got {score}")
    sign = 1 if greater_is_better else -1
    n = x.size
    lead = differences(np.full(n, score), x)
    worse, tied = int((sign * lead > 0).sum()), int((lead == 0).sum())
    tail = (1 - level) / 2
    low = float(stats.beta.ppf(tail, worse, n - worse + 1)) if worse else 0.0
    top = worse + tied
    high = float(stats.beta.isf(tail, top + 1, n - top)) if top < n else 1.0
    share = (worse + tied / 2) / n
    # On average the best of k seeds is better than a share k/(k+1) of all seeds.
    best_of = np.inf if share == 1 else max(1.0, np.ceil(share / (1 - share) - 1e-9))
    summary = spread(x)
    sds = sign * (score - summary.mean) / summary.sd if summary.sd > 0 else float("nan")
    return ScorePercentile(n, share, low, high, float(best_of), float(sds), level)
