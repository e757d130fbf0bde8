"""Reads samples of the Every Eval Ever schema (`instance_level_eval`): JSON lines."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError
from reseed.readers.log_rows import LogRow, hash_input, read_cluster

_MARKS = ("schema_version", "evaluation_id", "sample_id")
#: Name of the score of rows that do not say which result of the evaluation they belong to.
_SCORE = "score"


def is_every_eval_ever(path: Path) -> bool:
    """Whether the first line of a `.jsonl` file has the fields of the schema."""
    if path.suffix != ".jsonl":
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        start = file.read(2000)
    return all(f'"{name}"' in start for name in _MARKS)


def read_every_eval_ever(path: Path, cluster: str | None = None) -> list[LogRow]:
    """One row a sample and result.

    An evaluation (`evaluation_id`) is a run: it takes the place of the seed. Rows of one sample in
    one evaluation are repeats, by `metadata.epoch` where Inspect's converter wrote it. A sample
    with an `error` has failed. The direction is that of `metric_config` in the file of the
    evaluation beside it.

    Raises ReseedError for a line that is not JSON or lacks a required field.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    directions = _read_directions(path)
    counts: Counter[tuple[str, ...]] = Counter()
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
            run, item = str(sample["evaluation_id"]), str(sample["sample_id"])
            dataset, model = str(sample["evaluation_name"]), str(sample["model_id"])
            score = float(sample["evaluation"]["score"])
        except (ValueError, KeyError, TypeError) as error:
            raise ReseedError(
                f"{path} (line {number}): is no sample of Every Eval Ever ({error!r}). If the line "
                "is cut off, convert the log again; check it with its validator."
            ) from None
        metric = str(sample.get("evaluation_result_id") or _SCORE)
        metadata = sample.get("metadata") or {}
        counts[run, dataset, item, metric] += 1
        rows.append(
            LogRow(
                dataset=dataset,
                model=model,
                item=item,
                metric=metric,
                score=math.nan if sample.get("error") else score,
                seed=run,
                repeat=str(metadata.get("epoch") or counts[run, dataset, item, metric]),
                cluster=read_cluster(sample.get("metadata"), cluster, path, item),
                input_hash=_identify(sample),
                greater_is_better=directions.get(metric, directions.get(dataset)),
                file=str(path),
            )
        )
    return rows


def _identify(sample: dict[str, Any]) -> str:
    """The hash that the file states, else that of input and references."""
    stated = sample.get("sample_hash")
    asked = sample.get("input") or {}
    return str(stated) if stated else hash_input([asked.get("raw"), asked.get("reference")])


def _read_directions(path: Path) -> dict[str, bool]:
    """Whether more is better, by result and by name, from the evaluation's file."""
    file = path.with_name(f"{path.stem.removesuffix('_samples')}.json")
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        found = {}
        for result in content.get("evaluation_results") or []:
            lower = (result.get("metric_config") or {}).get("lower_is_better")
            for name in (result.get("evaluation_name"), result.get("evaluation_result_id")):
                if lower is not None and name:
                    found[str(name)] = not lower
    except (ValueError, AttributeError, TypeError) as error:
        raise ReseedError(f"{file}: is damaged ({error}). Convert the log again.") from None
    return found
