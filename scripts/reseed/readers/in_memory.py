"""Reads frames, dicts and other objects in memory as one table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from reseed.core.errors import ReseedError
from reseed.readers.converters.sklearn import POSITION_NOTE, number_folds, unpack_search
from reseed.readers.files import check_table, flatten_records, index_to_columns
from reseed.readers.names import ALL_RUN_COLUMNS, RUN_COLUMNS, find_metric, find_role, parse_label
from reseed.readers.source_table import IN_MEMORY, UNNAMED_INDEX, SourceTable, join_names

_COLUMN_NAMES = {"params", "model", "fit_time"}
_PAIRED_NOTE = "Score i of each model was paired with score i of the others (column `fold`)."


def read_object(source: Any) -> SourceTable:
    """The table of something in memory: see `sources.open_source`."""
    source = unpack_search(source)
    if hasattr(source, "to_dataframe"):  # of xarray, which is not imported
        is_array = hasattr(source, "values") and not callable(source.values)
        names = {"name": getattr(source, "name", None) or "value"} if is_array else {}
        source = source.to_dataframe(**names).reset_index()
    if isinstance(source, np.ndarray) and source.ndim == 2:
        source = pd.DataFrame(source).rename(columns=lambda number: f"model {number}")
    if hasattr(source, "to_pandas"):
        source = source.to_pandas()
    if isinstance(source, pd.Series):  # for example of `groupby`: its index identifies the run
        source = source.to_frame("value" if source.name is None else source.name)
    if isinstance(source, pd.DataFrame):
        return read_frame(source)
    if isinstance(source, Mapping):
        return read_mapping(source)
    if are_records(source):
        return read_frame(flatten_records(source))
    raise ReseedError(
        f"results are a path, a DataFrame or a dict by model, not {type(source).__name__}."
    )


def are_records(source: object) -> bool:
    """Whether an object is a list of dicts, one a row."""
    is_list = isinstance(source, Sequence) and bool(source)
    return is_list and all(isinstance(one, Mapping) for one in source)  # type: ignore[attr-defined]


def read_frame(frame: pd.DataFrame) -> SourceTable:
    """Read a frame; named levels of its index become columns.

    A pivoted frame (index `model`, columns named `fold`) becomes long, also if its index was made a
    column. With numbered runs as columns, an unnamed index of names is the model. Other numeric
    columns of a pivoted frame, such as a mean, are left out.
    """
    if frame.columns.nlevels > 1:
        frame = _stack_named_levels(frame)
    if frame.columns.nlevels > 1:
        raise ReseedError(
            "The table has headings of several levels. Give one level: "
            "`df.stack(…).reset_index()`, or join the levels."
        )
    across = frame.columns.name
    names = {find_role(column) for column in frame.columns}
    is_numbered = bool(_find_numbered(frame.columns))
    index = frame.index
    if index.nlevels == 1 and index.name is None and not is_numeric_dtype(index):
        if "model" not in names and is_numbered:
            frame = frame.rename_axis(index="model")
        elif UNNAMED_INDEX not in frame:  # as in a file
            frame = frame.rename_axis(index=UNNAMED_INDEX)
    levels = {str(level) for level in frame.index.names if level is not None}
    frame = index_to_columns(frame).rename_axis(columns=None).rename(columns=str)
    table = check_table(SourceTable(IN_MEMORY, frame, np.arange(len(frame)), "row"))
    return table if not find_role(across) else _unpivot(table, str(across), levels)


def _stack_named_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose headings of several levels, as of `pivot`, are columns where they are named."""
    known = [name for name in frame.columns.names if find_role(name)]
    if len(known) < frame.columns.nlevels - 1:
        return frame
    long = frame.stack(known, future_stack=True)
    return long.to_frame("value") if isinstance(long, pd.Series) else long


def _unpivot(table: SourceTable, across: str, levels: set[str]) -> SourceTable:
    """A pivoted frame with one score a row.

    across: what the columns are named after. levels: columns that were its index.
    """
    role = find_role(across)
    labels = [c for c in table.columns if c not in levels and find_role(c) in ("", role)]
    numbered = [*_find_numbered(labels)] if role in RUN_COLUMNS else []
    scores = numbered or labels
    left_out = [c for c in labels if c not in scores and is_numeric_dtype(table.frame[c])]
    others = [c for c in table.columns if c not in (*scores, *left_out)]
    if not scores:
        return table
    if "value" in others:
        raise ReseedError(
            f"The table has a column 'value' next to columns by {across!r}. Remove or rename it."
        )
    parts = [table.frame[others].assign(**{across: c, "value": table.frame[c]}) for c in scores]
    note = [f"Columns not used: {join_names(left_out)}."] if left_out else []
    return table.with_frame(pd.concat(parts), *note)


def _find_numbered(labels: Collection[Any]) -> dict[str, str]:
    """Label → Reseed's column, of labels that are numbers (folds) or name a run (`seed_0`)."""
    found = {}
    for label in map(str, labels):
        runs, rest = parse_label(label)
        kinds = [name for name in runs if name in ALL_RUN_COLUMNS]
        if label.strip().isdigit():
            found[label] = "fold"
        elif len(kinds) == len(runs) == 1 and not rest:
            found[label] = kinds[0]
    return found if len(found) > 1 and len({*found.values()}) == 1 else {}


def read_mapping(source: Mapping[Any, Any]) -> SourceTable:
    """Read a dict of columns, or a dict of results by model."""
    if not source:
        raise ReseedError("The table holds no rows. Each run of a model is one row.")
    run_names = ("dataset", *RUN_COLUMNS)
    if any(k in _COLUMN_NAMES or find_role(k) in run_names for k in map(str, source)):
        return read_frame(_read_columns(source))
    source = _put_models_first(source)
    by_model = {str(model): _as_series(value) for model, value in source.items()}
    values = [*by_model.values()]
    are_tables = [isinstance(value, Mapping | pd.DataFrame) for value in values]
    are_series = all(isinstance(value, pd.Series) for value in values)
    if are_series and not all(map(_is_ordered, source.values())):
        return _read_series_by_model(by_model)
    if any(are_tables) and not all(are_tables):
        raise _unreadable_mapping()
    parts = {m: _read_model(value, m) for m, value in by_model.items()}
    frame = pd.concat([part.assign(model=m) for m, part in parts.items()], ignore_index=True)
    table = read_frame(frame)
    has_runs = bool({*map(find_role, table.columns)} & {*RUN_COLUMNS})
    has_frames = any(isinstance(value, pd.DataFrame) for value in values)
    if has_frames or has_runs or {"fit_time", "axis_0"} & {*table.columns}:
        return table
    return number_folds(table, _PAIRED_NOTE, POSITION_NOTE)


def _put_models_first(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """`{seed: {model: score}}` as `{model: {seed: score}}`; any other dict unchanged."""
    inner = [*source.values()]
    if not all(isinstance(value, Mapping) for value in inner):
        return source
    names = {name: None for value in inner for name in value}
    scores = (
        all(map(_holds_metrics, value.values())) or isinstance(_as_series(value), pd.Series)
        for value in inner
    )  # fmt: skip
    if _are_numbered(names) or not _are_numbered(source) or not all(scores):
        return source
    return {
        name: {run: value[name] for run, value in source.items() if name in value} for name in names
    }


def _read_model(value: Any, model: str) -> pd.DataFrame:
    """The table of one model; what the axes of an array of two are is asked."""
    if isinstance(value, pd.DataFrame):
        frame = read_frame(value).frame
    elif isinstance(value, Mapping):
        frame = _read_columns(value)
    else:
        try:  # None is a failed run
            scores = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise _unreadable_mapping() from None
        axes = [axis.ravel() for axis in np.indices(scores.shape)] if scores.ndim == 2 else []
        if scores.ndim not in (1, 2):
            raise _unreadable_mapping()
        frame = pd.DataFrame({f"axis_{i}": axis for i, axis in enumerate(axes)})
        frame = frame.assign(value=scores.ravel())
    if "model" in frame and frame["model"].nunique() > 1:
        raise ReseedError(
            f"The table of {model!r} holds several models in its column 'model'. Give all as one "
            "table (`pd.concat`), or remove that column."
        )
    return frame


def _unreadable_mapping(reason: str = "") -> ReseedError:
    return ReseedError(
        "A dict holds, for each model, its scores (one number a run), the result of "
        "`cross_validate`, or a DataFrame; or it is a dict of columns of the same length with "
        f"`model` or a run column among them.{reason}"
    )


def _read_columns(columns: Mapping[Any, Any]) -> pd.DataFrame:
    """A dict of columns as a frame, without the estimators and indices of `cross_validate`."""
    if all(map(_holds_metrics, columns.values())):
        runs = _name_runs(columns) if _are_numbered(columns) else "dataset"
        return pd.DataFrame.from_dict(columns, orient="index").rename_axis(runs).reset_index()
    left_out = ("estimator", "indices") if "fit_time" in columns else ()
    try:
        return pd.DataFrame({k: v for k, v in columns.items() if k not in left_out})
    except ValueError as error:
        raise _unreadable_mapping(f" This dict is not a table: {error}.") from None


def _as_series(value: object) -> Any:
    """Scores by run in a dict as a Series by run; any other value unchanged."""
    if isinstance(value, Mapping) and value and not _holds_metrics(value):
        has_scores = all(isinstance(score, Real) for score in value.values())
        return pd.Series(value) if has_scores else value
    return value


def _holds_metrics(value: Any) -> bool:
    """Whether any key of a dict is the name of a metric."""
    return isinstance(value, Mapping) and any(find_metric(str(key)) is not None for key in value)


def _is_ordered(value: object) -> bool:
    """Whether a Series has the default index, so that it is a plain list of scores."""
    index = getattr(value, "index", None)
    return isinstance(index, pd.RangeIndex) and index.name is None


def _read_series_by_model(by_model: dict[str, pd.Series]) -> SourceTable:
    """Scores that are paired by their index, in any order."""
    is_unnamed = all(scores.index.names == [None] for scores in by_model.values())
    labels = {label for scores in by_model.values() for label in scores.index}
    if is_unnamed and not _are_numbered(labels):  # names of datasets, folds or seeds?
        return read_frame(pd.DataFrame(by_model))
    runs = _name_runs(labels) if is_unnamed else ""
    parts = [
        index_to_columns((s.rename_axis(runs) if runs else s).to_frame("value")).assign(model=model)
        for model, s in by_model.items()
    ]
    table = read_frame(pd.concat(parts, ignore_index=True))
    note = (
        "Scores were paired by their index, taken as the folds of one cross-validation; name the "
        "index `seed` where it holds seeds."
    )
    return table.with_frame(table.frame, note, is_positional=True) if runs == "fold" else table


def _are_numbered(labels: Collection[Any]) -> bool:
    """Whether labels are numbers, or hold those of runs (`seed_3`)."""
    return all(isinstance(one, Real) for one in labels) or len(_find_numbered(labels)) == len(
        labels
    )


def _name_runs(labels: Collection[Any]) -> str:
    """The column of runs with these labels: that of `seed_0`; folds, of numbers alone."""
    return next(iter(_find_numbered(labels).values()), "fold")
