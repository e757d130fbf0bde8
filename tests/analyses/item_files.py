"""Per-item files of an experiment from given scores, as `trials.collect_items` writes them."""

from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from reseed.analyses.shared.predictions import Predictions
from reseed.core.schemas import MODEL_SEED_COLUMNS, SCORES, TARGETS
from reseed.metrics.outputs import from_probabilities

PLACE = {"scheme": "holdout-0.2", "data_seed": 0, "repeat": 0, "fold": 0}


def task_of(dataset, run):
    if run is not None and np.ndim(run) == 2:
        return "multiclass"
    return "binary" if dataset.partition("~")[0] in ("magic", "home_mortgage_sim") else "regression"


def write_items(folder, arms, experiment="model_seeds", first_seed=None, data_seeds=None):
    """`arms`: (dataset, arm) → (y_true, one array of scores a run, None for a failed one).

    Scores are predictions, probabilities of class 1 or (items, classes) probabilities; an arm
    called `model:name` belongs to that model. `data_seeds`: arm → the splits that it is on, with
    the same scores on each (split 0).
    """
    path = folder / experiment
    path.mkdir(parents=True)
    scores, targets, tasks = [], {}, {}
    for (dataset, arm), (y_true, runs) in arms.items():
        start = (first_seed or {}).get(arm, 0)
        places = [PLACE | {"data_seed": seed} for seed in (data_seeds or {}).get(arm, [0])]
        for place in places:
            split = {"dataset": dataset, **place, "test": np.asarray(y_true, float)}
            targets[dataset, place["data_seed"]] = split
        for place, (seed, run) in product(places, enumerate(runs)):
            task = task_of(dataset, run)
            if run is not None:
                tasks[dataset] = task
            scores.append(
                {
                    "experiment": experiment,
                    "varied": "model",
                    "test_ratio": 0.2,
                    "dataset": dataset,
                    "arm": arm,
                    "model": arm.partition(":")[0],
                    "hyperparameters_source": "default",
                    **place,
                    **dict.fromkeys(MODEL_SEED_COLUMNS, start + seed),
                    "status": "failed" if run is None else "ok",
                    "classes": np.shape(run)[1] if np.ndim(run) == 2 else 1,
                    "test": None if run is None else from_probabilities(task, run).ravel(),
                }
            )
    pq.write_table(pa.Table.from_pylist(scores, SCORES), path / "scores.parquet")
    pq.write_table(pa.Table.from_pylist(list(targets.values()), TARGETS), path / "targets.parquet")
    return Predictions(folder, tasks=tasks)
