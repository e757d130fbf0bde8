"""Specs for another results folder."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from reseed.planning.specs import AnySpec

# Fields of specs that name files below the results folder.
_LOCATIONS = ("results", "inputs", "path")


def relocate(spec: AnySpec, old: str, new: str) -> AnySpec:
    """The spec for another results folder, which replaces the folder `old` in its paths."""
    assert is_dataclass(spec)
    parts = {
        field.name: _relocate_part(getattr(spec, field.name), field.name, old, new)
        for field in fields(spec)
    }
    return cast(AnySpec, replace(cast(Any, spec), **parts))


def _relocate_part(part: Any, name: str, old: str, new: str) -> Any:
    if is_dataclass(part):
        return relocate(part, old, new)
    if type(part) is tuple:  # named tuples hold no paths
        return tuple(_relocate_part(one, name, old, new) for one in part)
    is_below = isinstance(part, str) and (part == old or part.startswith(f"{old}/"))
    return f"{new}{part.removeprefix(old)}" if name in _LOCATIONS and is_below else part
