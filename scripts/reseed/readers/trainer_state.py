"""Reads `trainer_state.json`, which the Trainer of Hugging Face writes in each checkpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError

NAME = "trainer_state.json"
NOTE = (
    "Of each trainer_state.json the last evaluation of every metric is used. Its best_metric is "
    "not: it was chosen on the same data."
)
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")
_COSTS = ("_runtime", "_per_second", "_timing")


def find_states(contents: Mapping[Path, object]) -> dict[Path, Mapping[str, Any]]:
    """The last evaluation of each run, by the file of the run's latest checkpoint.

    Of several checkpoints of a run the one without a number, else with the greatest, holds the
    whole history. Raises ReseedError for a state without an evaluation.
    """
    states = {
        path: content
        for path, content in contents.items()
        if path.name == NAME and isinstance(content, Mapping) and "log_history" in content
    }
    latest: dict[Path, Path] = {}
    for path in states:
        run = path.parent.parent if _CHECKPOINT.fullmatch(path.parent.name) else path.parent
        if run not in latest or _count_steps(path) > _count_steps(latest[run]):
            latest[run] = path
    return {run / NAME: read_evaluation(path, states[path]) for run, path in latest.items()}


def refuse_single_run(path: Path, evaluation: Mapping[str, Any]) -> ReseedError:
    """The error for one state alone, which is one run: two models need several."""
    names = sorted(evaluation, key=lambda name: "loss" in name)
    return ReseedError(
        f"{path}: is one run of one model. Give the folder that holds all runs, with the model and "
        f"the seed in each path (runs/bert/seed_3/{NAME}): "
        f"`reseed compare runs/ --metric {names[0]}`."
    )


def _count_steps(path: Path) -> float:
    match = _CHECKPOINT.fullmatch(path.parent.name)
    return float(match[1]) if match else float("inf")


def read_evaluation(path: Path, state: Mapping[str, Any]) -> dict[str, float]:
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
