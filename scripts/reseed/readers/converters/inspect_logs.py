"""Reads logs of Inspect: `.eval` (a zip of JSON files) and `.json`."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import pyarrow as pa

from reseed.core.errors import ReseedError
from reseed.readers.cells import GRADES
from reseed.readers.converters.harnesses import Sample, hash_input
from reseed.readers.foreign_files import load_json, parse_json

_WORDS = {**GRADES, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
#: Compression method of Zstandard in the zip format (APPNOTE.TXT 4.4.5); Inspect may write it, and
#: Python reads it from version 3.14 on.
_ZSTANDARD = 93


def is_inspect_log(path: Path, head: str) -> bool:
    """Whether a file is a log of Inspect, by its suffix or its first fields."""
    start = head[:200].replace(" ", "").replace("\n", "")
    is_json = path.suffix == ".json" and start.startswith('{"version":') and '"status":' in start
    return is_json or (path.suffix == ".eval" and head.startswith("PK"))


def read_inspect_log(path: Path) -> Iterator[Sample]:
    """The samples and epochs of a log.

    A metric is the name of the scorer, with the key of a score that has several values. A sample
    that failed has NaN for every metric of the log.

    Raises ReseedError for a log that holds no samples or did not finish.
    """
    header, samples = _read_zip(path) if path.suffix == ".eval" else _read_json(path)
    info = header["eval"]
    if header["status"] != "success":
        raise ReseedError(
            f"{path}: the status is {header['status']!r}: the evaluation did not finish. Complete "
            f"it with `inspect eval-retry {path.name}`."
        )
    if not samples:
        raise ReseedError(f"{path}: holds no samples: the log was written without them.")
    graded: dict[str, bool] = {}  # by the first sample with a score of this name
    for one in samples:
        for name, score in (one.get("scores") or {}).items():
            graded.setdefault(name, isinstance(score["value"], str) and score["value"] in GRADES)
    greater = {name: True for name, is_graded in graded.items() if is_graded}
    scores = [dict(_read_scores(one)) for one in samples]
    failed = {name: float("nan") for values in scores for name in values}
    for one, values in zip(samples, scores, strict=True):
        yield Sample(
            str(info["task"]), str(info["model"]), str(one["id"]), failed | values,
            repetition=str(one.get("epoch", 1)), metadata=one.get("metadata"),
            asked=hash_input([_strip_ids(one.get("input")), one.get("target")]), greater=greater,
        )  # fmt: skip


def _read_json(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    content = load_json(path)
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
            parse_json(read_member(archive, name)) for name in names if name.startswith("samples/")
        ]
        return parse_json(read_member(archive, "header.json")), samples


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, also of Zstandard. Raises zipfile.BadZipFile if it is damaged."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        return archive.read(name)
    raw = copy(info)  # the bytes as they are, which the checksum is not of
    raw.compress_type, raw.file_size = zipfile.ZIP_STORED, info.compress_size
    raw.CRC = None  # type: ignore[assignment]
    compressed = pa.BufferReader(archive.open(raw).read())
    try:
        content = pa.CompressedInputStream(compressed, "zstd").read()
    except OSError as error:
        raise zipfile.BadZipFile(f"{name} is damaged ({error})") from None
    if zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"{name} has another checksum than the archive states")
    return bytes(content)


def _read_scores(sample: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Scores by metric, as Inspect's `value_to_float`; NaN if Inspect could not score."""
    for scorer, score in (sample.get("scores") or {}).items():
        value = score["value"]
        if isinstance(value, dict):
            yield from ((f"{scorer}/{key}", _as_number(one)) for key, one in value.items())
        elif not isinstance(value, list):
            yield scorer, _as_number(value)


def _as_number(value: Any) -> float:
    if isinstance(value, str) and (value in GRADES or value.lower() in _WORDS):
        return _WORDS[value if value in GRADES else value.lower()]
    try:
        return float("nan") if value is None else float(value)
    except ValueError:
        return 0.0  # as Inspect counts it


def _strip_ids(messages: Any) -> Any:
    """Messages without the identifiers that Inspect draws at random in every run."""
    if isinstance(messages, list):
        return [
            {k: v for k, v in one.items() if k != "id"} if isinstance(one, dict) else one
            for one in messages
        ]
    return messages
