"""Says in arguments of Python, or options of a command, what a message says in fields of YAML."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection
from functools import wraps
from inspect import signature
from typing import Literal, ParamSpec, TypeVar

from reseed.core.errors import ReseedError

P = ParamSpec("P")
Result = TypeVar("Result")
#: A field with the value that a message suggests, or alone: `metric: auc`, `unit`.
_FIELD = re.compile(r"`([a-z_]+)(?:: ([^`]+))?`")
#: A name whose column the reader fills in: `{item: …}`.
_OPEN, _AS_ENTRY = re.compile(r"(\w+): …"), r"'\1': …"
_DIRECTIONS = {"true": "--greater-is-better", "false": "--lower-is-better"}
#: Of YAML.
_QUOTES = "\"'"
#: Fields of which one entry is an option, which is repeated.
_REPEATED = ("metric", "deterministic", "fixed", "leave_out")


class ArgumentError(ReseedError):
    """An error of a call; `fields` is the message in fields of a study file."""

    def __init__(self, text: str, fields: str):
        super().__init__(text)
        self.fields = fields


def in_arguments(function: Callable[P, Result]) -> Callable[P, Result]:
    """The function, whose errors suggest its arguments."""
    parameters = signature(function).parameters
    takes_more = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    names = None if takes_more else parameters

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> Result:
        try:
            return function(*args, **options)
        except ReseedError as error:
            text = str(error)
            spoken = speak(text, "arguments", names)
            if spoken == text:
                raise
            raise ArgumentError(spoken, text) from None

    return call


def speak(
    text: str, speaker: Literal["arguments", "flags"], known: Collection[str] | None = None
) -> str:
    """A text with the argument, or the option, in place of each field of a study file.

    known: the arguments that the function has, or the options of the command; None: any.
    """
    name = _name_argument if speaker == "arguments" else _name_option

    def translate(match: re.Match[str]) -> str:
        said = name(match[1], match[2])
        is_known = known is None or re.split("[ =]", said)[0] in known
        return f"`{said}`" if said and is_known else match[0]

    if "greater_is_better" in text:
        text = text.replace("`false`", "`greater_is_better: false`")
    return _FIELD.sub(translate, text)


def _name_argument(field: str, value: str | None) -> str:
    if value is None:
        return field
    if "…" in value:
        return f"{field}={_OPEN.sub(_AS_ENTRY, value)}"
    import yaml

    try:
        return f"{field}={yaml.safe_load(value)!r}"
    except yaml.YAMLError:
        return f"{field}={value!r}"


def _name_option(field: str, value: str | None) -> str:
    """The option for a field with a value; empty if it is certainly none."""
    if field == "columns":
        return _name_columns(value)
    if field == "greater_is_better":
        if value is None or value.startswith("{"):
            return "--direction METRIC=less"
        return _DIRECTIONS.get(value, "")
    option = f"--{field.replace('_', '-')}"
    if field == "keep" and value is not None:
        name, _, kept = value.strip("{}").partition(": ")
        return f"{option} {_quote(f'{name.strip(_QUOTES)}={kept.strip(_QUOTES)}')}"
    if value is None:
        return option
    names = value.strip("[]").split(", ") if field in _REPEATED else [value]
    return " ".join(f"{option} {_quote(name.strip(_QUOTES))}" for name in names)


def _name_columns(value: str | None) -> str:
    """The option for `{model: arch}` or `{model: [a, b]}`."""
    if value is None:
        return "--column"
    name, _, column = value.strip("{}").partition(": ")
    parts = column.strip("[]").split(", ") if column.startswith("[") else [column]
    plain = [part.strip(_QUOTES) for part in parts]
    return " ".join(f"--column {_quote(f'{name}={part}')}" for part in plain)


def _quote(text: str) -> str:
    return text if text.endswith("…") else shlex.quote(text)
