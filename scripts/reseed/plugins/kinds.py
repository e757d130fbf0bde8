"""Kinds of analyses and exhibits: one module per kind, listed without an import.

A module of `reseed.analyses` that defines `analyse` is a kind with the name of the module.
So is a module of `reseed.report.exhibits` that defines `table` or `figure`. `my_module:analyse`,
`my_module:table` and `my_module:figure` name a user's kind. A module may also define

- `READS`: what an analysis reads: one of `READABLE` (default: `metrics`);
- `DRAWS`: the kinds of analysis, ("spread", …), that an exhibit can show (default: any or none);
- `class Options(reseed.plugins.options.Strict)`: its options (default: no options).

Parsing reads the syntax of the modules only; `read_options` imports them.
"""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import BaseModel, ValidationError

from reseed.config.validation_messages import format_validation_errors
from reseed.core.code_hash import entry_file
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.module_finder import SCRIPTS
from reseed.core.source_facts import read_source
from reseed.plugins.loading import load_module
from reseed.plugins.options import NoOptions, Strict

Result = TypeVar("Result")
#: Room of the kinds of each family.
_ROOMS = {"analyses": "analyses", "exhibits": "report/exhibits"}
ENTRY_POINTS = {"analyses": ("analyse",), "exhibits": ("table", "figure")}
READABLE = ("metrics", "items", "predictions", "curves", "repeats")


class Kind(NamedTuple):
    """One kind.

    function: entry point in `module`.
    reads: see the module docstring.
    draws: kinds of analysis that an exhibit can show; None if the module does not limit them.
    """

    name: str
    module: str
    function: str
    reads: str
    draws: tuple[str, ...] | None

    def can_draw(self, analysis: str) -> bool:
        """Whether an exhibit of this kind can show an analysis; any user's analysis is allowed."""
        return self.draws is None or ":" in analysis or analysis in self.draws


class _Declarations(NamedTuple):
    """Names of the functions of a module, and its constants."""

    functions: set[str]
    reads: str
    draws: tuple[str, ...] | None


def _read_declarations(path: Path) -> _Declarations:
    facts = read_source(path).facts
    functions, constants = (facts.functions, facts.constants) if facts else ((), {})
    values: dict[str, Any] = {"READS": "metrics", "DRAWS": None}
    for name, text in constants.items():
        try:
            values[name] = ast.literal_eval(text)
        except ValueError:
            raise ReseedError(
                f"{path}: {name} must be a literal, because the module is not run to read it."
            ) from None
    return _Declarations(set(functions), values["READS"], values["DRAWS"])


def _folder(family: str) -> Path:
    return SCRIPTS / "reseed" / _ROOMS[family]


def built_in_kinds(family: str) -> dict[str, Kind]:
    """Return the kinds of the library by name; `family` is `analyses` or `exhibits`."""
    names = (path.stem for path in sorted(_folder(family).glob("*.py")))
    kinds = ((name, _find_built_in(family, name)) for name in names)
    return {name: kind for name, kind in kinds if kind is not None}


@cache
def _find_built_in(family: str, name: str) -> Kind | None:
    """The kind of the library with this name. Only its file is parsed."""
    path = _folder(family) / f"{name}.py"
    if not name.isidentifier() or not path.is_file():
        return None
    declared = _read_declarations(path)
    for function in ENTRY_POINTS[family]:
        if function in declared.functions:
            room = _ROOMS[family].replace("/", ".")
            return Kind(name, f"reseed.{room}.{name}", function, *declared[1:])
    return None


def find_kind(family: str, name: str, project: Path = Path()) -> Kind:
    """Return the kind that a study names. Raises ReseedError with the most similar name."""
    built_in = _find_built_in(family, name)
    if built_in is not None:
        return built_in
    module, colon, function = name.partition(":")
    if not colon:
        known = built_in_kinds(family)
        raise ReseedError(
            f"unknown kind {name!r}. Allowed: {', '.join(sorted(known))}, or "
            f"my_module:{' or my_module:'.join(ENTRY_POINTS[family])}."
            f"{suggest_name(name, list(known))}"
        )
    path = entry_file(module, project)
    declared = _read_declarations(path)
    if function not in ENTRY_POINTS[family] or function not in declared.functions:
        expected = " or ".join(ENTRY_POINTS[family])
        raise ReseedError(f"{name!r}: {path} must define the function {expected} that it names.")
    if declared.reads not in READABLE:
        raise ReseedError(f"{path}: READS is {declared.reads!r}. Allowed: {', '.join(READABLE)}.")
    draws = declared.draws
    if draws is not None and not _name_analyses(draws):
        raise ReseedError(
            f'{path}: DRAWS is {draws!r}: must be a tuple of kinds of analysis, ("spread",). '
            f"Allowed: {', '.join(sorted(built_in_kinds('analyses')))}, or my_module:analyse."
        )
    return Kind(name, module, function, declared.reads, draws)


def _name_analyses(draws: object) -> bool:
    return isinstance(draws, tuple | list) and all(
        isinstance(one, str) and (":" in one or _find_built_in("analyses", one) is not None)
        for one in draws
    )


def load_kind(kind: Kind, project: Path = Path()) -> ModuleType:
    """Import the module of a kind. Raises ReseedError if that fails."""
    return load_module(kind.module, f"kind {kind.name!r}", project)


def run_kind(
    kind: Kind, data: Any, options: Mapping[str, Any], result_type: type[Result]
) -> Result:
    """Return the result of a kind's function for `data`.

    Raises ReseedError for wrong options, and for a result that is not a `result_type`.
    """
    result = getattr(load_kind(kind), kind.function)(data, read_options(kind, options))
    if not isinstance(result, result_type):
        raise ReseedError(
            f"{kind.module}: {kind.function} must return a {result_type.__name__}"
            f" ({result_type.__module__}), not a {type(result).__name__}."
        )
    return result


def list_option_names(kind: Kind, project: Path = Path()) -> list[str]:
    """Return the names of the options of a kind, as a study file uses them."""
    fields = _load_options_class(kind, project).model_fields
    return sorted(field.alias or name for name, field in fields.items())


def read_options(kind: Kind, options: Mapping[str, Any], project: Path = Path()) -> Strict:
    """Return an instance of the kind's `Options` class; null stands for the default.

    Raises ReseedError with each wrong option, the allowed ones, and the most similar name.
    """
    options_class = _load_options_class(kind, project)
    allowed = list_option_names(kind, project)
    errors = [
        f"unknown option {name!r} of kind {kind.name}. Allowed: {', '.join(allowed) or 'none'}."
        f"{suggest_name(name, allowed)}"
        for name in options
        if name not in allowed
    ]
    known = {k: v for k, v in options.items() if k in allowed and v is not None}
    try:
        instance = options_class(**known)
    except ValidationError as error:
        errors += format_validation_errors(options_class, error)
    if errors:
        raise ReseedError(" ".join(errors))
    return instance


def _load_options_class(kind: Kind, project: Path) -> type[Strict]:
    options_class = getattr(load_kind(kind, project), "Options", NoOptions)
    if not (isinstance(options_class, type) and issubclass(options_class, BaseModel)):
        raise ReseedError(
            f"{kind.module}: Options must be a subclass of reseed.plugins.options.Strict: "
            "class Options(Strict)."
        )
    return cast(type[Strict], options_class)
