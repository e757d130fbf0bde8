"""Reads seeds, folds and the model of a run from the path of its files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

_NUMBER = re.compile(r"(?<![A-Za-z])(seed|fold|repeat|data_seed|split)[ _\-=]?(\d+)")
#: `model`, and the numbers of the run, by column.
RunIds = dict[str, str | int]


def find_common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that contains all of these paths."""
    return Path(os.path.commonpath([path.absolute().parent for path in paths]))


def parse_run_paths(paths: Sequence[Path]) -> list[RunIds]:
    """`parse_run_path` of each path below the common folder.

    Trailing parts that all paths share and that hold no number of a run are ignored, such as
    `lightning_logs/version_0/metrics.csv`.
    """
    folder = find_common_folder(paths)
    inner = [path.absolute().relative_to(folder).with_suffix("").parts for path in paths]
    while inner[0] and len({parts[-1:] for parts in inner}) == 1:
        if _NUMBER.search(inner[0][-1]):
            break
        inner = [parts[:-1] for parts in inner]
    return [parse_run_path(parts, folder.name) for parts in inner]


def parse_run_path(parts: Sequence[str], default_model: str) -> RunIds:
    """`rf/seed_3` as {model: rf, seed: 3}; `default_model` if the path holds numbers only."""
    numbers: RunIds = {}
    names = []
    for part in parts:
        name = part
        for match in _NUMBER.finditer(part):
            numbers[match[1]] = int(match[2])
            name = name.replace(match[0], "")
        name = name.strip(" _-=.,")
        names += [name] if name else []
    return {"model": "/".join(names) or default_model, **numbers}
