"""Spread over model seeds against the luck of the test set [Jordan, arXiv 2304.01910]."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.data import Data, primary_metric
from reseed.analyses.predictions import Group
from reseed.seeds import stream
from reseed.stats.bootstrap import WEIGHTED_METRICS, test_set_bootstrap
from reseed.stats.variance import crossed_variance, distribution_wise_sd, seed_and_test_noise

COLUMNS = [
    "experiment", "dataset", "scheme", "model", "hyperparameters_source", "data_seed", "repeat",
    "fold", "metric", "primary", "n", "failed", "items", "level", "mean",
    "observed_sd", "infinite_sd", "infinite_sd_low", "infinite_sd_high", "seed_share",
    "test_set_sd", "test_set_sd_closed_form", "n_boot", "bootstrap_seeds", "reason",
]  # fmt: skip


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a group of model seeds on one test set, and metric.

    Of classifiers: accuracy, and the primary metric where that is another; of regressions: MSE.
    `observed_sd` is the SD over model seeds; `infinite_sd` what would remain of it on an infinite
    test set (of metrics that are a mean over items: accuracy, MSE), with its interval;
    `test_set_sd` the SD of one model's score over bootstrap resamples of the test items, the root
    mean square over `bootstrap_seeds` models; `test_set_sd_closed_form` √(acc(1−acc)/items).

    options: `level` (0.95), `n_boot` (200 resamples of the items), `max_seeds` (10 models
    resampled).
    """
    groups = data.predictions.groups() if data.predictions is not None else []
    rows = [row for group in groups for row in _rows(data, group, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(data: Data, group: Group, options: dict) -> Iterator[dict]:
    task = data.about["datasets"][group.key["dataset"]]["task"]
    primary = primary_metric(data.about, group.key["dataset"])
    metrics = ["mse"] if task == "regression" else ["accuracy"]
    for metric in dict.fromkeys([*metrics, primary]):
        row = group.key | {
            "metric": metric,
            "primary": metric == primary,
            "n": len(group.seeds),
            "failed": group.failed,
            "items": len(group.y_true),
            "level": options.get("level", 0.95),
        }
        try:
            yield row | _measure(group, task, metric, options)
        except ValueError as error:
            yield row | {"reason": str(error)}


def _measure(group: Group, task: str, metric: str, options: dict) -> dict:
    """Both noises of one metric; ValueError where they cannot be told."""
    if len(group.seeds) < 2:
        raise ValueError("needs at least two model seeds that did not fail")
    if metric not in WEIGHTED_METRICS:
        raise ValueError(f"{metric}: no resampling of test items for this metric")
    predicted = _predictions(group.scores, task, metric)
    chosen = predicted[: options.get("max_seeds", 10)]
    name = "/".join(str(value) for value in group.key.values())
    boot = test_set_bootstrap(
        metric,
        group.y_true,
        chosen,
        options.get("n_boot", 200),
        rng=stream(0, f"test set/{metric}/{name}"),
    )
    found = {
        "test_set_sd": float(np.sqrt(np.mean(np.square(boot.sd)))),
        "n_boot": boot.n_boot,
        "bootstrap_seeds": len(chosen),
        "reason": "",
    }
    level, rng = options.get("level", 0.95), stream(0, f"seed noise/{metric}/{name}")
    if metric == "accuracy":
        return found | _of_accuracy(predicted == group.y_true, level, rng)
    if metric == "mse":
        return found | _of_losses((predicted - group.y_true) ** 2, level, rng)
    ones = np.ones((1, len(group.y_true)))
    scores = WEIGHTED_METRICS[metric](group.y_true, predicted, ones)[0]
    return found | {
        "mean": float(scores.mean()),
        "observed_sd": float(scores.std(ddof=1)),
        "reason": "no mean over items: what remains on an infinite test set is not split off",
    }


def _predictions(scores: np.ndarray, task: str, metric: str) -> np.ndarray:
    """What the metric compares with the targets: labels for accuracy, else the scores."""
    if metric != "accuracy":
        return scores
    return scores.argmax(axis=2) if task == "multiclass" else scores > 0.5


def _of_accuracy(correct: np.ndarray, level: float, rng: np.random.Generator) -> dict:
    split = seed_and_test_noise(correct)
    accuracy = split.mean_accuracy
    found = {
        "mean": accuracy,
        "observed_sd": float(np.sqrt(split.observed_variance)),
        "infinite_sd": float(np.sqrt(max(split.seed_variance, 0.0))),
        "seed_share": split.seed_share,
        "test_set_sd_closed_form": float(np.sqrt(accuracy * (1 - accuracy) / correct.shape[1])),
    }
    if len(correct) < 3:  # an interval needs three seeds
        return found
    interval = distribution_wise_sd(correct, level, rng=rng)
    return found | {"infinite_sd_low": interval.sd_low, "infinite_sd_high": interval.sd_high}


def _of_losses(losses: np.ndarray, level: float, rng: np.random.Generator) -> dict:
    """The same split for any mean of a loss (seeds, items): seeds crossed with items.

    The seed component is the covariance of the losses of two distinct items over seeds: the
    variance that is left when the test set has no end. For 0/1 losses it is Jordan's.
    """
    split = crossed_variance(losses, ("model_seed", "item"), level, n_draws=1, rng=rng)
    seed = split["model_seed"]
    scores = losses.mean(axis=1)
    observed = float(scores.var(ddof=1))
    return {
        "mean": float(scores.mean()),
        "observed_sd": float(np.sqrt(observed)),
        "infinite_sd": float(np.sqrt(seed.variance)),
        "infinite_sd_low": float(np.sqrt(seed.low)),
        "infinite_sd_high": float(np.sqrt(seed.high)),
        "seed_share": float(np.clip(seed.raw / observed, 0, 1)) if observed > 0 else np.nan,
    }
