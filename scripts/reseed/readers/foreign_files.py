"""Turns whatever a damaged file raises in a parser into one error that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reseed.core.errors import ReseedError

#: Characters of a reason that a message shows.
_MOST_SHOWN = 200


@contextmanager
def name_file(path: object, kind: str = "a table") -> Iterator[None]:
    """Raise ReseedError with the file's name for anything that reading it raises.

    Args:
        path: the file, or what stands for the source in messages.
        kind: what it is read as.
    """
    try:
        yield
    except ReseedError:
        raise
    except MemoryError:
        raise ReseedError(
            f"{path}: does not fit into memory as {kind}. Keep the columns of model, run and score "
            "alone, write it as Parquet, or give it in parts."
        ) from None
    except RecursionError:
        raise ReseedError(
            f"{path}: is nested too deeply. Give a table: one row a run, with its score."
        ) from None
    except Exception as error:  # any that a parser raises for damaged content
        reason = str(error).strip().rstrip(".").encode("utf-8", "replace").decode()
        short = reason.partition("\n")[0][:_MOST_SHOWN] or type(error).__name__
        fix = "Set `format`, or repair the file" if kind in ("CSV", "JSON") else "Repair the file"
        raise ReseedError(f"{path}: cannot be read as {kind} ({short}). {fix}.") from None
