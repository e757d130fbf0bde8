"""Metrics that are not means over items: contributions of items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseed.analyses.shared.item_scores import ItemScores
from reseed.stats.crossed_comparison import item_values

NOTE = (
    "{metric} is computed from the predictions of a run. The test is over the contributions of "
    "items to it (DeLong's components of the AUC, jackknife pseudo-values of other metrics)."
)


def compute_contributions(scores: ItemScores, metric: str) -> ItemScores:
    """Scores of which the mean over items is the metric of the predictions in `scores`.

    Predictions of a single item stay as they are.
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
    return replace(scores, models=models, metric=metric)


def _as_target(targets: np.ndarray | None, metric: str) -> np.ndarray:
    assert targets is not None
    return targets if metric in ("mse", "mae") else targets.astype(np.int64)


def _as_prediction(values: np.ndarray, metric: str) -> np.ndarray:
    return values if metric in ("mse", "mae", "auc") else values.astype(np.int64)
