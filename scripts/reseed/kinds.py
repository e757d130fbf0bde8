"""Kinds of analyses and exhibits: one module each, known without importing any of them.

A module of `reseed.analyses` that defines `analyse`, or one of `reseed.exhibits` that defines
`table` or `figure`, is a kind of the module's name; `my_module:analyse`, `my_module:table` and
`my_module:figure` name a user's own. A module may further say

- `READS`: what an analysis reads: `metrics` (the default), `predictions` or `curves`;
- `class Options`: its options, a strict class; without one it takes none.

Parsing reads the modules' syntax only; `check_options` imports them.
"""

import ast
import importlib
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from reseed.errors import ReseedError, nearest
from reseed.keys import SCRIPTS, code_files

FUNCTIONS = {"analyses": ("analyse",), "exhibits": ("table", "figure")}
READABLE = ("metrics", "predictions", "curves")


class Kind(NamedTuple):
    """One kind: its module, the function that makes it, and what it reads."""

    name: str
    module: str
    function: str
    reads: str


def _declared(path: Path) -> tuple[set[str], str]:
    """Names of a module's functions, and its READS."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    reads = "metrics"
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "READS":
            reads = ast.literal_eval(node.value)
    return functions, reads


@cache
def built_in(family: str) -> dict[str, Kind]:
    """Kinds of the library by name; `family` is `analyses` or `exhibits`."""
    found = {}
    for path in sorted((SCRIPTS / "reseed" / family).glob("*.py")):
        functions, reads = _declared(path)
        for function in FUNCTIONS[family]:
            if function in functions:
                found[path.stem] = Kind(path.stem, f"reseed.{family}.{path.stem}", function, reads)
    return found


def find(family: str, name: str, project: Path = Path()) -> Kind:
    """The kind that a study names. Raises ReseedError, with the nearest name, for none such."""
    known = built_in(family)
    if name in known:
        return known[name]
    module, colon, function = name.partition(":")
    if not colon:
        raise ReseedError(
            f"unknown kind {name!r}. Allowed: {', '.join(sorted(known))}, or "
            f"my_module:{' or my_module:'.join(FUNCTIONS[family])}.{nearest(name, list(known))}"
        )
    path = next(iter(code_files(module, project).values()))
    functions, reads = _declared(path)
    if function not in FUNCTIONS[family] or function not in functions:
        wanted = " or ".join(FUNCTIONS[family])
        raise ReseedError(f"{name!r}: {path} must define the function {wanted} that it names.")
    if reads not in READABLE:
        raise ReseedError(f"{path}: READS is {reads!r}. Allowed: {', '.join(READABLE)}.")
    return Kind(name, module, function, reads)


def load(kind: Kind, project: Path = Path()):
    """The kind's module."""
    if str(project.resolve()) not in sys.path:
        sys.path.append(str(project.resolve()))
    return importlib.import_module(kind.module)


def checked_options(kind: Kind, options: dict, project: Path = Path()) -> dict:
    """Options with their defaults, as the kind's strict class gives them.

    Raises ReseedError that names each wrong option, what is allowed, and the nearest name.
    """
    declared = getattr(load(kind, project), "Options", None)
    if declared is None and kind.module.startswith("reseed."):
        return options
    allowed = sorted(declared.model_fields) if declared else []
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        listed = ", ".join(allowed) or "none"
        raise ReseedError(
            f"unknown option {unknown[0]!r} of kind {kind.name}. Allowed: {listed}."
            f"{nearest(unknown[0], allowed)}"
        )
    if declared is None:
        return {}
    try:
        return declared(**options).model_dump(exclude_unset=True)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ReseedError(f"{field}: {first['msg']}. Found: {first['input']!r}.") from None
