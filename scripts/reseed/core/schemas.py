"""Columns and schemas of the tables that analyses read.

Trained and imported results have the same tables:

- `metrics.parquet`: one row a trial and experiment: `CELL_COLUMNS`, `TRIAL_COLUMNS`,
  `OUTCOME_COLUMNS`, then one column a metric on the test rows, and `validation_{metric}` where a
  trial has validation scores.
- `predictions/{experiment}/scores.parquet`: raw outputs of each trial (`SCORES`).
- `predictions/{experiment}/targets.parquet`: the targets of each split (`TARGETS`).
- `predictions/{experiment}/curves.parquet`: one row a trial and epoch (`CURVES`).
- `about.json`: facts of the study (`jobs.collection.describe`).

The order of the columns of a group is fixed: random streams are named after the values.
"""

from typing import Any

import pyarrow as pa

from reseed.core.coordinates import KEPT_PARTS, ROLES

#: Values of one row of a table, by column.
Row = dict[str, Any]
#: A cell: what is held fixed while seeds vary. `arm` is what is compared, by default the model.
CELL_COLUMNS = [
    "experiment",
    "varied",
    "dataset",
    "scheme",
    "test_ratio",
    "arm",
    "model",
    "hyperparameters_source",
]
#: What the arms of one comparison share.
COMPARISON_COLUMNS = [name for name in CELL_COLUMNS if name not in ("arm", "model")]
#: What names a setting (`coordinates.Setting`); with `TRIAL_COLUMNS`, a trial.
SETTING_COLUMNS = ["dataset", "scheme", "model", "hyperparameters_source"]
#: A split of a dataset. `fold` is 0 where there are no folds. `repeat` numbers the repeats of
#: imported results; in trained results it is 0, and every data seed is a repeat.
SPLIT_COLUMNS = ["data_seed", "repeat", "fold"]
#: The seeds inside training; together they are the model seed.
MODEL_SEED_COLUMNS = list(ROLES)
#: The seeds that an experiment varies.
SEED_COLUMNS = ["data_seed", *MODEL_SEED_COLUMNS]
#: One trial of a setting: its split and its model seed.
TRIAL_COLUMNS = [*SPLIT_COLUMNS, *MODEL_SEED_COLUMNS]
#: How a trial ended, and its environment.
OUTCOME_COLUMNS = [
    "status",
    "error",
    "converged",
    "train_seconds",
    "fingerprint",
    "environment",
    "hyperparameters",
]
#: The arms of an experiment on one dataset and scheme of splits.
SCHEME_COLUMNS = ["experiment", "dataset", "scheme", "hyperparameters_source"]
#: The arms of an experiment on one test set.
TEST_SET_COLUMNS = [*SCHEME_COLUMNS, *SPLIT_COLUMNS]
#: One arm's runs on one test set.
ARM_OUTPUT_COLUMNS = [
    "experiment",
    "dataset",
    "scheme",
    "model",
    "arm",
    "hyperparameters_source",
    *SPLIT_COLUMNS,
]
#: The same within the files of one experiment.
PREDICTION_COLUMNS = ["dataset", "scheme", "arm", "model", "hyperparameters_source", *SPLIT_COLUMNS]
#: A row of `TARGETS`.
TARGET_COLUMNS = ["dataset", "scheme", *SPLIT_COLUMNS]

_KEY_FIELDS = [
    *((name, pa.float64() if name == "test_ratio" else pa.string()) for name in CELL_COLUMNS),
    *((name, pa.int64()) for name in TRIAL_COLUMNS),
]
SCORES = pa.schema(
    [
        *_KEY_FIELDS,
        ("status", pa.string()),
        ("classes", pa.int32()),
        # Double precision: errors of a regression may be far smaller than its values.
        *((part, pa.list_(pa.float64())) for part in KEPT_PARTS),
    ]
)
TARGETS = pa.schema(
    [
        ("dataset", pa.string()),
        ("scheme", pa.string()),
        *((name, pa.int64()) for name in SPLIT_COLUMNS),
        *((part, pa.list_(pa.float64())) for part in KEPT_PARTS),
    ]
)
#: A further column of `TARGETS` of imported scores: the code of the cluster of each item.
CLUSTER = "cluster"
CURVES = pa.schema(
    [
        *_KEY_FIELDS,
        ("epoch", pa.int32()),
        *(
            (name, pa.float64())
            for name in ("train_loss", "validation_loss", "validation_metric", "test_metric")
        ),
    ]
)
