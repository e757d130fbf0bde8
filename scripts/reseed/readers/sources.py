"""Reads any source of results (files, a folder, a frame, a dict) as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import starmap
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.entry_points import load_plugin
from reseed.core.errors import ReseedError, suggest_name
from reseed.readers import tool_layouts
from reseed.readers.evaluation_logs import read_evaluation_log
from reseed.readers.files import (
    JSON_SUFFIXES,
    TABLE_SUFFIXES,
    check_table,
    flatten_records,
    read_json,
    read_tables,
)
from reseed.readers.foreign_files import list_files, name_file
from reseed.readers.in_memory import read_frame, read_mapping
from reseed.readers.json_results import (
    is_lm_eval,
    is_mteb,
    is_sacred,
    read_lm_eval,
    read_mteb,
    read_sacred,
)
from reseed.readers.options import ReadOptions
from reseed.readers.run_files import read_run_files, use_trainer_states
from reseed.readers.run_paths import find_common_folder
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.tensorboard import read_event_files
from reseed.readers.tools import TOOLS, apply_layout

_FILE_FORMATS = ("csv", "parquet", "json", "lm_eval", "tensorboard")
#: Every value of `format`; `reseed.config.studies.ResultsFormat` lists the same.
FORMATS = ("auto", *_FILE_FORMATS, *(tool.name for tool in TOOLS))
#: Tools whose JSON files are recognised by their content, and what reads all files of a source.
_JSON_TOOLS = ((is_lm_eval, read_lm_eval), (is_mteb, read_mteb), (is_sacred, read_sacred))
_EVENT_FILE = "events.out.tfevents"


def read_source(source: object, options: ReadOptions | None = None) -> SourceTable:
    """Read a source as a table with one row a run (and metric or item).

    Args:
        source: a path or several; a folder (of CSV files, JSON, lm-eval's results or TensorBoard's
            event files); a DataFrame, records, or a Series by model and run; a dict of columns;
            or a dict by model of scores, of results of `cross_validate`, or of DataFrames.
        options: what the user says. `format`, one of `FORMATS`: `auto` recognises the tool by the
            columns; `package.name` is a plug-in, a function that takes the source and returns one
            of those above. A column that holds the `metric` is not a run or a model.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    options = options or ReadOptions()
    if "." in options.format:
        source = load_plugin("readers", options.format)(source)
        options = replace(options, format="auto")
    if options.format not in FORMATS:
        raise ReseedError(
            f"format {options.format!r} is not known. Use {', '.join(FORMATS)}."
            f"{suggest_name(options.format, list(FORMATS))}"
        )
    paths = _list_paths(source)
    if options.format == "auto" and paths:
        cluster = options.columns.get("cluster")
        log = read_evaluation_log(
            paths, next(iter(options.metrics), None), None if cluster is None else str(cluster)
        )
        if log is not None:
            return log
    options.check()
    table = open_table(source, options)
    with name_file(table.path):
        return apply_layout(table, options)


def open_table(source: object, options: ReadOptions | None = None) -> SourceTable:
    """The table of a source as it is written, before any layout is recognised."""
    with name_file(_name_source(source)):
        return _read(source, options or ReadOptions())


def _name_source(source: object) -> str:
    """What messages call a source: its path, or `The table`."""
    if isinstance(source, list | tuple) and source and isinstance(source[0], str | Path):
        return f"{source[0]}" if len(source) == 1 else f"{source[0]} and {len(source) - 1} more"
    return str(source) if isinstance(source, str | Path) else IN_MEMORY


def _list_paths(source: object) -> list[Path]:
    """The paths of a source; none if it is something in memory."""
    if isinstance(source, str | Path):
        return [Path(source)]
    if (
        isinstance(source, Sequence)
        and source
        and all(isinstance(one, str | Path) for one in source)
    ):
        return [Path(one) for one in source]
    return []


def _read(source: object, options: ReadOptions) -> SourceTable:
    if hasattr(source, "to_dataframe"):  # xarray
        name = getattr(source, "name", None)
        is_array = hasattr(source, "values") and not callable(source.values)
        frame = source.to_dataframe(name=name or "value") if is_array else source.to_dataframe()
        source = frame.reset_index()
    if isinstance(source, np.ndarray) and source.ndim == 2:
        names = [f"model {number}" for number in range(source.shape[1])]
        source = pd.DataFrame(source, columns=names)
    if hasattr(source, "to_pandas"):  # Polars, Arrow
        source = source.to_pandas()
    if isinstance(source, pd.Series):  # for example of `groupby`: its index identifies the run
        source = source.to_frame("value" if source.name is None else source.name)
    if tool_layouts.is_report(source):
        source = tool_layouts.read_report(source)
    if isinstance(source, Mapping) and source and all(map(tool_layouts.is_report, source.values())):
        source = tool_layouts.read_reports(source)
    if isinstance(source, pd.DataFrame):
        return read_frame(source)
    if isinstance(source, Mapping):
        return read_mapping(source)
    if paths := _list_paths(source):
        return _read_paths(paths, options)
    if isinstance(source, Sequence) and source and all(isinstance(s, Mapping) for s in source):
        return read_frame(flatten_records(source))
    raise ReseedError(
        f"results are a path, a DataFrame or a dict by model, not {type(source).__name__}."
    )


def _read_paths(paths: list[Path], options: ReadOptions) -> SourceTable:
    """Read files, and the files of folders."""
    listed = [path for path in paths if not path.is_dir()]
    in_folders = [file for folder in paths if folder.is_dir() for file in list_files(folder)]
    events = [path for path in (*listed, *in_folders) if _EVENT_FILE in path.name]
    if options.format == "tensorboard" or (events and options.format == "auto"):
        if len(paths) == 1 and not listed:
            return check_table(read_event_files(paths[0], events))
        folders = [path.absolute().parent for path in events]  # their names may hold the seed
        root = find_common_folder(folders)
        return check_table(read_event_files(root, [path.absolute() for path in events]))
    json_files = [path for path in in_folders if path.suffix.lower() == ".json"]
    results = [path for path in json_files if path.name.startswith("result")]
    tables = [path for path in in_folders if path.suffix.lower() in TABLE_SUFFIXES]
    text_files = [path for path in tables if path.suffix.lower() == ".txt"]
    ignored = text_files if len(text_files) < len(tables) else []
    usable = results or [path for path in tables if path not in ignored] or json_files
    files = [*listed, *usable]
    if not files:
        raise ReseedError(
            f"{paths[0]}: holds no table ({', '.join(TABLE_SUFFIXES)}), no JSON and no TensorBoard "
            "event file."
        )
    if options.format == "lm_eval":
        return check_table(read_lm_eval(read_json(files)))
    is_json = all(path.suffix.lower() in JSON_SUFFIXES for path in files)
    if options.format in ("auto", "json") and is_json:
        return check_table(_read_json_files(files, options))
    table = read_tables(files, options.format, options.columns)
    if ignored:
        names = ", ".join(path.name for path in ignored)
        table.notes.append(f"Left out, as text files next to tables: {names}.")
    return table


def _read_json_files(paths: list[Path], options: ReadOptions) -> SourceTable:
    """Read records, results of a tool, one file a run, or one dict as in memory."""
    contents = read_json(paths)
    for is_result, read in _JSON_TOOLS:
        if options.format == "auto" and any(starmap(is_result, contents.items())):
            return read(contents)
    contents, notes = use_trainer_states(contents)
    runs = {path: content for path, content in contents.items() if isinstance(content, Mapping)}
    if len(runs) < len(contents):
        return read_tables(paths, options.format, options.columns)
    if len(runs) > 1:
        table = read_run_files(runs, options.is_metric, options.metrics, options.columns)
        table.notes.extend(notes)
        return table
    ((path, content),) = runs.items()
    try:
        return replace(read_mapping(content), path=str(path))
    except ReseedError as error:
        raise ReseedError(f"{path}: {error}") from None
