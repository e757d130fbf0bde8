"""Validation errors of pydantic as sentences: field, error, and the value or allowed values."""

from collections.abc import Mapping
from datetime import date
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reseed.core.errors import suggest_name

#: Tags of a value with several forms; pydantic adds them to the location of an error.
_UNION_TAGS = ("plain", "list", "fields", "constrained", "list[")

#: What YAML makes of names without quotes: `2024_05`, `1e3`, `yes`, `2024-05-01`.
_UNQUOTED = (int, float, date)

#: Explanation of each pattern of `config.base`.
_PATTERN_MESSAGES = {
    r"^[A-Za-z0-9][A-Za-z0-9_]*$": "a name holds unaccented letters, digits and underscores only",
    r"^[0-9a-f]{64}$": "a SHA-256 is 64 hexadecimal digits, in lower case",
    r"^[\w.]+:\w+$": "give `module:name`, as in my_module:make",
}


def format_validation_errors(
    cls: type[BaseModel],
    error: ValidationError,
    lead: str = "",
    leads: Mapping[str, str] | None = None,
) -> list[str]:
    """Return one sentence for each error, without repeats.

    lead: precedes the name of a field. leads: the same for some top-level fields.
    """
    errors = (one for one in error.errors() if one["type"] != "default_factory_not_called")
    return list(dict.fromkeys(_format_error(cls, one, lead, leads or {}) for one in errors))


def _format_error(
    cls: type[BaseModel], error: ErrorDetails, lead: str, leads: Mapping[str, str]
) -> str:
    *above, last = location = error["loc"] or ("",)
    field = leads.get(str(location[0]), lead) + ".".join(
        str(step) for step in location if not str(step).startswith(_UNION_TAGS)
    )
    field = f"{field.rstrip('. :')}: " if field else ""
    if error["type"] == "extra_forbidden":
        parent = _find_class(cls, above)
        allowed = sorted(parent.model_fields) if parent else []
        hint = f" Allowed: {', '.join(allowed)}.{suggest_name(last, allowed)}" if allowed else ""
        return f"{field}unknown field {last!r}.{hint}"
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "string_pattern_mismatch":
        message = _PATTERN_MESSAGES.get(error["ctx"]["pattern"], message)
    detail = (
        "" if error["type"] == "missing" or not error["loc"] else f" Found: {error['input']!r}."
    )
    if error["type"] == "string_type" and isinstance(error["input"], _UNQUOTED):
        detail += " YAML reads it as another kind of value: put it in quotes, as in 'name'."
    if error["type"] == "literal_error":
        detail += suggest_name(error["input"], _parse_names(error["ctx"]["expected"]))
    if error["type"] == "union_tag_invalid":
        allowed = _parse_names(error["ctx"]["expected_tags"])
        tag = error["ctx"]["tag"]
        message = f"unknown {_parse_names(error['ctx']['discriminator'])[0]} {tag!r}"
        detail = f" Allowed: {', '.join(allowed)}.{suggest_name(tag, allowed)}"
    return f"{field}{message}.{detail}"


def _parse_names(names: str) -> list[str]:
    """Return the names in pydantic's text `'a', 'b' or 'c'`."""
    return [name.strip("' ") for name in names.replace(" or ", ", ").split(",")]


def _find_class(cls: Any, location: list[str | int]) -> type[BaseModel] | None:
    """Return the class of the object at `location` below `cls`.

    `location` contains field names, list indices, mapping keys and union tags. A step that is not a
    field of a candidate is one of the others; a union tag narrows the candidates.
    """
    candidates = _list_classes(cls)
    for step in location:
        fields = [c.model_fields[step] for c in candidates if step in c.model_fields]
        if fields:
            candidates = [c for field in fields for c in _list_classes(field.annotation)]
        else:
            candidates = [c for c in candidates if _get_tag(c) == step] or candidates
    return candidates[0] if candidates else None


def _get_tag(cls: type[BaseModel]) -> str | None:
    kind = cls.model_fields.get("kind")
    return next(iter(get_args(kind.annotation)), None) if kind else None


def _list_classes(annotation: Any) -> list[type[BaseModel]]:
    """Return the pydantic classes in an annotation, also in unions, containers and Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [cls for inner in get_args(annotation) for cls in _list_classes(inner)]
