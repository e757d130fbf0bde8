"""Which column of a user's table is which: the study's mapping, then names in common use."""

from __future__ import annotations

import re

from reseed.core.errors import suggest_name
from reseed.importers.source_table import Table

#: Reseed's column → names it goes by elsewhere, the first that a table has is taken.
_NAMES = {
    "model": "model algorithm method estimator classifier regressor model_name architecture arch "
    "learner framework approach system ranker retriever backbone network solver agent",
    "dataset": "dataset data dataset_name data_set benchmark task task_name collection corpus "
    "environment env",
    "data_seed": "data_seed split split_seed data_split",
    "repeat": "repeat repetition",
    "fold": "fold cv_fold fold_id",
    "seed": "seed model_seed random_state random_seed training_seed train_seed rng_seed",
    "metric": "metric metric_name measure",
    "value": "value score metric_value test_score",
    "status": "status state",
    "n_train": "n_train train_rows n_train_samples n_training",
    "n_test": "n_test test_rows n_test_samples n_testing",
    "item": "item item_id example example_id sample sample_id query query_id qid question_id "
    "topic topic_id instance instance_id",
    "y_true": "y_true label target truth",
    "y_score": "y_score y_prob probability",
    "y_pred": "y_pred prediction predicted",
}
NAMES = {name: tuple(known.split()) for name, known in _NAMES.items()}
#: What tells the runs of one model on one dataset apart.
RUN = ["data_seed", "repeat", "fold", "seed"]
#: Columns that may be made of several of the table's.
LABELS = ("model", "dataset")
# Trackers export such columns whether or not anything was logged.
_MAY_BE_EMPTY = (*LABELS, *RUN, "status")
_PREFIX = re.compile(
    r"^(params\.|tags\.|metrics\.|config/|params_|user_attrs_|(general|args|hparams)/)", re.I
)


def unprefixed(column: str) -> str:
    """A column's name without what a tracker puts before it."""
    return _PREFIX.sub("", column).strip()


def plain(column: str) -> str:
    """A column's name without a tracker's prefix, in lower case, words joined by `_`."""
    return re.sub(r"[\s\-/.]+", "_", unprefixed(column).lower())


def known_name(column: object) -> str | None:
    """Reseed's name for a column with a name in common use."""
    return next((name for name, known in NAMES.items() if plain(str(column)) in known), None)


def parts_of(column: str | list[str]) -> list[str]:
    """The table's columns behind one of Reseed's."""
    return [column] if isinstance(column, str) else list(column)


def used(found: dict) -> list[str]:
    """Every column of the table that is read as something."""
    return [name for column in found.values() for name in parts_of(column)]


def find_columns(table: Table, mapping: dict) -> dict[str, str | list[str]]:
    """Reseed's name → the table's column, for every one that is mapped or recognised.

    `model` and `dataset` may be mapped to several columns, which together name it. A mapping of an
    unknown name or column, and a table that names no model, are mistakes.
    """
    columns, found = table.columns, {}
    for name, column in mapping.items():
        if name not in NAMES:
            table.mistake(
                f"`columns` maps {name!r}, which is not one of Reseed's columns",
                f"Use {', '.join(NAMES)}.{suggest_name(name, list(NAMES))}",
            )
            continue
        for source in parts_of(column):
            if source not in columns:
                table.mistake(
                    f"has no column {source!r}, to which `columns` maps {name!r}",
                    f"{table.holds}{suggest_name(source, columns)}",
                )
        if not isinstance(column, str) and name not in LABELS:
            table.mistake(
                f"`columns` maps {name!r} to several columns",
                f"Only {' and '.join(LABELS)} may be made of several.",
            )
        elif set(parts_of(column)) <= set(columns):
            found[name] = column
    scores = table.layout.metrics
    free = {plain(c): c for c in reversed(columns) if not c.startswith(scores)}
    taken = {c for column in mapping.values() for c in parts_of(column)}
    for name, known in NAMES.items():
        if name == "model":
            known = (*known, *table.layout.run_names)
        candidates = [free[other] for other in known if other in free and free[other] not in taken]
        if name in _MAY_BE_EMPTY:
            candidates = [c for c in candidates if table.text(c).ne("").any()]
        if candidates and name not in mapping:
            found[name] = candidates[0]
    if "model" not in found and "model" not in mapping:
        table.mistake("has no column that names the model", _name_the_model(table))
    return found


def _name_the_model(table: Table) -> str:
    fix = f"Name it `model`, or map it: `columns: {{model: …}}`. {table.holds}"
    settings = [c for c in table.columns if c.startswith(table.layout.settings)]
    if settings:
        fix += (
            " Where runs differ in their settings, these name the model: "
            f"`columns: {{model: [{', '.join(settings)}]}}`."
        )
    return fix
