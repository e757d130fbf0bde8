"""Frames and dicts of results → one table."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from reseed.core.errors import ReseedError
from reseed.importers.columns import RUN, known_name
from reseed.importers.files import checked, with_index
from reseed.importers.layouts import POSITION, numbered
from reseed.importers.source_table import IN_MEMORY, Layout, Table
from reseed.metrics.names import infer_direction

_COLUMNS = {"params", "model", "fit_time"}
_IN_ORDER = "Score i of each model was paired with score i of the others (column `fold`)."


def of_frame(frame: pd.DataFrame) -> Table:
    """A frame; named levels of its index are columns, and so is what its columns are named after.

    A pivoted frame (index `model`, columns `fold`) is so made long again, also where its index was
    made a column. Beside numbered runs an index without a name that holds names is the model.
    Numbers there, such as their mean, are left out.
    """
    if frame.columns.nlevels > 1:
        raise ReseedError(
            "The table has headings of several levels. Give one level: "
            "`df.stack(…).reset_index()`, or join the levels."
        )
    across = frame.columns.name
    named = {known_name(str(column)) for column in frame.columns}
    if _names_rows(frame.index) and "model" not in named and numbered(map(str, frame.columns)):
        frame = frame.rename_axis(index="model")
    levels = {str(level) for level in frame.index.names if level is not None}
    frame = with_index(frame).rename_axis(columns=None).rename(columns=str)
    table = checked(Table(IN_MEMORY, frame, np.arange(len(frame)), "row"))
    return table if known_name(across) is None else _long(table, str(across), levels)


def _names_rows(index: pd.Index) -> bool:
    """Whether an index without a name holds names: beside numbered runs, those of models."""
    return index.nlevels == 1 and index.name is None and not is_numeric_dtype(index)


def _long(table: Table, across: str, levels: set[str]) -> Table:
    """A pivoted frame with one score a row; `levels` were its index."""
    own = (None, known_name(across))
    labels = [c for c in table.columns if c not in levels and known_name(c) in own]
    runs = numbered(labels) if known_name(across) in RUN else {}
    scores = [c for c in labels if c in runs] if runs else labels
    left = [c for c in labels if c not in scores and is_numeric_dtype(table.frame[c])]
    beside = [c for c in table.columns if c not in (*scores, *left)]
    if not scores:
        return table
    if "value" in beside:
        raise ReseedError(
            f"The table has a column 'value' beside columns by {across!r}. Remove or rename it."
        )
    long = table.as_numbers(scores).melt(beside, scores, across, "value", ignore_index=False)
    notes = [f"Left out: {', '.join(left)}, which hold no value of a run."] if left else []
    return table.with_frame(long, Layout(), *notes)


def of_mapping(source: Mapping) -> Table:
    """A dict of columns, or of results by model."""
    if not source:
        raise ReseedError("The table holds no rows. Each run of a model is one row.")
    if any(key in _COLUMNS or known_name(key) in ("dataset", *RUN) for key in map(str, source)):
        return of_frame(_frame(source))
    by_model = {str(model): _scores(value) for model, value in source.items()}
    values = by_model.values()
    if all(isinstance(value, Mapping | pd.DataFrame) for value in values):
        parts = {model: _own_table(value, model) for model, value in by_model.items()}
        table = of_frame(pd.concat(parts.values(), ignore_index=True))
        if any(isinstance(value, pd.DataFrame) for value in values) or not _unnumbered(table):
            return table
        _same_number({model: len(part) for model, part in parts.items()})
        fold = table.frame.groupby("model").cumcount()
        return table.with_frame(
            table.frame.assign(fold=fold), Layout(positional=True), _IN_ORDER, POSITION
        )
    in_order = all(map(_in_order, source.values()))
    if not in_order and all(isinstance(value, pd.Series) for value in values):
        return _of_series(by_model)
    try:  # None is a failed run
        arrays = {model: np.asarray(value, dtype=np.float64) for model, value in by_model.items()}
    except (TypeError, ValueError):
        raise _unreadable() from None
    if any(scores.ndim != 1 for scores in arrays.values()):
        raise _unreadable()
    _same_number({model: len(scores) for model, scores in arrays.items()})
    table = of_frame(pd.DataFrame(arrays).rename_axis(index="fold", columns="model"))
    return table.with_frame(table.frame, Layout(positional=True), _IN_ORDER, POSITION)


def _unnumbered(table: Table) -> bool:
    """Whether no column tells runs apart, and the table is not `cross_validate`'s."""
    return "fit_time" not in table.columns and not {*map(known_name, table.columns)} & {*RUN}


def _same_number(lengths: dict[str, int]) -> None:
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{model} has {n}" for model, n in lengths.items())
        raise ReseedError(
            f"The models' lists of scores differ in length: {told}. Score i of each model belongs "
            "to the same fold; where runs are missing give a table with a column `fold`."
        )


def _unreadable(why: str = "") -> ReseedError:
    return ReseedError(
        "A dict holds, for each model, its scores (one number a run), what `cross_validate` "
        "returned, or a DataFrame; or it is a dict of columns of the same length with `model` or "
        f"a run column among them.{why}"
    )


def _frame(columns: Mapping) -> pd.DataFrame:
    """A dict of columns; what `cross_validate` returns besides, of no value a run, is left out."""
    besides = ("estimator", "indices") if "fit_time" in columns else ()
    try:
        return pd.DataFrame({k: v for k, v in columns.items() if k not in besides})
    except ValueError as error:
        raise _unreadable(f" This one is no table: {error}.") from None


def _scores(value: object) -> object:
    """Scores by run in a dict as a Series by run; anything else as it is."""
    if isinstance(value, Mapping) and value:
        names_runs = all(isinstance(v, Real) for v in value.values())
        if names_runs and not any(infer_direction(str(key)) is not None for key in value):
            return pd.Series(value)
    return value


def _in_order(value: object) -> bool:
    """Whether a Series has no index of its own, so that it is a list of scores."""
    index = getattr(value, "index", None)
    return isinstance(index, pd.RangeIndex) and index.name is None


def _of_series(by_model: dict[str, pd.Series]) -> Table:
    """Scores that belong together by their index, whatever their order."""
    unnamed = all(scores.index.names == [None] for scores in by_model.values())
    if unnamed:
        by_model = {model: scores.rename_axis("fold") for model, scores in by_model.items()}
    parts = [with_index(s.to_frame("value")).assign(model=m) for m, s in by_model.items()]
    table = of_frame(pd.concat(parts, ignore_index=True))
    if not unnamed:
        return table
    note = (
        "Scores were paired by their index, taken as the folds of one cross-validation; name the "
        "index `seed` where it holds seeds."
    )
    return table.with_frame(table.frame, Layout(positional=True), note)


def _own_table(value: Mapping | pd.DataFrame, model: str) -> pd.DataFrame:
    """A model's own table; ReseedError for one that holds several models."""
    frame = of_frame(value).frame if isinstance(value, pd.DataFrame) else _frame(value)
    if "model" in frame and frame["model"].nunique() > 1:
        raise ReseedError(
            f"The table of {model!r} holds several models in its column 'model'. Give all as one "
            "table (`pd.concat`), or remove that column."
        )
    return frame.assign(model=model)
