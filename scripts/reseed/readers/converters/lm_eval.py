"""Result files of lm-eval, recognised by their content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.readers.files import FileSet
from reseed.readers.names import name_filtered
from reseed.readers.run_paths import find_common_folder
from reseed.readers.source_table import Layout, SourceTable, join_names

#: Fields of seeds, by priority: the few-shot examples vary results most.
_SEED_FIELDS = ("fewshot_seed", "random_seed", "torch_seed", "numpy_seed")
_MODEL = re.compile(r"(?:pretrained|model|path)=([^,]+)")
#: The content of one file.
_Run = dict[str, Any]


def is_lm_eval(content: object) -> bool:
    """Whether the content of a JSON file is a result of lm-eval: scores by task."""
    results = content.get("results") if isinstance(content, Mapping) else None
    return isinstance(results, Mapping) and all(isinstance(v, Mapping) for v in results.values())


def read_lm_eval(files: FileSet) -> SourceTable | None:
    """One row a file (run), task and metric, with the seed that varies between files.

    A metric under the filter `none` keeps its name, `acc`; under another filter it includes the
    filter, `exact_match (strict-match)`. Left out are standard errors, which hold for the items of
    one run, and groups of tasks whose tasks are given too. The files state each metric's direction.

    Raises ReseedError for a file that has no `results`. None if no file has any.
    """
    contents = files.contents
    if files.options.format == "auto" and not any(map(is_lm_eval, contents.values())):
        return None
    for path, content in contents.items():
        if not is_lm_eval(content):
            raise ReseedError(
                f"{path}: is no result file of lm-eval: it has no `results` by task. "
                "Give the `results_….json` that `lm_eval --output_path` writes, or a table (CSV)."
            )
    runs: dict[Path, _Run] = {path: dict(one) for path, one in contents.items()}  # type: ignore[call-overload]
    directions = {
        metric: bool(is_higher_better)
        for run in runs.values()
        for by_metric in (run.get("higher_is_better") or {}).values()
        for metric, is_higher_better in (by_metric or {}).items()
        if is_higher_better is not None
    }
    configs = [run.get("config") or {} for run in runs.values()]
    varying = (n for n in _SEED_FIELDS if len({str(one.get(n)) for one in configs}) > 1)
    seed_field = next(varying, None)
    rows, row_labels = [], []
    left_out: dict[str, None] = {}
    for path, run in runs.items():
        seed = (run.get("config") or {}).get(seed_field, "") if seed_field else 0
        ids = {"model": _read_model(run, path), "seed": seed}
        groups = _find_groups(run)
        left_out |= dict.fromkeys(groups)
        for task in [task for task in run["results"] if task not in groups]:
            for name, value in run["results"][task].items():
                metric, full = name.partition(",")[0], name_filtered(name)
                if not metric.endswith("_stderr") and isinstance(value, int | float):
                    rows.append({**ids, "dataset": task, "metric": full, "value": float(value)})
                    row_labels.append(path.name)
                    directions |= {full: directions[metric]} if metric in directions else {}
    notes = ["The files state no seed that differs between runs."]
    if seed_field:
        notes = [f"Runs differ in {seed_field}."]
    if left_out:
        notes.append(
            f"Left out, as a group's score is the mean of its tasks': {join_names([*left_out])}."
        )
    columns = ["model", "dataset", "seed", "metric", "value"]
    layout = Layout(
        "lm_eval", directions=directions, derived="lm-eval, a file a run, a task a dataset",
        stated={name: name for name in columns},
    )  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns)
    where = next(iter(contents)) if len(contents) == 1 else find_common_folder([*contents])
    return SourceTable(str(where), frame, np.array(row_labels), "file", layout, notes)


def _find_groups(run: _Run) -> list[str]:
    """Tasks whose scores are means over other tasks of the same file."""
    results, members = run["results"], run.get("group_subtasks")
    if members is None:  # older files list groups only; names of tasks start with their group's
        groups = run.get("groups") or {}
        members = {g: [t for t in results if t.startswith(f"{g}_")] for g in groups}
    return [task for task in results if any(t in results for t in members.get(task) or ())]


def _read_model(run: _Run, path: Path) -> str:
    config = run.get("config") or {}
    if run.get("model_name"):
        return str(run["model_name"])
    arguments = config.get("model_args") or ""
    if isinstance(arguments, dict):
        arguments = ",".join(f"{name}={value}" for name, value in arguments.items())
    match = _MODEL.search(arguments)
    return match[1] if match else str(config.get("model") or path.stem)
