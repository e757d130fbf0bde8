"""Finds which column of a user's table is which: the study's mapping first, then common names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from reseed.core.errors import suggest_name
from reseed.metrics.directions import strip_direction
from reseed.readers.run_columns import parse_run, parse_run_labels
from reseed.readers.source_table import SourceTable

#: Reseed's column name → the table's column, or several whose values are joined.
ColumnMap = Mapping[str, str | list[str]]

#: Reseed's column name → other common names, by priority.
_ALIASES = {
    "model": "wflow_id model algorithm method estimator classifier regressor model_name "
    "architecture arch "
    "learner framework approach system ranker retriever backbone network solver agent "
    "algo alg clf llm policy variant model_adapter "
    "classifier_name alg_name algorithm_name learner_id pipeline "
    "flow_name model_id model_name_or_path "
    "method_name algo_name clf_name llm_name recommender forecaster model_type model_class",
    "dataset": "dataset data dataset_name data_set benchmark task tasks task_name collection "
    "corpus "
    "environment env game data_name dataset_id problem_name env_id env_name environment_name",
    "data_seed": "data_seed split split_seed data_split",
    "repeat": "repeat",
    "repetition": "repetition repetitions evaluation_run eval_run",
    "fold": "fold cv_fold fold_id cv_split fold_index fold_idx fold_number test_fold outer_fold "
    "resample kfold k_fold cv_iter cv_iteration",
    "seed": "seed model_seed random_state random_seed training_seed train_seed rng_seed",
    "metric": "metric metric_name measure",
    "value": "value score metric_value test_score estimate",
    "status": "status state",
    "n_train": "n_train train_rows n_train_samples n_training",
    "n_test": "n_test test_rows n_test_samples n_testing",
    "item": "item item_id example example_id sample sample_id query query_id qid question_id "
    "topic topic_id instance instance_id doc_id problem_id",
    "prompt": "prompt prompt_id template template_id prompt_name",
    "cluster": "cluster cluster_id",
    "y_true": "y_true label target truth ground_truth gold gold_label true_label actual labels "
    "true_class class_label",
    "y_score": "y_score y_prob probability prob proba",
    "y_pred": "y_pred prediction predicted pred preds y_hat yhat predicted_label pred_label "
    "pred_class",
}
COLUMN_ALIASES = {name: tuple(aliases.split()) for name, aliases in _ALIASES.items()}
_STANDARD = {alias: name for name, aliases in COLUMN_ALIASES.items() for alias in aliases}
#: Columns that identify the runs of one model on one dataset.
RUN_COLUMNS = ["data_seed", "repeat", "fold", "seed"]
#: Those, and evaluations of one trained model, which are averaged or are runs of their own.
ALL_RUN_COLUMNS = [*RUN_COLUMNS, "repetition"]
#: Further names of columns of a table that has a column of items, or none of the runs.
_OF_ITEMS = {
    "repetition": "repeat epoch trial trial_id sample_index sample_idx attempt attempt_id rollout "
    "completion_id sample sample_id",
    "value": "correct is_correct reward passed",
}
#: Predicted labels next to a target; elsewhere an answer may be the right one.
_ANSWERS = "answer model_answer extracted_answer predicted_answer response model_response choice"
#: Names of items that next to others count the attempts at one of them.
_ATTEMPTS = ("sample", "sample_id")
#: Names of items that elsewhere may be those of datasets.
_ITEMS_OR_DATASETS = ("question", "task_id")
#: Names of test cases next to a target and a prediction.
_ITEM_NUMBER = re.compile(
    r"row|(row_?|image_?|img_?|text_?|sentence_?|uu?|g)?(id|idx|index|no|number)", re.I
)
#: Columns that may be joined from several of the table's.
LABEL_COLUMNS = ("model", "dataset")
# Trackers export these columns even if nothing was logged.
_MAY_BE_EMPTY = (*LABEL_COLUMNS, *ALL_RUN_COLUMNS, "status")
_TRACKER_PREFIX = re.compile(
    r"^(parameters/|params\.yaml:|metrics\.json:|params\.|tags\.|metrics\.|params_|user_attrs_|(general|args|hparams|config|cfg|hyperparameters)[/.])",
    re.I,
)


def strip_tracker_prefix(column: str) -> str:
    """A column's name without the prefix of a tracker."""
    return _TRACKER_PREFIX.sub("", column).strip()


@lru_cache(maxsize=65_536)
def normalize_name(column: str) -> str:
    """A column's name in lower case, words joined by `_`; no tracker's prefix, no arrow."""
    name = strip_direction(strip_tracker_prefix(column)).lstrip(".")
    return re.sub(r"[\s\-/.]+", "_", name.lower())


def find_standard_name(column: object) -> str | None:
    """Reseed's name of a column, if the column has a common name."""
    return _STANDARD.get(normalize_name(str(column)))


def list_columns(column: str | Iterable[str]) -> list[str]:
    """The table's columns of one entry of a `ColumnMap`."""
    return [column] if isinstance(column, str) else list(column)


def list_used_columns(columns: ColumnMap) -> list[str]:
    """Every column of the table that a `ColumnMap` uses."""
    return [name for column in columns.values() for name in list_columns(column)]


def list_unused_columns(table: SourceTable, columns: ColumnMap) -> list[str]:
    """The columns of the table that a `ColumnMap` does not use."""
    used = set(list_used_columns(columns))
    return [column for column in table.columns if column not in used]


def find_columns(table: SourceTable, mapping: ColumnMap) -> dict[str, str | list[str]]:
    """Reseed's name → the table's column, for every column that is mapped or recognised.

    Errors: a mapping of an unknown name or column, and several columns where one is required.
    """
    columns = _check_mapping(table, mapping)
    metric_prefixes = table.layout.metric_prefixes
    free = {
        normalize_name(c): c for c in reversed(table.columns) if not c.startswith(metric_prefixes)
    }
    taken = set(list_used_columns(mapping))
    for name, aliases in COLUMN_ALIASES.items():
        if name == "model":
            aliases = (*aliases, *table.layout.run_name_columns)
        candidates = [free[a] for a in aliases if a in free and free[a] not in taken]
        if name in _MAY_BE_EMPTY:
            candidates = [c for c in candidates if table.text(c).ne("").any()]
        if candidates and name not in mapping:
            columns[name] = candidates[0]
    if not (set(ALL_RUN_COLUMNS) & set(columns) or table.layout.is_tracker):
        columns |= find_labelled_runs(table, columns)
    if "repetition" in columns and "fold" in columns and "repeat" not in columns:
        columns["repeat"] = columns.pop("repetition")  # of a cross-validation
    _add_columns_of_items(table, columns, free, mapping)
    return columns


def find_labelled_runs(table: SourceTable, columns: ColumnMap) -> dict[str, str]:
    """Columns whose labels all name a run, each another number: `fold_3`, `rep0_fold3`."""
    named: dict[str, str] = {}
    for column in list_unused_columns(table, columns):
        names_run = any(map(parse_run, map(str, table.frame[column].head(1))))
        for numbers in [*parse_run_labels(table.text(column)).values()][:1] if names_run else ():
            if min(numbers) in named:
                return {}
            named[min(numbers)] = column
    return named


def _add_columns_of_items(
    table: SourceTable,
    columns: dict[str, str | list[str]],
    free: Mapping[str, str],
    mapping: ColumnMap,
) -> None:
    """Find what only tables of items have: a `repeat` of theirs is no cross-validation."""
    if "y_true" in columns and not {"y_pred", "y_score"} & set(columns):
        labels = {*table.text(str(columns["y_true"]))}
        answers = [free[one] for one in _ANSWERS.split() if one in free]
        closed = [one for one in answers if {*table.text(one)} <= labels | {""}]
        columns |= {"y_pred": closed[0]} if closed else {}
    if "item" in columns and "item" not in mapping:
        columns |= _find_attempts(table, columns, free)
    if "item" not in columns:
        unused = {n: c for n, c in free.items() if c not in list_used_columns(columns)}
        named = [unused[name] for name in _ITEMS_OR_DATASETS if name in unused]
        names = [c for c in named if _tells_items_apart(table, columns, c)]
        if "y_true" in columns and {"y_pred", "y_score"} & set(columns):
            names += [c for name, c in unused.items() if _ITEM_NUMBER.fullmatch(name)]
        columns |= {"item": names[0]} if names else {}
    if "item" not in columns or "fold" in columns:
        return
    if "repeat" in columns and "repeat" not in mapping and "repetition" not in columns:
        columns["repetition"] = columns.pop("repeat")
    for name, aliases in _OF_ITEMS.items():
        used = list_used_columns(columns)
        named = [free[one] for one in aliases.split() if one in free and free[one] not in used]
        if named and name not in columns and "y_true" not in columns:
            columns[name] = named[0]


def _find_attempts(
    table: SourceTable, columns: ColumnMap, free: Mapping[str, str]
) -> dict[str, str]:
    """Items and attempts, where what seems to name items counts attempts at those of a column."""
    attempts, used = str(columns["item"]), list_used_columns(columns)
    names = (*COLUMN_ALIASES["item"], *_ITEMS_OR_DATASETS)
    items = [free[one] for one in names if one in free and free[one] not in used]
    if normalize_name(attempts) not in _ATTEMPTS or not items or "repetition" in columns:
        return {}
    if table.text(attempts).nunique() >= table.text(items[0]).nunique():
        return {}
    return {"item": items[0], "repetition": attempts}


def _tells_items_apart(table: SourceTable, columns: ColumnMap, column: str) -> bool:
    """Whether rows of one dataset differ in a column, and no fold or split repeats under it."""
    if {"fold", "data_seed"} & set(columns):
        return False
    label = table.text(column)
    if "dataset" not in columns:
        return bool(label.nunique() > 1)
    dataset = table.joined_text(list_columns(columns["dataset"]))
    return bool(label.groupby(dataset).nunique().max() > 1)


def _check_mapping(table: SourceTable, mapping: ColumnMap) -> dict[str, str | list[str]]:
    """The entries of the user's mapping that are valid; others are errors."""
    valid: dict[str, str | list[str]] = {}
    for name, column in mapping.items():
        if name not in COLUMN_ALIASES:
            table.add_error(
                f"`columns` maps {name!r}, which is not one of Reseed's columns",
                f"Use {', '.join(COLUMN_ALIASES)}.{suggest_name(name, list(COLUMN_ALIASES))}",
            )
            continue
        for source in list_columns(column):
            if source not in table.columns:
                table.add_error(
                    f"has no column {source!r}, to which `columns` maps {name!r}",
                    f"{table.column_list}{suggest_name(source, table.columns)}",
                )
        if not isinstance(column, str) and name not in LABEL_COLUMNS:
            table.add_error(
                f"`columns` maps {name!r} to several columns",
                f"Only {' and '.join(LABEL_COLUMNS)} may be joined from several.",
            )
        elif set(list_columns(column)) <= set(table.columns):
            valid[name] = column
    return valid
