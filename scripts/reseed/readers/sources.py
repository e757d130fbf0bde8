"""Opens what Reseed reads: files, folders and objects in memory, each as one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.entry_points import load_plugin
from reseed.core.errors import ReseedError
from reseed.readers.converters.evaluation_logs import read_evaluation_logs
from reseed.readers.converters.lm_eval import read_lm_eval
from reseed.readers.converters.sklearn import convert_sklearn
from reseed.readers.converters.tensorboard import read_events
from reseed.readers.files import FileSet, check_table, flatten_records, read_tables
from reseed.readers.foreign_files import name_file
from reseed.readers.in_memory import are_records, read_mapping, read_object
from reseed.readers.names import find_metric, normalize_name
from reseed.readers.options import ReadOptions
from reseed.readers.run_paths import find_common_folder, identify_files
from reseed.readers.source_table import IN_MEMORY, Layout, SourceTable, join_names


def read_json_files(files: FileSet) -> SourceTable | None:
    """One JSON file a run, or one dict as in memory; None for records and other files."""
    contents = files.contents
    runs = {path: content for path, content in contents.items() if isinstance(content, Mapping)}
    if not runs or len(runs) < len(contents):
        return None
    if len(runs) > 1:
        return read_run_files(runs, files.options)
    ((path, content),) = runs.items()
    records = [name for name, value in content.items() if are_records(value)]
    rest = {name: value for name, value in content.items() if name not in records}
    try:
        if len(records) == 1 and not any(isinstance(v, Mapping | list) for v in rest.values()):
            rows = [rest | one for one in content[records[0]]]
            return replace(read_object(rows), path=str(path))
        return replace(read_mapping(content), path=str(path))
    except ReseedError as error:
        raise ReseedError(f"{path}: {error}") from None


def read_run_files(runs: Mapping[Path, Mapping[str, Any]], options: ReadOptions) -> SourceTable:
    """One row a file; the path says what the file does not.

    Files without a metric (settings, say) are left out; if files of one name hold the requested
    metrics, all others. Raises ReseedError if no file holds a score.
    """
    folder = find_common_folder([*runs])
    frames = {path: flatten_records([run]) for path, run in runs.items()}
    fields = {path: [str(column) for column in frame] for path, frame in frames.items()}
    wanted = {*map(normalize_name, options.metrics)}
    scored = [
        path for path in frames
        if any(find_metric(name) or normalize_name(name) in wanted for name in fields[path])
    ]  # fmt: skip
    numbered = {path: re.sub(r"\d+", "#", path.name) for path in scored}
    names = {numbered[p] for p in scored if wanted & {*map(normalize_name, fields[p])}}
    used = [path for path in scored if numbered[path] in names] or scored
    if not used:
        raise ReseedError(
            f"{folder}: its JSON files hold no score with the name of a known metric. Name the "
            "metric: `metric: …`."
        )
    columns = dict.fromkeys(name for path in used for name in fields[path])
    named = identify_files(used, options, columns)
    rows = [frames[path].assign(**one) for path, one in zip(used, named.rows, strict=True)]
    inner = [path.absolute().relative_to(folder).as_posix() for path in used]
    unused = [path.absolute().relative_to(folder).as_posix() for path in runs if path not in used]
    notes = ["A file was read as one run."]
    notes += [f"Left out, as without the metric: {join_names(unused)}."] if unused else []
    layout = Layout(files=len(used), stated=named.stated, parts=named.parts)
    frame = pd.concat(rows, ignore_index=True)
    return SourceTable(str(folder), frame, np.array(inner), "file", layout, notes)


#: What files may hold, in the order in which it is tried, and the values of `format` with which.
_FILES: tuple[tuple[Callable[[FileSet], SourceTable | None], str], ...] = (
    (read_evaluation_logs, "auto"),
    (read_events, "auto tensorboard"),
    (read_lm_eval, "auto lm_eval"),
    (read_json_files, "auto json"),
    (lambda files: read_tables(files.results, files.options, files.left_out), ""),
)


def open_source(source: object, options: ReadOptions | None = None) -> SourceTable:
    """The table of a source as it is written, or as its tool's converter writes it.

    Args:
        source: a path or several, or a folder; a DataFrame, records, a Series by model and run, a
            dict of columns, or a dict by model of scores or tables; a search of scikit-learn; a
            table that is open already; a function that reads one with the options.
        options: what the user says. A `format` such as `package.name` is a plug-in: a function
            that takes the source and returns one of those above.

    Raises:
        ReseedError: for a source that cannot be read.
    """
    options = options or ReadOptions()
    if isinstance(source, SourceTable):
        return source
    if callable(source):
        return open_source(source(options), options)
    if "." in options.format:
        source = load_plugin("readers", options.format)(source)
        options = replace(options, format="auto")
    options.check()
    several = [*source] if isinstance(source, list | tuple) else [source]
    if not (several and all(isinstance(one, str | Path) for one in several)):
        with name_file(IN_MEMORY):
            return convert_sklearn(read_object(source))
    paths = [Path(str(one)) for one in several]
    with name_file(paths[0]):
        files = FileSet(paths, options)
        tables = (
            read(files)
            for read, formats in _FILES
            if not formats or options.format in formats.split()
        )
        return convert_sklearn(check_table(next(table for table in tables if table is not None)))
