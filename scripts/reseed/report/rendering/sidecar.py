"""The sidecar of an exhibit: the JSON file from which pages and captions are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from reseed.core.checked_io import read_json


@dataclass(frozen=True)
class Sidecar:
    """What `table_files` or `figures` wrote; fields of the other form are empty."""

    form: str = ""
    title: str = ""
    caption: str = ""
    footnote: str = ""
    definitions: Sequence[str] = ()
    empty: str = ""
    files: Sequence[str] = ()
    headings: Sequence[list[str]] = ()
    rows: Sequence[tuple[str | None, list[str]]] = ()
    details: Sequence[str] = ()
    text_columns: int = 1
    paragraphs: Sequence[int] = ()
    alt: str = ""
    inches: Sequence[float] = (0.0, 0.0)


def read_sidecar(path: Path) -> Sidecar:
    """The sidecar in a file."""
    known = {one.name for one in fields(Sidecar)}
    return Sidecar(**{key: one for key, one in read_json(path).items() if key in known})
