"""Result files of the Language Model Evaluation Harness (`results_….json`): one run a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from reseed.core.errors import ReseedError
from reseed.importers.run_paths import common_folder
from reseed.importers.source_table import Layout, Table

#: In the order in which a run's seed is looked for: the examples shown vary results most.
_SEEDS = ("fewshot_seed", "random_seed", "torch_seed", "numpy_seed")
_MODEL = re.compile(r"(?:pretrained|model|path)=([^,]+)")


def is_lm_eval(content: object) -> bool:
    """Whether a JSON file's content is a result of lm-eval: scores by task."""
    results = content.get("results") if isinstance(content, Mapping) else None
    return isinstance(results, Mapping) and all(isinstance(v, Mapping) for v in results.values())


def read_lm_eval(paths: list[Path]) -> Table:
    """One row a file (run), task and metric, with the seed that varies between files.

    A metric under the filter `none` goes by its name alone, `acc`; another by both,
    `exact_match (strict-match)`. Left out are standard errors, which hold for one run's items, and
    groups of tasks beside their tasks. Whether greater is better is as the files say.

    Raises ReseedError for a file that is not JSON or has no `results`.
    """
    runs = [_read(path) for path in paths]
    directions = {
        metric: bool(better)
        for run in runs
        for of_task in (run.get("higher_is_better") or {}).values()
        for metric, better in (of_task or {}).items()
        if better is not None
    }
    seed = _varying_seed(runs)
    rows, where, left_out = [], [], {}
    for path, run in zip(paths, runs, strict=True):
        place = {"model": _model(run, path), "seed": _seed(run, seed)}
        groups = _groups(run)
        left_out |= dict.fromkeys(groups)
        for task, scores in run["results"].items():
            if task in groups:
                continue
            for name, value in scores.items():
                metric, _, of_filter = name.partition(",")
                if metric.endswith("_stderr") or not isinstance(value, int | float):
                    continue
                shown = metric if of_filter in ("", "none") else f"{metric} ({of_filter})"
                rows.append({**place, "dataset": task, "metric": shown, "value": float(value)})
                where.append(path.name)
                if metric in directions:
                    directions[shown] = directions[metric]
    notes = [
        f"Runs differ in {seed}." if seed else "The files state no seed that differs between runs."
    ]
    if left_out:
        notes.append(
            f"Left out, as a group's score is the mean of its tasks': {', '.join(left_out)}."
        )
    path = str(paths[0] if len(paths) == 1 else common_folder(paths))
    layout = Layout(
        "lm_eval", directions=directions, derived="lm-eval, a file a run, a task a dataset"
    )
    columns = ["model", "dataset", "seed", "metric", "value"]
    frame = pd.DataFrame(rows, columns=columns)
    return Table(path, frame, np.array(where), "file", layout, notes)


def _read(path: Path) -> dict:
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReseedError(f"{path}: cannot be read as JSON ({error}).") from None
    if not is_lm_eval(run):
        raise ReseedError(
            f"{path}: is no result file of lm-eval: it has no `results` by task. "
            "Give the `results_….json` that `lm_eval --output_path` writes, or a table (CSV)."
        )
    return run


def _groups(run: dict) -> list[str]:
    """Tasks whose scores are means over other tasks of the same file."""
    results, members = run["results"], run.get("group_subtasks")
    if members is None:  # older files name the groups alone; a task's name begins with its group's
        groups = run.get("groups") or {}
        members = {g: [t for t in results if t.startswith(f"{g}_")] for g in groups}
    return [task for task in results if any(t in results for t in members.get(task) or ())]


def _model(run: dict, path: Path) -> str:
    config = run.get("config") or {}
    if run.get("model_name"):
        return str(run["model_name"])
    arguments = config.get("model_args") or ""
    if isinstance(arguments, dict):
        arguments = ",".join(f"{name}={value}" for name, value in arguments.items())
    match = _MODEL.search(arguments)
    return match[1] if match else str(config.get("model") or path.stem)


def _varying_seed(runs: list[dict]) -> str | None:
    for name in _SEEDS:
        if len({str((run.get("config") or {}).get(name)) for run in runs}) > 1:
            return name
    return None


def _seed(run: dict, name: str | None) -> object:
    return (run.get("config") or {}).get(name, "") if name else 0
