"""Says in arguments of a Python function what a message says in fields of a study file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from reseed.core.errors import ReseedError

P = ParamSpec("P")
Result = TypeVar("Result")
#: A field with the value that a message suggests: `metric: auc`.
_FIELD = re.compile(r"`([a-z_]+): ([^`]+)`")

#: A name whose column the reader fills in: `{item: …}`.
_OPEN, _AS_ENTRY = re.compile(r"(\w+): …"), r"'\1': …"


class ArgumentError(ReseedError):
    """An error of a call; `fields` is the message in fields of a study file."""

    def __init__(self, text: str, fields: str):
        super().__init__(text)
        self.fields = fields


def in_arguments(function: Callable[P, Result]) -> Callable[P, Result]:
    """The function, whose errors suggest its arguments."""
    names = signature(function).parameters

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> Result:
        try:
            return function(*args, **options)
        except ReseedError as error:
            text = str(error)
            spoken = speak_arguments(text, names)
            if type(error) is not ReseedError or spoken == text:
                raise
            raise ArgumentError(spoken, text) from None

    return call


def speak_arguments(text: str, names: Collection[str]) -> str:
    """A text with the argument in place of each field of a study file that has one of `names`."""
    text = text.replace("`false`", "`greater_is_better: false`")
    return _FIELD.sub(lambda match: _translate(match, names), text)


def _translate(match: re.Match[str], names: Collection[str]) -> str:
    name, value = match.groups()
    if name not in names:
        return match[0]
    if "…" in value:
        return f"`{name}={_OPEN.sub(_AS_ENTRY, value)}`"
    import yaml

    try:
        return f"`{name}={yaml.safe_load(value)!r}`"
    except yaml.YAMLError:
        return f"`{name}={value!r}`"
