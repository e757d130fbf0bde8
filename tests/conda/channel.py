"""A conda channel of the installed distributions: each becomes a conda package.

It replaces conda-forge if no channel is available. A package contains the files of its wheel in
site-packages and has the dependencies of its metadata. So an environment from this channel has the
pinned packages and their requirements, and nothing else.
"""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import yaml
from packaging.requirements import Requirement

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
BASE = Path(sys.base_prefix)
INTERPRETER = BASE / "bin" / f"python{VERSION}"
# Name on the package index → name in the conda channel.
CONDA_NAMES = {"torch": "pytorch", "matplotlib": "matplotlib-base", "xgboost-cpu": "xgboost"}
INDEX_NAMES = {conda: index for index, conda in CONDA_NAMES.items()}
# Excluded from the interpreter's package, because no rule uses them.
BULKY = {"test", "tests", "idlelib", "tkinter", "ensurepip", "site-packages", "__pycache__"}


def dependencies(path: Path) -> list[str]:
    """Return the names that an environment file lists."""
    listed = yaml.safe_load(path.read_text())["dependencies"]
    return [re.match(r"[\w-]+", entry)[0] for entry in listed]


def normal(name: str) -> str:
    """Return the normalised name of a distribution."""
    return name.lower().replace("_", "-").replace(".", "-")


def requirements(name: str) -> list[str]:
    """Return the distributions that one requires here, without extras."""
    needed = [Requirement(text) for text in metadata.requires(name) or []]
    wanted = [r for r in needed if r.marker is None or r.marker.evaluate({"extra": ""})]
    return sorted({normal(requirement.name) for requirement in wanted})


def closure(names: list[str]) -> list[str]:
    """Return installed distributions and all their requirements."""
    pending, installed = [normal(INDEX_NAMES.get(name, name)) for name in names], set()
    while pending:
        name = pending.pop()
        if name in installed:
            continue
        try:
            needed = requirements(name)
        except metadata.PackageNotFoundError:
            continue
        installed.add(name)
        pending += needed
    return sorted(installed)


def build_channel(folder: Path, names: list[str]) -> dict[str, str]:
    """Write packages for `names`, what they need, and the interpreter.

    Returns versions by conda name. The channel still needs its index (`conda.py index`).
    """
    platform = folder / "linux-64"
    platform.mkdir(parents=True)
    (folder / "noarch").mkdir()
    versions = {"python": sys.version.split()[0]}
    _interpreter(platform, versions["python"])
    site = _site_folder()
    installed = closure(names)
    for name in installed:
        distribution = metadata.distribution(name)
        conda = CONDA_NAMES.get(name, name)
        depends = [CONDA_NAMES.get(need, need) for need in requirements(name) if need in installed]
        files = {}
        for entry in distribution.files or []:
            path = Path(distribution.locate_file(entry))
            inside = entry.parts[0] != ".." and "__pycache__" not in entry.parts
            if inside and path.is_file():
                files[f"{site}/{entry.as_posix()}"] = path
        build = "cpu_standin_0" if conda == "pytorch" else "standin_0"
        depends = [f"python {VERSION}.*", *depends]
        version = distribution.version.partition("+")[0]  # a wheel's +cpu is the build in a channel
        _write_package(platform, conda, version, build, depends, files)
        versions[conda] = version
    return versions


def _site_folder() -> str:
    """Return the site folder of the packed interpreter below its prefix (Debian changes it)."""
    code = "import sysconfig; print(sysconfig.get_path('purelib', vars={'base': ''}))"
    command = [INTERPRETER, "-I", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.strip().lstrip("/")


def _interpreter(platform: Path, version: str) -> None:
    files = {f"bin/{name}": INTERPRETER for name in (INTERPRETER.name, "python", "python3")}
    for library in BASE.glob(f"lib/libpython{VERSION}.so*"):
        files[f"lib/{library.name}"] = library
    for place, folders, names in os.walk(BASE / "lib" / f"python{VERSION}"):
        folders[:] = [name for name in folders if name not in BULKY]
        for name in names:
            path = Path(place, name)
            if path.is_file():  # Debian has links to files of other packages
                files[path.relative_to(BASE).as_posix()] = path
    _write_package(platform, "python", version, "standin_0", [], files)


def _write_package(
    platform: Path, name: str, version: str, build: str, depends: list[str], files: dict[str, Path]
) -> None:
    """Write a `.conda` file: a zip of two tar archives, compressed with zstd."""
    index = {
        "name": name,
        "version": version,
        "build": build,
        "build_number": 0,
        "depends": depends,
        "arch": "x86_64",
        "platform": "linux",
        "subdir": "linux-64",
        "timestamp": 1_700_000_000_000,
    }
    paths = {
        "paths_version": 1,
        "paths": [
            {"_path": place, "path_type": "hardlink", "size_in_bytes": path.stat().st_size}
            for place, path in files.items()
        ],
    }
    information = {
        "info/index.json": json.dumps(index).encode(),
        "info/paths.json": json.dumps(paths).encode(),
        "info/files": "\n".join(files).encode(),
    }
    stem = f"{name}-{version}-{build}"
    with zipfile.ZipFile(platform / f"{stem}.conda", "w", zipfile.ZIP_STORED) as package:
        package.writestr("metadata.json", json.dumps({"conda_pkg_format_version": 2}))
        for part, content in (("info", information), ("pkg", files)):
            with package.open(f"{part}-{stem}.tar.zst", "w", force_zip64=True) as member:
                _pack(member, content)


def _pack(stream, content: dict[str, bytes | Path]) -> None:
    packed = pa.CompressedOutputStream(pa.PythonFile(stream, mode="w"), "zstd")
    with tarfile.open(fileobj=_Writer(packed), mode="w|", dereference=True) as archive:
        for place, what in content.items():
            if isinstance(what, bytes):
                entry = tarfile.TarInfo(place)
                entry.size, entry.mode = len(what), 0o644
                archive.addfile(entry, io.BytesIO(what))
            else:
                archive.add(what, place, recursive=False)
    packed.close()


class _Writer:
    """The part of a file object that tarfile uses."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, data: bytes) -> int:
        """Write the bytes to the stream."""
        self.stream.write(data)
        return len(data)
