"""Each rule's environment holds what its script imports, followed through the library.

The quick half of the proof: what is imported, by name. The other half runs every script in its own
environment only (tests/conda).
"""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest
import yaml
from reseed.keys import code_files

REPOSITORY = Path(__file__).parent.parent
RULES = "\n".join(path.read_text() for path in sorted((REPOSITORY / "rules").glob("*.smk")))
PACKAGE_OF = {
    **{"sklearn": "scikit-learn", "torch": "pytorch", "matplotlib": "matplotlib-base"},
    **{"PIL": "pillow", "yaml": "pyyaml", "mpl_toolkits": "matplotlib-base"},
}
# Modules that a script loads by a name of the configuration, one of a package's own.
LOADED = {
    "train.py": ["models"],
    "tune.py": ["models"],
    "verify.py": ["models"],
    "analyse.py": ["analyses"],
    "render.py": ["exhibits"],
}
# Imported within a function that the environment's scripts never call.
NOT_REACHED = {
    "data": {"torch"},
    "statistics": {"torch"},
    "exhibits": {"torch"},
    "training": set(),
}


def scripts_by_environment() -> dict[str, set[str]]:
    """Environment → scripts, as the rules pair them."""
    found: dict[str, set[str]] = {}
    pair = r"conda:\s+f?\"\.\./envs/(.+?)\.yaml\".*?/?(?:script\(|SCRIPTS / )\"(\w+\.py)\""
    for environment, name in re.findall(pair, RULES, re.DOTALL):
        # A model names its environment; this is the one it has unless it says otherwise.
        found.setdefault("training" if "{" in environment else environment, set()).add(name)
    return found


SCRIPTS = scripts_by_environment()


def imported(path: Path) -> set[str]:
    """Top-level names of what a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def entries(script: str) -> list[str]:
    """A script and the modules it loads by name."""
    found = [script]
    for package in LOADED.get(script, []):
        folder = Path(importlib.import_module(f"reseed.{package}").__file__).parent
        found += [f"reseed.{package}.{path.stem}" for path in folder.glob("[!_]*.py")]
    return found


def test_every_script_of_a_rule_is_known():
    assert set(SCRIPTS) == {"data", "training", "statistics", "exhibits"}
    named = set(re.findall(r"(?:script\(|SCRIPTS / )\"(\w+\.py)\"", RULES))
    assert named == {name for names in SCRIPTS.values() for name in names}


@pytest.mark.parametrize("environment", SCRIPTS)
def test_an_environment_holds_what_its_scripts_import(environment):
    entry = yaml.safe_load((REPOSITORY / "envs" / f"{environment}.yaml").read_text())
    held = {re.match(r"[\w-]+", dependency)[0] for dependency in entry["dependencies"]}
    files = {
        file
        for script in SCRIPTS[environment]
        for name in entries(script)
        for file in code_files(name, strict=False).values()
        if REPOSITORY in Path(file).resolve().parents
    }
    assert len(files) > 5
    found = {name for file in files for name in imported(file)}
    outside = found - sys.stdlib_module_names - {"reseed"} - NOT_REACHED[environment]
    missing = {PACKAGE_OF.get(name, name) for name in outside} - held
    assert not missing
