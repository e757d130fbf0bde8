"""Errors that a user can fix, and suggestions for misspelled names."""

import difflib
from collections.abc import Iterable, Sequence
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

    @property
    def damaged(self) -> Sequence["Damaged"]:
        """Damaged files behind the error. The job runner deletes them."""
        return ()


class Damaged(ReseedError):
    """A file whose content differs from what was written.

    The job runner deletes `files`; the next run regenerates them.

    Args:
        path: the file.
        why: the problem.
        also: other files that must be regenerated with it.
        cached: whether the cache entries of the files are deleted too.
    """

    def __init__(self, path: str | Path, why: object, *also: Path, cached: bool = True):
        super().__init__(f"{path}: {why}. It is deleted: run snakemake again to regenerate it.")
        self.path = Path(path)
        self.files = (self.path, *also)
        self.cached = cached

    @property
    def damaged(self) -> Sequence["Damaged"]:
        """This error."""
        return (self,)


class Stale(Damaged):
    """A file with another cache key than the plan expects. Its cache entry is valid."""

    def __init__(self, path: str | Path, why: object, *also: Path):
        super().__init__(path, why, *also, cached=False)


class ManyDamaged(ReseedError):
    """Several damaged files, as one error."""

    def __init__(self, text: str, damaged: Sequence[Damaged]):
        super().__init__(text)
        self._damaged = tuple(damaged)

    @property
    def damaged(self) -> Sequence[Damaged]:
        """Every damaged file."""
        return self._damaged


def suggest_name(name: object, allowed: Iterable[str]) -> str:
    """Return ` Did you mean …?` with the most similar allowed name, or an empty text."""
    similar = difflib.get_close_matches(str(name), allowed, n=1)
    return f" Did you mean {similar[0]!r}?" if similar else ""
