"""Rules of the architecture: allowed imports between packages, and rule files."""

import ast
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
from reseed.core.code_hash import code_files

REPOSITORY = Path(__file__).parent.parent
LIBRARY = REPOSITORY / "scripts" / "reseed"
#: Parts of the room `report`, from the lowest layer to the highest.
REPORT = ("report.rendering", "report.exhibits", "report.pages")
# Package → the packages it may import, from the lowest layer to the highest. Each package may
# import only packages listed above it, so there are no cycles.
ALLOWED = {
    "core": set(),
    "stats": set(),
    "verdicts": {"core", "stats"},
    "config": {"core"},
    "plugins": {"core", "config"},
    "data": {"core", "config", "plugins"},
    "metrics": {"core", "plugins"},
    "models": {"core", "plugins", "metrics"},
    "planning": {"core", "config", "plugins", "data", "metrics"},
    "trials": {"core", "data", "metrics", "planning"},
    "training": {"core", "data", "metrics", "models", "planning", "trials"},
    "readers": {"core", "verdicts", "metrics"},
    "analyses": {"core", "stats", "verdicts", "plugins", "metrics"},
    "report.rendering": {
        "core", "verdicts", "config", "plugins", "metrics", "planning", "trials", "analyses",
    },
    "report.exhibits": {
        "core", "stats", "verdicts", "plugins", "metrics", "analyses", "report.rendering",
    },
    "report.pages": {"core", "verdicts", "config", "report.rendering"},
    "report": set(),
    "pipeline": {"core", "config", "plugins", "data", "metrics", "planning", "trials"},
    "jobs": {
        "core", "config", "plugins", "data", "metrics", "planning", "training", "trials",
        "readers", "analyses", *REPORT, "pipeline",
    },
    "comparison": {
        "core", "stats", "verdicts", "config", "plugins", "metrics", "readers", "analyses", *REPORT,
    },
    "session": {
        "core", "config", "data", "metrics", "models", "planning", "trials", "training",
        "analyses", "comparison", "pipeline",
    },
    "cli": {
        "core", "config", "data", "planning", "readers", "report.pages", "pipeline", "jobs",
        "comparison", "training",
    },
    "__main__": {"cli"},
    "pytest_plugin": {"comparison"},
    "__init__": {"core", "comparison", "session"},
}  # fmt: skip
# Imports against these rules that still exist: (module, package). Remove an entry with its import.
EXCEPTIONS: set[tuple[str, str]] = set()
MODULES = sorted(path.relative_to(LIBRARY) for path in LIBRARY.rglob("*.py"))


@cache
def imported_modules(path: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, in functions too; types alone do not count."""
    names: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == "reseed":
            names |= {f"reseed.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return frozenset(names)


def package_of(module: Path) -> str:
    return find_package([part.removesuffix(".py") for part in module.parts])


def find_package(parts: list[str]) -> str:
    """The package of a module below `reseed`: the room, or its part if the room has layers."""
    part = ".".join(parts[:2])
    return part if part in ALLOWED else parts[0]


def forbidden_imports(module: Path) -> Iterator[str]:
    """Packages that a module of the library imports and may not import."""
    package = package_of(module)
    for name in imported_modules(LIBRARY / module):
        top, _, rest = name.partition(".")
        if top in ("snakemake", "papers"):
            yield top
        elif top == "reseed" and rest:
            other = find_package(rest.split("."))
            if other in ALLOWED and other != package and other not in ALLOWED[package]:
                yield other


def test_allowed_imports_form_layers():
    order = list(ALLOWED)
    for package, allowed in ALLOWED.items():
        assert allowed <= set(order[: order.index(package)]), package


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_module_imports_only_allowed_packages(module):
    assert package_of(module) in ALLOWED, "add the package to ALLOWED"
    assert {(str(module), name) for name in forbidden_imports(module)} <= EXCEPTIONS


def test_every_exception_still_exists():
    found = {(str(module), name) for module in MODULES for name in forbidden_imports(module)}
    assert found >= EXCEPTIONS, "remove the entries of EXCEPTIONS that no module needs"


def test_every_rule_with_a_shell_has_an_environment_and_a_log():
    for path in (REPOSITORY / "rules").glob("*.smk"):
        text = path.read_text()
        count = text.count("shell:") - text.count('"exit 1"')  # that of a study with errors
        assert text.count("conda:") == count, path.name
        assert text.count(" log:") == count, path.name


def test_pip_ships_every_file_of_the_library():
    text = (REPOSITORY / "pyproject.toml").read_text()
    shipped = tomllib.loads(text)["tool"]["setuptools"]["package-data"]["*"]
    others = [path for path in LIBRARY.rglob("*.*") if path.is_file()]
    for path in others:
        name = path.relative_to(LIBRARY).as_posix()
        is_code = path.suffix == ".py" or "__pycache__" in path.parts
        assert is_code or any(fnmatch(f"/{name}", f"*{part[2:]}") for part in shipped), name


def test_facts_of_a_study_are_built_in_one_module():
    """`build_study_info` is the one factory, so that all studies have the same fields."""
    builders = [path for path in LIBRARY.rglob("*.py") if "StudyInfo(" in path.read_text()]
    assert [path.name for path in builders] == ["study_info.py"]


def bare_dicts(tree: ast.AST) -> Iterator[int]:
    """Lines of annotations that name `dict` without the types of its keys and values."""
    for node in ast.walk(tree):
        annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
        if isinstance(annotation, ast.expr):
            inside = list(ast.walk(annotation))
            typed = {id(part.value) for part in inside if isinstance(part, ast.Subscript)}
            for part in inside:
                if isinstance(part, ast.Name) and part.id == "dict" and id(part) not in typed:
                    yield part.lineno


def test_annotations_name_types_in_dicts():
    found = [
        f"{path.relative_to(LIBRARY.parent)}:{line}"
        for path in sorted(LIBRARY.parent.rglob("*.py"))
        for line in bare_dicts(ast.parse(path.read_text()))
    ]
    assert found == []


def test_directions_of_tables_are_in_no_key_of_trials():
    """A new name for a direction would otherwise retrain every trial."""
    assert "reseed.readers.names" not in code_files("reseed.training.run")


def test_each_room_says_what_it_does():
    """The head of a room's `__init__`: in, out, what it decides, imports, where to start."""
    rooms = {package_of(path).partition(".")[0] for path in MODULES if len(path.parts) > 1}
    assert len(rooms - {"cli"}) <= 18
    for room in rooms:
        head = (LIBRARY / room / "__init__.py").read_text()
        labels = ("In:", "Out:", "Decides:", "Imports:", "Start:")
        assert [label for label in labels if label not in head] == [], room
