"""The house's own rules: who imports whom, what parsing may load, what environments hold."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from reseed.analyses import KINDS as ANALYSES
from reseed.exhibits import KINDS as EXHIBITS
from reseed.keys import code_files

REPOSITORY = Path(__file__).parent.parent
LIBRARY = REPOSITORY / "scripts" / "reseed"
# Part of the library → the parts it may import besides itself (None: anything of the library).
BASE = {"errors", "atomic"}
PLANNING = {"config", "project", "coordinates", "keys", "kinds", "errors", "data"}
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
    "coordinates": set(),
    "options": set(),
    "outputs": set(),
    "atomic": set(),
    "standard": set(),
    "loading": {"errors"},
    "store": {"atomic"},
    "schemas": {"coordinates"},
    "keys": {"errors"},
    "names": {"keys"},
    "kinds": {"errors", "keys"},
    "machine": {"keys", "seeds"},
    "config": {"standard"},
    "plan": PLANNING | {"names"},
    "plan_files": PLANNING | {"plan", "atomic", "names"},
    "project": PLANNING,
    "metrics": {"errors", "loading", "metric_names", "outputs"},
    "models": {"errors", "loading", "outputs", "seeds"},
    "data": BASE | {"seeds", "keys", "loading"},
    "splits": BASE | {"data"},
    "trials": {"coordinates", "errors"},
    "setting_files": MAKING | {"keys"},
    "training": MAKING | {"keys"},
}
FORBIDDEN = {
    "exhibits": {"models", "training", "data", "splits"},
    "analyses": {"models", "training"},
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
        "import reseed.plan, reseed.project, reseed.startup;"
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


# Which environment runs which script, and the modules a script loads by name.
RUNS = {
    "data": ["prepare_data.py", "prepare_weights.py", "make_splits.py"],
    "training": [
        *("train.py", "tune.py", "verify.py"),
        *(f"reseed.models.{family}" for family in ("forest", "boosting", "ffnn")),
        *(f"reseed.models.{family}" for family in ("text_classic", "transformer", "pixels")),
        *(f"reseed.models.{family}" for family in ("vision", "bilstm")),
    ],
    "statistics": [
        *("collect_trials.py", "collect_items.py", "import_results.py", "export_runs.py"),
        *("analyse.py", *(f"reseed.analyses.{kind}" for kind in ANALYSES)),
    ],
    "exhibits": ["render.py", "report.py", *(f"reseed.exhibits.{kind}" for kind in EXHIBITS)],
}
PACKAGE_OF = {
    "sklearn": "scikit-learn",
    "torch": "pytorch",
    "matplotlib": "matplotlib-base",
    "PIL": "pillow",
}
# Imported inside a function that these environments' scripts do not reach.
OPTIONAL = {"data": {"torch"}, "statistics": {"torch"}, "exhibits": {"torch"}}


@pytest.mark.parametrize("environment", RUNS)
def test_an_environment_holds_what_its_scripts_import(environment):
    entry = yaml.safe_load((REPOSITORY / "envs" / f"{environment}.yaml").read_text())
    held = {re.match(r"[\w-]+", dependency)[0] for dependency in entry["dependencies"]}
    found = {
        name.split(".")[0]
        for entry in RUNS[environment]
        for path in code_files(entry).values()
        for name in imports(path)
    }
    outside = found - sys.stdlib_module_names - {"reseed"} - OPTIONAL.get(environment, set())
    assert {PACKAGE_OF.get(name, name) for name in outside} <= held
