"""Fetch the files of a dataset: try its sources in order, and verify each by SHA-256."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from reseed.config.datasets import (
    LocalSource,
    MirrorSource,
    PackageFile,
    PackageSource,
    PackagesSource,
    Source,
    UrlSource,
    list_names,
)
from reseed.core.atomic import replace_atomically
from reseed.core.errors import ReseedError
from reseed.data import archives, download
from reseed.data.download import SourceError
from reseed.data.files import hash_file
from reseed.data.kinds import as_list


@dataclass(frozen=True)
class Fetched:
    """Verified files, their source, and one line for each attempt.

    paths: name → file. The name is that of an archive's member, else the path or address in the
        entry.
    source: the entry of the source, with `files`: name → SHA-256 of the bytes.
    """

    paths: dict[str, Path]
    source: dict[str, Any]
    attempts: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The only file. Raises ReseedError if there are several."""
        if len(self.paths) != 1:
            raise ReseedError(
                f"the source of kind {self.source['kind']} has {len(self.paths)} files "
                f"({', '.join(self.paths)}), but this reader takes one"
            )
        return next(iter(self.paths.values()))

    def named(self, name: str) -> Path | None:
        """Return the file whose name, without folders, is `name`; None if there is none."""
        files = [path for key, path in self.paths.items() if PurePosixPath(key).name == name]
        return files[0] if files else None


def fetch(
    sources: Sequence[Source],
    folder: Path,
    mirror: Path | None,
    report: Callable[[str], object] = print,
) -> Fetched:
    """Try the sources in order; return the files of the first with the expected checksums.

    sources: those of a dataset or of weights. folder: for verified
    downloads; created if it is missing. mirror: folder for kind `mirror`, or None. report: called
    with one line for each attempt. Raises SourceError with every attempt if all fail.
    """
    attempts = []
    for number, source in enumerate(sources, 1):
        name = f"source {number} ({describe_source(source)})"
        try:
            paths = _obtain(source, Path(folder), mirror)
            hashes = {key: hash_file(path) for key, path in paths.items()}
        except (SourceError, OSError) as error:
            attempts.append(f"{name}: {error}")
            report(attempts[-1])
            continue
        checked = ", ".join(hashes.values()) if len(hashes) < 5 else f"of {len(hashes)} files"
        attempts.append(f"{name}: ok, sha256 {checked}")
        report(attempts[-1])
        return Fetched(paths, {**source.model_dump(), "files": hashes}, attempts)
    lines = "\n  ".join(attempts) or "it lists none"
    raise SourceError(f"no source could be used:\n  {lines}")


def describe_source(source: Source) -> str:
    """Return the kind of a source and its files as a short text."""
    if isinstance(source, PackageSource):
        return f"pypi {source.package} {source.version}"
    if isinstance(source, PackagesSource):
        first = source.packages[0]
        return f"pypi {first.package} {first.version} and {len(source.packages) - 1} more"
    names = list_names(source)
    if isinstance(source, UrlSource):
        names = [download.remove_credentials(name) for name in names]
    return f"{source.kind} {', '.join(names)}"


def _obtain(source: Source | PackageFile, folder: Path, mirror: Path | None) -> dict[str, Path]:
    members = source.members or {}
    paths = {name: _download_path(folder, sha256, name) for name, sha256 in members.items()}
    if members and all(p.is_file() and hash_file(p) == members[n] for n, p in paths.items()):
        return paths
    if isinstance(source, PackagesSource):
        parts = [_obtain(package, folder, mirror) for package in source.packages]
        files = {name: path for part in parts for name, path in part.items()}
    else:
        names = list_names(source)
        hashes = as_list(source.sha256) if source.sha256 else [None] * len(names)
        files = {
            name: _obtain_file(source, name, sha256, folder, mirror)
            for name, sha256 in zip(names, hashes, strict=True)
        }
    if not members:
        return files
    with _join(list(files.values())) as archive:
        for name, data in archives.read_members(archive, list(members)):
            archives.check_sha256(f"member {name}", members[name], data)
            with replace_atomically(paths[name]) as temporary:
                temporary.write_bytes(data)
    return paths


@contextmanager
def _join(parts: list[Path]) -> Iterator[Path]:
    """The archive of which files are the parts; a single file is one."""
    if len(parts) == 1:
        yield parts[0]
        return
    with tempfile.TemporaryDirectory(dir=parts[0].parent) as folder:
        archive = Path(folder) / "archive"
        with archive.open("wb") as joined:
            for part in parts:
                with part.open("rb") as file:
                    shutil.copyfileobj(file, joined)
        yield archive


def _obtain_file(
    source: Source | PackageFile, name: str, sha256: str | None, folder: Path, mirror: Path | None
) -> Path:
    if isinstance(source, LocalSource):
        path = _find_local(source, name, mirror)
        if sha256 is not None and (actual := hash_file(path)) != sha256:
            raise SourceError(
                f"wrong checksum of {path.name} ({path.stat().st_size} bytes): "
                f"expected sha256 {sha256}, found {actual}"
            )
        return path
    return download.download_file(name, folder, PurePosixPath(name.partition("?")[0]).name, sha256)


def _find_local(source: LocalSource, name: str, mirror: Path | None) -> Path:
    path = Path(name)
    if isinstance(source, MirrorSource):
        if mirror is None:
            raise SourceError("skipped: no mirror directory is set or found")
        path = Path(mirror) / path
    try:
        exists = path.is_file() or path.is_dir()
    except OSError as error:  # a symbolic link to itself
        raise SourceError(f"{path} cannot be opened: {error.strerror}") from None
    if not exists:
        why = "is a broken symbolic link" if path.is_symlink() else "does not exist"
        raise SourceError(f"skipped: {path} {why}")
    return path


def _download_path(folder: Path, sha256: str, name: str) -> Path:
    """Path of a verified file; it contains the hash, so that two sources never share a file."""
    return folder / f"{sha256[:12]}-{PurePosixPath(name).name}"
