"""Scores of items of models on one test set, and the one test of two models by them.

`gate` and the analyses `pairs`, `item_pairs` and `seeds_needed` all test here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reseed.analyses.shared.arms import ARM
from reseed.analyses.shared.data import Data, group_by_key, key_values
from reseed.analyses.shared.outputs import metrics_of_task, read_outputs
from reseed.analyses.shared.pairing import ModelGroup, Pairing
from reseed.core.schemas import SCHEME_COLUMNS, SPLIT_COLUMNS
from reseed.stats.bootstrap import PER_ITEM, WEIGHTED_METRICS
from reseed.stats.bounded_mean import bounded_mean_limit
from reseed.stats.crossed_comparison import item_values
from reseed.stats.item_model import Factor, ItemDifference, item_difference, item_mean
from reseed.verdicts.designs import SOURCES, match_seeds
from reseed.verdicts.pair import PairTest

Array = NDArray[np.float64]
#: Whole numbers up to this one are grades.
_MOST_GRADES = 10
#: Leading axes of a model's `values`.
_FACTORS = ("seed", "prompt")


@dataclass(frozen=True)
class ModelScores:
    """Scores of one model on one test set.

    values: (seeds, prompts, items) scores, repeats combined.
    seeds: labels of the first axis.
    repeat_variance: (seeds, prompts, items) estimated variance of each value due to repeats; None
        without repeats.
    repeats: fewest and most repeats of a cell.
    people: (seeds, prompts, items) people's scores, NaN where there is none; None without any.
    """

    values: Array
    seeds: Sequence[Any]
    repeat_variance: Array | None = None
    repeats: tuple[int, int] = (1, 1)
    people: Array | None = None

    def take(self, rows: list[int]) -> ModelScores:
        """The scores of these seeds, in this order."""
        if rows == [*range(len(self.seeds))]:
            return self
        noise = self.repeat_variance
        noise = None if noise is None else noise[rows]
        seeds = tuple(self.seeds[row] for row in rows)
        return replace(self, values=self.values[rows], repeat_variance=noise, seeds=seeds)

    @property
    def noise(self) -> float:
        """Variance of the mean that is due to repeats."""
        part = self.repeat_variance
        return 0.0 if part is None else float(part.mean() / part.size)


@dataclass(frozen=True)
class ItemScores:
    """Scores of all models on the items of one test set.

    items, prompts: labels of the last axes of each model's `values`.
    clusters: (items,) code of the cluster of each item; None without clusters.
    targets: (items,) what is true of each item, where `values` are predictions; else None.
    has_own_seeds: whether equal seeds of two models share nothing.
    fixed: factors whose levels are no sample, so that they are averaged: `seed` or `prompt`.
    metric: what `values` are contributions to, where it is no mean over items; else empty.
    labels: items of a model with people's scores, by which `values` are corrected; 0 without any.
    """

    dataset: str
    items: Sequence[Any]
    prompts: tuple[str, ...]
    clusters: NDArray[np.int64] | None
    models: dict[str, ModelScores]
    notes: tuple[str, ...] = field(default=())
    targets: Array | None = None
    has_own_seeds: bool = False
    fixed: tuple[str, ...] = ()
    metric: str = ""
    labels: int = 0

    @property
    def most_df(self) -> float:
        """Degrees of freedom of the items, where labels limit them."""
        return self.labels - 1 if self.labels else inf

    @property
    def has_verdict(self) -> bool:
        """Whether items show how much they vary: two or more, in two clusters."""
        groups = len(self.items) if self.clusters is None else len(np.unique(self.clusters))
        return min(len(self.items), groups) > 1

    @property
    def sampled(self) -> list[str]:
        """The factors whose levels are a sample: the leading axes of `average_fixed`."""
        return [name for name in _FACTORS if name not in self.fixed]

    def average_fixed(self, values: Array) -> Array:
        """Values of a model, averaged over the factors whose levels are no sample."""
        axes = tuple(axis for axis, name in enumerate(_FACTORS) if name in self.fixed)
        return np.asarray(values.mean(axis=axes)) if axes else values

    def pair_seeds(self, a: str, b: str) -> tuple[list[ModelScores], bool]:
        """Both models with their paired seeds in the same order, and whether seeds are shared.

        Seeds are paired where both models have the same labels, or at least four in five in common.
        """
        first, second = self.models[a], self.models[b]
        rows, is_shared = match_seeds(first.seeds, second.seeds, self.has_own_seeds)
        return [first.take(rows[0]), second.take(rows[1])], is_shared


def compare_models(
    scores: ItemScores, a: str, b: str, sign: int
) -> tuple[ItemDifference, bool | None]:
    """The test of model `a` − `b`, and whether seeds are shared (None: seeds are not sampled).

    Args:
        scores: of both models.
        a, b: the models.
        sign: 1 if more is better, else −1.
    """
    sides, is_shared = scores.pair_seeds(a, b)
    first, second = (one.values for one in sides[::sign])  # not negated: 0 and 1 have a test
    first, second = (scores.average_fixed(values) for values in (first, second))
    shared = {"seed": is_shared, "prompt": True}
    factors = [Factor(name, shared[name]) for name in scores.sampled]
    noise = sum(one.noise for one in sides)
    result = item_difference(
        first, second, factors, clusters=scores.clusters, repeat_variance=noise,
        are_means=not scores.metric or scores.metric in PER_ITEM, most_df=scores.most_df,
    )  # fmt: skip
    return result, is_shared if "seed" in result.levels else None


def limit_of_bounded_mean(scores: ItemScores, a: str, b: str, sign: int, alpha: float) -> float:
    """The difference `a` − `b` that bounded scores exclude one-sided, whatever their tail.

    A t interval trusts the variance that it sees; a few items that fall far may not be among those
    drawn. ∞ for counts of one run, whose test is exact, and for metrics that are no mean.
    """
    if scores.metric or compare_models(scores, a, b, sign)[0].discordant is not None:
        return inf
    sides, _ = scores.pair_seeds(a, b)
    first, second = (one.values.mean(axis=(0, 1)) for one in sides)
    units = np.arange(len(first)) if scores.clusters is None else scores.clusters
    sizes = np.bincount(units).astype(float)
    differences = sign * np.bincount(units, first - second) / sizes
    low, high = find_bounds(scores) or find_range(scores)
    return bounded_mean_limit(differences, alpha, least=low - high, sizes=sizes)


def find_range(scores: ItemScores) -> tuple[float, float]:
    """The least and the greatest score of all models."""
    ends = [(one.values.min(), one.values.max()) for one in scores.models.values()]
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


def find_bounds(scores: ItemScores) -> tuple[float, float] | None:
    """The least and greatest possible score: of shares 0 and 1; of grades the range, from 0 or 1.

    Whole grades may fall to 0 or 1, also where none did. None for other scores.
    """
    low, high = find_range(scores)
    if 0 <= low <= high <= 1:
        return 0.0, 1.0
    is_whole = all((one.values == np.round(one.values)).all() for one in scores.models.values())
    return (min(low, 1.0), high) if low >= 0 and high <= _MOST_GRADES and is_whole else None


def measure_mean(scores: ItemScores, model: str, level: float = 0.95) -> ItemDifference | None:
    """The mean of a model with its interval; None where items do not show how much they vary."""
    if not scores.has_verdict:
        return None
    one = scores.models[model]
    is_mean = not scores.metric or scores.metric in PER_ITEM
    return item_mean(
        scores.average_fixed(one.values), scores.sampled, clusters=scores.clusters,
        repeat_variance=one.noise, level=level,
        bounds=find_bounds(scores) if is_mean else None, most_df=scores.most_df,
    )  # fmt: skip


def describe_items(test: ItemDifference, least: int = 1, most: float = inf) -> PairTest:
    """What a test over items leaves to decide all pairs at once; `least` and `most` as there."""
    return PairTest(
        test.se,
        tuple(test.parts),
        test.tail.skewness if test.tail else 0.0,
        test.tail.unit if test.tail else "",
        test.discordant,
        least,
        most,
        test.levels.get("item", 0),
        test.levels.get("cluster", 0),
    )


def list_error_shares(test: ItemDifference) -> str:
    """Share of each source in the squared error: `seed 12%, item 88%`.

    Each has its interactions with the sources before it in `SOURCES`.
    """
    total, shares = sum(one.variance for one in test.contributions), dict[str, float]()
    for one in test.contributions if total else ():
        source = max(one.sources, key=SOURCES.index)
        shares[source] = shares.get(source, 0.0) + one.variance
    return ", ".join(f"{name} {part / total:.0%}" for name, part in shares.items())


def find_item_scores(
    data: Data, group: ModelGroup, a: str, b: str, pairing: Pairing
) -> ItemScores | None:
    """Scores of the items of two models on the one split that they share, of the runs of `pairing`.

    None if they are not known, or of other runs.
    """
    of_both = [one for one in _list_test_sets(data, group) if {a, b} <= {*one.models}]
    if len(of_both) != 1:
        return None
    scores = replace(of_both[0], has_own_seeds=not pairing.is_paired)
    sides, _ = scores.pair_seeds(a, b)
    is_same = [len(one.seeds) for one in sides] == [len(pairing.a), len(pairing.b)]
    return scores if is_same else None


def test_pair(
    data: Data, group: ModelGroup, a: str, b: str, pairing: Pairing
) -> tuple[ItemDifference, bool | None] | None:
    """`compare_models` over seeds and items; None without items, or with one run."""
    scores = find_item_scores(data, group, a, b, pairing) if pairing.n > 1 else None
    if scores is None or not scores.has_verdict:
        return None
    return compare_models(scores, a, b, group.sign)


test_pair.__test__ = False  # type: ignore[attr-defined]


def _list_test_sets(data: Data, group: ModelGroup) -> list[ItemScores]:
    """Contributions of items to the metric of a group, by split; read when first needed.

    Empty for a metric that items have no contributions to.
    """
    if group.key["dataset"] in data.items:
        return [data.items[group.key["dataset"]]]
    if "outputs" not in data.shared:
        data.shared["outputs"] = group_by_key(read_outputs(data), SCHEME_COLUMNS)
    place = key_values(group.key, SCHEME_COLUMNS)
    key = "items", place, group.metric
    if key not in data.shared:
        outputs = data.shared["outputs"].get(place, [])
        data.shared[key] = [
            ItemScores(
                group.key["dataset"], range(len(arms[0].y_true)), ("",), arms[0].clusters,
                {
                    one.key[ARM]: ModelScores(
                        item_values(metric, one.y_true, one.predictions_for(metric))[:, None],
                        one.seeds,
                    )
                    for one in arms
                },
            )
            for arms in group_by_key((one for one in outputs if one.n), SPLIT_COLUMNS).values()
            if (metric := metrics_of_task(arms[0].task, group.metric).get(group.metric))
            in WEIGHTED_METRICS
        ]  # fmt: skip
    return data.shared[key]
