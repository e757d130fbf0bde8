"""A classifier's scores over its seeds, compared with sampling noise of the test set.

Tables 4 to 7 and Figure 1 of the IR consistency paper in one table: each score over seeds, its
test-set bootstrap, the score of a constant prediction, and runs with equal outputs.
"""

from __future__ import annotations

import json
from math import nan
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from reseed.analyses.shared.arms import ARM, MODEL
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import Outputs, read_outputs
from reseed.analyses.shared.published import find_published_row, read_published_table
from reseed.core.coordinates import base_name
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.metrics.outputs import VALUE_TASKS
from reseed.plugins.options import Count, Level, PublishedFiles
from reseed.stats.bootstrap import WEIGHTED_METRICS, test_set_bootstrap
from reseed.stats.spread import variance_limits
from reseed.verdicts.formatting import percent
from scipy import stats

READS = "predictions"
METRICS = ("accuracy", "macro_precision", "macro_recall", "macro_f1")
_LEAST_FOR_SD = 5  # fewer runs have no interval of the SD
_LARGEST_SD = 0.5  # of a score in [0, 1]
_PUBLISHED = [
    "dataset",
    "model",
    *(f"{m}_{s}" for m in ("accuracy", "f1") for s in ("mean", "std")),
]


COLUMNS = [
    *ARM_OUTPUT_COLUMNS, "metric", "n", "failed", "items", "mean", "sd", "sd_low", "sd_high",
    "least", "low_quartile", "median", "high_quartile", "most", "low_whisker", "high_whisker",
    "outliers", "bootstrap_sd", "bootstrap_sd_low", "bootstrap_sd_high", "n_boot",
    "bootstrap_seeds", "ratio", "ratio_low", "ratio_high", "level", "majority", "collapsed",
    "distinct", "diverged", "seed", "seed_score", "seed_percentile", "published_mean",
    "published_bootstrap_sd", "rows", "words", "labels", "label_shares",
    "reason",
]  # fmt: skip


class Options(PublishedFiles):
    """files: published bootstraps (`config/published/{name}.csv`) to compare with.
    n_boot: resamples of the test items; the default is the published number.
    max_seeds: most models whose test items are resampled.
    seed: the seed whose percentile among all is shown.
    level: confidence level of the intervals.
    names: dataset or model of the study → its published name.
    """

    n_boot: Count = 100
    max_seeds: Count = 10
    seed: Annotated[int, Field(ge=0)] = 42
    level: Level = 0.95
    names: dict[str, str] = Field(default_factory=dict)


def analyse(data: Data, options: Options) -> pd.DataFrame:
    """One row an arm on a test set, and metric (accuracy; precision, recall and F1 macro-averaged).

    `sd_low`, `sd_high`: interval of the SD over seeds (`reseed.stats.spread.variance_limits`), with
    five runs or more; its upper end is at most 0.5, the largest SD of a score in [0, 1].
    Box plots as Tukey's: whiskers end at the furthest score within 1.5 IQR of the box, `outliers`
    (a JSON list) are the scores beyond. `bootstrap_sd` is the SD of one model over resamples of
    the test items, the root mean square over `bootstrap_seeds` models; its interval is that of so
    many Gaussian resamples of one model. `ratio`: SD over seeds divided by it, which the interval
    takes as known. `majority` is the score of the test set's most frequent class, predicted
    throughout; `collapsed` counts runs that predict one class throughout, `distinct` runs whose
    outputs differ from every earlier one's, and `diverged` is the share of all runs that failed or
    collapsed (Dodge et al. 2020).
    `seed_percentile`: share of the other runs that score worse than the run of `seed`, ties half;
    none if all scores are equal. `rows`, `words` (mean of a text), `labels` and
    `label_shares` are of the dataset.

    Regressions and scored items are left out.
    """
    read = [read_published_table(data.published, name, _PUBLISHED) for name in options.files]
    table = pd.concat(read, ignore_index=True) if read else None
    rows = []
    for one in read_outputs(data):
        if one.task in VALUE_TASKS:
            continue
        facts = data.info.datasets[one.key["dataset"]]
        counts = facts.class_counts or {}
        common = one.key | {"n": one.n, "failed": one.failed, "items": len(one.y_true)}
        common |= {"rows": facts.rows, "words": facts.words, "labels": len(counts) or nan}
        shares = {label: count / sum(counts.values()) for label, count in counts.items()}
        common["label_shares"] = ", ".join(f"{x}: {percent(share)}" for x, share in shares.items())
        for metric in METRICS:
            row = common | {"metric": metric, "seed": options.seed}
            row |= _published(table, one.key, metric, options)
            rows.append(row | (_measure(one, metric, options) if one.n else _NOTHING))
    return pd.DataFrame(rows, columns=COLUMNS)


_NOTHING = {"diverged": 1.0, "outliers": "[]", "reason": "no run finished"}


def _measure(one: Outputs, metric: str, options: Options) -> Row:
    labels, score = one.labels, WEIGHTED_METRICS[metric]
    ones = np.ones((1, len(one.y_true)))
    values = np.asarray(score(one.y_true, labels, ones)[0], dtype=np.float64)
    constant = np.full((1, len(one.y_true)), np.bincount(one.y_true.astype(int)).argmax())
    chosen = labels[: options.max_seeds]
    boot = test_set_bootstrap(
        metric, one.y_true, chosen, options.n_boot, rng=one.rng("test set", metric)
    )
    collapsed = int((labels == labels[:, :1]).all(axis=1).sum())
    bootstrap_sd = float(np.sqrt(np.mean(np.square(boot.sd))))
    spread = _spread(values, options.level)
    return {
        "mean": values.mean(),
        **spread,
        **box(values),
        "bootstrap_sd": bootstrap_sd,
        **resample_limits(bootstrap_sd, boot.n_boot, options.level),
        **{
            name.replace("sd", "ratio"): sd / (bootstrap_sd or np.nan)
            for name, sd in spread.items()
        },
        "level": options.level,
        "n_boot": boot.n_boot,
        "bootstrap_seeds": len(chosen),
        "majority": float(score(one.y_true, constant, ones)[0, 0]),
        "collapsed": collapsed,
        "distinct": len({run.tobytes() for run in one.probability}),
        "diverged": (collapsed + one.failed) / (one.n + one.failed),
        **_one_seed(one, values, options.seed),
        "reason": "",
    }


def _spread(values: np.ndarray, level: float) -> Row:
    """SD of values (n,) with its interval; NaN where there are too few."""
    if len(values) < 2:
        return dict.fromkeys(("sd", "sd_low", "sd_high"), np.nan)
    sd, ends = float(values.std(ddof=1)), (np.nan, np.nan)
    if len(values) >= _LEAST_FOR_SD:
        low, high = np.sqrt(variance_limits(values, level))
        ends = float(low), max(sd, min(float(high), _LARGEST_SD))
    return {"sd": sd, "sd_low": ends[0], "sd_high": ends[1]}


def resample_limits(sd: float, n_boot: int, level: float) -> Row:
    """Interval of the SD of so many Gaussian resamples of one model; wide enough for a mean."""
    tail, freedom = (1 - level) / 2, n_boot - 1
    low, high = (
        sd * float(np.sqrt(freedom / stats.chi2.isf(q, freedom))) for q in (tail, 1 - tail)
    )
    return {"bootstrap_sd_low": low, "bootstrap_sd_high": high}


def box(values: np.ndarray) -> Row:
    """Tukey's box of values (n,): quartiles, whiskers, and the outliers as a JSON list."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    outside = np.sort(values[(values < low - reach) | (values > high + reach)])
    return {
        "least": values.min(),
        "low_quartile": low,
        "median": median,
        "high_quartile": high,
        "most": values.max(),
        "low_whisker": inside.min(),
        "high_whisker": inside.max(),
        "outliers": json.dumps([round(float(v), 6) for v in outside]),
    }


def _one_seed(one: Outputs, values: np.ndarray, seed: int) -> Row:
    place = next((i for i, seeds in enumerate(one.seeds) if set(seeds) == {seed}), None)
    if place is None or one.n < 2:
        return {}
    score = values[place]
    if values.min() == values.max():
        return {"seed_score": score}
    others = np.delete(values, place)
    beaten = np.mean(others < score) + np.mean(others == score) / 2
    return {"seed_score": score, "seed_percentile": float(beaten)}


def _published(table: pd.DataFrame | None, key: Row, metric: str, options: Options) -> Row:
    if table is None:
        return {}
    names = {name: base_name(key[name]) for name in ("dataset", MODEL)}
    row = find_published_row(table, {k: options.names.get(v, v) for k, v in names.items()})
    if row is None or key.get(ARM, key[MODEL]) != key[MODEL]:
        return {}
    mean, sd = (row[f"{metric.removeprefix('macro_')}_{of}"] for of in ("mean", "std"))
    return {"published_mean": mean, "published_bootstrap_sd": sd}
