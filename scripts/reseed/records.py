"""Whether Snakemake has its records of files: of a file without one it notices no change."""

import os
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path

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
