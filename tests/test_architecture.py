"""The house's own rules: who imports whom, and what parsing may load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
LIBRARY = REPOSITORY / "scripts" / "reseed"
# Part of the library → the parts it may import besides itself (None: anything of the library).
BASE = {"errors", "atomic"}
PLANNING = {"config", "project", "coordinates", "keys", "kinds", "errors", "mistakes", "data"}
TRAINING = {"models", "seeds", "outputs", "metrics", "data", "errors", "loading"}
MAKING = TRAINING | {
    "setting_files",
    "store",
    "trials",
    "splits",
    "machine",
    "coordinates",
    "atomic",
}
MAY_IMPORT = {
    "stats": set(),
    "seeds": set(),
    "errors": set(),
    "timing": set(),
    "coordinates": set(),
    "options": set(),
    "outputs": set(),
    "atomic": set(),
    "standard": set(),
    "loading": {"errors"},
    "store": {"atomic"},
    "handover": BASE,
    "schemas": {"coordinates"},
    "keys": {"errors"},
    "names": {"keys"},
    "kinds": {"errors", "keys", "loading", "mistakes"},
    "machine": {"keys", "seeds"},
    "config": {"standard"},
    "plan": {"coordinates", "keys", "metric_names"},
    "planning": PLANNING | {"names", "plan"},
    "checks": PLANNING | {"metric_names"},
    "plan_files": PLANNING | {"plan", "atomic", "names"},
    "project": PLANNING | {"checks"},
    "metrics": {"errors", "loading", "metric_names", "outputs"},
    "models": {"errors", "loading", "outputs", "seeds"},
    "data": BASE | {"seeds", "keys", "loading", "mistakes"},
    "splits": BASE | {"data", "names"},
    "trials": {"coordinates", "errors"},
    "setting_files": MAKING | {"keys"},
    "training": MAKING | {"keys"},
}
FORBIDDEN = {
    "exhibits": {"models", "training", "data", "splits", "reporting"},
    "rendering": {"models", "training", "data", "splits", "exhibits", "reporting"},
    "reporting": {"models", "training", "data", "splits", "exhibits", "analyses"},
    "analyses": {"models", "training", "exhibits", "rendering", "reporting"},
}


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


MODULES = sorted(LIBRARY.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def library_parts(path: Path) -> set[str]:
    parts = {name.split(".")[1] for name in imports(path) if name.startswith("reseed.")}
    return {
        part for part in parts if (LIBRARY / part).exists() or (LIBRARY / f"{part}.py").exists()
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_who_may_import_whom(path):
    part = part_of(path)
    found = library_parts(path) - {part}
    assert not any(name.split(".")[0] == "snakemake" for name in imports(path))
    if part in MAY_IMPORT:
        assert found <= MAY_IMPORT[part]
    assert not found & FORBIDDEN.get(part, set())


def test_parsing_and_planning_load_no_heavy_library():
    code = (
        "import sys; sys.path.insert(0, 'scripts');"
        "import reseed.planning.build, reseed.planning.project, reseed.pipeline.startup;"
        "heavy = {'numpy', 'pandas', 'torch', 'sklearn', 'scipy', 'matplotlib', 'pyarrow'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_scripts_are_thin():
    for path in (REPOSITORY / "scripts").glob("*.py"):
        if not path.name.startswith(("benchmark", "measure")):
            assert len(path.read_text().splitlines()) <= 60, path.name


def test_every_rule_with_a_shell_has_an_environment_and_a_log():
    for path in (REPOSITORY / "rules").glob("*.smk"):
        text = path.read_text()
        count = text.count("shell:")
        assert text.count("conda:") == count, path.name
        assert text.count(" log:") == count, path.name
