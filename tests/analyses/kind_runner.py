"""Analyses and exhibits run as the jobs run them: by kind, with checked options."""

from types import ModuleType

from reseed.plugins.kinds import find_kind, option_names, run_kind


def is_table(kind: str | ModuleType) -> bool:
    """Whether an exhibit's kind is a table, else a figure."""
    return find_kind("exhibits", _name(kind)).function == "table"


def draw(kind: str | ModuleType, data, options=None):
    """The table of an exhibit, or its (figure, description)."""
    return run_kind(find_kind("exhibits", _name(kind)), data, options or {}, object)


def analyse(kind: str | ModuleType, data, options=None):
    """The table of an analysis; options that the kind does not have are dropped."""
    found = find_kind("analyses", _name(kind))
    names = option_names(found)
    chosen = {name: value for name, value in (options or {}).items() if name in names}
    return run_kind(found, data, chosen, object)


def _name(kind: str | ModuleType) -> str:
    if isinstance(kind, str):
        return kind
    if kind.__name__.startswith("reseed."):
        return kind.__name__.rpartition(".")[2]
    function = next(name for name in ("analyse", "table", "figure") if hasattr(kind, name))
    return f"{kind.__name__}:{function}"
