"""Build `config/README.md`, the reference of configuration files, from the classes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from reseed.config import CONFIG_CLASSES
from reseed.data.registry import READERS, ReaderOptions
from reseed.plugins import kinds

#: Heading, file and opening words of each kind of file; the order of the page.
_FILES = {
    "study": ("A study", "config/studies/NAME.yaml"),
    "model": ("A model", "config/models/NAME.yaml"),
    "dataset": ("A dataset", "config/datasets/NAME.yaml"),
    "weights": ("Pretrained weights", "config/weights/NAME.yaml"),
    "config": ("The whole run", "config/config.yaml"),
}
_LINK = re.compile(r"\[(\w+)\]\(#\w+\)")
_COLUMNS = "| field | meaning | values | default |\n| --- | --- | --- | --- |\n"
_LEAST, _MOST = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
_REF = "#/$defs/"
#: Upper limit of seeds.
_SEEDS = 2**32


def reference(head: Path, template: Path) -> str:
    """Return the page: the text `head`, the study template, all files and all options."""
    parts = [head.read_text(encoding="utf-8").rstrip()]
    parts.append(f"```yaml\n{template.read_text(encoding='utf-8')}```")
    described: set[str] = set()
    for name, (title, file) in _FILES.items():
        parts.append(f"## {title}: `{file}`\n\n{_format_class(CONFIG_CLASSES[name], described)}")
    parts.append("## Options of analyses\n\n" + "\n".join(_format_options("analyses")))
    parts.append("## Options of exhibits\n\n" + "\n".join(_format_options("exhibits")))
    common = "\n".join(_option_lines(ReaderOptions))
    parts.append(f"## Options of readers\n\nOptions of every reader:\n\n{common}")
    parts.append("\n".join(_format_readers()))
    return "\n\n".join(parts) + "\n"


def _format_class(cls: type[BaseModel], described: set[str]) -> str:
    """Format a table of the fields of a class, then one for each nested class, once each."""
    schema = cls.model_json_schema()
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
    required = schema.get("required", [])
    rows = []
    for name, field in schema.get("properties", {}).items():
        if "const" in field:  # the field that distinguishes alternatives
            rows.append(_row(name, "Selects this form.", f"`{field['const']}`", "required"))
            continue
        default = "required" if name in required else _default(field.get("default"))
        rows.append(_row(name, _description(field), _values(field), default))
    return _COLUMNS + "".join(rows) if rows else ""


def _row(name: str, text: str, values: str, default: str) -> str:
    cells = (f"`{name}`", text, values, default)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _default(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "–"
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
    forms = schema.get("anyOf") or schema.get("oneOf")
    if forms:
        return " or ".join(dict.fromkeys(_values(f) for f in forms if f.get("type") != "null"))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_values(schema.get('items', {}))}"
    if kind == "object":
        inner = schema.get("additionalProperties")
        for named in (schema.get("patternProperties") or {}).values():
            inner = named
        return f"name: {_values(inner)}" if isinstance(inner, dict) and inner else "name: value"
    if kind == "integer" and schema.get("exclusiveMaximum") == _SEEDS:
        return "seed"
    if kind in ("integer", "number"):
        return _number(schema, "whole number" if kind == "integer" else "number")
    return {"boolean": "true, false", "string": _text(schema)}.get(kind, "any")


def _text(schema: dict) -> str:
    pattern = schema.get("pattern", "")
    return {"^[0-9a-f]{64}$": "64 hexadecimal digits"}.get(pattern, "text")


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
    """Yield a paragraph for each kind, and a line for each of its options."""
    for name, kind in kinds.built_in_kinds(family).items():
        module = kinds.load_kind(kind)
        what = (module.__doc__ or "").split("\n\n")[0].split("\n")
        text = " ".join(" ".join(what).split())
        draws = ", ".join(f"`{drawn}`" for drawn in kind.draws or ())
        yield f"- **`{name}`**: {text}" + (f" Draws {draws}." if draws else "")
        yield from (f"  {line}" for line in _option_lines(getattr(module, "Options", None)))


def _format_readers() -> Iterator[str]:
    for name, reader in READERS.items():
        text = (reader.load().__doc__ or "").split("\n\n")[0]
        yield f"- **`{name}`**: {' '.join(text.split())}"
        yield from (
            f"  {line}" for line in _option_lines(reader.options, set(ReaderOptions.model_fields))
        )


def _option_lines(options: type[BaseModel] | None, known: Container[str] = ()) -> Iterator[str]:
    """Yield a line for each option that is not in `known`."""
    if options is None:
        return
    texts, schema = _option_texts(options), options.model_json_schema()
    for name, field in schema.get("properties", {}).items():
        if name in known:
            continue
        default = _default(field.get("default"))
        values = _LINK.sub(r"\1", _values(field)) + ("" if default == "–" else f"; {default}")
        yield f"- `{name}` ({values})" + (f": {texts[name]}" if name in texts else "")
        for inner in _refs(field):
            *_, lines = schema["$defs"][inner].get("description", "").strip().split("\n\n")
            yield from (f"  - {line.strip()}" for line in lines.split("\n"))


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
    return texts
