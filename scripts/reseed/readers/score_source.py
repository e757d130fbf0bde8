"""Reads a source as scores of items, or as a table of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.readers.columns import ColumnMap, find_standard_name, list_columns, normalize_name
from reseed.readers.evaluation_logs import read_evaluation_log
from reseed.readers.hints import find_hits_in_columns
from reseed.readers.import_runs import ImportOptions
from reseed.readers.item_table import ALIASES, ItemTable, read_item_table
from reseed.readers.prediction_table import read_prediction_table
from reseed.readers.source_table import SourceTable
from reseed.readers.sources import read_source

#: Factors, in addition to seeds, that only the model of items has.
_ITEM_FACTORS = ("cluster", "prompt", "repeat")
_PREDICTIONS = {"y_true", "y_score", "y_pred"}
_SPLITS = {"fold", "data_seed"}
#: With so many datasets, single runs are compared over datasets.
_MANY_DATASETS = 5


def read_scores(
    source: object, options: ImportOptions, cluster: str | None, is_requested: bool
) -> ItemTable | SourceTable:
    """Read logs of a harness, or a table whose design needs the model of items, as scores of items.

    Any other source is returned as the table of its runs.

    Args:
        source: as `read_source`.
        options: how the source is read.
        cluster: column, or field of the metadata, that names the cluster of each item.
        is_requested: whether the user gives an option that only scores of items have.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    mapping = dict(options.columns)
    is_requested = is_requested or bool({"cluster", "prompt"} & set(mapping))
    paths = _list_paths(source)
    if paths and options.format == "auto":
        log = read_evaluation_log(paths, _name_metric(options, False), cluster)
        if log is not None:
            return log
    known = {name: column for name, column in mapping.items() if name not in ("cluster", "prompt")}
    table = read_source(
        source, options.format, known, options.metric, options.headings, options.rows
    )
    if not (is_requested or (options.format == "auto" and has_item_design(table, mapping))):
        return table
    return to_item_table(table, mapping, _name_metric(options, True), cluster)


def to_item_table(
    table: SourceTable, mapping: ColumnMap, metric: str | None, cluster: str | None
) -> ItemTable:
    """Scores of items, or predictions of which a metric is computed, of a table.

    Args:
        table: one row an item of a run.
        mapping: standard name → the table's column.
        metric: the score, or what is computed from predictions.
        cluster: column that names the cluster of each item.

    Raises:
        ReseedError: as `read_item_table` and `read_prediction_table`.
    """
    if _has_predictions(table, mapping) and metric not in table.columns:
        group = cluster or mapping.get("cluster") or _find_cluster(table)
        known = {name: column for name, column in mapping.items() if name != "cluster"}
        return read_prediction_table(table, known, metric, None if group is None else str(group))
    single = {name: _one_column(name, column) for name, column in mapping.items()}
    return read_item_table(table, single | ({"cluster": cluster} if cluster else {}), metric)


def _has_predictions(table: SourceTable, mapping: ColumnMap) -> bool:
    standard = {find_standard_name(column) for column in table.columns} | set(mapping)
    return {"item", "y_true"} <= standard and bool({"y_score", "y_pred"} & standard)


def has_item_design(table: SourceTable, mapping: ColumnMap) -> bool:
    """Whether a table holds scores of items that seeds alone do not describe.

    That is an item with its cluster, prompt or repeat, or one run of each model.
    """
    standard = {find_standard_name(column) for column in table.columns} | set(mapping)
    if _SPLITS & standard:
        return False
    if find_hits_in_columns(table) is not None and not mapping:
        return True
    if _PREDICTIONS & standard:
        return _find_cluster(table) is not None or "cluster" in mapping
    by_name = {normalize_name(column): column for column in reversed(table.columns)}
    found = {
        name: column
        for name, aliases in ALIASES.items()
        if (column := next((by_name[one] for one in aliases if one in by_name), None))
    }
    found |= {name: list_columns(column)[0] for name, column in mapping.items()}
    if not {"item", "model"} <= set(found) or not set(found.values()) <= set(table.columns):
        return False
    if "dataset" in found and "item" not in mapping:  # `task_id`, which names the dataset too
        items = table.text(found["item"]).groupby(table.text(found["dataset"])).nunique()
        if items.max() == 1 and normalize_name(found["item"]) not in ("item", "item_id"):
            return False
    if "item" not in standard:  # a name of items that tables of runs do not have
        return True
    return any(name in found for name in _ITEM_FACTORS) or _has_single_runs(table, found)


def _find_cluster(table: SourceTable) -> str | None:
    """The column of the cluster, if one has a common name."""
    return next((c for c in table.columns if normalize_name(c) in ALIASES["cluster"]), None)


def _has_single_runs(table: SourceTable, found: dict[str, str]) -> bool:
    if "dataset" in found and table.text(found["dataset"]).nunique() >= _MANY_DATASETS:
        return False
    if "seed" not in found:
        key = [name for name in ("model", "dataset", "item") if name in found]
        return not table.joined_text([found[name] for name in key]).duplicated().any()
    return bool(table.text(found["seed"]).groupby(table.text(found["model"])).nunique().max() == 1)


def _list_paths(source: object) -> list[Path]:
    if isinstance(source, str | Path):
        return [Path(source)]
    if isinstance(source, Sequence) and all(isinstance(one, str | Path) for one in source):
        return [Path(one) for one in source]
    return []


def _name_metric(options: ImportOptions, required: bool) -> str | None:
    if options.metric is None or isinstance(options.metric, str):
        return options.metric
    if not required:
        names = list(options.metric)
        return names[0] if len(names) == 1 else None
    raise ReseedError("Scores of items are compared by one metric: name one, not several.")


def _one_column(name: str, column: str | list[str]) -> str:
    columns = list_columns(column)
    if len(columns) > 1:
        raise ReseedError(f"`columns` maps {name!r} to several columns: scores of items need one.")
    return columns[0]
