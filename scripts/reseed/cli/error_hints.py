"""Says in options of the command line what a message says in fields of a study file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

#: A field with the value that a message suggests, or alone: `metric: auc`, `unit`.
_FIELD = re.compile(r"`([a-z_]+)(?:: ([^`]+))?`")
_DIRECTIONS = {"true": "--greater-is-better", "false": "--lower-is-better"}
_COLUMNS = "--column"
#: Fields of which one entry is an option, which is repeated.
_REPEATED = ("metric", "deterministic", "fixed")


def speak_flags(text: str, flags: Collection[str] | None = None) -> str:
    """A text with the option of the command line in place of each field of a study file.

    flags: the options that the command has; None: any.
    """
    if "greater_is_better" in text:
        text = text.replace("`false`", "`greater_is_better: false`")
    return _FIELD.sub(lambda match: _translate(match, flags), text)


def _translate(match: re.Match[str], flags: Collection[str] | None) -> str:
    option = _name_option(match[1], match[2])
    if not option or (flags is not None and option.split()[0] not in flags):
        return match[0]
    return f"`{option}`"


def _name_option(field: str, value: str | None) -> str:
    """The option for a field with a value; empty if it is certainly none."""
    if field == "columns":
        return _name_columns(value)
    if field == "greater_is_better":
        if value is None or value.startswith("{"):
            return "--direction METRIC=less"
        return _DIRECTIONS.get(value, "")
    option = f"--{field.replace('_', '-')}"
    if value is None:
        return option
    names = value.strip("[]").split(", ") if field in _REPEATED else [value]
    return " ".join(f"{option} {_quote(name)}" for name in names)


def _name_columns(value: str | None) -> str:
    """The option for `{model: arch}` or `{model: [a, b]}`."""
    if value is None:
        return _COLUMNS
    name, _, column = value.strip("{}").partition(": ")
    parts = column.strip("[]").split(", ") if column.startswith("[") else [column]
    plain = [part.strip("\"'") for part in parts]  # quotes of YAML
    return " ".join(f"{_COLUMNS} {_quote(f'{name}={part}')}" for part in plain)


def _quote(text: str) -> str:
    return text if text.endswith("…") else shlex.quote(text)
