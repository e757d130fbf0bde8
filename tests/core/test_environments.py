"""Each rule's environment lists every package that its job imports, directly or not.

The rules are read from rules/*.smk. Modules that a job loads by name (factories, readers, kinds)
come from their registries. tests/conda runs every job in its own environment.
"""

import ast
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
import yaml
from reseed.core import code_hash
from reseed.data.registry import READERS
from reseed.plugins.kinds import ENTRY_POINTS, built_in_kinds

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = REPOSITORY / "scripts"
PACKAGE_OF = {
    **{"sklearn": "scikit-learn", "torch": "pytorch", "matplotlib": "matplotlib-base"},
    **{
        "pydantic_core": "pydantic",
        "PIL": "pillow",
        "yaml": "pyyaml",
        "mpl_toolkits": "matplotlib-base",
    },
}
# Methods that need a package that no file imports.
NEEDED_BY = {"to_parquet": "pyarrow", "read_parquet": "pyarrow", "read_excel": "python-calamine"}
# Imports in functions that jobs of an environment never call: (file, package) → environments.
NOT_TRAINING = {"data", "statistics", "exhibits"}
NOT_CALLED = {
    ("runner.py", "pytorch"): NOT_TRAINING,  # looks for a device
    ("device_locks.py", "filelock"): NOT_TRAINING,
    ("random_streams.py", "pytorch"): NOT_TRAINING,  # seeds generators of networks
    ("environment.py", "pytorch"): NOT_TRAINING,  # reads the name of the GPU
    ("registry.py", "scikit-learn"): {"exhibits"},  # reads titles of metrics
}


class Rule(NamedTuple):
    name: str
    environments: tuple[str, ...]
    module: str


def factory_modules() -> list[str]:
    """Return the modules named in the model files."""
    models = (yaml.safe_load(path.read_text()) for path in REPOSITORY.glob("config/models/*.yaml"))
    return sorted({model["factory"].partition(":")[0] for model in models})


def kind_modules(family: str) -> list[str]:
    """Return the modules of built-in kinds and of kinds in the studies of the repository."""
    texts = (path.read_text() for path in REPOSITORY.glob("config/studies/*.yaml"))
    functions = "|".join(ENTRY_POINTS[family])
    papers = {
        name for text in texts for name in re.findall(rf"(papers\.[\w.]+):(?:{functions})", text)
    }
    return [*(kind.module for kind in built_in_kinds(family).values()), *sorted(papers)]


def converter_modules():
    """Return the modules that convert fetched weights."""
    texts = (path.read_text() for path in REPOSITORY.glob("config/weights/*.yaml"))
    found = (re.search(r'^converter: "(.+):', text, flags=re.MULTILINE) for text in texts)
    return sorted({match[1] for match in found if match})


# Text of code that loads modules by name → the modules that it may load.
LOADED_BY = {
    "load_factory(": factory_modules(),
    "load_object(entry.converter": converter_modules(),
    "find_reader(": sorted({reader.module for reader in READERS.values()}),
    'find_kind("analyses"': kind_modules("analyses"),
    'find_kind("exhibits"': kind_modules("exhibits"),
    "jobs.{step.module}": [
        f"reseed.jobs.{name}"
        for name in (
            *("prepare_data", "make_splits", "repeat_fits", "collect_trials", "collect_items"),
            *("export_runs", "import_results", "analyse", "draw", "report"),
        )
    ],
}


def read_rules() -> list[Rule]:
    """Return every rule of rules/*.smk that runs a job."""
    rules = []
    for path in sorted((REPOSITORY / "rules").glob("*.smk")):
        parts = re.split(r"^ *rule ?(\w*):\n", path.read_text(), flags=re.MULTILINE)
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            if "python -P" in body:
                fixed = re.findall(r"conda:\s+\"\.\./envs/(.+?)\.yaml\"", body)
                (module,) = re.findall(r"python -P -m (reseed\.jobs\.\w+)", body)
                rules.append(Rule(name, tuple(fixed) or planned_environments(name), module))
    return rules


def planned_environments(rule: str) -> tuple[str, ...]:
    """Return the environments of rules that ask the plan, by the device: with and without GPU."""
    kind = "verification" if rule == "verify" else "training"
    return tuple(sorted(path.stem for path in (REPOSITORY / "envs").glob(f"{kind}*.yaml")))


@cache
def imported_files(module: str) -> dict[str, Path]:
    """Return the library files that a job can run, by module."""
    files, pending = {}, [module]
    with mock.patch.object(code_hash, "_CARRIERS", ()):  # jobs import these packages too
        while pending:
            reached = code_hash.reach_code.__wrapped__(pending.pop(), strict=False).files
            code = "".join(reached[name].read_text() for name in reached.keys() - files)
            files |= reached
            pending += [name for text, names in LOADED_BY.items() if text in code for name in names]
            pending = [name for name in pending if name not in files]
    return {name: path for name, path in files.items() if SCRIPTS in path.parents}


@cache
def required_packages(path: Path) -> set[str]:
    """Return the packages that a file imports or needs through a method of a package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
        elif isinstance(node, ast.Attribute) and node.attr in NEEDED_BY:
            names.add(NEEDED_BY[node.attr])
    outside = names - sys.stdlib_module_names - {"reseed", "papers"}
    return {PACKAGE_OF.get(name, name) for name in outside}


def listed_packages(environment: str) -> set[str]:
    """Return the packages that an environment lists."""
    entry = yaml.safe_load((REPOSITORY / "envs" / f"{environment}.yaml").read_text())
    names = {re.match(r"[\w-]+", dependency)[0] for dependency in entry["dependencies"]}
    return names | ({"pytorch"} if "pytorch-gpu" in names else set())


RULES = read_rules()


def test_every_rule_with_a_job_is_checked():
    text = "\n".join(path.read_text() for path in (REPOSITORY / "rules").glob("*.smk"))
    # The rule of a study with errors runs no module.
    assert len(RULES) == text.count("shell:") - text.count('"exit 1"')
    used = {name for rule in RULES for name in rule.environments}
    assert used == {path.stem for path in (REPOSITORY / "envs").glob("*.yaml")}


def test_registries_list_all_modules_loaded_by_name():
    reached = {name for rule in RULES for name in imported_files(rule.module)}
    assert {name for names in LOADED_BY.values() for name in names} <= reached
    dynamic = {
        "/".join(path.parts[-2:])
        for rule in RULES
        for path in imported_files(rule.module).values()
        if "import_module(" in path.read_text()
    }
    # Lazy names of `reseed.metrics`, and jobs that `verify` runs again.
    assert dynamic == {"metrics/__init__.py", "jobs/replay.py"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_environment_lists_every_imported_package(rule):
    for environment in rule.environments:
        listed = listed_packages(environment)
        for path in imported_files(rule.module).values():
            missing = {
                package
                for package in required_packages(path) - listed
                if environment not in NOT_CALLED.get((path.name, package), ())
            }
            assert not missing, f"{environment}.yaml lacks packages that {path.name} imports"


@pytest.mark.parametrize("environment", sorted({e for rule in RULES for e in rule.environments}))
def test_environment_lists_no_unused_package(environment):
    modules = {rule.module for rule in RULES if environment in rule.environments}
    required = {
        name
        for module in modules
        for path in imported_files(module).values()
        for name in required_packages(path)
    }
    # transformers imports these two itself, for weight files and tokenizers.
    by_transformers = {"safetensors", "tokenizers", "pytorch-gpu"}
    assert listed_packages(environment) - required - by_transformers == {"python"}
