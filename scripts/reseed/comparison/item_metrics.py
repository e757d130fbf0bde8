"""Metrics that are not means over items: contributions of items, and bootstrap intervals."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from reseed.report.analyses.shared.item_scores import ItemScores
from reseed.stats.crossed_comparison import item_values, seed_item_bootstrap

_N_BOOT = 1000
_SEED = 20_260_102  # of the resamples, so that a table gives the same interval every time
NOTE = (
    "{metric} is computed from the predictions of a run. The test is over the contributions of "
    "items to it (DeLong's components of the AUC, jackknife pseudo-values of other metrics)"
)
_RESAMPLED = "; `boot_low` and `boot_high` resample {units} and compute it anew."


def compute_contributions(scores: ItemScores, metric: str, sign: int) -> ItemScores:
    """Scores of which the mean over items is the metric of the predictions in `scores`.

    Predictions of a single item stay as they are. sign: 1 if more is better, else −1.
    """
    if not scores.has_verdict:
        return scores
    models = {}
    for name, one in scores.models.items():
        flat = one.values.reshape(-1, one.values.shape[-1])
        values = item_values(
            metric, _as_target(scores.targets, metric), _as_prediction(flat, metric)
        )
        models[name] = replace(one, values=values.reshape(one.values.shape))
    bootstrap = partial(_bootstrap_pair, scores, metric, sign)
    return replace(scores, models=models, bootstrap=bootstrap)


def _bootstrap_pair(
    scores: ItemScores, metric: str, sign: int, a: str, b: str, level: float
) -> tuple[float, float]:
    """Percentile interval of model `a` − `b` over seeds and clusters (or items) together."""
    sides, is_shared = scores.pair_seeds(a, b)
    flat = (one.values.reshape(-1, one.values.shape[-1]) for one in sides)
    first, second = (_as_prediction(values, metric) for values in flat)
    result = seed_item_bootstrap(
        metric,
        _as_target(scores.targets, metric),
        first,
        second,
        _N_BOOT,
        shared_seeds=is_shared,
        clusters=scores.clusters,
        level=level,
        rng=np.random.default_rng(_SEED),
    )
    ends = sorted((sign * result.low, sign * result.high))
    return ends[0], ends[1]


def describe_metric(scores: ItemScores, metric: str) -> str:
    """A note on how the metric is tested."""
    several = any(len(one.seeds) > 1 for one in scores.models.values())
    units = "items" if scores.clusters is None else "clusters"
    units = f"seeds and {units}" if several else units
    return (NOTE + _RESAMPLED).format(metric=metric, units=units)


def _as_target(targets: np.ndarray | None, metric: str) -> np.ndarray:
    assert targets is not None
    return targets if metric in ("mse", "mae") else targets.astype(np.int64)


def _as_prediction(values: np.ndarray, metric: str) -> np.ndarray:
    return values if metric in ("mse", "mae", "auc") else values.astype(np.int64)
