"""The test of two models by their item scores, and what more levels of each source would show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reseed.comparison.claims.designs import match_seeds
from reseed.comparison.claims.item_verdicts import SOURCES
from reseed.comparison.item_arrays import ItemScores, ModelScores
from reseed.stats.item_design import predict_design
from reseed.stats.item_model import Factor, ItemDifference, item_difference

_POWER = 0.8


def has_verdict(scores: ItemScores) -> bool:
    """Whether the items of a dataset show how much they vary: two or more, in two clusters."""
    groups = len(scores.items) if scores.clusters is None else len(np.unique(scores.clusters))
    return min(len(scores.items), groups) > 1


def compare_models(
    scores: ItemScores, a: str, b: str, sign: int, fixed: Sequence[str], level: float
) -> tuple[ItemDifference, bool | None]:
    """The test of model `a` − `b`, and whether seeds are shared (None: seeds are not sampled).

    Seeds are paired where both models have the same labels, or at least four in five in common.
    """
    sides, is_shared = pair_seeds(scores.models[a], scores.models[b])
    first, second = (one.values for one in sides[::sign])  # not negated: 0 and 1 have a test
    factors: list[Factor] = []
    for axis, factor in ((1, Factor("prompt", True)), (0, Factor("seed", is_shared))):
        if factor.name in fixed:
            first, second = first.mean(axis=axis), second.mean(axis=axis)
        else:
            factors.insert(0, factor)
    noise = sum(one.noise for one in sides)
    result = item_difference(
        first, second, factors, clusters=scores.clusters, repeat_variance=noise, level=level
    )
    return result, is_shared if "seed" in result.levels else None


def pair_seeds(a: ModelScores, b: ModelScores) -> tuple[list[ModelScores], bool]:
    """Both models with their paired seeds in the same order, and whether seeds are shared."""
    rows, is_shared = match_seeds(a.seeds, b.seeds)
    return [one.take(chosen) for one, chosen in zip((a, b), rows, strict=True)], is_shared


def list_means(scores: ItemScores, a: str, b: str, sign: int) -> dict[str, Any]:
    """Columns of `list_item_test` for a dataset that has no verdict: the difference alone."""
    means = (scores.models[model].values.mean() for model in (a, b))
    clusters = 0 if scores.clusters is None else len(np.unique(scores.clusters))
    levels = {"item": len(scores.items), "cluster": clusters}
    numbers = ("low", "high", "se", "p", "cluster_df", "detectable")
    return {
        "difference": float(sign * np.subtract(*means)),
        **dict.fromkeys(numbers, np.nan),
        "method": "",
        "shared_seeds": None,
        **{f"level_{source}": levels.get(source, 0) for source in SOURCES},
        **{f"share_{source}": np.nan for source in SOURCES},
        **{f"detectable_2x_{source}": np.nan for source in SOURCES},
    }


def list_designs(result: ItemDifference, alpha: float) -> dict[str, float]:
    """Smallest detectable difference at the first step of Holm's test, now and with more."""
    columns = dict.fromkeys(["detectable", *(f"detectable_2x_{s}" for s in SOURCES)], np.nan)
    if result.se == 0:
        return columns
    columns["detectable"] = predict_design(result, {}, alpha, _POWER).detectable
    sources = {source for one in result.contributions for source in one.sources}
    for source in SOURCES:
        if source in sources:
            changed = predict_design(result, {source: 2.0}, alpha, _POWER)
            columns[f"detectable_2x_{source}"] = changed.detectable
    return columns
