"""Find the files of modules as the interpreter of a job does, without importing them."""

import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    BuiltinImporter,
    FrozenImporter,
    ModuleSpec,
    PathFinder,
)
from pathlib import Path
from typing import NamedTuple

#: Folder of this package, and its parent folder, which may contain `papers` too.
PACKAGE = Path(__file__).resolve().parent.parent
SCRIPTS = PACKAGE.parent
_LIBRARY = {"reseed", "papers"}
_STANDARD = (BuiltinImporter, FrozenImporter, PathFinder)
_COMPILED = (*EXTENSION_SUFFIXES, *BYTECODE_SUFFIXES)

#: Modules with their files: a module and its parent packages.
ModuleFiles = tuple[tuple[str, Path], ...]


def is_library_name(module: str) -> bool:
    """Whether a module is one of Reseed, by its name."""
    return module.partition(".")[0] in _LIBRARY


@cache
def is_library(path: Path) -> bool:
    """Whether a file belongs to Reseed, which may itself be installed."""
    return PACKAGE in path.parents or SCRIPTS / "papers" in path.parents


@cache
def is_installed(path: Path) -> bool:
    """Whether a path is below a folder of installed packages."""
    return bool({"site-packages", "dist-packages"} & set(path.parts))


@cache
def is_third_party(path: Path) -> bool:
    """Whether a file belongs to an installed package other than Reseed."""
    return is_installed(path) and not is_library(path)


def is_readable_module(path: Path) -> bool:
    """Whether a module is a file of source code or of compiled code, and not in an archive."""
    return path.is_file() and path.name.endswith((".py", *_COMPILED))


@dataclass(frozen=True)
class ModuleFinder:
    """Finds the files of modules: of the library, the user, and installed packages.

    search_path: folders in the order of a job.
    """

    search_path: tuple[str, ...]

    @classmethod
    def of_entry(cls, project: Path, entry: str) -> "ModuleFinder":
        """The finder for a module name, or for the full path of a user's file.

        The search order of a job: PYTHONPATH (an empty entry is the working folder), installed
        packages with the folders of editable installs, and last the project's folder, which
        `loading.py` appends.
        """
        pythonpath = os.environ.get("PYTHONPATH")
        paths = map(os.path.abspath, pythonpath.split(os.pathsep) if pythonpath else ())
        folder = [str(Path(entry).parent)] if entry.endswith(".py") else []
        first = (*folder, *paths, *filter(_is_in_jobs, sys.path), str(project))
        return cls(tuple(dict.fromkeys(first)))

    def files(self, name: str) -> ModuleFiles:
        """Files of a module and of its parent packages; empty if it is not found.

        The standard library has no files here. Of an installed package, the files show only that
        it is installed.
        """
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            return ()
        return _find(name, (str(SCRIPTS),) if is_library_name(name) else self.search_path).files


@cache
def _is_in_jobs(folder: str) -> bool:
    """Whether an entry of `sys.path` of this process is one in every Python process."""
    only_here = {"", os.getcwd(), str(SCRIPTS), os.path.dirname(sys.executable)}
    return folder not in only_here and folder not in _standard_library()


@cache
def _standard_library() -> set[str]:
    return {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}


class _Found(NamedTuple):
    """Files of a module and of its parent packages, and the folders of its submodules."""

    files: ModuleFiles
    folders: tuple[str, ...]


@cache
def _find(name: str, roots: tuple[str, ...]) -> _Found:
    """Find each package once, although many modules are in it."""
    package = name.rpartition(".")[0]
    parent = _find(package, roots) if package else _Found((), roots)
    spec = _find_spec(name, list(parent.folders)) if parent.folders else None
    if spec is None:
        return _Found(parent.files, ())
    # A folder without __init__.py may be a package too; it has no file.
    file = () if spec.origin is None else ((name, Path(spec.origin)),)
    return _Found((*parent.files, *file), tuple(spec.submodule_search_locations or ()))


def _find_spec(module: str, folders: list[str]) -> ModuleSpec | None:
    """Specification of a module in folders, or of one that an editable install redirects."""
    spec = PathFinder.find_spec(module.rpartition(".")[2], folders)
    if spec is not None:
        return spec
    for finder in sys.meta_path:
        if finder not in _STANDARD and hasattr(finder, "find_spec"):
            spec = finder.find_spec(module, folders if "." in module else None)
            if spec is not None:
                return spec
    return None
