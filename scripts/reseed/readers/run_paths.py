"""Reads seeds, folds and the model of a run from the path of its files, or what is beside them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from reseed.readers.columns import find_standard_name

_NUMBER = re.compile(r"(?<![A-Za-z])(seed|fold|repeat|data_seed|split)[ _\-=]?(\d+)")
_VERSION = re.compile(r"/?version_(\d+)")
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


def identify_files(paths: Sequence[Path]) -> list[RunIds]:
    """Identifiers of the run of each file; if no path holds a number, each file is a model."""
    ids = _add_versions(paths, parse_run_paths(paths))
    if any(set(run) > {"model"} for run in ids):
        return ids
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        folder = find_common_folder(paths)
        names = [path.absolute().relative_to(folder).with_suffix("").as_posix() for path in paths]
    return [{"model": name} for name in names]


def _add_versions(paths: Sequence[Path], ids: list[RunIds]) -> list[RunIds]:
    """The identifiers of runs in Lightning's folders `version_0`, `version_1`, ….

    The seed is that of `hparams.yaml`; without one, the versions of two models are not paired.
    """
    versions = [match for path in paths if (match := _VERSION.search(path.as_posix()))]
    if len(versions) < len(paths) or any(set(run) > {"model"} for run in ids):
        return ids
    settings = [_read_hparams(path) for path in paths]
    has_seeds = all("seed" in one for one in settings)
    result: list[RunIds] = []
    for run, version, own in zip(ids, versions, settings, strict=True):
        model = _VERSION.sub("", str(run["model"])) or str(own.get("model", "model"))
        number = {"seed": own["seed"]} if has_seeds else {"repetition": int(version[1])}
        result.append({"model": model, **number})
    return result


def _read_hparams(path: Path) -> RunIds:
    """The seed and model of a run that Lightning wrote to `hparams.yaml` beside its metrics."""
    try:
        content = yaml.safe_load((path.parent / "hparams.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    fields = content.items() if isinstance(content, Mapping) else ()
    return {
        name: value for key, value in fields
        if (name := find_standard_name(str(key))) in ("seed", "model")
        and isinstance(value, int | str) and not isinstance(value, bool)
    }  # fmt: skip
