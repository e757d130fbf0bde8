"""Spread over model seeds compared with sampling noise of the test set [Jordan 2023].

Source: arXiv 2304.01910.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reseed.analyses.shared.data import Data, primary_metric
from reseed.analyses.shared.outputs import Outputs, metrics_of_task, read_outputs
from reseed.core.schemas import PREDICTION_COLUMNS, Row
from reseed.metrics.names import is_share
from reseed.plugins.options import Count, Level, Strict
from reseed.stats.bootstrap import PER_ITEM, WEIGHTED_METRICS, test_set_bootstrap
from reseed.stats.crossed_comparison import item_values
from reseed.stats.gaussian_range import expected_gaussian_range
from reseed.stats.seed_noise import distribution_wise_sd, seed_and_test_noise
from reseed.stats.spread import variance_limits

READS = "predictions"


COLUMNS = [
    "experiment", *PREDICTION_COLUMNS, "metric", "primary", "n", "failed", "items", "level", "mean",
    "observed_sd", "observed_sd_low", "observed_sd_high", "infinite_sd", "infinite_sd_low",
    "infinite_sd_high", "test_items", "sd_at", "sd_at_low", "sd_at_high", "paper_seeds", "range_at",
    "range_at_low", "range_at_high", "seed_share", "test_set_sd", "test_set_sd_closed_form",
    "n_boot", "bootstrap_seeds", "reason", "interval_reason",
]  # fmt: skip


#: Largest SD of a score in [0, 1]: half of the runs score 0, half 1.
MOST_SD = 0.5
# Fewest seeds for the interval of an SD.
_MIN_SEEDS = 5


class Options(Strict):
    """level: confidence level of the intervals.
    n_boot: resamples of the test items.
    max_seeds: most models whose test items are resampled.
    test_items: size of another test set, such as a paper's, for which the SD is computed, too.
    seeds: number of seeds by arm, such as a paper's, for which the range is computed, too.
    """

    test_items: Count | None = None
    seeds: dict[str, Count] = {}
    level: Level = 0.95
    n_boot: Count = 200
    max_seeds: Count = 10


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm on one test set, and metric.

    Metrics: accuracy of classifiers, MSE of regressions, the mean of scored items; and the primary
    metric.

    - `observed_sd`: SD over model seeds, with the interval of `stats.spread.variance_limits` (at
      least 5 seeds that differ).
    - `infinite_sd`: what would remain of it on an infinite test set, with its interval (metrics
      that are means over items: accuracy, MSE, MAE). `interval_reason` says why there is no
      interval: fewer than 5 runs, or equal runs. Estimate and
      interval of a share end at `MOST_SD`.
    - `sd_at`: what the SD would be on a test set of `test_items` items, with its interval; none for
      metrics that are no means over items.
    - `range_at`: that SD times the mean range of a Gaussian sample of `paper_seeds`.
    - `test_set_sd`: SD of one model's score over bootstrap resamples of the test items, root mean
      square over `bootstrap_seeds` models; `test_set_sd_closed_form`: √(acc(1−acc)/items).
    """
    rows = [row for one in read_outputs(data) for row in _rows(data, one, options)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(data: Data, one: Outputs, options: Options) -> Iterator[Row]:
    primary = primary_metric(data.info, one.key["dataset"])
    for metric, computed in metrics_of_task(one.task, primary).items():
        row = one.key | {
            "metric": metric,
            "primary": metric == primary,
            "n": one.n,
            "failed": one.failed,
            "items": len(one.y_true),
            "level": options.level,
        }
        try:
            row |= _measure(one, computed, options)
            yield row | _range_at(row, options.seeds.get(one.key["arm"]))
        except ValueError as error:
            yield row | {"reason": str(error)}


def _range_at(row: Row, seeds: int | None) -> Row:
    """The range of so many Gaussian scores with the SD `sd_at` and its interval."""
    if seeds is None or "sd_at" not in row:
        return {}
    factor = float(expected_gaussian_range(seeds))
    ends = {f"range_at{end}": row[f"sd_at{end}"] * factor for end in ("", "_low", "_high")}
    return {"paper_seeds": seeds, **ends}


def _measure(one: Outputs, metric: str, options: Options) -> Row:
    """Columns of one metric. Raises ValueError, with the reason, if they cannot be computed."""
    if one.n < 2:
        raise ValueError("needs at least two model seeds that did not fail")
    if metric not in WEIGHTED_METRICS:
        raise ValueError(f"{metric}: no resampling of test items for this metric")
    predicted = one.predictions_for(metric)
    chosen = predicted[: options.max_seeds]
    boot = test_set_bootstrap(
        metric, one.y_true, chosen, options.n_boot, rng=one.rng("test set", metric)
    )
    columns: Row = {
        "test_set_sd": float(np.sqrt(np.mean(np.square(boot.sd)))),
        "n_boot": boot.n_boot,
        "bootstrap_seeds": len(chosen),
        "reason": "",
        "interval_reason": "",
    }
    if metric in PER_ITEM:
        values = item_values(metric, one.y_true, predicted)
        columns |= _split(values, options)
        columns |= _observed_limits(values.mean(axis=1), options.level)
        if metric == "accuracy":
            spread = columns["mean"] * (1 - columns["mean"])
            columns["test_set_sd_closed_form"] = float(np.sqrt(spread / len(one.y_true)))
        if is_share(metric):
            for name in ("infinite_sd", "infinite_sd_low", "infinite_sd_high"):
                columns[name] = min(columns[name], MOST_SD)
        return columns
    ones = np.ones((1, len(one.y_true)))
    scores = WEIGHTED_METRICS[metric](one.y_true, predicted, ones)[0]
    return columns | {
        "mean": float(scores.mean()),
        "observed_sd": float(scores.std(ddof=1)),
        **_observed_limits(scores, options.level),
        "reason": "not a mean over items: its spread on an infinite test set is not estimated",
    }


def _observed_limits(scores: np.ndarray, level: float) -> Row:
    """Interval of the SD of (seeds,) scores."""
    low = high = np.nan
    if len(scores) >= _MIN_SEEDS and np.ptp(scores) > 0:
        low, high = np.sqrt(variance_limits(scores, level))
    return {"observed_sd_low": float(low), "observed_sd_high": float(high)}


def _split(scores: np.ndarray, options: Options) -> Row:
    """Spread over seeds of a mean over items, and its part on an infinite test set."""
    split, interval = seed_and_test_noise(scores), distribution_wise_sd(scores, options.level)
    at: Row = {}
    if options.test_items is not None:
        other = distribution_wise_sd(scores, options.level, options.test_items)
        at = {"test_items": options.test_items, "sd_at": other.sd, "sd_at_low": other.sd_low}
        at |= {"sd_at_high": other.sd_high}
    return at | {
        "mean": split.mean,
        "observed_sd": float(np.sqrt(split.observed_variance)),
        "infinite_sd": interval.sd,
        "infinite_sd_low": interval.sd_low,
        "infinite_sd_high": interval.sd_high,
        "interval_reason": interval.reason,
        "seed_share": split.seed_share,
    }
