"""Members of zip (wheel) and tar archives, read in memory.

Nothing is extracted by its own path, no link is followed, and what would expand beyond a limit is
refused before it is read.
"""

import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from reseed.data.download import SourceError

MAX_EXPANDED_BYTES = 4 << 30
"""Bytes an archive may expand to in all: more is refused."""

_BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile),
    *(zlib.error, lzma.LZMAError, EOFError),
)


def read_members(archive: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of the named members. Raises SourceError if one is not there."""
    found = set()
    for name, data in iterate_members(archive, set(names).__contains__):
        found.add(name)
        yield name, data
    for name in names:
        if name not in found:
            others = [n for n in list_members(archive) if not n.endswith("/")]
            near = [n for n in others if PurePosixPath(n).suffix == PurePosixPath(name).suffix]
            raise SourceError(
                f"{archive.name} has no file {name}; it has {', '.join(near[:5] or others[:5])}"
            )


def iterate_members(archive: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each member file that is `wanted`, in the archive's order.

    Raises SourceError if it is no archive, truncated, encrypted, or expands beyond the limit,
    `MAX_EXPANDED_BYTES`.
    """
    left = MAX_EXPANDED_BYTES
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                for info in opened.infolist():
                    if info.is_dir() or not wanted(info.filename):
                        continue
                    if info.flag_bits & 1:
                        raise SourceError(
                            f"{archive.name} is encrypted: unpack it and give the files inside"
                        )
                    with opened.open(info) as stream:
                        data = _bounded(stream, left, archive)
                    left -= len(data)
                    yield info.filename, data
            return
        with tarfile.open(archive) as opened:
            for info in opened:
                if info.isfile() and wanted(info.name):
                    if info.size > left:
                        raise _too_large(archive)
                    data = _bounded(opened.extractfile(info), left, archive)
                    left -= len(data)
                    yield info.name, data
    except NotImplementedError as error:  # a zip made with a method Python does not have
        raise SourceError(
            f"{archive.name} is packed in a way Python cannot read ({error}): pack it anew as a "
            "plain zip, or give the files inside"
        ) from None
    except tarfile.ReadError as error:
        kind = "no zip or tar archive, or is cut off (truncated)"
        raise SourceError(f"{archive.name} is {kind}: {error}") from None
    except _BROKEN as error:
        raise SourceError(f"{archive.name} is no whole archive (truncated?): {error}") from None


def list_members(archive: Path) -> list[str]:
    """Names of all members."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            return opened.namelist()
    with tarfile.open(archive) as opened:
        return opened.getnames()


def check_sha256(what: str, expected: str | None, data: bytes) -> None:
    """Raise SourceError unless the bytes have the expected SHA-256 (None: any)."""
    if expected is not None and (found := hashlib.sha256(data).hexdigest()) != expected:
        raise SourceError(
            f"wrong checksum of {what} ({len(data)} bytes): "
            f"expected sha256 {expected}, found {found}"
        )


def _bounded(stream, limit: int, archive: Path) -> bytes:
    """All bytes of a stream, however large its header says it is, up to the limit."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise _too_large(archive)
    return data


def _too_large(archive: Path) -> SourceError:
    return SourceError(
        f"{archive.name} expands to more than {MAX_EXPANDED_BYTES >> 20} MiB: refused; unpack it "
        "yourself and give the files inside"
    )
