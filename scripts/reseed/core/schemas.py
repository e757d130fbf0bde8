"""The tables that analyses read, each defined once: trained and imported results look the same.

- `metrics.parquet`: one row a trial and experiment: `IDENTITY`, `SEEDS`, `OUTCOME`, then one
  column a metric on the test rows, and `validation_{metric}` where a trial has validation scores.
- `predictions/{experiment}/scores.parquet`: raw outputs of each trial (`SCORES`).
- `predictions/{experiment}/targets.parquet`: what they are scored against (`TARGETS`).
- `predictions/{experiment}/curves.parquet`: one row a trial and epoch (`CURVES`).
- `about.json`: what a reader should know of the study (`collect.describe`).
"""

import pyarrow as pa

from reseed.core.coordinates import KEPT_PARTS, ROLES

#: What is held fixed while seeds vary. `arm` is what is compared; by default it is the model.
IDENTITY = [
    "experiment",
    "varied",
    "dataset",
    "scheme",
    "test_ratio",
    "arm",
    "model",
    "hyperparameters_source",
]
#: What names a setting; with `SEEDS`, a trial.
SETTING = ["dataset", "scheme", "model", "hyperparameters_source"]
#: The split a trial learns from; fold 0 where there are no folds. `repeat` is of given results
#: and 0 in trained ones, where every data seed is a repeat.
PLACE = ["data_seed", "repeat", "fold"]
#: The seeds inside training; together they are the model seed.
MODEL_SEED = list(ROLES)
SEEDS = [*PLACE, *MODEL_SEED]
#: How a trial ended and where it was made.
OUTCOME = [
    "status",
    "error",
    "converged",
    "train_seconds",
    "fingerprint",
    "environment",
    "hyperparameters",
]
_PLACED = [
    *((name, pa.float64() if name == "test_ratio" else pa.string()) for name in IDENTITY),
    *((name, pa.int64()) for name in SEEDS),
]
SCORES = pa.schema(
    [
        *_PLACED,
        ("status", pa.string()),
        ("classes", pa.int32()),
        # Of regressions: their errors may be far smaller than their values.
        *((part, pa.list_(pa.float64())) for part in KEPT_PARTS),
    ]
)
TARGETS = pa.schema(
    [
        ("dataset", pa.string()),
        ("scheme", pa.string()),
        *((name, pa.int64()) for name in PLACE),
        *((part, pa.list_(pa.float64())) for part in KEPT_PARTS),
    ]
)
CURVES = pa.schema(
    [
        *_PLACED,
        ("epoch", pa.int32()),
        *(
            (name, pa.float64())
            for name in ("train_loss", "validation_loss", "validation_metric", "test_metric")
        ),
    ]
)
