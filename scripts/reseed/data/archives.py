"""Read members of zip (wheel) and tar archives in memory.

No member is extracted to its own path, no link is followed, and a member that would expand beyond a
limit raises an error before it is read.
"""

import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from reseed.data.download import SourceError

MAX_EXPANDED_BYTES = 4 << 30
"""Largest number of bytes that the members of an archive may have together."""

_DAMAGE_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile),
    *(zlib.error, lzma.LZMAError, EOFError),
)


def read_members(archive: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of the named members. Raises SourceError if one is missing."""
    read = set()
    for name, data in iterate_members(archive, set(names).__contains__):
        read.add(name)
        yield name, data
    for name in names:
        if name not in read:
            others = [n for n in list_members(archive) if not n.endswith("/")]
            similar = [n for n in others if PurePosixPath(n).suffix == PurePosixPath(name).suffix]
            raise SourceError(
                f"{archive.name} has no file {name}; it has {', '.join(similar[:5] or others[:5])}"
            )


def iterate_members(archive: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each member file for which `wanted` is true, in archive order.

    Raises SourceError if the file is not an archive, truncated, encrypted, or expands beyond
    `MAX_EXPANDED_BYTES`.
    """
    bytes_left = MAX_EXPANDED_BYTES
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                for info in opened.infolist():
                    if info.is_dir() or not wanted(info.filename):
                        continue
                    if info.flag_bits & 1:
                        raise SourceError(
                            f"{archive.name} is encrypted: unpack it and name the files inside"
                        )
                    with opened.open(info) as stream:
                        data = _read_limited(stream, bytes_left, archive)
                    bytes_left -= len(data)
                    yield info.filename, data
            return
        with tarfile.open(archive) as opened:
            for member in opened:
                if not (member.isfile() and wanted(member.name)):
                    continue
                if member.size > bytes_left:
                    raise _size_error(archive)
                contents = opened.extractfile(member)
                assert contents is not None  # it is a file
                data = _read_limited(contents, bytes_left, archive)
                bytes_left -= len(data)
                yield member.name, data
    except NotImplementedError as error:  # a compression method that Python does not support
        raise SourceError(
            f"{archive.name} is compressed in a way Python cannot read ({error}): compress it as a "
            "plain zip, or name the files inside"
        ) from None
    except tarfile.ReadError as error:
        raise SourceError(
            f"{archive.name} is not a zip or tar archive, or is truncated: {error}"
        ) from None
    except _DAMAGE_ERRORS as error:
        raise SourceError(f"{archive.name} is damaged or truncated: {error}") from None


def list_members(archive: Path) -> list[str]:
    """Return the names of all members."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            return opened.namelist()
    with tarfile.open(archive) as opened:
        return opened.getnames()


def check_sha256(what: str, expected: str | None, data: bytes) -> None:
    """Raise SourceError unless the bytes have the expected SHA-256 (None: no check)."""
    if expected is not None and (actual := hashlib.sha256(data).hexdigest()) != expected:
        raise SourceError(
            f"wrong checksum of {what} ({len(data)} bytes): "
            f"expected sha256 {expected}, found {actual}"
        )


def _read_limited(stream: IO[bytes], limit: int, archive: Path) -> bytes:
    """Read a stream; more than `limit` bytes raise SourceError, whatever its header says."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise _size_error(archive)
    return data


def _size_error(archive: Path) -> SourceError:
    return SourceError(
        f"{archive.name} expands to more than {MAX_EXPANDED_BYTES >> 20} MiB: unpack it "
        "yourself and name the files inside"
    )
