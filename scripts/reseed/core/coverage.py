"""The coverage table of a study: every exhibit and claim of its paper, and what becomes of it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from reseed.core.errors import ReseedError

Status = Literal["made", "differs", "tested", "left out"]
STATUSES: tuple[Status, ...] = get_args(Status)
COLUMNS = ["exhibit", "status", "entry", "note"]


@dataclass(frozen=True)
class PaperExhibit:
    """One exhibit or claim of a paper.

    exhibit: its name in the paper; a claim in words.
    status: `made` as in the paper, `differs`, or `left out`; a claim is `tested` by a statement of
        the study, or left out.
    entries: names of the study's exhibits that show it.
    note: what differs, the statement, or why it is left out.
    """

    exhibit: str
    status: Status
    entries: tuple[str, ...] = ()
    note: str = ""


def read_coverage(path: str | Path) -> tuple[PaperExhibit, ...]:
    """Read a coverage table: CSV with the columns `exhibit,status,entry,note`.

    `entry` holds names of exhibits, separated by blanks. It is empty for an exhibit that is left
    out.

    Raises:
        ReseedError: for a missing file, another header, and a row with a wrong field.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ReseedError(f"{path}: cannot be read ({error})") from None
    if not rows or rows[0] != COLUMNS:
        raise ReseedError(f"{path}: the first line must be {','.join(COLUMNS)}")
    return tuple(_parse(f"{path}, line {n}", row) for n, row in enumerate(rows[1:], 2) if row)


def _parse(where: str, row: list[str]) -> PaperExhibit:
    if len(row) != len(COLUMNS):
        raise ReseedError(f"{where}: has {len(row)} fields instead of {len(COLUMNS)}; quote commas")
    exhibit, status, entry, note = (field.strip() for field in row)
    if not exhibit:
        raise ReseedError(f"{where}: exhibit is empty; name the exhibit of the paper")
    if status not in STATUSES:
        raise ReseedError(f"{where}: status: {status!r} is none of {', '.join(STATUSES)}")
    entries = tuple(entry.split())
    if bool(entries) == (status == "left out"):
        problem = "names an exhibit" if entries else "is empty"
        raise ReseedError(f"{where}: entry {problem}, and the status is {status!r}; correct one")
    if status != "made" and not note:
        raise ReseedError(f"{where}: note is empty; say what differs, or why it is left out")
    return PaperExhibit(exhibit, status, entries, note)
