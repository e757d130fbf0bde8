"""Each rule's environment names all that its script imports, followed through the library.

The rules are read from rules/*.smk, and what a script loads by name (factories, readers, kinds)
from where those names are listed. This is the quick half of the proof; the other half runs every
script in its own environment only (tests/conda).
"""

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from reseed.core.code_hash import code_files
from reseed.data.registry import READERS
from reseed.plugins.kinds import built_in_kinds

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = REPOSITORY / "scripts"
PACKAGE_OF = {
    **{"sklearn": "scikit-learn", "torch": "pytorch", "matplotlib": "matplotlib-base"},
    **{"PIL": "pillow", "yaml": "pyyaml", "mpl_toolkits": "matplotlib-base"},
}
# Methods for which a package wants another one that nobody imports.
WANTED_BY = {"to_parquet": "pyarrow", "read_parquet": "pyarrow", "read_excel": "openpyxl"}
# Imports in functions that an environment's scripts never call: (file, package) → environments.
ELSEWHERE = {"data", "statistics", "exhibits"}
NOT_CALLED = {
    ("scripting.py", "pytorch"): ELSEWHERE,  # whether there is a device
    ("seeds.py", "pytorch"): ELSEWHERE,  # generators and switches of networks
    ("machine.py", "pytorch"): ELSEWHERE,  # the name of the GPU that trained
    ("metrics.py", "scikit-learn"): {"exhibits"},  # they read the metrics' titles
}


class Rule(NamedTuple):
    name: str
    environments: tuple[str, ...]
    script: str


def factories() -> list[str]:
    """Modules that the models' files name."""
    models = (yaml.safe_load(path.read_text()) for path in REPOSITORY.glob("config/models/*.yaml"))
    return sorted({model["factory"].partition(":")[0] for model in models})


# What stands in code that loads modules by name → the modules that it may load.
LOADED_BY = {
    "load_factory(": factories(),
    "find_reader(": sorted({reader.module for reader in READERS.values()}),
    'find("analyses"': [kind.module for kind in built_in_kinds("analyses").values()],
    'find("exhibits"': [kind.module for kind in built_in_kinds("exhibits").values()],
}


def rules() -> list[Rule]:
    """Every rule that runs something, as rules/*.smk have it."""
    found = []
    for path in sorted((REPOSITORY / "rules").glob("*.smk")):
        parts = re.split(r"^ *rule(?: (\w+))?:\n", path.read_text(), flags=re.MULTILINE)
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            if "shell:" in body:
                (environment,) = re.findall(r"conda:\s+f?\"\.\./envs/(.+?)\.yaml\"", body)
                (script,) = re.findall(r"run=.*?\"(\w+\.py)\"", body)
                found.append(Rule(name or f"{path.stem}: {script}", named(environment), script))
    return found


def named(environment: str) -> tuple[str, ...]:
    """Environments that a rule's text stands for: a model names the one it is trained in."""
    if "{" not in environment:
        return (environment,)
    return tuple(sorted(path.stem for path in (REPOSITORY / "envs").glob("training*.yaml")))


def files_of(script: str) -> dict[str, Path]:
    """Files of the library that a script may run, by module."""
    found, pending = {}, [script]
    while pending:
        fresh = code_files(pending.pop(), strict=False)
        code = "".join(fresh[module].read_text() for module in fresh.keys() - found)
        found |= fresh
        pending += [name for mark, names in LOADED_BY.items() if mark in code for name in names]
        pending = [name for name in pending if name not in found]
    return {module: path for module, path in found.items() if SCRIPTS in path.parents}


def wanted(path: Path) -> set[str]:
    """Packages that a file imports, or wants through a package's method."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
        elif isinstance(node, ast.Attribute) and node.attr in WANTED_BY:
            names.add(WANTED_BY[node.attr])
    outside = names - sys.stdlib_module_names - {"reseed"}
    return {PACKAGE_OF.get(name, name) for name in outside}


def held(environment: str) -> set[str]:
    """Packages that an environment names."""
    entry = yaml.safe_load((REPOSITORY / "envs" / f"{environment}.yaml").read_text())
    names = {re.match(r"[\w-]+", dependency)[0] for dependency in entry["dependencies"]}
    return names | ({"pytorch"} if "pytorch-gpu" in names else set())


RULES = rules()


def test_every_rule_is_read():
    text = "\n".join(path.read_text() for path in (REPOSITORY / "rules").glob("*.smk"))
    assert len(RULES) == text.count("shell:")
    used = {name for rule in RULES for name in rule.environments}
    assert used == {path.stem for path in (REPOSITORY / "envs").glob("*.yaml")}


def test_nothing_else_is_loaded_by_name():
    reached = {module for rule in RULES for module in files_of(rule.script)}
    assert {name for names in LOADED_BY.values() for name in names} <= reached
    dynamic = {
        path.name
        for rule in RULES
        for path in files_of(rule.script).values()
        if "import_module(" in path.read_text()
    }
    # What a user names, kinds among it (`loading`), and the names of `import reseed` itself.
    assert dynamic == {"loading.py", "__init__.py"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rules_environment_holds_what_its_script_imports(rule):
    for environment in rule.environments:
        there = held(environment)
        for path in files_of(rule.script).values():
            missing = {
                package
                for package in wanted(path) - there
                if environment not in NOT_CALLED.get((path.name, package), ())
            }
            assert not missing, f"{environment}.yaml lacks what {path.name} imports"


@pytest.mark.parametrize("environment", sorted({e for rule in RULES for e in rule.environments}))
def test_an_environment_holds_nothing_that_no_script_wants(environment):
    scripts = {rule.script for rule in RULES if environment in rule.environments}
    found = {
        name for script in scripts for path in files_of(script).values() for name in wanted(path)
    }
    # transformers loads these two itself: the files of weights and the words of texts.
    by_transformers = {"safetensors", "tokenizers", "pytorch-gpu"}
    assert held(environment) - found - by_transformers == {"python"}
