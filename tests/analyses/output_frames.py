"""Per-item outputs of several arms, written as the pipeline writes them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from reseed.analyses.data import Data
from reseed.analyses.predictions import Predictions
from study_frames import about, frame, trial

_PLACE = {"scheme": "holdout-0.2", "data_seed": 0, "repeat": 0, "fold": 0}
ROLES = ("init", "order", "dropout", "augment")


def write_outputs(folder, arms, experiment="model_seeds", first_seed=None):
    """`arms`: (dataset, arm) → (y_true, one array a run or None for a failed one)."""
    path = folder / experiment
    path.mkdir(parents=True)
    scores, targets = [], {}
    for (dataset, arm), (y_true, runs) in arms.items():
        start = (first_seed or {}).get(arm, 0)
        targets[dataset] = {"dataset": dataset, **_PLACE, "y_true": np.asarray(y_true, float)}
        scores += [
            {
                "experiment": experiment,
                "dataset": dataset,
                "model": arm.partition(":")[0],
                "arm": arm,
                "hyperparameters_source": "default",
                **_PLACE,
                **dict.fromkeys(ROLES, start + seed),
                "status": "failed" if run is None else "ok",
                "y_score": None if run is None else np.ravel(run).astype(float),
            }
            for seed, run in enumerate(runs)
        ]
    pq.write_table(pa.Table.from_pylist(scores), path / "scores.parquet")
    pq.write_table(pa.Table.from_pylist(list(targets.values())), path / "targets.parquet")
    return Predictions(folder)


def study_of(predictions, arms, facts=None):
    """The data an analysis reads: no scores but the outputs, and a trial for each run."""
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in arms))
    models = tuple(dict.fromkeys(arm.partition(":")[0] for _, arm in arms))
    rows = [
        trial(None if run is None else 0.9, metric="auc", dataset=dataset, seed=seed,
              model=arm.partition(":")[0], hyperparameters_source="default", arm=arm)
        for (dataset, arm), (_, runs) in arms.items()
        for seed, run in enumerate(runs)
    ]  # fmt: skip
    return Data(frame(rows), facts or about(datasets, models), None, predictions)
