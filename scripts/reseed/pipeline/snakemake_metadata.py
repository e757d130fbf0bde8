"""Snakemake's records of files: of a file without one, or with another's, it notices no change."""

import os
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError

RECORDS = Path(".snakemake", "metadata")


def unrecorded(files: Iterable[str], records: Path = RECORDS) -> list[str]:
    """Those files that stand, and of which Snakemake's folder has no record.

    So it is of results that were copied to another checkout, and once `.snakemake` was removed.
    """
    return [file for file in files if os.path.exists(file) and not _record(file, records).exists()]


def _record(file: str, records: Path) -> Path:
    """Where Snakemake keeps its record of a file; a name that is too long stands in folders."""
    name, limit = urlsafe_b64encode(file.encode()).decode(), os.pathconf(".", "PC_NAME_MAX") - 1
    *folders, last = (name[start : start + limit] for start in range(0, len(name), limit))
    return records.joinpath(*(f"@{folder}" for folder in folders), last)


def claim(results: Path, project: Path, keep: bool = True) -> None:
    """Note in the results folder which project's records tell of its files.

    A results folder inside the project is its own, wherever both were copied from.

    Args:
        results: the results folder.
        project: the folder with `.snakemake`.
        keep: write the note, not only read it.

    Raises:
        ReseedError: it is another project's, which is still there.
    """
    results, project, note = results.resolve(), project.resolve(), results / "plan" / "project"
    owner = note.read_text(encoding="utf-8") if note.is_file() else str(project)
    inside = results.is_relative_to(project)
    if owner != str(project) and not inside and Path(owner, RECORDS).is_dir():
        raise ReseedError(
            f"config/config.yaml: results: {results} is the results folder of the project in "
            f"{owner}; what one of two projects makes there, the other takes for its own. Give "
            "this project a folder of its own, e.g. --config results=my_results; or, if the other "
            f"needs it no more, remove {note}."
        )
    if keep and not (note.is_file() and owner == str(project)):
        write_text(note, str(project))
