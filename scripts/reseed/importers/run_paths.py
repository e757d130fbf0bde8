"""What the path of a run's files says: the run's numbers, and the model."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

_NUMBER = re.compile(r"(?<![A-Za-z])(seed|fold|repeat|data_seed|split)[ _\-=]?(\d+)")


def common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that holds all of these."""
    return Path(os.path.commonpath([path.absolute().parent for path in paths]))


def places_of(paths: Sequence[Path]) -> list[dict]:
    """What each path says below the folder that holds all: `place_of` its parts.

    Names without a number of the run that all end in, as `lightning_logs/version_0/metrics.csv`,
    say nothing.
    """
    folder = common_folder(paths)
    inner = [path.absolute().relative_to(folder).with_suffix("").parts for path in paths]
    while inner[0] and len({parts[-1:] for parts in inner}) == 1:
        if _NUMBER.search(inner[0][-1]):
            break
        inner = [parts[:-1] for parts in inner]
    return [place_of(parts, folder.name) for parts in inner]


def place_of(parts: Sequence[str], otherwise: str) -> dict:
    """`rf/seed_3` as {model: rf, seed: 3}; `otherwise` is the model where only numbers stand."""
    place, rest = {}, []
    for part in parts:
        left = part
        for match in _NUMBER.finditer(part):
            place[match[1]] = int(match[2])
            left = left.replace(match[0], "")
        left = left.strip(" _-=.,")
        rest += [left] if left else []
    return {"model": "/".join(rest) or otherwise, **place}
