"""Folders that tools write, one a run: Sacred's observer, MTEB's results, Lightning's versions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from reseed.readers.columns import find_standard_name
from reseed.readers.run_paths import RunIds, find_common_folder
from reseed.readers.source_table import Layout, SourceTable

_VERSION = re.compile(r"version_(\d+)")
_SACRED = ("run.json", "config.json", "metrics.json")
_MTEB = {"task_name", "scores"}
#: The file beside Lightning's `metrics.csv`.
_HPARAMS = "hparams.yaml"


def is_sacred(contents: Mapping[Path, object]) -> bool:
    """Whether files are those of Sacred's FileStorageObserver, a folder a run."""
    return any(
        path.name == "metrics.json"
        and isinstance(content, Mapping)
        and any(isinstance(one, Mapping) and "values" in one for one in content.values())
        for path, content in contents.items()
    )


def read_sacred(contents: Mapping[Path, object]) -> SourceTable:
    """One row a run: its configuration, its status, and the last value of each metric."""
    folders: dict[Path, dict[str, Any]] = {}
    for path, content in contents.items():
        if path.name in _SACRED and isinstance(content, Mapping):
            folders.setdefault(path.parent, {})[path.name] = content
    used = {folder: one for folder, one in folders.items() if "metrics.json" in one}
    rows = []
    for one in used.values():
        config = {k: v for k, v in one.get("config.json", {}).items() if np.isscalar(v)}
        last = {
            name: found["values"][-1]
            for name, found in one["metrics.json"].items()
            if isinstance(found, Mapping) and isinstance(found.get("values"), list)
            and found["values"]
        }  # fmt: skip
        rows.append({**config, **last, "status": one.get("run.json", {}).get("status", "")})
    folder = find_common_folder([next(iter(used)), *used])
    labels = np.array([run.name for run in used])
    notes = ["Read as runs of Sacred: the last value of each metric."]
    return SourceTable(str(folder), pd.DataFrame(rows), labels, "run", notes=notes)


def is_mteb(content: object) -> bool:
    """Whether the content of a JSON file is a result of MTEB on one task."""
    return isinstance(content, Mapping) and set(content) >= _MTEB


def read_mteb(contents: Mapping[Path, object]) -> SourceTable:
    """One row a model and task: the mean of `main_score` over subsets of the test split."""
    rows, labels = [], []
    for path, content in contents.items():
        if not (is_mteb(content) and isinstance(content, Mapping)):
            continue
        scores = content["scores"]
        if not isinstance(scores, Mapping) or not scores:
            continue
        split = "test" if "test" in scores else next(iter(scores))
        values = [one.get("main_score") for one in scores[split] if isinstance(one, Mapping)]
        numbers = [float(v) for v in values if isinstance(v, int | float)]
        # results/MODEL/REVISION/TASK.json
        model = path.parent.parent.name if path.parent.parent.name else path.parent.name
        mean = float(np.mean(numbers)) if numbers else np.nan
        rows.append({"model": model, "dataset": str(content["task_name"]), "main_score": mean})
        labels.append(path.name)
    layout = Layout("mteb", derived="MTEB, a file a task", greater_by_default=True)
    table = SourceTable(
        str(find_common_folder(list(contents))), pd.DataFrame(rows), np.array(labels), "file",
        layout, ["Read as MTEB's results: `main_score` of each task."],
    )  # fmt: skip
    frame = table.frame.rename(columns={"main_score": "value"}).assign(metric="main_score")
    return table.with_frame(frame)


def add_versions(paths: Sequence[Path], ids: list[RunIds]) -> list[RunIds]:
    """The identifiers of runs in Lightning's folders `version_0`, `version_1`, ….

    The seed is that of `hparams.yaml`; without one, the versions of two models are not paired.
    """
    versions = [_VERSION.search(path.as_posix()) for path in paths]
    if not all(versions) or any(set(run) > {"model"} for run in ids):
        return ids
    models = [re.sub(r"/?version_\d+", "", str(run["model"])) for run in ids]
    found = [read_hparams(path) for path in paths]
    has_seeds = all("seed" in one for one in found)
    result: list[RunIds] = []
    for model, version, own in zip(models, versions, found, strict=True):
        assert version is not None
        run = {"seed": own["seed"]} if has_seeds else {"repetition": int(version[1])}
        result.append({"model": model or str(own.get("model", "model")), **run})
    return result


def read_hparams(path: Path) -> dict[str, str | int]:
    """The seed and model of a run that Lightning wrote to `hparams.yaml` beside its metrics."""
    try:
        content = yaml.safe_load((path.parent / _HPARAMS).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    if not isinstance(content, Mapping):
        return {}
    named = {find_standard_name(str(name)): value for name, value in content.items()}
    return {
        name: value for name in ("seed", "model")
        if isinstance(value := named.get(name), int | str) and not isinstance(value, bool)
    }  # fmt: skip
