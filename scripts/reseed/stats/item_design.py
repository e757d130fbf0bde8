"""What an evaluation with more seeds, items or repeats would show, from a finished one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseed.stats.inputs import check_probability, rescale
from reseed.stats.item_model import ItemDifference
from reseed.stats.weighted_t import upper_quantile


@dataclass(frozen=True)
class Design:
    """A design, and what it would show.

    levels: number of levels by source, as `ItemDifference.levels`, and `repeat`.
    se: predicted standard error, in score units.
    detectable: smallest true difference that is found with the stated power, in score units.
    """

    levels: dict[str, float]
    se: float
    detectable: float


def predict_design(
    result: ItemDifference, changes: dict[str, float], alpha: float, power: float = 0.8
) -> Design:
    """Predict standard error and smallest detectable difference of another design.

    Each contribution shrinks with the levels of its sources. The contributions are estimates: of
    few levels they are uncertain, and so is the prediction.

    Args:
        result: of the finished evaluation.
        changes: factor by source by which its levels are multiplied, such as {"seed": 2}. More
            `cluster` means more clusters of the same size; more `item`, more items in each cluster.
        alpha: size of the two-sided test that decides.
        power: of that test.

    Raises:
        ValueError: alpha or power outside 0 to 1.
    """
    check_probability(alpha=alpha, power=power)
    has_clusters = "cluster" in result.levels
    levels = {name: count * changes.get(name, 1.0) for name, count in result.levels.items()}
    if has_clusters:
        levels["item"] *= changes.get("cluster", 1.0)
    item_df = levels["item"] - 1
    if has_clusters:  # more clusters of the same sizes, as unequal as those of the test
        item_df = (result.cluster_df + 1) * changes.get("cluster", 1.0) - 1
    parts: dict[float, float] = {}
    for one in result.contributions:
        shrink = 1.0
        for source in one.sources:
            shrink *= changes.get(source, 1.0)
            if source == "item" and has_clusters:
                shrink *= changes.get("cluster", 1.0)
        counts = [
            levels[source] - 1 for source in one.sources if source not in ("item", "cluster",
                                                                           "repeat")
        ]  # fmt: skip
        df = min(counts) if counts and len(one.sources) == len(counts) else item_df
        parts[df] = parts.get(df, 0.0) + one.variance / shrink
    se = float(np.sqrt(sum(parts.values())))
    if se == 0:
        return Design(levels, 0.0, 0.0)
    _, unit = rescale(np.array([se]))
    scaled = [(variance / unit**2, df) for df, variance in parts.items()]
    reach = upper_quantile(alpha / 2, scaled) + (
        upper_quantile(1 - power, scaled) if power > 0.5 else 0.0
    )
    return Design(levels, se, reach * se)
