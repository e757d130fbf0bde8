"""Opens what Reseed reads: files, folders and objects in memory, each as one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from reseed.core.entry_points import load_plugin
from reseed.core.errors import ReseedError, suggest_name
from reseed.readers import in_memory
from reseed.readers.converters.evaluation_logs import read_evaluation_logs
from reseed.readers.converters.lm_eval import read_lm_eval
from reseed.readers.converters.sklearn import convert_sklearn, unpack_search
from reseed.readers.converters.tensorboard import read_events
from reseed.readers.file_sets import FileSet
from reseed.readers.files import read_tables
from reseed.readers.foreign_files import name_file
from reseed.readers.options import ReadOptions
from reseed.readers.run_files import read_json_files
from reseed.readers.source_table import IN_MEMORY, SourceTable
from reseed.readers.table_headings import check_table


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
    _Object(lambda source: True, unpack_search),
    _Object(in_memory.is_xarray, in_memory.unpack_xarray),
    _Object(in_memory.is_matrix, in_memory.name_models),
    _Object(lambda source: hasattr(source, "to_pandas"), lambda source: source.to_pandas()),
    _Object(lambda source: isinstance(source, pd.Series), in_memory.unpack_series),
    _Object(lambda source: isinstance(source, pd.DataFrame), in_memory.read_frame),
    _Object(lambda source: isinstance(source, Mapping), in_memory.read_mapping),
    _Object(in_memory.are_records, in_memory.read_records),
)
_FILES = (
    _Files("auto", read_evaluation_logs),
    _Files("auto tensorboard", read_events),
    _Files("auto lm_eval", read_lm_eval),
    _Files("auto json", read_json_files),
    _Files("", lambda files: read_tables(files.results, files.options, files.left_out)),
)
#: Every value of `format`; `reseed.config.studies.ResultsFormat` lists the same.
FORMATS = ("auto", "csv", "parquet", "json", "lm_eval", "tensorboard")


def open_source(source: object, options: ReadOptions = _NOTHING_SAID) -> SourceTable:
    """The table of a source as it is written, or as its tool's converter writes it.

    Args:
        source: a path or several; a folder (of tables, JSON, logs of harnesses or TensorBoard's
            event files); a DataFrame, records, or a Series by model and run; a dict of columns;
            a dict by model of scores, of results of `cross_validate`, or of DataFrames; a search
            of scikit-learn; a table that is open already; a function that reads one with the
            options.
        options: what the user says. `format`, one of `FORMATS`; `package.name` is a plug-in, a
            function that takes the source and returns one of those above.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    if isinstance(source, SourceTable):
        return source
    if callable(source):
        return open_source(source(options), options)
    if "." in options.format:
        source = load_plugin("readers", options.format)(source)
        options = replace(options, format="auto")
    if options.format not in FORMATS:
        raise ReseedError(
            f"format {options.format!r} is not known. Use {', '.join(FORMATS)}."
            f"{suggest_name(options.format, list(FORMATS))}"
        )
    options.check()
    paths = _list_paths(source)
    if not paths:
        with name_file(IN_MEMORY):
            return convert_sklearn(_read_object(source))
    with name_file(paths[0]):
        files = FileSet(paths, options)
        named = files.options.format
        tried = (kind for kind in _FILES if not kind.formats or named in kind.formats.split())
        tables = (kind.read(files) for kind in tried)
        return convert_sklearn(check_table(next(table for table in tables if table is not None)))


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
