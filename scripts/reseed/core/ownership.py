"""What may be deleted, and by what proof: the only module that deletes results.

A file is damaged if its content is wrong on two reads (`read_twice`). An error of the system is no
damage: a network file system that is away for a second would cost hours of training. `delete`
takes only files that a rule of the project makes again, below its results folder.
"""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from reseed.core.blocks import BLOCK_NAME
from reseed.core.errors import Damaged, Stale

T = TypeVar("T")

_NAME = r"[^/]+"
_SETTING = "/".join([_NAME] * 4)
_AT = rf"{_SETTING}/data-seed-\d+(/fold-\d+)?/"
_AT += r"(model-seed-\d+|init-\d+-order-\d+-dropout-\d+-augment-\d+)"
#: Names that `core.layout` gives to files, below the results folder.
BLOCK = re.compile(rf"trials/{_SETTING}/{BLOCK_NAME}\.parquet")
SEARCH = re.compile(rf"tuning/{_AT}(\.json|\.parquet|/rung-\d+/shard-\d+-of-\d+\.json)")
ENTRY = re.compile(rf"store/[0-9a-f]{{2}}/[0-9a-f]{{62}}\.{_NAME}")
SEGMENT = re.compile(rf"{ENTRY.pattern}/[0-9a-f]{{64}}\.parquet")
#: What a killed job leaves.
HALF = re.compile(rf"(data|weights|splits|tuning|trials|studies|report|store|plan)/(.+/)?"
                  rf"\.{_NAME}\.\d+\.part")  # fmt: skip
_STUDY = "|".join(
    [
        r"metrics\.parquet|about\.json|evidence\.json|repeated_fits\.parquet",
        rf"predictions/{_NAME}/(scores|targets|curves)\.parquet",
        r"reference/((about|evidence|study)\.json|SHA256SUMS|(trials|predictions|targets)\.parquet)",
        rf"statistics/{_NAME}\.(parquet|csv)",
        rf"tables/{_NAME}\.(csv|md|tex|json|rst)",
        rf"figures/{_NAME}\.(png|pdf|csv|json|rst)",
    ]
)
_OTHERS = re.compile(
    rf"data/{_NAME}/(inputs\.parquet|inputs\.npy|targets\.parquet|meta\.json)"
    rf"|weights/\w+/{_NAME}|splits/{_NAME}/{_NAME}/data-seeds-\d+-\d+\.parquet"
    rf"|studies/{_NAME}/({_STUDY})|report/{_NAME}\.(html|zip)|examples/{_NAME}\.csv"
    r"|plan/sources\.json"
)
OWNED = (BLOCK, SEARCH, ENTRY, SEGMENT, HALF, _OTHERS)


def read_twice(path: Path, read: Callable[[], T], *also: Path, optional: bool = False) -> T:
    """What `read` returns. Raises Damaged where the content of the file is wrong on two reads.

    also: other files that must be made again with it.
    optional: raise FileNotFoundError, not Damaged, for a missing file.

    An OSError with a number is the system's, and is raised as it is. pyarrow and Pillow give their
    errors of content no number.
    """
    for is_last in (False, True):
        try:
            return read()
        except FileNotFoundError:
            if optional:
                raise
            raise Damaged(path, "is missing", *also) from None
        except Stale:
            if is_last:
                raise
        except Exception as error:
            if not _is_about_content(error):
                raise
            problem = error
        # The second read is one of the disk; macOS has no such call.
        with suppress(OSError, AttributeError), open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    raise Damaged(path, f"cannot be read ({problem})", *also) from None


def _is_about_content(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno is None
    wrong = (
        *(ValueError, TypeError, LookupError, AttributeError, SyntaxError, EOFError),
        *(zipfile.BadZipFile, zlib.error),
    )
    is_arrow = type(error).__module__ == "pyarrow.lib"  # which takes long to import
    return isinstance(error, wrong) or (is_arrow and not isinstance(error, MemoryError))


class Deletion(NamedTuple):
    """Files that were deleted, and existing files that were left because no rule makes them."""

    deleted: list[Path]
    left: list[Path]

    def __str__(self) -> str:
        lines = []
        if self.deleted:
            named = ", ".join(map(str, self.deleted))
            lines.append(f"Deleted, because it can be made again: {named}. Run snakemake again.")
        if self.left:
            named = ", ".join(map(str, self.left))
            lines.append(
                f"Not deleted, because no rule of this project makes it: {named}. Restore it (as "
                "with `git checkout`), or remove it."
            )
        return "\n".join(lines) or "Run snakemake again."


def delete(paths: Iterable[Path], results: str | Path) -> Deletion:
    """Delete those files that a rule makes again, below a results folder."""
    deletion = Deletion([], [])
    for path in dict.fromkeys(paths):
        if path.is_file() and is_owned(path, results):
            path.unlink(missing_ok=True)  # another process may have deleted it
            deletion.deleted.append(path)
        elif os.path.lexists(path):
            deletion.left.append(path)
    return deletion


def is_owned(path: Path, results: str | Path) -> bool:
    """Whether a file has a name that a rule gives, and lies below the results folder itself.

    The results folder and the folders in it may be links, as to a larger disk; others may not.
    """
    root, file = Path(os.path.abspath(results)), Path(os.path.abspath(path))
    if not file.is_relative_to(root):
        return False
    name = file.relative_to(root)
    place = root.joinpath(*name.parts[:1]).resolve().joinpath(*name.parts[1:])
    is_named = any(one.fullmatch(name.as_posix()) for one in OWNED)
    return is_named and file.resolve() == place
