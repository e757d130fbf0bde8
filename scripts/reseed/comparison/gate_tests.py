"""The one-sided tests behind a decision of `reseed.gate`."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from reseed.report.analyses.shared.item_scores import Array, ItemScores, compare_models
from reseed.stats.bootstrap import PER_ITEM
from reseed.stats.bounded_mean import bounded_mean_limit, bounded_mean_p
from reseed.stats.item_model import ItemDifference
from reseed.stats.paired_proportions import score_limit

_MOST_GRADES = 10


@dataclass(frozen=True)
class GateTest:
    """The test of candidate − baseline on one dataset.

    Scores of items must pass two tests: that of `result`, which allows for seeds and prompts, and
    that of a bounded mean over items or clusters, which holds where hardly anything varies. Counts
    of one run each (`score_p`) hold there by themselves.

    values: (units,) mean difference of each item or cluster; None: runs without items, or counts.
    sizes: (units,) number of items of each.
    reach: the largest possible difference of two scores.
    items: number of items; 0: runs without items.
    """

    dataset: str
    result: ItemDifference
    values: Array | None = None
    sizes: Array | None = None
    reach: float = 0.0
    items: int = 0

    def one_sided_p(self, bound: float, *, greater: bool = True) -> float:
        """The p-value that the true difference is at most `bound`; else at least `bound`."""
        if not (self.items or self.result.se):
            return 1.0  # equal runs, as of a coarse score, show nothing about new seeds
        sign = 1 if greater else -1
        p = float(self.result.one_sided_p(bound, greater=greater))
        if self.values is None:
            return p
        exact = bounded_mean_p(
            sign * self.values, sign * bound, least=-self.reach, sizes=self.sizes
        )
        return max(p, exact) if self.result.se else exact

    def limits(self, alpha: float) -> tuple[float, float]:
        """The bounds that the one-sided tests of size `alpha` just do not reject; NaN: no test."""
        result = self.result
        if not (self.items or result.se):
            return nan, nan
        if result.discordant and self.values is None:
            gains, losses = result.discordant
            low = score_limit(gains, losses, self.items, alpha)
            return low, -score_limit(losses, gains, self.items, alpha)
        low, high = result.interval(1 - 2 * alpha)
        if self.values is not None:
            exact = [
                sign
                * bounded_mean_limit(sign * self.values, alpha, least=-self.reach, sizes=self.sizes)
                for sign in (1, -1)
            ]
            low, high = min(low, exact[0]), max(high, exact[1])
        return low, high


def test_items(scores: ItemScores, sign: int, reach: float) -> GateTest:
    """The test of the models `candidate` and `baseline` on one dataset.

    Args:
        scores: of both models.
        sign: 1 if more is better, else −1.
        reach: of `GateTest`.
    """
    result, _ = compare_models(scores, "candidate", "baseline", sign)
    count = len(scores.items)
    is_rate = not scores.metric or reach <= 1  # of items that count equally
    if result.discordant and is_rate:
        return GateTest(scores.dataset, result, items=count)
    sides, _ = scores.pair_seeds("candidate", "baseline")
    candidate, baseline = (side.values.mean(axis=(0, 1)) for side in sides)
    index = np.arange(count) if scores.clusters is None else scores.clusters
    sizes = np.bincount(index).astype(float)
    values = sign * np.bincount(index, candidate - baseline) / sizes
    return GateTest(scores.dataset, result, values, sizes, reach, count)


test_items.__test__ = False  # type: ignore[attr-defined]


def find_metric_reach(scores: ItemScores, metric: str) -> float:
    """The largest possible difference of two contributions of an item to a metric.

    An item of a rare class counts n / (size of the class) times in metrics such as the AUC.
    """
    values = np.concatenate([one.values.ravel() for one in scores.models.values()])
    if metric in PER_ITEM or scores.targets is None:
        return find_reach(values)
    rarest = np.unique(scores.targets, return_counts=True)[1].min()
    return max(float(np.ptp(values)), len(scores.items) / rarest)


def find_reach(scores: Array) -> float:
    """The largest possible difference of two of all scores.

    It is 1 of shares; of whole grades their scale from 0 or 1 to the greatest, which need not be
    given to show that no item fell to its end; of other scores the observed range.
    """
    low, high = float(scores.min()), float(scores.max())
    if 0 <= low <= high <= 1:
        return 1.0
    is_grade = low >= 0 and high <= _MOST_GRADES and bool((scores == np.round(scores)).all())
    return high - min(low, 1.0) if is_grade else high - low
