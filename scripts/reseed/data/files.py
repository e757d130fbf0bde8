"""Checksums of files that are written once and listed in `meta.json`.

A read compares size and modification time with the recorded ones. It hashes the bytes only if
these differ, as in a copied folder. The module imports no large library.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from reseed.core.errors import Damaged
from reseed.core.ownership import read_twice
from reseed.data.kinds import META
from reseed.data.meta import FileFacts, WeightsMeta


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes, as hexadecimal digits.

    For a folder: of the names and bytes of the files in it.
    """
    if Path(path).is_dir():
        inside = sorted(p for p in Path(path).rglob("*") if p.is_file())
        lines = [f"{hash_file(p)} {p.relative_to(path).as_posix()}\n" for p in inside]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def describe_file(path: Path) -> FileFacts:
    """Size, modification time and hash of a file."""
    status = os.stat(path)
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": hash_file(path)}


def check_file(folder: Path, files: Mapping[str, FileFacts], name: str) -> Path:
    """Return the path of a file after a check of its bytes.

    files: facts of each file, from `meta.json`. The bytes are hashed only if the size or the time
    differs from the recorded one. Raises Damaged.
    """
    path, meta = Path(folder) / name, Path(folder) / META
    if name not in files:
        raise Damaged(meta, f"does not name {name}")
    facts = files[name]

    def check() -> Path:
        status = os.stat(path)
        is_unchanged = (status.st_size, status.st_mtime_ns) == (facts["size"], facts["mtime_ns"])
        if not is_unchanged and (actual := hash_file(path)) != facts["sha256"]:
            raise ValueError(f"its bytes hash to {actual}, but {META} says {facts['sha256']}")
        return path

    return read_twice(path, check, meta)  # both are made by one job


def read_weights_meta(folder: Path) -> WeightsMeta:
    """Read what `reseed.data.weights.prepare_weights` wrote, and check every file.

    Raises Damaged.
    """
    meta = WeightsMeta.read(folder)
    for name in meta.files:
        check_file(folder, meta.files, name)
    return meta
