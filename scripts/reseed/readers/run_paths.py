"""What the paths of files, or settings that a tool wrote beside them, say of their runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from reseed.core.errors import ReseedError
from reseed.readers.names import ALL_RUN_COLUMNS, COLUMNS, Label, find_role, parse_label
from reseed.readers.options import ReadOptions
from reseed.readers.question import Option, Part

#: Files of settings of a run, beside or above its results: Lightning's and Hydra's.
_SETTINGS = ("hparams.yaml", ".hydra/overrides.yaml")


class PathRoles(NamedTuple):
    """Columns by file, Reseed's name → the column, and what is open."""

    rows: list[dict[str, str]]
    stated: dict[str, str]
    parts: tuple[Part, ...] = ()


def find_common_folder(paths: Sequence[Path]) -> Path:
    """The innermost folder that contains all of these paths."""
    return Path(os.path.commonpath([path.absolute().parent for path in paths]))


def identify_files(
    paths: Sequence[Path], options: ReadOptions, columns: Iterable[str]
) -> PathRoles:
    """What the path of each file says, where no column of the files says it.

    Labels such as `seed_3` name a run; the one other part in which paths differ names the model.
    `options.paths` states the parts; a path that it does not fit is an error.
    """
    columns = [*columns]
    known = {*map(find_role, columns), *options.columns}
    labels = _list_labels(paths)
    if options.paths:
        return _name([_match(options.paths, label) for label in labels], known, columns)
    settings = [_read_settings(path) for path in paths]
    parsed = [[parse_label(part) for part in label.split("/")] for label in labels]
    found = [{name: n for one in parts for name, n in one.runs.items()} for parts in parsed]
    for one, own in zip(found, settings, strict=True):
        if {"seed", "fold", "data_seed"} & {*own}:
            one.pop("repetition", None)
        one.update(own)
    parts: tuple[Part, ...] = ()
    if "model" not in known and not all("model" in one for one in found):
        name = find_common_folder(paths).name
        parts = _name_models(labels, parsed, found, known, name)
    return _name(found, known, columns, parts)


def _list_labels(paths: Sequence[Path]) -> list[str]:
    """Paths below the common folder, without their suffix and the last parts that all share."""
    folder = find_common_folder(paths)
    inner = [path.absolute().relative_to(folder).with_suffix("").parts for path in paths]
    while len(inner[0]) > 1 and len({parts[-1] for parts in inner}) == 1:
        if parse_label(inner[0][-1]).runs or any(len(parts) < 2 for parts in inner):
            break
        inner = [parts[:-1] for parts in inner]
    return ["/".join(parts) for parts in inner]


def _match(pattern: str, label: str) -> dict[str, str]:
    plain = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+?)", re.escape(pattern))
    match = re.fullmatch(plain, label)
    if match is None:
        raise ReseedError(
            f"{label}: does not fit `paths: {pattern}`. Write the path below the common folder, "
            "without its suffix, with names of Reseed in braces: `{model}/{seed}`."
        )
    return match.groupdict()


def _name_models(
    labels: Sequence[str],
    parsed: Sequence[Sequence[Label]],
    found: Sequence[dict[str, str]],
    known: set[str],
    folder: str,
) -> tuple[Part, ...]:
    """Add the model to what is found of each path, or return the question that is open."""
    rests = [[one.rest for one in parts] for parts in parsed]
    depth = len(rests[0]) if len({len(rest) for rest in rests}) == 1 else 0
    varying = [i for i in range(depth) if len({rest[i] for rest in rests}) > 1]
    if not varying:
        for one, rest in zip(found, rests, strict=True):
            one["model"] = "/".join(filter(None, rest)) or folder
        return ()
    if len(varying) > 1:
        forms = [
            "/".join(
                ("{model}" if i == at else "{dataset}") if i in varying else part
                for i, part in enumerate(labels[0].split("/"))
            )
            for at in varying
        ]
        text = f"what the folders of {labels[0]} and the others are"
        return (Part(text, tuple(Option({"paths": form}) for form in forms)),)
    (at,) = varying
    for one, rest in zip(found, rests, strict=True):
        one.setdefault("model", rest[at])
    has_runs = any({*ALL_RUN_COLUMNS} & {*one, *known} for one in found)
    words = [re.split(r"([_-])", rest[at]) for rest in rests]
    if has_runs or len({len(word) for word in words}) > 1:
        return ()
    moving = [i for i in range(len(words[0])) if len({word[i] for word in words}) > 1]
    if len(moving) != 2 or not all(word[moving[1]].isdigit() for word in words):
        return ()
    parts = labels[0].split("/")
    forms = []
    for role in ("seed", "fold", "repetition"):
        named = {moving[0]: "{model}", moving[1]: f"{{{role}}}"}
        name = "".join(named.get(i, word) for i, word in enumerate(words[0]))
        forms.append("/".join(name if i == at else part for i, part in enumerate(parts)))
    text = f"what the numbers in the names of files count ({labels[0]}, …)"
    return (Part(text, tuple(Option({"paths": form}) for form in forms)),)


def _name(
    found: Sequence[Mapping[str, str]], known: Iterable[str], columns: Sequence[str],
    parts: tuple[Part, ...] = (),
) -> PathRoles:  # fmt: skip
    names = [n for n in dict.fromkeys(n for one in found for n in one) if n not in {*known}]
    names = [name for name in names if name in COLUMNS or name not in columns]
    column = {name: name if name not in columns else f"({name})" for name in names}
    rows = [{column[n]: one.get(n, "") for n in names} for one in found]
    return PathRoles(rows, {n: column[n] for n in names if n in COLUMNS}, parts)


def _read_settings(path: Path) -> dict[str, str]:
    """The settings of a run that Lightning (`hparams.yaml`) or Hydra wrote beside its results."""
    found: dict[str, str] = {}
    for file in (
        folder / name for folder in (path.parent, path.parent.parent) for name in _SETTINGS
    ):
        try:
            content = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError):
            continue
        if isinstance(content, list):  # Hydra: `model=vit`
            content = dict(str(one).lstrip("+~").partition("=")[::2] for one in content)
        for key, value in content.items() if isinstance(content, Mapping) else ():
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                found.setdefault(find_role(key) or str(key), str(value))
        break
    return found
