"""Draw a job's exhibits: what the store holds is linked, the rest is drawn and stored.

Several share a process, so that they load their libraries once; the store sees to it that one of
them, edited, is drawn alone.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from reseed.cache import entries as store
from reseed.core.code_hash import Watched, digest
from reseed.plugins.kinds import find_kind, run_kind
from reseed.rendering.data import read_exhibit_data
from reseed.rendering.tables import Table

# Libraries that decide what a figure or a table looks like.
LIBRARIES = ("matplotlib", "numpy", "pandas", "pillow", "scipy")


@cache
def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def key_of(exhibit: dict) -> str:
    """Hash of all that decides an exhibit's files: code, settings, libraries and what it reads."""
    read = [(Path(path).name, _hash(Path(path))) for path in exhibit["inputs"]]
    return digest(exhibit["key"], exhibit["stem"], read, [version(name) for name in LIBRARIES])


def draw(exhibit: dict, stem: Path) -> None:
    """Draw one exhibit and write every format of it, below `stem`."""
    kind = find_kind("exhibits", exhibit["kind"])
    data, options = read_exhibit_data(Path(exhibit["study"]), exhibit), exhibit["options"]
    if kind.function == "table":
        from reseed.rendering.table_files import write_table

        write_table(run_kind(kind, data, options, Table), stem)
    else:
        from reseed.rendering.figures import write_figure

        figure, drawn = run_kind(kind, data, options, tuple)
        write_figure(figure, drawn, data, stem)


def draw_all(exhibits: list[dict], results: Path) -> Iterator[tuple[str, str | Exception]]:
    """Make every exhibit's files; yields its place and `drawn`, `linked` or what went wrong.

    Args:
        exhibits: each with `study` (folder), `stem` (its files' path below `study`, without
            suffix), `suffixes`, `inputs`, `key` (of code and settings), `own_files`
            (`keys.own_files`) and its entry.
        results: the results folder, which has the store.
    """
    for exhibit in exhibits:
        try:
            outcome = _make(exhibit, results / "store")
        except Exception as error:  # the others are drawn all the same
            outcome = error
        yield exhibit["stem"], outcome


def _make(exhibit: dict, folder: Path) -> str:
    key, stem = key_of(exhibit), Path(exhibit["study"], exhibit["stem"])
    stored = {suffix: store.place(folder, key, suffix) for suffix in exhibit["suffixes"]}
    known = all(path.exists() for path in stored.values())
    if not known:
        with tempfile.TemporaryDirectory() as place:
            draw(exhibit, Path(place, stem.name))
            Watched(exhibit["own_files"]).refuse_edits()
            for suffix, path in stored.items():
                drawn = Path(place, stem.name + suffix)
                store.add(path, lambda temporary, drawn=drawn: shutil.copyfile(drawn, temporary))
    for suffix, path in stored.items():
        store.link(path, stem.with_name(stem.name + suffix))
    return "linked" if known else "drawn"
