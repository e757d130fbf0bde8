"""Build `config/README.md`, the reference of configuration files, from the classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import Any

from pydantic import BaseModel
from reseed.data.registry import READERS, ReaderOptions
from reseed.plugins import kinds
from schemas import CONFIG_CLASSES, build_json_schema

#: Heading, file and opening words of each kind of file; the order of the page.
_FILES = {
    "study": ("A study", "config/studies/NAME.yaml"),
    "model": ("A model", "config/models/NAME.yaml"),
    "dataset": ("A dataset", "config/datasets/NAME.yaml"),
    "weights": ("Pretrained weights", "config/weights/NAME.yaml"),
    "config": ("The whole run", "config/config.yaml"),
}
_LINK = re.compile(r"\[(\w+)\]\(#\w+\)")
_NONE = "–"
#: Options of this many kinds with the same values, default and text are described once.
_COMMON = 2
#: Types that a default value shows.
_SIMPLE = re.compile(r"true, false$|integer|number( [<>≥≤] [\d.]+)*$")
#: JSON types of a value of any type.
_ANY = frozenset({"boolean", "integer", "number", "string"})
_LEAST, _MOST = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
_REF = "#/$defs/"
#: Upper limit of seeds.
_SEEDS = 2**32


def reference(page: str) -> str:
    """Return the page with all files and all options below its mark."""
    head, mark, _ = page.partition("<!-- made by make_schemas.py -->")
    parts = [head + mark]
    described: set[str] = set()
    for name, (title, file) in _FILES.items():
        parts.append(f"## {title}: `{file}`\n\n{_format_class(CONFIG_CLASSES[name], described)}")
    parts.append("## Options of analyses\n\n" + "\n".join(_format_options("analyses")))
    parts.append("## Options of exhibits\n\n" + "\n".join(_format_options("exhibits")))
    of_all = "\n".join(_option_lines(ReaderOptions).values())
    parts.append(f"## Options of readers\n\nOptions of every reader:\n\n{of_all}")
    parts.append("\n".join(_format_readers()))
    return "\n\n".join(parts) + "\n"


def _format_class(cls: type[BaseModel], described: set[str]) -> str:
    """Format a table of the fields of a class, then one for each nested class, once each."""
    schema = build_json_schema(cls)
    parts, pending = [_table(schema)], _refs(schema.get("properties", {}))
    while pending:
        name = pending.pop(0)
        if name in described:
            continue
        described.add(name)
        inner = schema["$defs"][name]
        parts.append(f"### {name}\n\n{_description(inner)}\n\n{_table(inner)}")
        pending += _refs(inner.get("properties", {}))
    return "\n\n".join(part.rstrip() for part in parts)


def _description(schema: dict) -> str:
    return " ".join(schema.get("description", "").split())


def _table(schema: dict) -> str:
    """Format a line for each field."""
    required = schema.get("required", [])
    lines = []
    for name, field in schema.get("properties", {}).items():
        if "const" in field:  # the field that distinguishes alternatives
            lines.append(_line(name, [], f"`{field['const']}`"))
            continue
        default = "required" if name in required else _default(field.get("default"))
        lines.append(_line(name, [_values(field), default], _description(field)))
    return "\n".join(lines)


def _line(name: str, facts: list[str], text: str) -> str:
    shown = [fact for fact in facts if fact not in ("text", _NONE)]
    if len(shown) > 1 and shown[1].startswith("`") and _SIMPLE.match(shown[0]):
        shown = shown[1:]  # the default shows the type; a wrong value is refused with its limits
    return (
        f"- `{name}`" + (f" ({'; '.join(shown)})" if shown else "") + (f": {text}" if text else "")
    )


def _default(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return _NONE
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, dict):
        return "its own defaults"
    return f"`{value}`"


def _values(schema: dict) -> str:
    """Describe the allowed values of a field."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        return f"[{name}](#{name.lower()})"
    forms = [f for f in schema.get("anyOf") or schema.get("oneOf") or [] if f.get("type") != "null"]
    if forms:
        is_any = {form.get("type") for form in forms} >= _ANY
        others = [form for form in forms if not (is_any and form.get("type") in _ANY)]
        names = ["value"] * is_any + list(dict.fromkeys(map(_values, others)))
        lists = {f"list of {name}" for name in names}
        return " or ".join("list" if name in lists else name for name in names)
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_values(schema.get('items', {}))}".replace("list of text", "list")
    if kind == "object":
        inner = schema.get("additionalProperties")
        for named in (schema.get("patternProperties") or {}).values():
            inner = named
        return f"name: {_values(inner)}" if isinstance(inner, dict) and inner else "name: value"
    if kind == "integer" and schema.get("exclusiveMaximum") == _SEEDS:
        return "seed"
    if kind in ("integer", "number"):
        return _number(schema, "integer" if kind == "integer" else "number")
    return {"boolean": "true, false", "string": _text(schema)}.get(kind, "any")


def _text(schema: dict) -> str:
    pattern = schema.get("pattern", "")
    return {"^[0-9a-f]{64}$": "SHA-256"}.get(pattern, "text")


def _number(schema: dict, noun: str) -> str:
    signs = {_LEAST[0]: "≥", _LEAST[1]: ">", _MOST[0]: "≤", _MOST[1]: "<"}
    bounds = [f"{sign} {schema[key]}" for key, sign in signs.items() if key in schema]
    return " ".join([noun, *bounds])


def _refs(properties: Any) -> list[str]:
    """Return the names of the classes that a schema refers to, in order."""
    if isinstance(properties, dict):
        own = [properties["$ref"].removeprefix(_REF)] if "$ref" in properties else []
        parts = (v for k, v in properties.items() if k not in ("discriminator", "default"))
        return own + [name for value in parts for name in _refs(value)]
    if isinstance(properties, list):
        return [name for value in properties for name in _refs(value)]
    return []


def _format_options(family: str) -> Iterator[str]:
    """Yield the common options, then a paragraph for each kind and a line for each other option."""
    kinds_of_family = kinds.built_in_kinds(family)
    modules = {name: kinds.load_kind(kind) for name, kind in kinds_of_family.items()}
    options = {name: _option_lines(getattr(m, "Options", None)) for name, m in modules.items()}
    common = _common(options.values())
    yield from _common_lines(common)
    for name, kind in kinds_of_family.items():
        what = (modules[name].__doc__ or "").split("\n\n")[0]
        draws = ", ".join(f"`{drawn}`" for drawn in kind.draws or ())
        text = " ".join(what.split()) + (f" Draws {draws}." if draws else "")
        yield from _kind_lines(name, text, options[name], common)


def _format_readers() -> Iterator[str]:
    of_all = set(ReaderOptions.model_fields)
    options = {name: _option_lines(reader.options, of_all) for name, reader in READERS.items()}
    common = _common([_option_lines(ReaderOptions), *options.values()])
    yield from _common_lines(common)
    for name, reader in READERS.items():
        text = (reader.load().__doc__ or "").split("\n\n")[0]
        yield from _kind_lines(name, " ".join(text.split()), options[name], common)


def _common(options: Iterable[dict[str, str]]) -> dict[str, str]:
    """The lines that several kinds share, by option."""
    counts = Counter(entry for lines in options for entry in lines.items())
    # Of two lines for one option the more frequent one, hence the last of the reversed order.
    return dict(entry for entry, count in reversed(counts.most_common()) if count >= _COMMON)


def _common_lines(common: dict[str, str]) -> Iterator[str]:
    yield "Options of several kinds, which name them after *also*:\n"
    yield from common.values()
    yield ""


def _kind_lines(
    name: str, text: str, options: dict[str, str], common: dict[str, str]
) -> Iterator[str]:
    shared = [option for option, line in options.items() if common.get(option) == line]
    also = f" Also {', '.join(f'`{option}`' for option in shared)}." if shared else ""
    yield f"- **`{name}`**: {text}{also}"
    for option, line in options.items():
        if option not in shared:
            yield from (f"  {part}" for part in line.split("\n"))


def _option_lines(options: type[BaseModel] | None, known: Container[str] = ()) -> dict[str, str]:
    """The line of each option that is not in `known`, with lines for the fields of its values."""
    if options is None:
        return {}
    texts, schema, found = _option_texts(options), build_json_schema(options), {}
    for name, field in schema.get("properties", {}).items():
        if name in known:
            continue
        facts = [_LINK.sub(r"\1", _values(field)), _default(field.get("default"))]
        lines = [_line(name, facts, texts.get(name, ""))]
        for inner in _refs(field):
            *_, parts = schema["$defs"][inner].get("description", "").strip().split("\n\n")
            lines += [f"  - {part.strip()}" for part in parts.split("\n")]
        found[name] = "\n".join(lines)
    return found


def _option_texts(options: type[BaseModel]) -> dict[str, str]:
    """Return the line of each option in the docstrings of its class and base classes."""
    texts: dict[str, str] = {}
    for cls in reversed(options.__mro__):
        if not (isinstance(cls, type) and issubclass(cls, BaseModel)) or cls is BaseModel:
            continue
        text = "\n" + "\n".join(line.strip() for line in (cls.__doc__ or "").split("\n"))
        fields = options.model_fields.items()
        names = "|".join(re.escape(field.alias or name) for name, field in fields)
        parts = re.split(rf"\n({names}): ", text)
        for name, line in zip(parts[1::2], parts[2::2], strict=True):
            texts[name] = " ".join(line.split())
    described = {name: field.description for name, field in options.model_fields.items()}
    return texts | {name: text for name, text in described.items() if text}
