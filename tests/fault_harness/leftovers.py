"""Files that a fresh run does not make, and why they may be among the results."""

from __future__ import annotations

from typing import NamedTuple

#: What `find_leftovers` allows, for the page.
ALLOWED = (
    "Other files that may be there: trials and splits that earlier inputs of the sequence planned. "
    "They must be readable. The next run with these inputs validates their keys, and "
    "`prune --seeds` deletes the trials. Not compared: logs, downloads, job specs, cache entries "
    "(each read validates them) and report pages (they state dates and seconds; `verify` compares "
    "them)."
)
_FOLDERS = ("trials/", "splits/")


class Leftovers(NamedTuple):
    """allowed: paths below the results folder. refused: one line for each other file."""

    allowed: list[str]
    refused: list[str]


def find_leftovers(
    expected: dict[str, str], found: dict[str, str], planned_before: set[str]
) -> Leftovers:
    """Sort the files that a fresh run with the same inputs does not make.

    Args:
        expected: hashes of the files of the fresh run.
        found: hashes of the files that are there.
        planned_before: files that earlier inputs of the sequence planned.
    """
    allowed, refused = [], []
    for path in sorted(found.keys() - expected.keys()):
        if not path.startswith(_FOLDERS) or path not in planned_before:
            refused.append(f"unexpected: {path}")
        elif found[path].startswith("damaged"):
            refused.append(f"damaged and left: {path}")
        else:
            allowed.append(path)
    return Leftovers(allowed, refused)
