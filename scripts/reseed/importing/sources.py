"""Whatever a user has (a file, files, a folder, a frame, a dict of results) → one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.errors import ReseedError, nearest
from reseed.importing import layouts
from reseed.importing.columns import known_name
from reseed.importing.files import TABLES, checked, read_tables
from reseed.importing.lm_eval import read_lm_eval
from reseed.importing.table import Layout, Table
from reseed.importing.tensorboard import read_event_files
from reseed.importing.trackers import TRACKERS

_LAYOUTS = {
    "cv_results": (lambda t, m: layouts.is_cv_results(t.columns), layouts.tidy_cv_results),
    "cross_validate": (
        lambda t, m: layouts.is_cross_validate(t.columns),
        layouts.tidy_cross_validate,
    ),
    "runs_in_columns": (layouts.is_column_a_run, layouts.tidy_columns_of_runs),
    "models_in_columns": (layouts.is_column_a_model, layouts.tidy_columns_of_models),
}
_FILES = ("csv", "parquet", "lm_eval", "tensorboard")
#: Every value of `format`; `reseed.config.Results` lists the same.
FORMATS = ("auto", *_FILES, *(tracker.name for tracker in TRACKERS), *_LAYOUTS)
_EVENTS = "events.out.tfevents"


def open_results(source: object, form: str = "auto", mapping: dict | None = None) -> Table:
    """The source as a table of one row a run (and metric or item), with what its tool says of it.

    Args:
        source: a path or several; a folder (of CSV files, lm-eval's JSON or TensorBoard's event
            files); a DataFrame; a dict of columns; or a dict by model of scores, of what
            `cross_validate` returned, or of DataFrames.
        form: one of `FORMATS`; `auto` tells by the columns.
        mapping: the user's `columns`, which settle what a column is before its name does.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    if form not in FORMATS:
        raise ReseedError(
            f"format {form!r} is not known. Use {', '.join(FORMATS)}.{nearest(form, list(FORMATS))}"
        )
    return _laid_out(_read(source, form), form, mapping or {})


def _read(source: object, form: str) -> Table:
    if isinstance(source, pd.DataFrame):
        return _of_frame(source)
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if isinstance(source, str | Path):
        source = [source]
    if isinstance(source, Sequence) and source and all(isinstance(s, str | Path) for s in source):
        return _of_paths([Path(path) for path in source], form)
    raise ReseedError(
        f"results are a path, a DataFrame or a dict by model, not {type(source).__name__}."
    )


def _of_paths(paths: list[Path], form: str) -> Table:
    folder = paths[0] if len(paths) == 1 and paths[0].is_dir() else None
    if folder is not None:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        events = [path for path in files if _EVENTS in path.name]
        json = [path for path in files if path.suffix == ".json" and path.name.startswith("result")]
        if form == "tensorboard" or (events and form == "auto"):
            return checked(read_event_files(folder, events))
        paths = json or [path for path in files if path.suffix.lower() in TABLES]
        if not paths:
            raise ReseedError(
                f"{folder}: holds no table ({', '.join(TABLES)}), no results….json of lm-eval and "
                "no TensorBoard event file."
            )
    events = [path for path in paths if _EVENTS in path.name]
    if events:
        return checked(read_event_files(Path(events[0]).parent.parent, events))
    if form == "lm_eval" or all(path.suffix == ".json" for path in paths):
        return checked(read_lm_eval(paths))
    return read_tables(paths, form)


def _of_frame(frame: pd.DataFrame, name: str = "The table") -> Table:
    """A frame; named levels of its index are columns, and so is what its columns are named after.

    A pivoted frame (index `model`, columns `fold`) is so made long again.
    """
    if frame.columns.nlevels > 1:
        raise ReseedError(
            f"{name} has headings of several levels. Give one level: "
            "`df.stack(…).reset_index()`, or join the levels."
        )
    across = frame.columns.name
    levels = [level for level in frame.index.names if level is not None]
    if levels:
        frame = frame.reset_index()
    if across is not None and known_name(across) is not None:
        frame = frame.rename_axis(columns=None).melt(levels, var_name=across, value_name="value")
    frame = frame.reset_index(drop=True).rename(columns=str)
    return checked(Table(name, frame, np.arange(len(frame)), "row"))


def _of_mapping(source: Mapping) -> Table:
    """A dict of columns, or of results by model."""
    if not source:
        raise ReseedError("The table holds no rows. Each run of a model is one row.")
    values = list(source.values())
    if {str(key) for key in source} & {"params", "model", "fit_time"}:
        return _of_frame(pd.DataFrame(dict(source)))
    if all(isinstance(value, Mapping | pd.DataFrame) for value in values):
        parts = [_columns(value).assign(model=str(model)) for model, value in source.items()]
        return _of_frame(pd.concat(parts, ignore_index=True))
    arrays = {str(model): np.asarray(value) for model, value in source.items()}
    if any(a.ndim != 1 or a.dtype.kind not in "fiub" for a in arrays.values()):
        raise ReseedError(
            "A dict holds, for each model, its scores (one number a run), what `cross_validate` "
            "returned, or a DataFrame; or it is a dict of columns with `model` among them."
        )
    lengths = {model: len(a) for model, a in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{model} has {n}" for model, n in lengths.items())
        raise ReseedError(
            f"The models' lists of scores differ in length: {told}. Score i of each model belongs "
            "to the same fold; where runs are missing give a table with a column `fold`."
        )
    frame = pd.DataFrame(arrays).rename_axis(index="fold", columns="model")
    table = _of_frame(frame)
    note = "Score i of each model was taken as fold i of one cross-validation."
    return table.with_frame(table.frame, Layout(positional=True), note)


def _columns(value: Mapping | pd.DataFrame) -> pd.DataFrame:
    """A model's own table; what has no value a run (fitted estimators, indices) is left out."""
    if isinstance(value, pd.DataFrame):
        return _of_frame(value).frame
    return pd.DataFrame({k: v for k, v in value.items() if k not in ("estimator", "indices")})


def _laid_out(table: Table, form: str, mapping: dict) -> Table:
    """The table with the layout of the tool that wrote it, one row a run."""
    if table.layout != Layout():
        return table
    for tracker in TRACKERS:
        if form == tracker.name or (form == "auto" and tracker.recognises(table.columns)):
            note = f"Read as {tracker.title}."
            return table.with_frame(table.frame, tracker.layout, note)
    for name, (is_one, tidy) in _LAYOUTS.items():
        if form == name or (form == "auto" and is_one(table, mapping)):
            return tidy(table)
    return table
