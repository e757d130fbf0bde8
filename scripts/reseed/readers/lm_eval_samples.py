"""Reads `samples_TASK_DATE.jsonl`, which lm-eval writes with --log_samples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError
from reseed.readers.log_rows import LogRow, read_cluster

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")


def is_lm_eval_samples(path: Path) -> bool:
    """Whether a file has the name of lm-eval's samples."""
    return _NAME.fullmatch(path.name) is not None


def read_lm_eval_samples(path: Path, cluster: str | None = None) -> list[LogRow]:
    """One row a sample, filter and metric.

    Model and seeds are read from `results_DATE.json` beside the file; without it the model is the
    folder, and the run is its date. The direction of a metric is the harness's. Metrics that are
    not numbers, such as pairs of a likelihood and a length, are left out.

    Raises ReseedError for a line that is not JSON, and a sample without `doc_id` or `metrics`.
    """
    match = _NAME.fullmatch(path.name)
    assert match is not None
    results = _read_results(path.with_name(f"results_{match['date']}.json"))
    config = results.get("config") or {}
    model = str(results.get("model_name") or path.absolute().parent.name)
    seed = "-".join(str(config.get(name)) for name in _SEEDS) if config else match["date"]
    directions = (results.get("higher_is_better") or {}).get(match["task"]) or {}
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
            item, names = str(sample["doc_id"]), sample["metrics"]
        except (ValueError, KeyError, TypeError) as error:
            raise ReseedError(
                f"{path} (line {number}): is no sample of lm-eval ({error!r}). If the line is cut "
                "off, evaluate this task again with --log_samples."
            ) from None
        filter_name = sample.get("filter", "none")
        for name in names:
            value = sample.get(name)
            if isinstance(value, list | dict | str):
                continue
            rows.append(
                LogRow(
                    dataset=match["task"],
                    model=model,
                    item=item,
                    metric=name if filter_name == "none" else f"{name} ({filter_name})",
                    score=float("nan") if value is None else float(value),
                    seed=seed,
                    cluster=read_cluster(sample.get("doc"), cluster, path, item),
                    input_hash=str(sample.get("doc_hash", "")),
                    greater_is_better=directions.get(name),
                    file=str(path),
                )
            )
    return rows


def _read_results(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ReseedError(f"{path}: cannot be read as JSON ({error}). Evaluate again.") from None
    return content if isinstance(content, dict) else {}
