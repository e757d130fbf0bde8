"""Snakemake's records of outputs. Snakemake sees no change of an output without a record."""

import hashlib
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path

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


def is_last_run_here(results: str, folder: Path = RECORDS.parent) -> bool:
    """Whether no other project has run in a results folder since the last run here.

    After a run, the results folder and the folder of the records hold the same token. They differ
    where another project ran, or the results folder was exchanged, as by renaming an older one
    back.
    """
    token = read_token(Path(ResultsLayout(results).run_token))
    return token == read_token(token_copy(results, folder))


def forget_foreign_records(results: str, records: Path = RECORDS) -> int:
    """Delete the records of a results folder that they do not describe; returns their number.

    Snakemake would take the files of another run for those that it recorded.
    """
    if is_last_run_here(results, records.parent):
        return 0
    files = [path for path in records.rglob("*") if path.is_file()]
    foreign = [path for path in files if _recorded_file(path, records).startswith(f"{results}/")]
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
