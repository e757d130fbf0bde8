"""The one exception a user is meant to read, and the hint that goes with a wrong name."""

import difflib
from pathlib import Path


class ReseedError(Exception):
    """A mistake the user can fix; its text names the file or field, what was found and the fix."""


class Damaged(ReseedError):
    """A file whose content is not what was written.

    A script that ends by it removes `path`, so that the next run makes the file again.
    """

    def __init__(self, path: str | Path, why: object):
        super().__init__(f"{path}: {why}. It is removed: run snakemake again, and it is made anew.")
        self.path = Path(path)


class Stale(Damaged):
    """A file that was made under another key than the plan expects; removed in the same way."""


def suggest_name(name: object, allowed: list[str]) -> str:
    """` Did you mean …?` for the nearest allowed name, or nothing."""
    close = difflib.get_close_matches(str(name), allowed, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
