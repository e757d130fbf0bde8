"""Reads any source of results (files, a folder, a frame, a dict) as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.entry_points import load_plugin
from reseed.core.errors import ReseedError, suggest_name
from reseed.readers import tool_layouts, trainer_state
from reseed.readers.column_spec import ColumnSpec, RequestedMetrics, list_requested_metrics
from reseed.readers.columns import ColumnMap
from reseed.readers.evaluation_logs import read_evaluation_log
from reseed.readers.files import (
    JSON_SUFFIXES,
    TABLE_SUFFIXES,
    check_table,
    flatten_records,
    read_tables,
)
from reseed.readers.foreign_files import load_json, name_file
from reseed.readers.in_memory import read_frame, read_mapping
from reseed.readers.lm_eval import is_lm_eval, read_lm_eval
from reseed.readers.run_files import read_run_files
from reseed.readers.run_folders import is_mteb, is_sacred, read_mteb, read_sacred
from reseed.readers.run_paths import find_common_folder
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.tensorboard import read_event_files
from reseed.readers.tools import TOOLS, apply_layout

_FILE_FORMATS = ("csv", "parquet", "json", "lm_eval", "tensorboard")
#: Every value of `format`; `reseed.config.studies.ResultsFormat` lists the same.
FORMATS = ("auto", *_FILE_FORMATS, *(tool.name for tool in TOOLS))
_EVENT_FILE = "events.out.tfevents"


#: Of a user who says nothing.
_NO_REQUEST = ColumnSpec({})


def read_source(
    source: object,
    file_format: str = "auto",
    mapping: ColumnMap | None = None,
    requested: RequestedMetrics = None,
    headings: str = "",
    rows: str = "",
    of_tasks: bool = False,
) -> SourceTable:
    """Read a source as a table with one row a run (and metric or item).

    Args:
        source: a path or several; a folder (of CSV files, JSON, lm-eval's results or TensorBoard's
            event files); a DataFrame, records, or a Series by model and run; a dict of columns;
            or a dict by model of scores, of results of `cross_validate`, or of DataFrames.
        file_format: one of `FORMATS`; `auto` recognises the tool by the columns; `package.name` is
            a plug-in, a function that takes the source and returns one of those above.
        mapping: the user's `columns`, which override the meaning of a column's name.
        requested: the user's `metric`; a column that holds it is not a run or a model.
        headings, rows: what headings of columns of scores are, and what a row is, where names do
            not say (`core.headings`).
        of_tasks: whether columns of scores next to one of models are tasks.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    if "." in file_format:
        source, file_format = load_plugin("readers", file_format)(source), "auto"
    if file_format not in FORMATS:
        raise ReseedError(
            f"format {file_format!r} is not known. Use {', '.join(FORMATS)}."
            f"{suggest_name(file_format, list(FORMATS))}"
        )
    paths = _list_paths(source)
    if file_format == "auto" and paths:
        metric = next(iter(list_requested_metrics(requested)), None)
        cluster = (mapping or {}).get("cluster")
        log = read_evaluation_log(paths, metric, None if cluster is None else str(cluster))
        if log is not None:
            return log
    spec = ColumnSpec.from_request(mapping or {}, requested, headings, rows)
    spec = replace(spec, of_tasks=of_tasks)
    table = open_table(source, file_format, spec)
    with name_file(table.path):
        return apply_layout(table, file_format, spec)


def open_table(
    source: object, file_format: str = "auto", spec: ColumnSpec = _NO_REQUEST
) -> SourceTable:
    """The table of a source as it is written, before any layout is recognised."""
    with name_file(_name_source(source)):
        return _read(source, file_format, spec)


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


def _read(source: object, file_format: str, spec: ColumnSpec) -> SourceTable:
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
        return _read_paths(paths, file_format, spec)
    if isinstance(source, Sequence) and source and all(isinstance(s, Mapping) for s in source):
        return read_frame(flatten_records(source))
    raise ReseedError(
        f"results are a path, a DataFrame or a dict by model, not {type(source).__name__}."
    )


def _read_paths(paths: list[Path], file_format: str, spec: ColumnSpec) -> SourceTable:
    """Read files, and the files of folders."""
    listed = [path for path in paths if not path.is_dir()]
    in_folders = [file for folder in paths if folder.is_dir() for file in _list_files(folder)]
    events = [path for path in (*listed, *in_folders) if _EVENT_FILE in path.name]
    if file_format == "tensorboard" or (events and file_format == "auto"):
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
    if file_format == "lm_eval":
        return check_table(read_lm_eval(files))
    is_json = all(path.suffix.lower() in JSON_SUFFIXES for path in files)
    if file_format in ("auto", "json") and is_json:
        return check_table(_read_json_files(files, file_format, spec))
    table = read_tables(files, file_format, spec.mapping)
    if ignored:
        names = ", ".join(path.name for path in ignored)
        table.notes.append(f"Left out, as text files next to tables: {names}.")
    return table


def _read_json_files(paths: list[Path], file_format: str, spec: ColumnSpec) -> SourceTable:
    """Read records, lm-eval's results, one file a run, or one dict as in memory."""
    contents: dict[Path, object] = {}
    for path in paths:
        try:
            contents[path] = load_json(path)
        except (OSError, ValueError):  # `read_tables` reports why
            return read_tables([path], file_format, spec.mapping)
    if file_format == "auto" and any(map(is_lm_eval, contents.values())):
        return read_lm_eval(paths)
    if file_format == "auto" and any(map(is_mteb, contents.values())):
        return read_mteb(contents)
    if file_format == "auto" and is_sacred(contents):
        return read_sacred(contents)
    notes: list[str] = []
    if any(path.name == trainer_state.NAME for path in contents):
        contents, notes = _use_trainer_states(contents)
    runs = {path: content for path, content in contents.items() if isinstance(content, Mapping)}
    if len(runs) < len(contents):
        return read_tables(paths, file_format, spec.mapping)
    if len(runs) > 1:
        table = read_run_files(runs, spec.is_metric, spec.metrics, spec.mapping)
        table.notes.extend(notes)
        return table
    ((path, content),) = runs.items()
    if notes:
        raise trainer_state.refuse_single_run(path, content)
    try:
        return replace(read_mapping(content), path=str(path))
    except ReseedError as error:
        raise ReseedError(f"{path}: {error}") from None


def _use_trainer_states(
    contents: Mapping[Path, object],
) -> tuple[dict[Path, object], list[str]]:
    """Files with the states of a Trainer replaced by their last evaluations, and notes.

    States are left out where a file of results in the same folder holds the evaluation.
    """
    rest = {path: content for path, content in contents.items() if path.name != trainer_state.NAME}
    evaluated = {
        path.parent
        for path, content in rest.items()
        if isinstance(content, Mapping) and any(str(name).startswith("eval_") for name in content)
    }
    states = {path: one for path, one in contents.items() if path.name == trainer_state.NAME}
    found = trainer_state.find_states(states)
    used = {path: one for path, one in found.items() if path.parent not in evaluated}
    return {**rest, **used} if evaluated else dict(used), [trainer_state.NOTE] if used else []


def _list_files(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders, without hidden ones."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [f for f in files if not any(p.startswith(".") for p in f.relative_to(folder).parts)]
