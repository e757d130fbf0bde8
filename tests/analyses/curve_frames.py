"""Scores over seeds and training curves of constructed studies."""

import numpy as np
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from study_frames import about, frame, trial


def seeds(n=60, arm="rf", mean=0.9, sd=0.002, seed=0, **place):
    x = np.random.default_rng(seed).normal(mean, sd, n)
    place = {"dataset": "magic", "metric": "auc", "model": "rf"} | place
    return [trial(v, seed=s, arm=arm, **place) for s, v in enumerate(x)], x


def data_of(rows, curve_rows=None, folder=None, facts=None):
    predictions = None
    if curve_rows is not None:
        path = folder / "predictions" / "model_seeds"
        path.mkdir(parents=True)
        frame(curve_rows).to_parquet(path / "curves.parquet")
        predictions = Predictions(folder / "predictions")
    return Data(frame(rows), facts or about(("magic", "bike_sharing")), None, predictions)


def curve_rows(values, arm="rf", dataset="magic", column="validation_metric", **place):
    """One row a run and epoch; NaN ends a run."""
    rows = []
    for seed, run in enumerate(values):
        for epoch, value in enumerate(run):
            if value is not None:
                base = trial(0.9, seed=seed, arm=arm, dataset=dataset, metric="auc", model="rf")
                rows.append(base | {"epoch": epoch, column: value} | place)
    return rows


RAGGED = [[0.5, 0.7, 0.8, 0.81], [0.6, 0.7, None, None], [0.4, 0.6, 0.82, None]]
