"""Hashes of code and of settings, for keys.

Snakemake does not notice an edit of an imported module, and it reruns everything for a touched
script. So every rule has a key made of these hashes. A hash of code follows imports. It ignores
what cannot change a number: comments, docstrings, layout, and texts of errors.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from reseed.core.errors import Damaged, ReseedError, suggest_name

#: Folder of this package, and its parent folder, which may contain `papers` too.
PACKAGE = Path(__file__).resolve().parent.parent
SCRIPTS = PACKAGE.parent
_LIBRARY = {"reseed", "papers"}
#: Packages that build specs and bring them to a job. Specs are in keys by value.
_CARRIERS = ("reseed.config", "reseed.planning", "reseed.pipeline")
_BY_NAME = {"import_module", "__import__"}
_BY_FILE = {"spec_from_file_location", "SourceFileLoader"}
# Modules loaded by runpy, or by a computed name (None), are known only at run time.
_UNKNOWN = {None, "runpy"}


def digest(*parts: object) -> str:
    """SHA-256 (hex) of any JSON-able values, stable across runs and platforms."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


# --- normalised code -----------------------------------------------------------------------------


def _text(node: ast.AST | None) -> str | None:
    """The text of a string literal, else None."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def _is_message(node: ast.AST) -> bool:
    """Whether an argument is a text: a literal, an f-string, or an expression that joins one."""
    if isinstance(node, ast.keyword):
        return _is_message(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return _is_message(node.left) or _is_message(node.right)
    return isinstance(node, ast.JoinedStr) or _text(node) is not None


class AstNormalizer(ast.NodeTransformer):
    """Removes from a syntax tree what cannot change a number."""

    def _without_docstring(self, node):
        self.generic_visit(node)
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and _text(first.value) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_Module = visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = _without_docstring

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """Keep the class and the values of an error, not its texts."""
        if isinstance(node.exc, ast.Call):
            given = (*node.exc.args, *node.exc.keywords)
            values = [None if _is_message(one) else one for one in given]
            node.exc = ast.Tuple([node.exc.func, *values]) if any(values) else node.exc.func
        return node


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise ReseedError(f"{path}: line {error.lineno}: {error.msg}. Correct the file.") from None
    except FileNotFoundError:
        raise ReseedError(f"{path}: there is no such file.") from None
    except UnicodeDecodeError as error:
        raise ReseedError(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.") from None


@cache
def _read(path: Path) -> tuple[str, tuple[ast.AST, ...]]:
    """Hash of a file's normalised code, and every node that may import something."""
    tree = _parse(path)
    importing = (ast.Import, ast.ImportFrom, ast.Call)
    nodes = tuple(node for node in ast.walk(tree) if isinstance(node, importing))
    dumped = ast.dump(AstNormalizer().visit(tree))  # it changes the tree
    return hashlib.sha256(dumped.encode()).hexdigest(), nodes


def _called_name(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _absolute(name: str, package: str) -> str:
    """A module's full name; leading dots count from the package that names it."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parents = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join(part for part in (*parents, name[level:]) if part)


def _named(call: ast.Call, package: str) -> str | None:
    """The module that a call imports by name; None for a computed name or package."""
    given = dict(zip(("name", "package"), call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords}
    name, anchor = _text(given.get("name")), given.get("package")
    is_own = isinstance(anchor, ast.Name) and anchor.id in {"__package__", "__name__"}
    around = package if is_own else _text(anchor)
    if name is None or (name.startswith(".") and around is None):
        return None
    return _absolute(name, around or "")


def _runs_file(call: ast.Call) -> bool:
    """Whether a call runs the code of a file. A method named `exec` does not count."""
    if isinstance(call.func, ast.Name) and call.func.id == "exec":
        return not call.args or _text(call.args[0]) is None
    return _called_name(call) in _BY_FILE


def _imports(node: ast.AST, package: str) -> Iterator[str | None]:
    """Names of the modules that a node imports; None for a module that is known only at run time.

    A name that may be a module or an attribute is yielded as both; `import *` as the name `*`.
    """
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute("." * node.level + (node.module or ""), package)
        yield base
        yield from (f"{base}.{alias.name}" for alias in node.names)
    elif _called_name(node) in _BY_NAME and (node.args or node.keywords):
        yield _named(node, package)
    elif _runs_file(node):
        yield None


@cache
def _imported(path: Path, package: str, strict: bool) -> tuple[str, ...]:
    """Names of the modules a file imports, each once."""
    found = {}
    for node in _read(path)[1]:
        for name in _imports(node, package):
            if name not in _UNKNOWN:
                found[name] = None
            elif strict and not _is_library(path):
                raise ReseedError(
                    f"{path}: line {node.lineno}: loads code by a computed name or "
                    "from a file, so its changes cannot be followed. Import it by name, "
                    "or name its file under `code:` in the model's YAML file."
                )
    return tuple(found)


def _exported(path: Path) -> Iterator[str]:
    """Names in a module's `__all__`."""
    for statement in _parse(path).body:
        nodes = list(ast.walk(statement))
        if any(isinstance(node, ast.Name) and node.id == "__all__" for node in nodes):
            yield from (text for text in map(_text, nodes) if text and text.isidentifier())


def _is_library(path: Path) -> bool:
    """Whether a file belongs to Reseed, which may itself be installed."""
    return PACKAGE in path.parents or SCRIPTS / "papers" in path.parents


def is_installed(path: Path) -> bool:
    """Whether a path is below a folder of installed packages."""
    return bool({"site-packages", "dist-packages"} & set(path.parts))


def _is_third_party(path: Path) -> bool:
    return is_installed(path) and not _is_library(path)


class _Finder:
    """Finds the source files of modules: of the library, the user, and one installed package."""

    def __init__(self, project: Path, entry: str):
        # The search order of a job: PYTHONPATH (an empty entry is the working folder), installed
        # packages, and last the project's folder, which `loading.py` appends.
        pythonpath = os.environ.get("PYTHONPATH")
        paths = map(os.path.abspath, pythonpath.split(os.pathsep) if pythonpath else ())
        beside = [str(Path(entry).parent)] if entry.endswith(".py") else []
        first = tuple(dict.fromkeys([*beside, *paths]))
        installed = [path for path in sys.path if _is_third_party(Path(path))]
        self.roots = (*first, str(project))
        self.package = entry.partition(".")[0]
        self.package_roots = (*first, *installed, str(project), *filter(None, sys.path))

    def files(self, name: str) -> tuple[tuple[str, Path], ...]:
        """(module, file) of a module and of its parent packages; empty if it is not followed."""
        top, _, rest = name.partition(".")
        if top in sys.stdlib_module_names:
            return ()
        if rest.endswith("*"):
            return self._starred(name.removesuffix(".*"))
        if top in _LIBRARY:
            return _files(name, (str(SCRIPTS),))
        return _files(name, self.package_roots if top == self.package else self.roots)

    def _starred(self, name: str) -> tuple[tuple[str, Path], ...]:
        """Submodules that `import *` loads: those that `__all__` names."""
        found = [path for module, path in self.files(name) if module == name]
        exported = [f"{name}.{one}" for path in found for one in _exported(path)]
        return tuple(chain.from_iterable(map(self.files, exported)))


@cache
def _files(name: str, roots: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    places, found, parts = roots, [], name.split(".")
    for depth, part in enumerate(parts, 1):
        at = [Path(place, part) for place in places]
        files = (file for p in at for file in (p / "__init__.py", p.with_suffix(".py")))
        path = next(filter(Path.is_file, files), None)
        if path:
            found.append((".".join(parts[:depth]), path))
        # A folder without __init__.py may be a package too.
        is_package = path and path.name == "__init__.py"
        places = [path.parent] if is_package else [p for p in at if p.is_dir()]
        if not places:
            break
    return tuple(found)


@cache
def code_files(entry: str, project: Path = Path(), strict: bool = True) -> dict[str, Path]:
    """Source files that a module reaches through its imports, by module name.

    Files of this library and of the user are followed. An installed package counts by its version
    and its list of files (`code_hash`).

    Args:
        entry: a module name, or the full path of a user's file. A user's module is in the project's
            folder, on PYTHONPATH, or installed.
        project: the project's folder.
        strict: refuse code that is loaded by a computed name or from a file.

    Raises:
        ReseedError: for code that cannot be parsed or followed.
    """
    project = project.resolve()
    finder = _Finder(project, entry)
    if entry.endswith(".py"):
        pending = [("", Path(entry))]
    else:
        pending = list(finder.files(entry))
        if not pending or pending[-1][0] != entry:
            raise ReseedError(
                f"module {entry!r} is not found: its file must be in {project} or on PYTHONPATH."
            )
    seen: dict[str, Path] = {}
    while pending:
        module, path = pending.pop()
        if module in seen or module.startswith(_CARRIERS):
            continue
        seen[module] = path
        if _is_third_party(path):
            continue
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for name in _imported(path, package, strict):
            pending += finder.files(name)
    return seen


def _installed(entry: str) -> list[str]:
    """Version and list of file hashes of the distributions that hold an installed entry."""
    names = metadata.packages_distributions().get(entry.partition(".")[0], [])
    found = map(metadata.distribution, names)
    return [f"{one.name} {one.version} {one.read_text('RECORD')}" for one in found]


@cache
def code_hash(*entries: str, project: Path = Path(), strict: bool = True) -> str:
    """Hash of all code reached from `entries` (see `code_files`)."""
    meanings, packages = {}, []
    for entry in entries:
        files = code_files(entry, project, strict)
        meanings |= {module or path.name: _read(path)[0] for module, path in files.items()}
        if any(_is_third_party(path) for path in files.values()):
            packages += _installed(entry)
    return digest(sorted(meanings.items()), packages)


@cache
def refuse_unbound(object_path: str, project: Path = Path()) -> None:
    """Raise ReseedError if the module in `module:name` does not bind the name.

    The check reads the source, so that a typing error is reported before hours of training. It
    skips installed modules, and modules that bind names at run time.
    """
    module, _, name = object_path.partition(":")
    path = next(iter(code_files(module, project, strict=False).values()))
    if _is_third_party(path):
        return
    bound = set()
    for node in ast.walk(_parse(path)):
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


def _named_entry(name: str, project: Path) -> str | Path:
    """An entry of `code:`: a file that is not Python, or an entry of `code_files`."""
    path = project.resolve() / name
    if path.suffix == ".py":
        return str(path)
    return path if path.is_file() else name


def named_code(names: list[str], project: Path) -> str:
    """Hash of the files and modules that a model's `code:` names. Raises ReseedError."""
    found = []
    for name in names:
        entry = _named_entry(name, project)
        if isinstance(entry, Path):
            found.append([name, _content(entry)])
        else:
            found.append([name, code_hash(entry, project=project, strict=False)])
    return digest(found)


# --- edits during a run --------------------------------------------------------------------------


def _content(path: Path) -> str:
    """Hash of the current content: of normalised code, or of the bytes of another file."""
    if path.suffix == ".py":
        return _read.__wrapped__(path)[0]
    return hashlib.sha256(path.read_bytes()).hexdigest()


class SourceStamp(NamedTuple):
    """Content hash of a source file, with the time (ns) and size (bytes) it had then."""

    content: str
    mtime_ns: int
    size: int


@cache
def stamp_sources(
    modules: tuple[str, ...], named: tuple[str, ...], project: Path
) -> dict[str, SourceStamp]:
    """Stamps of the files behind a key, by path: of this library, and of the user.

    modules: entries of `code_files`. named: entries of `code:`.
    """
    paths = [path for one in modules for path in code_files(one, project, not named).values()]
    for entry in (_named_entry(name, project) for name in named):
        is_data = isinstance(entry, Path)
        paths += [entry] if is_data else code_files(entry, project, strict=False).values()
    return {str(path.resolve()): _stamp(path) for path in paths if not _is_third_party(path)}


@cache
def _stamp(path: Path) -> SourceStamp:
    content = _read(path)[0] if path.suffix == ".py" else _content(path)
    return SourceStamp(content, *_file_stat(path))


def _file_stat(path: Path | str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size


class SourceGuard:
    """The files behind a job's keys, by path with their stamps at planning time.

    Content is hashed only where time or size of a file differ from its stamp.
    """

    def __init__(self, stamps: Mapping[str, SourceStamp]):
        self.stamps = dict(stamps)

    @classmethod
    def read(cls, path: str | Path) -> "SourceGuard":
        """Read the stamps that `Workflow` wrote. Raises Damaged."""
        path = Path(path)
        try:
            text = path.read_bytes()
            if path.parent.name + path.stem != hashlib.sha256(text).hexdigest():
                raise ValueError("its content does not match its name")
            content = json.loads(text)
            return cls({file: SourceStamp(*stamp) for file, stamp in content.items()})
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise Damaged(path, f"cannot be read ({error})") from None

    def refuse_edits(self) -> None:
        """Raise ReseedError for a file that was edited since the run was planned.

        Otherwise a result of the new code would be stored under the key of the old code.
        """
        for path, stamp in self.stamps.items():
            try:
                stat = _file_stat(path)
                edited = stat != stamp[1:] and _content(Path(path)) != stamp.content
            except FileNotFoundError:
                stat, edited = stamp[1:], True
            if edited:
                raise ReseedError(
                    f"{path}: was edited after the run was planned. Results that were finished "
                    "before the edit are kept. Run snakemake again."
                )
            self.stamps[path] = SourceStamp(stamp.content, *stat)
