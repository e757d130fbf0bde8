"""What Reseed reads: each kind of source, what recognises it, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from reseed.core.entry_points import load_plugin
from reseed.core.errors import ReseedError, suggest_name
from reseed.readers import in_memory, json_results, tool_layouts
from reseed.readers.evaluation_logs import read_evaluation_logs
from reseed.readers.file_sets import FileSet
from reseed.readers.files import read_tables
from reseed.readers.foreign_files import name_file
from reseed.readers.options import ReadOptions
from reseed.readers.run_files import read_json_files
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.table_headings import check_table
from reseed.readers.tensorboard import read_events
from reseed.readers.tools import TOOLS, apply_layout


class _Object(NamedTuple):
    """A kind of object in memory: what recognises it; its table, or an object of another kind."""

    is_one: Callable[[Any], bool]
    read: Callable[[Any], object]


class _Files(NamedTuple):
    """A kind of files: values of `format` under which it is tried (any); a table, or None."""

    formats: str
    read: Callable[[FileSet], SourceTable | None]


_NOTHING_SAID = ReadOptions()
#: In the order in which they are tried.
_OBJECTS = (
    _Object(in_memory.is_xarray, in_memory.unpack_xarray),
    _Object(in_memory.is_matrix, in_memory.name_models),
    _Object(lambda source: hasattr(source, "to_pandas"), lambda source: source.to_pandas()),
    _Object(lambda source: isinstance(source, pd.Series), in_memory.unpack_series),
    _Object(tool_layouts.is_report, tool_layouts.read_report),
    _Object(tool_layouts.are_reports, tool_layouts.read_reports),
    _Object(lambda source: isinstance(source, pd.DataFrame), in_memory.read_frame),
    _Object(lambda source: isinstance(source, Mapping), in_memory.read_mapping),
    _Object(in_memory.are_records, in_memory.read_records),
)
_FILES = (
    _Files("auto", read_evaluation_logs),
    _Files("auto tensorboard", read_events),
    _Files("auto lm_eval", json_results.read_lm_eval),
    _Files("auto", json_results.read_mteb),
    _Files("auto", json_results.read_sacred),
    _Files("auto json", read_json_files),
    _Files("", lambda files: read_tables(files.results, files.options, files.left_out)),
)
_FILE_FORMATS = ("csv", "parquet", "json", "lm_eval", "tensorboard")
#: Every value of `format`; `reseed.config.studies.ResultsFormat` lists the same.
FORMATS = ("auto", *_FILE_FORMATS, *(tool.name for tool in TOOLS))


def read_source(source: object, options: ReadOptions = _NOTHING_SAID) -> SourceTable:
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
    if "." in options.format:
        source = load_plugin("readers", options.format)(source)
        options = replace(options, format="auto")
    if options.format not in FORMATS:
        raise ReseedError(
            f"format {options.format!r} is not known. Use {', '.join(FORMATS)}."
            f"{suggest_name(options.format, list(FORMATS))}"
        )
    options.check()
    table = open_table(source, options)
    with name_file(table.path):
        return apply_layout(table, options)


def open_table(source: object, options: ReadOptions = _NOTHING_SAID) -> SourceTable:
    """The table of a source as it is written, before any layout is recognised."""
    paths = _list_paths(source)
    if not paths:
        with name_file(IN_MEMORY):
            return in_memory.ask_about_axes(_read_object(source), options.columns)
    with name_file(paths[0]):
        files = FileSet(paths, options)
        named = files.options.format
        tried = (kind for kind in _FILES if not kind.formats or named in kind.formats.split())
        tables = (kind.read(files) for kind in tried)
        return check_table(next(table for table in tables if table is not None))


def _list_paths(source: object) -> list[Path]:
    """The paths of a source; none if it is something in memory."""
    several = [*source] if isinstance(source, list | tuple) else [source]
    are_paths = all(isinstance(one, str | Path) for one in several)
    return [Path(str(one)) for one in several] if are_paths else []


def _read_object(source: object) -> SourceTable:
    """The table of something in memory, which one kind may unpack for the next."""
    for kind in _OBJECTS:
        if kind.is_one(source):
            source = kind.read(source)
        if isinstance(source, SourceTable):
            return source
    raise ReseedError(
        f"results are a path, a DataFrame or a dict by model, not {type(source).__name__}."
    )
