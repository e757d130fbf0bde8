"""Reads a folder with one JSON file a run: `rf/seed_3/metrics.json`, or Trainer's states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.columns import find_standard_name, normalize_name
from reseed.readers.file_sets import FileSet
from reseed.readers.files import flatten_records
from reseed.readers.in_memory import are_records, read_mapping, read_records
from reseed.readers.options import ReadOptions
from reseed.readers.run_paths import find_common_folder, parse_run_paths
from reseed.readers.source_table import SourceTable, join_names

_STATE = "trainer_state.json"
_STATE_NOTE = (
    "Of each trainer_state.json the last evaluation of every metric is used. Its best_metric is "
    "not: it was chosen on the same data."
)
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_COSTS = ("_runtime", "_per_second", "_timing")
#: A folder with more files than this is not the folder of one run.
_MAX_FILES_OF_RUN = 20


def read_json_files(files: FileSet) -> SourceTable | None:
    """One JSON file a run, or one dict as in memory; None for records and other files."""
    contents, notes = use_trainer_states(files.contents)
    runs = {path: content for path, content in contents.items() if isinstance(content, Mapping)}
    if not runs or len(runs) < len(contents):
        return None
    if len(runs) > 1:
        table = read_run_files(runs, files.options)
        table.notes.extend(notes)
        return table
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


def read_run_files(runs: dict[Path, Mapping[str, Any]], options: ReadOptions) -> SourceTable:
    """One row a file; the path supplies model and seed if the file holds none.

    Files without a score (settings, say) are left out; if files of one name hold the requested
    metrics, all others. Raises ReseedError if no file holds a score.

    Args:
        runs: content of each file, by path.
        options: what the user says of them.
    """
    folder = find_common_folder(list(runs))
    inner = {path: path.absolute().relative_to(folder) for path in runs}
    repeated = _find_repeated(runs)
    frames = {path: flatten_records([run]) for path, run in runs.items() if path not in repeated}
    fields = {path: [str(column) for column in frame] for path, frame in frames.items()}
    scored = [path for path in frames if any(map(options.is_metric, fields[path]))]
    metrics = {*map(normalize_name, options.metrics)}
    names = {
        _mask_digits(path) for path in scored if metrics & {*map(normalize_name, fields[path])}
    }
    used = [path for path in scored if _mask_digits(path) in names] or scored
    if not used:
        raise ReseedError(
            f"{folder}: its JSON files hold no score with the name of a metric. Name the metric: "
            "`metric: …`."
        )
    known = {*options.columns, *(find_standard_name(c) for path in used for c in fields[path])}
    rows = []
    for path, ids in zip(used, parse_run_paths(used), strict=True):
        missing = {name: v for name, v in ids.items() if find_standard_name(name) not in known}
        rows.append(frames[path].assign(**missing))
    notes = ["A file was read as one run."]
    if "model" not in known:
        notes = ["A file was read as one run, named by its path."]
    unused = [inner[path].as_posix() for path in frames if path not in used]
    if unused:
        notes.append(f"Left out, as without a metric: {join_names(unused)}.")
    if repeated:
        copies = [inner[path].as_posix() for path in runs if path in repeated]
        notes.append(
            f"Left out, as another file of the same folder holds the same: {join_names(copies)}."
        )
    row_labels = np.array([inner[path].as_posix() for path in used])
    frame = pd.concat(rows, ignore_index=True)
    return SourceTable(str(folder), frame, row_labels, "file", notes=notes)


def _mask_digits(path: Path) -> str:
    """A file's name with `#` in place of each number."""
    return re.sub(r"\d+", "#", path.name)


def _find_repeated(runs: dict[Path, Mapping[str, Any]]) -> set[Path]:
    """Files whose content another file of the folder repeats, in every folder that has both.

    For example `eval_results.json` next to `all_results.json`: two files of one run, not two
    models. Files that are the same in every folder do not count: two models may score alike.
    """
    folders: dict[Path, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for path, run in runs.items():
        folders[path.parent][path.name] = run
    pairs = defaultdict(list)
    for files in folders.values():
        if len(files) > _MAX_FILES_OF_RUN:
            continue
        for one, other in permutations(files, 2):
            if (len(files[one]), other) < (len(files[other]), one):  # keeps one of two equal files
                pairs[one, other].append(files)
    names = {
        one
        for (one, other), with_both in pairs.items()
        if any(files[one] != with_both[0][one] for files in with_both)
        and all(files[one].items() <= files[other].items() for files in with_both)
    }
    return {path for path in runs if path.name in names}


def use_trainer_states(contents: Mapping[Path, object]) -> tuple[dict[Path, object], list[str]]:
    """Files with the states of a Trainer replaced by the last evaluation of each run, and notes.

    Of several checkpoints of a run the one without a number, else with the greatest, holds the
    whole history. States are left out where a file of results in the same folder holds the
    evaluation. Raises ReseedError for a state without one, and if there is one run alone.
    """
    rest = {path: content for path, content in contents.items() if path.name != _STATE}
    evaluated = {
        path.parent
        for path, content in rest.items()
        if isinstance(content, Mapping) and any(str(name).startswith("eval_") for name in content)
    }
    latest: dict[Path, Path] = {}
    for path, content in contents.items():
        if path.name == _STATE and isinstance(content, Mapping) and "log_history" in content:
            is_checkpoint = _CHECKPOINT.fullmatch(path.parent.name)
            run = path.parent.parent if is_checkpoint else path.parent
            if run not in latest or _count_steps(path) > _count_steps(latest[run]):
                latest[run] = path
    if not latest:
        return dict(contents), []
    found = {run / _STATE: _read_evaluation(path, contents[path]) for run, path in latest.items()}
    used = {path: one for path, one in found.items() if path.parent not in evaluated}
    result: dict[Path, object] = {**rest, **used} if evaluated else {**used}
    if used and len(result) == 1:
        ((path, one),) = used.items()
        first = min(one, key=lambda name: "loss" in name)
        raise ReseedError(
            f"{path}: is one run of one model. Give the folder that holds all runs, with the model "
            f"and the seed in each path (runs/bert/seed_3/{_STATE}): "
            f"`reseed compare runs/ --metric {first}`."
        )
    return result, [_STATE_NOTE] if used else []


def _count_steps(path: Path) -> float:
    match = _CHECKPOINT.fullmatch(path.parent.name)
    return float(match[1]) if match else float("inf")


def _read_evaluation(path: Path, state: Any) -> dict[str, float]:
    """The last value of every metric of an evaluation: fields `eval_…` and `test_…`.

    Raises ReseedError if the history holds none.
    """
    found: dict[str, float] = {}
    for entry in state["log_history"] or []:
        found |= {
            name: value
            for name, value in entry.items()
            if name.startswith(("eval_", "test_"))
            and not name.endswith(_COSTS)
            and isinstance(value, int | float)
        }
    if not found:
        raise ReseedError(
            f"{path}: its log_history holds no evaluation (no field `eval_…`). Train with "
            "eval_strategy='epoch', or give the results of the evaluation."
        )
    return found
