"""Files that were made once and are trusted: their hash stands in ``meta.json`` beside them.

A reader compares size and time with those recorded, and hashes the bytes only where they differ (a
copied folder). Nothing heavy is imported here.
"""

import hashlib
import json
import os
from pathlib import Path

from reseed.core.errors import Damaged
from reseed.data.kinds import META


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes (a folder: of the names and bytes in it), in hexadecimal digits."""
    if Path(path).is_dir():
        inside = sorted(p for p in Path(path).rglob("*") if p.is_file())
        lines = [f"{hash_file(p)} {p.relative_to(path).as_posix()}\n" for p in inside]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def describe_file(path: Path) -> dict:
    """Size, time and hash of a file, as ``meta.json`` keeps them."""
    status = os.stat(path)
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": hash_file(path)}


def check_file(folder: Path, meta: dict, name: str, always: bool = False) -> Path:
    """Path of a file whose bytes are those that `meta` names; else raise `Damaged`.

    The bytes are hashed where size or time differ from the recorded ones, or `always`.
    """
    path = Path(folder) / name
    facts = meta.get("files", {}).get(name)
    if facts is None:
        raise Damaged(Path(folder) / META, f"does not name {name}")
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise Damaged(path, "is missing") from None
    same = (status.st_size, status.st_mtime_ns) == (facts["size"], facts["mtime_ns"])
    if (always or not same) and (found := hash_file(path)) != facts["sha256"]:
        raise Damaged(path, f"its bytes hash to {found}, {META} says {facts['sha256']}")
    return path


def read_meta(folder: Path) -> dict:
    """``meta.json`` of a prepared dataset (or of weights) alone: cheap, no rows are read."""
    path = Path(folder) / META
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Damaged(path, "is missing") from None
    except ValueError as error:
        raise Damaged(path, f"cannot be read ({error})") from None
