"""Reads JSON files of results: one a run (`rf/seed_3/metrics.json`), or one dict as in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.file_sets import FileSet
from reseed.readers.files import flatten_records
from reseed.readers.in_memory import are_records, read_mapping, read_records
from reseed.readers.names import find_metric, normalize_name
from reseed.readers.options import ReadOptions
from reseed.readers.run_paths import find_common_folder, identify_files
from reseed.readers.source_table import Layout, SourceTable, join_names


def read_json_files(files: FileSet) -> SourceTable | None:
    """One JSON file a run, or one dict as in memory; None for records and other files."""
    contents = files.contents
    runs = {path: content for path, content in contents.items() if isinstance(content, Mapping)}
    if not runs or len(runs) < len(contents):
        return None
    if len(runs) > 1:
        return read_run_files(_merge(runs), files.options)
    ((path, content),) = runs.items()
    records = [name for name, value in content.items() if are_records(value)]
    rest = {name: value for name, value in content.items() if name not in records}
    try:
        if len(records) == 1 and not any(isinstance(v, Mapping | list) for v in rest.values()):
            rows = [rest | one for one in content[records[0]]]
            return replace(read_records(rows), path=str(path))
        return replace(read_mapping(content), path=str(path))
    except ReseedError as error:
        raise ReseedError(f"{path}: {error}") from None


def _merge(runs: dict[Path, Mapping[str, Any]]) -> dict[Path, Mapping[str, Any]]:
    """One content a folder, where each of several folders holds files of one run.

    Those have the same names in every folder, and each has fields of its own.
    """
    folders: dict[Path, dict[str, Mapping[str, Any]]] = {}
    for path, content in runs.items():
        folders.setdefault(path.parent, {})[path.name] = content
    names = {frozenset(files) for files in folders.values()}
    if len(folders) < 2 or len(names) > 1 or len(next(iter(names))) < 2:
        return runs
    merged: dict[Path, Mapping[str, Any]] = {}
    for folder, files in folders.items():
        one: dict[str, Any] = {}
        if len({frozenset(content) for content in files.values()}) < len(files):
            return runs
        for content in files.values():
            if any(one.get(name, value) != value for name, value in content.items()):
                return runs
            one |= content
        merged[folder / "run.json"] = one
    return merged


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
    names = {_mask_digits(path) for path in scored if wanted & {*map(normalize_name, fields[path])}}
    used = [path for path in scored if _mask_digits(path) in names] or scored
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


def _mask_digits(path: Path) -> str:
    """A file's name with `#` in place of each number."""
    return re.sub(r"\d+", "#", path.name)
