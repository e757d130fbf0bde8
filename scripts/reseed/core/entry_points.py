"""Plug-ins of installed packages: entry points whose names contain a dot.

A package declares, for instance, in its pyproject.toml

    [project.entry-points."reseed.analyses"]
    "robust.trimmed" = "robust_reseed.trimmed:analyse"

and a study says `kind: robust.trimmed`. No name of this library has a dot, so that a plug-in
replaces nothing. Names are resolved where they are read; after that a plug-in is a user's
`module:function`, with the same keys and errors.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from reseed.core.errors import ReseedError, suggest_name

#: Families of plug-ins. Their group is `reseed.FAMILY`.
FAMILIES = ("analyses", "exhibits", "metrics", "readers")
_is_plugin_name = re.compile(r"\w[\w-]*(?:\.\w[\w-]*)+").fullmatch


def resolve_plugin(family: str, name: str) -> str:
    """Return `module:function` of a plug-in, and any other name unchanged.

    Raises ReseedError for a name with a dot that no installed package declares.
    """
    if not _is_plugin_name(name):
        return name
    known = _read_names(family)
    if name not in known:
        listed = ", ".join(sorted(known)) or "none"
        raise ReseedError(
            f"{name!r}: no installed package declares it under `reseed.{family}`. Installed: "
            f"{listed}.{suggest_name(name, known)} Install its package where this command runs."
        )
    return known[name]


def load_plugin(family: str, name: str) -> Any:
    """Return the object that a plug-in names. Raises ReseedError if it cannot be imported."""
    value = resolve_plugin(family, name)
    try:
        return EntryPoint(name, value, f"reseed.{family}").load()
    except (ImportError, AttributeError) as error:
        raise ReseedError(
            f"{name!r}: its package declares {value}, which cannot be imported ({error}). Repair "
            "or update that package."
        ) from error


@cache
def _read_names(family: str) -> dict[str, str]:
    return {one.name: one.value for one in entry_points(group=f"reseed.{family}")}
