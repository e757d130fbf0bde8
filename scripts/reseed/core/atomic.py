"""Write files in one step, so that a killed job leaves no partial file."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reseed.core.run_token import refuse_replacement


@contextmanager
def replace_atomically(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; on success, rename it to `path`.

    The temporary file is synced to disk first. An exception deletes it and leaves `path` unchanged.
    Raises ReseedError if this job belongs to an earlier run (`reseed.core.run_token`).
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        refuse_replacement(path)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` (UTF-8) to `path` in one step."""
    with replace_atomically(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | Path, value: object) -> None:
    """Write `value` as indented JSON with sorted keys to `path` in one step."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
