"""The key that a table was made under, and the keys that a job expects of the tables it reads.

A job that outlives its run may write its table after a later run has written a newer one. Its
readers then find another key than the plan has.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from reseed.core.errors import Stale

#: Name of the key in the metadata of a Parquet file, and in a JSON file.
FIELD = "made_under"


@dataclass(frozen=True)
class FileKeys:
    """Keys of a job. own: key of the files that it writes. reads: expected keys by path."""

    own: str = ""
    reads: Mapping[str, str] = field(default_factory=dict)


_CURRENT: ContextVar[FileKeys | None] = ContextVar("file keys", default=None)


@contextmanager
def use_keys(keys: FileKeys) -> Iterator[None]:
    """Write and check these keys in the body."""
    token = _CURRENT.set(keys)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_keys() -> FileKeys:
    """Keys of the job that runs here; outside a job, none."""
    return _CURRENT.get() or FileKeys()


def check_key(path: Path, written: str | None) -> None:
    """Compare the key that a file holds with the expected one. Raises Stale."""
    expected = current_keys().reads.get(str(path))
    if expected is not None and written != expected:
        raise Stale(path, "made under other settings, code or data than the project has now")
