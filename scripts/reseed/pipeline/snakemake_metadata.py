"""Snakemake's records of outputs. Snakemake sees no change of an output without a record."""

import hashlib
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path

from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.core.run_token import read_token

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


def token_copy(results: str, folder: Path = RECORDS.parent) -> Path:
    """File beside the records with the token of the last run of a results folder."""
    return folder / "reseed" / hashlib.sha256(results.encode()).hexdigest()[:16]


def forget_foreign_records(results: str, records: Path = RECORDS) -> int:
    """Delete the records of a results folder that they do not describe; returns their number.

    After a run, the results folder and the records hold the same token. They differ where the
    folder was exchanged, as by renaming an older one back. Snakemake would take the older files
    for those that it recorded.
    """
    token = read_token(Path(ResultsLayout(results).run_token))
    if token == read_token(token_copy(results, records.parent)):
        return 0
    found = [path for path in records.rglob("*") if path.is_file()]
    foreign = [path for path in found if _recorded_file(path, records).startswith(f"{results}/")]
    for path in foreign:
        path.unlink()
    return len(foreign)


def _recorded_file(path: Path, records: Path) -> str:
    """The file that a record describes; empty for a file that is no record."""
    name = "".join(part.removeprefix("@") for part in path.relative_to(records).parts)
    try:
        return urlsafe_b64decode(name).decode()
    except ValueError:
        return ""


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
