"""Run analyses and draw exhibits in tests, with checked options."""

import re
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

import pandas as pd
from reseed.analyses.shared.data import Data
from reseed.config.studies import Study
from reseed.core.module_finder import SCRIPTS
from reseed.planning.project import load_project
from reseed.plugins.kinds import built_in_kinds, find_kind, load_kind
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.run import make_figure, make_table


def run_analysis(
    kind: ModuleType | str, data: Data, small: Mapping[str, Any] | None = None, **options: Any
) -> pd.DataFrame:
    """The table of an analysis.

    small: numbers that make many analyses fast. Those that `kind` does not have are left out.
    """
    module = load_kind(find_kind("analyses", kind)) if isinstance(kind, str) else kind
    known = module.Options.model_fields
    used = {name: value for name, value in (small or {}).items() if name in known}
    return module.analyse(data, module.Options(**used | options))


def analysis_of(kind: ModuleType | str) -> str | None:
    """The analysis that exhibits of a kind show first; None for trials alone."""
    module = load_kind(find_kind("exhibits", kind)) if isinstance(kind, str) else kind
    return next(iter(getattr(module, "DRAWS", ())), None)


def exhibit_kinds() -> list[str]:
    """Every kind of exhibit, those of the papers included."""
    papers = [
        f"papers.{path.parent.name}.{path.stem}:{found[1]}"
        for path in sorted((SCRIPTS / "papers").glob("*/*.py"))
        if (found := re.search(r"^def (table|figure)\(", path.read_text("utf-8"), re.MULTILINE))
    ]
    return sorted(built_in_kinds("exhibits")) + papers


def is_table(kind: ModuleType | str) -> bool:
    """Whether exhibits of a kind are tables, else figures."""
    return find_kind("exhibits", _name(kind)).function == "table"


def draw(
    kind: ModuleType | str, data: ExhibitData, options: Mapping[str, Any] | None = None
) -> Any:
    """The table of an exhibit, or its (figure, description)."""
    make = make_table if is_table(kind) else make_figure
    return make(find_kind("exhibits", _name(kind)), data, options or {})


def _name(kind: ModuleType | str) -> str:
    if isinstance(kind, str):
        return kind
    if kind.__name__.startswith("reseed."):
        return kind.__name__.rpartition(".")[2]
    return f"{kind.__name__}:{'table' if hasattr(kind, 'table') else 'figure'}"


@cache
def read_study(name: str) -> Study:
    """A study as configured."""
    project = load_project(SCRIPTS.parent / "config", {"scale": "paper"})
    return (project.studies | project.left_out)[name]


def table_options(study: str, exhibit: str) -> dict[str, Any]:
    """The options of a table of a configured study."""
    entry = read_study(study).exhibits[exhibit]
    assert entry.kind == "table"
    return entry.options
