"""Spread over model seeds against the luck of the test set [Jordan, arXiv 2304.01910]."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.data import Data, primary_metric
from reseed.analyses.predictions import Group
from reseed.options import Count, Level, Strict
from reseed.seeds import stream
from reseed.stats.bootstrap import WEIGHTED_METRICS, test_set_bootstrap
from reseed.stats.seed_noise import distribution_wise_sd, seed_and_test_noise

READS = "predictions"

COLUMNS = [
    "experiment", "dataset", "scheme", "arm", "model", "hyperparameters_source", "data_seed",
    "repeat", "fold", "metric", "primary", "n", "failed", "items", "level", "mean",
    "observed_sd", "infinite_sd", "infinite_sd_low", "infinite_sd_high", "seed_share",
    "test_set_sd", "test_set_sd_closed_form", "n_boot", "bootstrap_seeds", "reason",
    "interval_reason",
]  # fmt: skip


class Options(Strict):
    """level: of the interval of what remains on an infinite test set.
    n_boot: resamples of the test items.
    max_seeds: models that are resampled.
    """

    level: Level = 0.95
    n_boot: Count = 200
    max_seeds: Count = 10


def analyse(data: Data, options: dict) -> pd.DataFrame:
    """One row a group of model seeds on one test set, and metric.

    Of classifiers: accuracy, and the primary metric where that is another; of regressions: MSE.
    `observed_sd` is the SD over model seeds; `infinite_sd` what would remain of it on an infinite
    test set (of metrics that are a mean over items: accuracy, MSE), with its interval, which is
    withheld where it cannot be trusted (`interval_reason`: fewer than 5 runs, all runs alike);
    `test_set_sd` the SD of one model's score over bootstrap resamples of the test items, the root
    mean square over `bootstrap_seeds` models; `test_set_sd_closed_form` √(acc(1−acc)/items).
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
        "interval_reason": "",
    }
    level = options.get("level", 0.95)
    if metric == "accuracy":
        correct = predicted == group.y_true
        accuracy = float(correct.mean())
        closed = float(np.sqrt(accuracy * (1 - accuracy) / correct.shape[1]))
        return found | _split(correct, level) | {"test_set_sd_closed_form": closed}
    if metric == "mse":
        return found | _split((predicted - group.y_true) ** 2, level)
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


def _split(scores: np.ndarray, level: float) -> dict:
    """The spread over seeds of a mean over items, and what is left of it without end of items."""
    split, interval = seed_and_test_noise(scores), distribution_wise_sd(scores, level)
    return {
        "mean": split.mean,
        "observed_sd": float(np.sqrt(split.observed_variance)),
        "infinite_sd": interval.sd,
        "infinite_sd_low": interval.sd_low,
        "infinite_sd_high": interval.sd_high,
        "interval_reason": interval.reason,
        "seed_share": split.seed_share,
    }
