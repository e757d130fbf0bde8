"""Which column of a user's file is which: the study's mapping, then names in common use."""

from __future__ import annotations

import re

from reseed.errors import nearest
from reseed.importing.table import Table

#: Reseed's column → names it goes by elsewhere, the first that a file has is taken.
_NAMES = {
    "model": "model algorithm method estimator classifier model_name architecture learner",
    "dataset": "dataset data dataset_name data_set benchmark task",
    "data_seed": "data_seed split split_seed data_split",
    "repeat": "repeat repetition",
    "fold": "fold cv_fold fold_id",
    "seed": "seed model_seed random_state random_seed training_seed train_seed",
    "metric": "metric metric_name measure",
    "value": "value score metric_value",
    "status": "status state",
    "item": "item item_id example example_id sample sample_id",
    "y_true": "y_true label target truth",
    "y_score": "y_score y_prob probability",
    "y_pred": "y_pred prediction predicted",
}
NAMES = {name: tuple(known.split()) for name, known in _NAMES.items()}
#: What tells the runs of one model on one dataset apart.
RUN = ["data_seed", "repeat", "fold", "seed"]
_PREFIX = re.compile(r"^(params|tags|metrics)\.")


def plain(column: str) -> str:
    """A column's name without MLflow's prefix, in lower case, words joined by `_`."""
    return re.sub(r"[\s\-/.]+", "_", _PREFIX.sub("", column).strip().lower())


def find_columns(table: Table, mapping: dict[str, str], runs: bool) -> dict[str, str]:
    """Reseed's name → the file's column, for every one that is mapped or recognised.

    `runs`: a tracker's export, one row a run, where the run's name serves as the model's if
    nothing better is there. Raises ReseedError for a mapping of an unknown name or column.
    """
    columns = list(table.frame.columns)
    for name, column in mapping.items():
        if name not in NAMES:
            raise table.refuse(
                f"`columns` maps {name!r}, which is not one of Reseed's columns",
                f"Use {', '.join(NAMES)}.{nearest(name, list(NAMES))}",
            )
        if column not in columns:
            raise table.refuse(
                f"has no column {column!r}, to which `columns` maps {name!r}",
                f"It has {', '.join(columns)}.{nearest(column, columns)}",
            )
    found = dict(mapping)
    free = {plain(c): c for c in reversed(columns) if not c.startswith("metrics.")}
    for name, known in NAMES.items():
        if runs and name == "model":
            known = (*known, "mlflow_runname", "name")
        candidates = (free[other] for other in known if other in free)
        column = next((c for c in candidates if c not in mapping.values()), None)
        if name not in found and column is not None:
            found[name] = column
    if "model" not in found:
        raise table.refuse(
            "has no column that names the model",
            f"Name it `model`, or map it: `columns: {{model: …}}`. It has {', '.join(columns)}.",
        )
    return found
