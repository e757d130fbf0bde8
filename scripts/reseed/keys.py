"""What a file is made from, as hashes: of code by its meaning, of settings, of one trial.

Snakemake does not notice an edited imported module and reruns everything for a touched script. So
every rule carries a hash made here. A hash of code follows imports and leaves out what cannot
change a number: comments, docstrings, layout, the texts of errors.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from reseed.errors import ReseedError

SCRIPTS = Path(__file__).resolve().parent.parent
_DYNAMIC = {"import_module", "__import__"}


def digest(*parts: object) -> str:
    """SHA-256 (hex) of any JSON-able values, stable across runs and platforms."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def trial_key(
    code: str,
    recipe: dict,
    hyperparameters: dict,
    data: str,
    rows: str,
    weights: str | None,
    seeds: dict[str, int],
) -> str:
    """Hash of everything that decides a trial's numbers, and of nothing else.

    Args:
        code: `code_hash` of the model's family.
        recipe: what the plan says of training (`plan.PlannedSetting.recipe`).
        hyperparameters: the values trained with, a search's winner included.
        data: content hash of the dataset, its task included.
        rows: hash of the split's row numbers.
        weights: hash of pretrained weights, if the recipe has some.
        seeds: seed by role.
    """
    recipe = {name: value for name, value in recipe.items() if name != "hyperparameters"}
    return digest(code, recipe, hyperparameters, data, rows, weights, seeds)


# --- meaning of code ----------------------------------------------------------------------------


class _Meaning(ast.NodeTransformer):
    """Removes from a syntax tree what cannot change a number."""

    def _without_docstring(self, node):
        self.generic_visit(node)
        first = node.body[0] if node.body else None
        value = first.value if isinstance(first, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_Module = visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = _without_docstring

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """Keep which error is raised, not its text."""
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return node


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise ReseedError(f"{path}: line {error.lineno}: {error.msg}. Mend the file.") from None
    except UnicodeDecodeError as error:
        raise ReseedError(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.") from None


@cache
def _read(path: Path) -> tuple[str, tuple[ast.AST, ...]]:
    """Hash of a file's meaning, and every node of it that may import something."""
    tree = _parse(path)
    importing = (ast.Import, ast.ImportFrom, ast.Call)
    nodes = tuple(node for node in ast.walk(tree) if isinstance(node, importing))
    dumped = ast.dump(_Meaning().visit(tree))  # which changes the tree
    return hashlib.sha256(dumped.encode()).hexdigest(), nodes


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _imports(nodes: Iterable[ast.AST], package: str, where: Path, strict: bool) -> Iterator[str]:
    """Names of the modules that nodes import; what may be a module or a name comes as both."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join(part for part in (*parents, base) if part)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Call) and _called(node) in _DYNAMIC and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value
            elif strict and SCRIPTS not in where.parents:
                raise ReseedError(
                    f"{where}: line {node.lineno}: imports a module whose name is worked out while "
                    "it runs, so its changes cannot be followed. Import it by name, or name its "
                    "file under `code:` in the model's YAML file."
                )


@cache
def _imported(path: Path, package: str, strict: bool) -> tuple[str, ...]:
    """Names of the modules a file imports, each once."""
    return tuple(dict.fromkeys(_imports(_read(path)[1], package, path, strict)))


def _is_installed(path: Path) -> bool:
    return bool({"site-packages", "dist-packages"} & set(path.parts))


class _Finder:
    """Finds the source files of modules: the library's, the user's, one installed package's."""

    def __init__(self, project: Path, entry: str):
        pythonpath = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
        self.roots = [str(SCRIPTS), str(project), *map(os.path.abspath, pythonpath)]
        self.package = entry.partition(".")[0]

    def files(self, name: str) -> tuple[tuple[str, Path], ...]:
        """(module, file) of a module and of the packages around it; empty if none is followed."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            return ()
        return _files(name, (*self.roots, *(sys.path if top == self.package else ())))


@cache
def _files(name: str, roots: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    places, found, parts = [root for root in roots if root], [], name.split(".")
    for depth, part in enumerate(parts, 1):
        at = [Path(place, part) for place in places]
        package = next((p for p in at if (p / "__init__.py").is_file()), None)
        plain = next((p for p in at if p.with_suffix(".py").is_file()), None)
        path = package / "__init__.py" if package else plain and plain.with_suffix(".py")
        if path:
            found.append((".".join(parts[:depth]), path))
        # A folder without __init__.py may be a package too.
        places = [package] if package else [p for p in at if p.is_dir()]
        if not places:
            break
    return tuple(found)


@cache
def code_files(entry: str, project: Path = Path(), strict: bool = True) -> dict[str, Path]:
    """The source files reached from a script or module through its imports, by module name.

    An entry is a path below `scripts/` (`train.py`) or a module name (`reseed.models.forest`, or
    a user's own module in the project's folder, on PYTHONPATH or installed). Followed are this
    library and the user's own modules. `strict` refuses an import whose name is worked out while
    the code runs. An installed package counts by its version and list of files (`code_hash`).

    Raises ReseedError for code that cannot be parsed or followed.
    """
    project = project.resolve()
    finder = _Finder(project, entry)
    if entry.endswith(".py"):
        path = SCRIPTS / entry if (SCRIPTS / entry).is_file() else project / entry
        pending = [("", path)]
    else:
        pending = list(finder.files(entry))
        if not pending or pending[-1][0] != entry:
            raise ReseedError(
                f"module {entry!r} is not found: its file must stand in {project} or on PYTHONPATH."
            )
    seen: dict[str, Path] = {}
    while pending:
        module, path = pending.pop()
        if module in seen:
            continue
        seen[module] = path
        if _is_installed(path):
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
        if any(_is_installed(path) for path in files.values()):
            packages += _installed(entry)
    return digest(sorted(meanings.items()), packages)


def named_code(names: list[str], project: Path) -> str:
    """Hash of files and modules that a model's `code:` names. Raises ReseedError for none such."""
    found = []
    for name in names:
        path = project / name
        if path.is_file() and path.suffix != ".py":
            found.append([name, hashlib.sha256(path.read_bytes()).hexdigest()])
        else:
            found.append([name, code_hash(name, project=project)])
    return digest(found)
