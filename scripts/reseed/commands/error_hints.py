"""Options of the command line for the fields of a study file that an error message names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

# Part of a message about a study file → the option of the command line for it, if no value is
# suggested.
_OPTIONS = {
    "`columns` maps": "--column model=…",
    "set `metric`": "--metric …",
    "`metric`": "--metric …",
    "Set `format`": "--format …",
    "`test_train_ratio`": "--test-train-ratio …",
    "`unit`": "--unit …",
    "`rope`": "--rope WIDTH or --rope METRIC=WIDTH",
}
#: A field with the value that a message suggests: `metric: auc`, `columns: {seed: run}`.
_SUGGESTION = re.compile(
    r"`(columns|metric|greater_is_better|format|unit|test_train_ratio|family|headings|rows)"
    r": ([^`]+)`"
)
_DIRECTIONS = {"true": "--greater-is-better", "false": "--lower-is-better"}
#: A command with its arguments.
_COMMAND = re.compile(r"`reseed [a-z]+ [^`]+`")
_FLAG = re.compile(r"--[a-z-]+")


def format_error(text: str, flags: Collection[str]) -> str:
    """An error message, with the options of the command for the fields of a study file.

    flags: the options that the command has; others are not suggested.
    """
    hints = [_format_suggestion(*match) for match in _SUGGESTION.findall(text)]
    has_value = {found for hint in hints for found in _FLAG.findall(hint)}
    for field, option in _OPTIONS.items():
        if field in text and _FLAG.findall(option)[0] not in has_value:
            hints.append(option)
    if _DIRECTIONS["true"] in hints and "`false`" in text:
        hints.append(_DIRECTIONS["false"])
    if _COMMAND.search(text):  # a whole command is better than an option without its value
        hints = [hint for hint in hints if not hint.endswith("…")]
    known = [hint for hint in dict.fromkeys(hints) if hint and set(_FLAG.findall(hint)) <= {*flags}]
    tail = "\nOn the command line: " + ", or ".join(known) if known else ""
    return f"Error: {text}{tail}"


def _format_suggestion(field: str, value: str) -> str:
    """The option for `field: value` of a study file; empty if there is none."""
    if field == "columns":
        name, _, column = value.strip("{}").partition(": ")
        parts = column.strip("[]").split(", ") if column.startswith("[") else [column]
        return " ".join(_format_column(name, part) for part in parts)
    if field == "metric":
        names = value.strip("[]").split(", ") if value.startswith("[") else [value]
        return " ".join(f"--metric {_quote(name)}" for name in names)
    if field == "greater_is_better":
        if value.startswith("{"):
            return "--direction METRIC=greater --direction METRIC=less"
        return _DIRECTIONS.get(value, "")
    return f"--{field.replace('_', '-')} {_quote(value)}"


def _format_column(name: str, column: str) -> str:
    plain = column.strip('"')  # quotes of YAML
    return f"--column {_quote(f'{name}={plain}')}"


def _quote(text: str) -> str:
    return text if text.endswith("…") else shlex.quote(text)
