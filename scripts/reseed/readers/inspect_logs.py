"""Reads logs of Inspect: `.eval` (a zip of JSON files) and `.json`."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError
from reseed.readers.log_rows import LogRow, hash_input, read_cluster
from reseed.readers.source_table import GRADES
from reseed.readers.zip_members import read_member

_TRUTH = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_CONVERT = "Convert it with `inspect log convert --to json`, which reads all versions."


def is_inspect_log(path: Path) -> bool:
    """Whether a file is a log of Inspect, by its suffix or its first fields."""
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json":
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        start = file.read(200).replace(" ", "").replace("\n", "")
    return start.startswith('{"version":') and '"status":' in start


def read_inspect_log(path: Path, cluster: str | None = None) -> list[LogRow]:
    """One row a sample, epoch and score.

    A metric is the name of the scorer, with the key of a score that has several values. A sample
    that failed has NaN for every metric of the log.

    Raises ReseedError for a log that is damaged, holds no samples or did not finish.
    """
    try:
        header, samples = _read_zip(path) if path.suffix == ".eval" else _read_json(path)
        status, info = header["status"], header["eval"]
        dataset, model = str(info["task"]), str(info["model"])
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise ReseedError(
            f"{path}: is damaged, or no log of Inspect ({error!r}). Run the evaluation again, or "
            f"restore the file. {_CONVERT}"
        ) from None
    if status != "success":
        raise ReseedError(
            f"{path}: the status is {status!r}: the evaluation did not finish. Complete it "
            f"with `inspect eval-retry {path.name}`."
        )
    if not samples:
        raise ReseedError(f"{path}: holds no samples: the log was written without them.")
    scores = [_read_scores(sample) for sample in samples]
    names = list(dict.fromkeys(name for one in scores for name in one))
    rows = []
    for sample, values in zip(samples, scores, strict=True):
        item = str(sample["id"])
        rows += [
            LogRow(
                dataset=dataset,
                model=model,
                item=item,
                metric=name,
                score=values.get(name, math.nan),
                repeat=str(sample.get("epoch", 1)),
                cluster=read_cluster(sample.get("metadata"), cluster, path, item),
                input_hash=hash_input([_strip_ids(sample.get("input")), sample.get("target")]),
                greater_is_better=True if set(_words(samples, name)) & set(GRADES) else None,
                file=str(path),
            )
            for name in names
        ]
    return rows


def _read_json(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return content, content.get("samples") or []


def _read_zip(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if "header.json" not in names:
            raise ReseedError(
                f"{path}: holds no header.json: the evaluation did not finish. Complete it with "
                f"`inspect eval-retry {path.name}`."
            )
        samples = [
            json.loads(read_member(archive, name)) for name in names if name.startswith("samples/")
        ]
        return json.loads(read_member(archive, "header.json")), samples


def _read_scores(sample: dict[str, Any]) -> dict[str, float]:
    """Scores by metric, as Inspect's `value_to_float`; NaN if Inspect could not score."""
    values: dict[str, float] = {}
    for scorer, score in (sample.get("scores") or {}).items():
        value = score["value"]
        if isinstance(value, dict):
            values |= {f"{scorer}/{key}": _as_number(one) for key, one in value.items()}
        elif not isinstance(value, list):
            values[scorer] = _as_number(value)
    return values


def _as_number(value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, str) and value in GRADES:
        return GRADES[value]
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    try:
        return float(value)
    except ValueError:
        return 0.0  # as Inspect counts it


def _words(samples: list[dict[str, Any]], name: str) -> list[str]:
    """Values of a scorer that are words, of the first sample that has any."""
    for sample in samples:
        score = (sample.get("scores") or {}).get(name)
        if score is not None:
            return [score["value"]] if isinstance(score["value"], str) else []
    return []


def _strip_ids(messages: Any) -> Any:
    """Messages without the identifiers that Inspect draws at random in every run."""
    if isinstance(messages, list):
        return [
            {k: v for k, v in one.items() if k != "id"} if isinstance(one, dict) else one
            for one in messages
        ]
    return messages
