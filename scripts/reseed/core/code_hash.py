"""Hashes of code and of settings, for keys.

Snakemake does not notice an edit of an imported module, and it reruns everything for a touched
script. So every rule has a key made of these hashes. A hash of code follows imports. It ignores
what cannot change a number: comments, docstrings, layout, and texts of errors.
"""

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reseed.core.distributions import find_distributions, read_package_versions
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.module_finder import (
    ModuleFiles,
    ModuleFinder,
    is_library,
    is_library_name,
    is_readable_module,
    is_third_party,
)
from reseed.core.source_facts import literal_text, parse_source, read_source

#: Packages that build specs and bring them to a job. Specs are in keys by value.
_CARRIERS = ("reseed.config", "reseed.planning", "reseed.pipeline")
#: Modules of this library that no number depends on: names that it exports, texts of errors, and
#: the import of what a user names, whose own code is in keys.
_WITHOUT_NUMBERS = {"reseed", "reseed.core.errors", "reseed.plugins.loading"}
# Modules loaded by runpy are known only at run time.
_UNKNOWN = {"runpy"}


def digest(*parts: object) -> str:
    """SHA-256 (hex) of any JSON-able values, stable across runs and platforms."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _imported(path: Path, package: str, strict: bool) -> tuple[str, ...]:
    """Names of the modules a file imports, each once."""
    names: dict[str, None] = {}
    facts = read_source(path).facts
    for one in facts.imports if facts else ():
        name = one.resolve(package)
        if name is not None and name not in _UNKNOWN:
            names[name] = None
        elif strict and not is_library(path) and not is_third_party(path):
            raise ReseedError(
                f"{path}: line {one.line}: loads code by a computed name or "
                "from a file, so its changes cannot be followed. Import it by name, "
                "or name its file under `code:` in the model's YAML file."
            )
    return tuple(names)


def _exported(path: Path) -> Iterator[str]:
    """Names in a module's `__all__`."""
    for statement in parse_source(path).body:
        nodes = list(ast.walk(statement))
        if any(isinstance(node, ast.Name) and node.id == "__all__" for node in nodes):
            yield from (text for text in map(literal_text, nodes) if text and text.isidentifier())


class ReachedCode(NamedTuple):
    """What a module reaches through its imports.

    files: files of this library and of the user, by module name.
    packages: top-level names of installed packages that the user's code imports.
    """

    files: dict[str, Path]
    packages: frozenset[str]


@cache
def reach_code(entry: str, project: Path = Path(), strict: bool = True) -> ReachedCode:
    """Follow the imports of a module.

    Files of this library and of the user are followed, those of editable installs included. An
    installed package counts by its version and its list of files.

    Args:
        entry: a module name, or the full path of a user's file. A user's module is in the project's
            folder, on PYTHONPATH, or installed.
        project: the project's folder.
        strict: refuse code that is loaded by a computed name, from a file, or from an archive.

    Raises:
        ReseedError: for code that cannot be parsed or followed.
    """
    finder = ModuleFinder.of_entry(project.resolve(), entry)
    pending = list(_find_entry(entry, project, finder))
    seen: dict[str, Path] = {}
    packages: set[str] = set()
    while pending:
        module, path = pending.pop()
        if module in seen or module in _WITHOUT_NUMBERS or module.startswith(_CARRIERS):
            continue
        seen[module] = path
        step = _follow(module, path, finder, strict)
        packages |= step.packages
        pending += step.files.items()
    return ReachedCode(seen, frozenset(packages))


def _find_entry(entry: str, project: Path, finder: ModuleFinder) -> ModuleFiles:
    """Files of the parent packages of an entry (see `reach_code`), and last its own."""
    if entry.endswith(".py"):
        return (("", Path(entry)),)
    files = finder.files(entry)
    if not files or files[-1][0] != entry:
        raise ReseedError(
            f"module {entry!r} is not found: its file must be in {project.resolve()} or on "
            "PYTHONPATH."
        )
    if not is_readable_module(files[-1][1]):
        raise ReseedError(
            f"module {entry!r}: {files[-1][1]} is neither source code nor a compiled module "
            "in a folder, so its changes cannot be followed. Unpack it."
        )
    return files


def entry_file(entry: str, project: Path = Path()) -> Path:
    """The file of an entry (see `reach_code`), without those that it imports."""
    finder = ModuleFinder.of_entry(project.resolve(), entry)
    return _find_entry(entry, project, finder)[-1][1]


@cache
def _follow(module: str, path: Path, finder: ModuleFinder, strict: bool) -> ReachedCode:
    """What one file imports directly."""
    followed: dict[str, Path] = {}
    packages: set[str] = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for name in _imported(path, package, strict):
        if is_library(path) and not is_library_name(name):
            continue  # the library's own requirements are in every environment record
        files = _files_of(finder, name)
        if any(_counts_by_version(*file) for file in files):
            packages.add(name.partition(".")[0])
        elif not _counts_by_version(module, path):
            followed |= _readable(files, f"{path}: import {name}", strict)
    return ReachedCode(followed, frozenset(packages))


def _files_of(finder: ModuleFinder, name: str) -> ModuleFiles:
    """Files of a module. `package.*` stands for the submodules that `__all__` names."""
    if not name.endswith(".*"):
        return finder.files(name)
    package = name.removesuffix(".*")
    sources = [path for module, path in finder.files(package) if module == package]
    exported = [one for path in sources if path.suffix == ".py" for one in _exported(path)]
    return tuple(file for one in exported for file in finder.files(f"{package}.{one}"))


def _counts_by_version(module: str, path: Path) -> bool:
    """Whether the version of an installed distribution stands for a module."""
    return is_third_party(path) and bool(find_distributions(module.partition(".")[0]))


def _readable(files: ModuleFiles, importer: str, strict: bool) -> ModuleFiles:
    """The files that can be hashed. Raises ReseedError for any other file that user code imports.

    importer: who imports them, for the message.
    """
    unreadable = [path for _, path in files if not is_readable_module(path)]
    if unreadable and strict:
        raise ReseedError(
            f"{importer} uses code of {unreadable[0]}, whose changes cannot be followed. "
            "Name the file that holds it under `code:` in the model's YAML file."
        )
    return tuple(file for file in files if file[1] not in unreadable)


def code_files(entry: str, project: Path = Path(), strict: bool = True) -> dict[str, Path]:
    """Files that a module reaches through its imports, by module name (see `reach_code`)."""
    return reach_code(entry, project, strict).files


def imported_packages(
    entries: tuple[str, ...], named: tuple[str, ...], project: Path
) -> tuple[str, ...]:
    """Top-level names of installed packages that the user's code imports.

    entries: module names. named: entries of a model's `code:`.
    """
    reached = [reach_code(entry, project, not named) for entry in entries]
    for entry in (find_named_entry(name, project) for name in named):
        if isinstance(entry, str):
            reached.append(reach_code(entry, project, strict=False))
    return tuple(sorted(set().union(*(one.packages for one in reached))))


@cache
def code_hash(*entries: str, project: Path = Path(), strict: bool = True) -> str:
    """Hash of all code reached from `entries` (see `code_files`)."""
    hashes: dict[str, str] = {}
    installed = set()
    for entry in entries:
        files = code_files(entry, project, strict)
        hashes |= {module or path.name: read_source(path).code for module, path in files.items()}
        if any(is_third_party(path) for path in files.values()):
            installed.add(entry.partition(".")[0])
    return digest(sorted(hashes.items()), read_package_versions(installed))


@cache
def refuse_unbound(object_path: str, project: Path = Path()) -> None:
    """Raise ReseedError if the module in `module:name` does not bind the name.

    The check reads the source, so that a typing error is reported before hours of training. It
    skips installed and compiled modules, and modules that bind names at run time.
    """
    module, _, name = object_path.partition(":")
    path = next(iter(code_files(module, project, strict=False).values()))
    if is_third_party(path) or path.suffix != ".py":
        return
    bound = set()
    for node in ast.walk(parse_source(path)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.Name) and node.id in ("globals", "vars", "setattr", "exec"):
            return
    if name not in bound and not bound & {"*", "__getattr__"}:
        raise ReseedError(
            f"{object_path!r}: {path} has no {name}.{suggest_name(name, sorted(bound))}"
        )


def find_named_entry(name: str, project: Path) -> str | Path:
    """An entry of `code:`: a file that is not Python, or an entry of `code_files`."""
    path = project.resolve() / name
    if path.suffix == ".py":
        return str(path)
    return path if path.is_file() else name


def named_code(names: list[str], project: Path) -> str:
    """Hash of the files and modules that a model's `code:` names. Raises ReseedError."""
    hashes = []
    for name in names:
        entry = find_named_entry(name, project)
        if isinstance(entry, Path):
            hashes.append([name, read_source(entry).code])
        else:
            hashes.append([name, code_hash(entry, project=project, strict=False)])
    return digest(hashes)
