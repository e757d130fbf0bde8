"""Whatever a user has (a file, files, a folder, a frame, a dict of results) → one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from reseed.core.errors import ReseedError, suggest_name
from reseed.importers import layouts
from reseed.importers.files import JSON, TABLES, checked, flat, load_json, read_tables
from reseed.importers.in_memory import of_frame, of_mapping
from reseed.importers.layouts import Told
from reseed.importers.lm_eval import is_lm_eval, read_lm_eval
from reseed.importers.metric_choice import Wanted, wanted_names
from reseed.importers.run_files import read_run_files
from reseed.importers.run_paths import common_folder
from reseed.importers.source_table import Layout, Table
from reseed.importers.tensorboard import read_event_files
from reseed.importers.trackers import TRACKERS

_LAYOUTS = {
    "cv_results": (layouts.is_cv_results, layouts.tidy_cv_results),
    "cross_validate": (layouts.is_cross_validate, layouts.tidy_cross_validate),
    "runs_in_columns": (layouts.is_column_a_run, layouts.tidy_columns_of_runs),
    "models_in_columns": (layouts.is_column_a_model, layouts.tidy_columns_of_models),
    "datasets_in_columns": (layouts.is_column_a_dataset, layouts.tidy_columns_of_datasets),
}
_FILES = ("csv", "parquet", "json", "lm_eval", "tensorboard")
#: Every value of `format`; `reseed.config.Results` lists the same.
FORMATS = ("auto", *_FILES, *(tracker.name for tracker in TRACKERS), *_LAYOUTS)
_EVENTS = "events.out.tfevents"
#: What pandas calls the index that another program wrote along.
_INDEX = re.compile(r"Unnamed: \d+")


def open_results(
    source: object, form: str = "auto", mapping: dict | None = None, wanted: Wanted = None
) -> Table:
    """The source as a table of one row a run (and metric or item), with what its tool says of it.

    Args:
        source: a path or several; a folder (of CSV files, JSON, lm-eval's results or TensorBoard's
            event files); a DataFrame, records, or a Series by model and run; a dict of columns;
            or a dict by model of scores, of what `cross_validate` returned, or of DataFrames.
        form: one of `FORMATS`; `auto` tells by the columns.
        mapping: the user's `columns`, which settle what a column is before its name does.
        wanted: the user's `metric`: a column that holds it is no run and no model.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    if form not in FORMATS:
        raise ReseedError(
            f"format {form!r} is not known. Use {', '.join(FORMATS)}."
            f"{suggest_name(form, list(FORMATS))}"
        )
    by_dataset = wanted if isinstance(wanted, dict) else {}
    told = Told(mapping or {}, tuple(wanted_names(wanted)), by_dataset)
    return _laid_out(_read(source, form, told), form, told)


def _read(source: object, form: str, told: Told) -> Table:
    if hasattr(source, "to_pandas"):  # Polars, Arrow
        source = source.to_pandas()
    if isinstance(source, pd.Series):  # as of `groupby`: its index says which run
        source = source.to_frame("value" if source.name is None else source.name)
    if isinstance(source, pd.DataFrame):
        return of_frame(source)
    if isinstance(source, Mapping):
        return of_mapping(source)
    if isinstance(source, str | Path):
        source = [source]
    if isinstance(source, Sequence) and source:
        if all(isinstance(s, str | Path) for s in source):
            return _of_paths([Path(path) for path in source], form, told)
        if all(isinstance(s, Mapping) for s in source):
            return of_frame(flat(source))
    raise ReseedError(
        f"results are a path, a DataFrame or a dict by model, not {type(source).__name__}."
    )


def _of_paths(paths: list[Path], form: str, told: Told) -> Table:
    """The table of files and of what stands in folders."""
    given = [path for path in paths if not path.is_dir()]
    found = [file for folder in paths if folder.is_dir() for file in _visible(folder)]
    events = [path for path in (*given, *found) if _EVENTS in path.name]
    if form == "tensorboard" or (events and form == "auto"):
        if len(paths) == 1 and not given:
            return checked(read_event_files(paths[0], events))
        runs = [path.absolute().parent for path in events]  # whose names may hold the seed
        return checked(read_event_files(common_folder(runs), [path.absolute() for path in events]))
    json = [path for path in found if path.suffix.lower() == ".json"]
    results = [path for path in json if path.name.startswith("result")]
    tables = [path for path in found if path.suffix.lower() in TABLES]
    plain_text = [path for path in tables if path.suffix.lower() == ".txt"]
    stray = plain_text if len(plain_text) < len(tables) else []
    files = [*given, *(results or [path for path in tables if path not in stray] or json)]
    if not files:
        raise ReseedError(
            f"{paths[0]}: holds no table ({', '.join(TABLES)}), no JSON and no TensorBoard event "
            "file."
        )
    if form == "lm_eval":
        return checked(read_lm_eval(files))
    if form in ("auto", "json") and all(path.suffix.lower() in JSON for path in files):
        return checked(_of_json(files, form, told))
    table = read_tables(files, form, told.columns)
    if stray:
        table.notes.append(f"Left out, as text beside tables: {', '.join(p.name for p in stray)}.")
    return table


def _of_json(paths: list[Path], form: str, told: Told) -> Table:
    """Records, lm-eval's results, a file a run, or one dict as in memory."""
    found = {}
    for path in paths:
        try:
            found[path] = load_json(path)
        except (OSError, ValueError):  # which is told by who reads it as a table
            return read_tables([path], form, told.columns)
    if form == "auto" and any(map(is_lm_eval, found.values())):
        return read_lm_eval(paths)
    if not all(isinstance(content, Mapping) for content in found.values()):
        return read_tables(paths, form, told.columns)
    if len(found) > 1:
        return read_run_files(found, told.is_metric, told.metrics, told.columns)
    ((path, content),) = found.items()
    try:
        return replace(of_mapping(content), path=str(path))
    except ReseedError as error:
        raise ReseedError(f"{path}: {error}") from None


def _visible(folder: Path) -> list[Path]:
    """The files of a folder and of those within it, without what is hidden there."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [f for f in files if not any(p.startswith(".") for p in f.relative_to(folder).parts)]


def _laid_out(table: Table, form: str, told: Told) -> Table:
    """The table with the layout of the tool that wrote it, one row a run."""
    if table.layout not in (Layout(), Layout(positional=True)):
        return table
    index = [c for c in table.columns if _INDEX.fullmatch(c) and told.known(c) is None]
    table = replace(table, frame=table.frame.drop(columns=index))
    for tracker in TRACKERS:
        if form == tracker.name or (form == "auto" and tracker.recognises(table.columns)):
            note = f"Read as {tracker.title}."
            return table.with_frame(table.frame, tracker.layout, note)
    for name, (is_one, tidy) in _LAYOUTS.items():
        if form == name or (form == "auto" and is_one(table, told)):
            return tidy(table, told)
    return table
