"""Snakemake's records of outputs. Snakemake sees no change of an output without a record."""

import os
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout

RECORDS = Path(".snakemake", "metadata")


def list_untracked(files: Iterable[str], records: Path = RECORDS) -> list[str]:
    """Existing files without a record.

    Results that were copied to another checkout have none, nor have any once `.snakemake` was
    deleted.
    """
    return [
        file for file in files if os.path.exists(file) and not _record_path(file, records).exists()
    ]


def _record_path(file: str, records: Path) -> Path:
    """Path of Snakemake's record of a file. A name that is too long is split into folders."""
    name, limit = urlsafe_b64encode(file.encode()).decode(), os.pathconf(".", "PC_NAME_MAX") - 1
    *folders, last = (name[start : start + limit] for start in range(0, len(name), limit))
    return records.joinpath(*(f"@{folder}" for folder in folders), last)


def claim_results(results: Path, project: Path, write: bool = True) -> None:
    """Note in the results folder which project's records describe its files.

    A results folder inside the project belongs to the project, even if both were copied.

    Args:
        results: the results folder.
        project: the folder with `.snakemake`.
        write: write the note, not only read it.

    Raises:
        ReseedError: the folder belongs to another project, which still exists.
    """
    results, project = results.resolve(), project.resolve()
    note = Path(ResultsLayout(str(results)).project_note)
    owner = note.read_text(encoding="utf-8") if note.is_file() else str(project)
    inside = results.is_relative_to(project)
    if owner != str(project) and not inside and Path(owner, RECORDS).is_dir():
        raise ReseedError(
            f"config/config.yaml: results: {results} is the results folder of the project in "
            f"{owner}. Two projects in one folder would overwrite each other's files. Give this "
            "project a folder of its own, e.g. --config results=my_results. If the other project "
            f"does not need it any more, delete {note}."
        )
    if write and not (note.is_file() and owner == str(project)):
        write_text(note, str(project))
