"""Kinds of analyses and exhibits: one module each, known without importing any of them.

A module of `reseed.analyses` that defines `analyse`, or one of `reseed.exhibits` that defines
`table` or `figure`, is a kind of the module's name; `my_module:analyse`, `my_module:table` and
`my_module:figure` name a user's own. A module may further say

- `READS`: what an analysis reads: `metrics` (the default), `predictions` or `curves`; an exhibit
  may read `repeated_fits` besides its analysis;
- `DRAWS`: the kinds of analysis, ("spread", …), that an exhibit can show; without it any, or none;
- `class Options(reseed.plugins.options.Strict)`: its options; without one it takes none.

Parsing reads the modules' syntax only; `read_options` imports them.
"""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from reseed.config.validation_messages import format_validation_errors
from reseed.core.code_hash import SCRIPTS, code_files
from reseed.core.errors import ReseedError, suggest_name
from reseed.plugins.loading import load_module
from reseed.plugins.options import NoOptions, Strict

ENTRY_POINTS = {"analyses": ("analyse",), "exhibits": ("table", "figure")}
READABLE_INPUTS = {
    "analyses": ("metrics", "predictions", "curves"),
    "exhibits": ("metrics", "repeated_fits"),
}


class Kind(NamedTuple):
    """One kind: its module, the function that makes it, what it reads, and what it draws.

    `draws` is None where the module does not say.
    """

    name: str
    module: str
    function: str
    reads: str
    draws: tuple[str, ...] | None

    def can_draw(self, analysis: str) -> bool:
        """Whether an exhibit of this kind shows analyses of that one; a user's own it may."""
        return self.draws is None or ":" in analysis or analysis in self.draws


class _Declared(NamedTuple):
    functions: set[str]
    reads: str
    draws: tuple[str, ...] | None


def _declared(path: Path) -> _Declared:
    """Names of a module's functions, its READS and DRAWS."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    told = {"READS": "metrics", "DRAWS": None}
    for node in tree.body:
        name = getattr(node.targets[0], "id", "") if isinstance(node, ast.Assign) else ""
        if name in told:
            try:
                told[name] = ast.literal_eval(node.value)
            except ValueError:
                raise ReseedError(
                    f"{path}: {name} must be written out: nothing is run to read it."
                ) from None
    return _Declared(functions, told["READS"], told["DRAWS"])


@cache
def built_in_kinds(family: str) -> dict[str, Kind]:
    """Kinds of the library by name; `family` is `analyses` or `exhibits`."""
    found = {}
    for path in sorted((SCRIPTS / "reseed" / family).glob("*.py")):
        declared = _declared(path)
        for function in ENTRY_POINTS[family]:
            if function in declared.functions:
                module = f"reseed.{family}.{path.stem}"
                found[path.stem] = Kind(path.stem, module, function, declared.reads, declared.draws)
    return found


def find_kind(family: str, name: str, project: Path = Path()) -> Kind:
    """The kind that a study names. Raises ReseedError, with the nearest name, for none such."""
    known = built_in_kinds(family)
    if name in known:
        return known[name]
    module, colon, function = name.partition(":")
    if not colon:
        raise ReseedError(
            f"unknown kind {name!r}. Allowed: {', '.join(sorted(known))}, or "
            f"my_module:{' or my_module:'.join(ENTRY_POINTS[family])}."
            f"{suggest_name(name, list(known))}"
        )
    path = next(iter(code_files(module, project).values()))
    declared = _declared(path)
    if function not in ENTRY_POINTS[family] or function not in declared.functions:
        wanted = " or ".join(ENTRY_POINTS[family])
        raise ReseedError(f"{name!r}: {path} must define the function {wanted} that it names.")
    readable = READABLE_INPUTS[family]
    if declared.reads not in readable:
        raise ReseedError(f"{path}: READS is {declared.reads!r}. Allowed: {', '.join(readable)}.")
    draws = declared.draws
    if draws is not None and not _are_analyses(draws):
        raise ReseedError(
            f'{path}: DRAWS is {draws!r}: must be a tuple of kinds of analysis, ("spread",). '
            f"Allowed: {', '.join(sorted(built_in_kinds('analyses')))}, or my_module:analyse."
        )
    return Kind(name, module, function, declared.reads, draws)


def _are_analyses(draws: object) -> bool:
    known = built_in_kinds("analyses")
    return isinstance(draws, tuple | list) and all(
        isinstance(one, str) and (one in known or ":" in one) for one in draws
    )


def load_kind(kind: Kind, project: Path = Path()):
    """The kind's module. Raises ReseedError where it cannot be imported."""
    return load_module(kind.module, f"kind {kind.name!r}", project)


def run_kind(kind: Kind, data: Any, options: Mapping[str, Any], wanted: type) -> Any:
    """The result of a kind's function for `data`.

    Raises ReseedError for wrong options, and where the result is not of the type `wanted`.
    """
    found = getattr(load_kind(kind), kind.function)(data, read_options(kind, options))
    if not isinstance(found, wanted):
        raise ReseedError(
            f"{kind.module}: {kind.function} must return a {wanted.__name__}"
            f" ({wanted.__module__}), not a {type(found).__name__}."
        )
    return found


def option_names(kind: Kind, project: Path = Path()) -> list[str]:
    """Names of the options that a kind takes."""
    declared = getattr(load_kind(kind, project), "Options", None)
    fields = declared.model_fields if declared else {}
    return sorted(field.alias or name for name, field in fields.items())


def read_options(kind: Kind, options: Mapping[str, Any], project: Path = Path()) -> Strict:
    """An instance of the kind's `Options` class; null stands for the default.

    Raises ReseedError that names each wrong option, what is allowed, and the nearest name.
    """
    declared = getattr(load_kind(kind, project), "Options", NoOptions)
    allowed = option_names(kind, project)
    mistakes = [
        f"unknown option {name!r} of kind {kind.name}. Allowed: {', '.join(allowed) or 'none'}."
        f"{suggest_name(name, allowed)}"
        for name in options
        if name not in allowed
    ]
    known = {k: v for k, v in options.items() if k in allowed and v is not None}
    try:
        found = declared(**known)
    except ValidationError as error:
        mistakes += format_validation_errors(declared, error)
    if mistakes:
        raise ReseedError(" ".join(mistakes))
    return found
