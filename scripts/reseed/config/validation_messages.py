"""What pydantic found wrong, as sentences: field, mistake, what was found or is allowed."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from reseed.core.errors import suggest_name

# Tags of a value with several forms: part of pydantic's location, of no use to a reader.
_FORMS = ("plain", "list", "fields", "constrained", "list[")

# What a text must be that does not match a pattern of `config.base`.
_IN_WORDS = {
    r"^[A-Za-z0-9][A-Za-z0-9_]*$": "a name holds unaccented letters, digits and underscores only",
    r"^[0-9a-f]{64}$": "a SHA-256 is 64 hexadecimal digits, in small letters",
    r"^[\w.]+:\w+$": "give `module:name`, as in my_module:make",
}


def format_validation_errors(
    cls: type[BaseModel], error: ValidationError, lead: str = ""
) -> list[str]:
    """One sentence a mistake, each once; `lead` stands before the name of the field."""
    return list(dict.fromkeys(_told(cls, one, lead) for one in error.errors()))


def _told(cls: type[BaseModel], error: dict, lead: str) -> str:
    *above, last = location = error["loc"] or ("",)
    field = lead + ".".join(str(step) for step in location if not str(step).startswith(_FORMS))
    field = f"{field.rstrip('. :')}: " if field else ""
    if error["type"] == "extra_forbidden":
        parent = _class_at(cls, above)
        allowed = sorted(parent.model_fields) if parent else []
        hint = f" Allowed: {', '.join(allowed)}.{suggest_name(last, allowed)}" if allowed else ""
        return f"{field}unknown field {last!r}.{hint}"
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "string_pattern_mismatch":
        message = _IN_WORDS.get(error["ctx"]["pattern"], message)
    found = "" if error["type"] == "missing" or not error["loc"] else f" Found: {error['input']!r}."
    if error["type"] == "literal_error":
        found += suggest_name(error["input"], _quoted(error["ctx"]["expected"]))
    if error["type"] == "union_tag_invalid":
        allowed = _quoted(error["ctx"]["expected_tags"])
        tag = error["ctx"]["tag"]
        message = f"unknown {_quoted(error['ctx']['discriminator'])[0]} {tag!r}"
        found = f" Allowed: {', '.join(allowed)}.{suggest_name(tag, allowed)}"
    return f"{field}{message}.{found}"


def _quoted(names: str) -> list[str]:
    """Names out of pydantic's `'a', 'b' or 'c'`."""
    return [name.strip("' ") for name in names.replace(" or ", ", ").split(",")]


def _class_at(cls: Any, location: list) -> type[BaseModel] | None:
    """The class of the object at `location` below `cls`.

    `location` mixes field names with list indices, mapping keys and union tags; a step that is
    no field of a candidate is one of those, and a tag narrows the candidates.
    """
    candidates = _classes(cls)
    for step in location:
        fields = [c.model_fields[step] for c in candidates if step in c.model_fields]
        if fields:
            candidates = [c for field in fields for c in _classes(field.annotation)]
        else:
            candidates = [c for c in candidates if _tag(c) == step] or candidates
    return candidates[0] if candidates else None


def _tag(cls: type[BaseModel]) -> str | None:
    kind = cls.model_fields.get("kind")
    return next(iter(get_args(kind.annotation)), None) if kind else None


def _classes(annotation: Any) -> list[type[BaseModel]]:
    """The pydantic classes inside an annotation: through unions, containers and Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [cls for inner in get_args(annotation) for cls in _classes(inner)]
