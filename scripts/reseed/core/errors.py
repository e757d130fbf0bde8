"""Errors that a user can fix, and suggestions for misspelled names."""

import difflib
from collections.abc import Iterable
from pathlib import Path

#: Advice beside a failed trial. A failure is an outcome, and is kept.
RETRY_HINT = (
    "A failure is recorded and not repeated. If its cause was outside the model, train the failed "
    "trials again: snakemake --config retry_failed=true"
)


class ReseedError(Exception):
    """An error the user can fix. Its text names the file or field, the problem, and the fix.

    Example:
        >>> import reseed
        >>> try:
        ...     reseed.compare("missing.csv")
        ... except reseed.ReseedError as error:
        ...     print(error)
        missing.csv: no such file. Give its path from the folder you are in.
    """

    #: What must be made again. The job runner deletes the files of them that a rule makes.
    files: tuple[Path, ...] = ()


class Damaged(ReseedError):
    """A file whose content differs from what was written (`reseed.core.ownership.read_twice`).

    Args:
        path: the file.
        why: the problem.
        also: other files that must be made again with it.
    """

    def __init__(self, path: str | Path, why: object, *also: Path):
        super().__init__(f"{path}: {why}.")
        self.path = Path(path)
        self.files = (self.path, *also)


class Stale(Damaged):
    """An intact file that was made from something else than the plan has now."""


class ManyDamaged(ReseedError):
    """Several damaged or stale files, as one error."""

    def __init__(self, text: str, files: Iterable[Path]):
        super().__init__(text)
        self.files = tuple(files)


def suggest_name(name: object, allowed: Iterable[str]) -> str:
    """Return ` Did you mean …?` with the most similar allowed name, or an empty text."""
    similar = difflib.get_close_matches(str(name), allowed, n=1)
    return f" Did you mean {similar[0]!r}?" if similar else ""
