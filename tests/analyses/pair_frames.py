"""Tables of trials for the tests of comparisons."""

import numpy as np
import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.core.study_info import StudyInfo


def frame(rows, metric="accuracy", test_ratio=0.2, scheme="holdout-0.2"):
    """Rows of (dataset, model, data_seed, fold, seed, value)."""
    columns = ["dataset", "model", "data_seed", "fold", "init", metric]
    trials = pd.DataFrame(rows, columns=columns)
    value = trials.pop(metric)
    return trials.assign(
        study="s",
        experiment="e",
        varied="data",
        scheme=scheme,
        test_ratio=test_ratio,
        hyperparameters_source="default",
        repeat=0,
        order=trials["init"],
        dropout=trials["init"],
        augment=trials["init"],
        status=np.where(value.isna(), "failed", "ok"),
        **{metric: value},
    )


def data(metrics, metric="accuracy", greater=True):
    entry = {"metric": metric, "greater_is_better": greater, "metric_unit": ""}
    datasets = dict.fromkeys(metrics["dataset"], entry)
    return Data(metrics, StudyInfo(scale="demo", datasets=datasets))


def over_splits(rng, effects, n=12, dataset="d"):
    common = rng.normal(0, 0.01, n)
    return [
        (dataset, model, seed, 0, 0, 0.8 + effect + common[seed] + rng.normal(0, 0.004))
        for model, effect in effects.items()
        for seed in range(n)
    ]


def one_split(samples, first=None):
    start = first or dict.fromkeys(samples, 0)
    return frame(
        [
            ("d", m, 0, 0, start[m] + i, v)
            for m, values in samples.items()
            for i, v in enumerate(values)
        ]
    )


def row_of(table, a, b):
    """The one row of a table of pairs that compares `a` with `b`."""
    found = table[(table["model_a"] == a) & (table["model_b"] == b)]
    assert len(found) == 1
    return found.iloc[0]
