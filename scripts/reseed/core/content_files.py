"""Text files that are named by the checksum of their content: `ab/cdef….json`."""

import hashlib
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.core.ownership import read_twice


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def content_path(folder: Path, text: str) -> Path:
    """Path of the file with this content."""
    name = _checksum(text)
    return folder / name[:2] / f"{name[2:]}.json"


def write_content(path: Path, text: str) -> None:
    """Write a file unless it has this content already. A damaged file is written again."""
    try:
        is_written = path.read_bytes() == text.encode()
    except OSError:
        is_written = False
    if not is_written:
        write_text(path, text)


def read_content(path: Path) -> str:
    """The content of a file. Raises Damaged where it does not match the name."""

    def read() -> str:
        text = path.read_text(encoding="utf-8")
        if path.parent.name + path.stem != _checksum(text):
            raise ValueError("its content does not match its name")
        return text

    return read_twice(path, read)
