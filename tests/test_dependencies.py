"""Declared dependencies are those that the code imports, in pyproject.toml, locks and the list."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
#: Test tools and oracles; tests alone import them.
ONLY_TESTS = {"statsmodels", "openpyxl", "syrupy", "scikit-posthocs", "baycomp", "pytest"}
#: Distributions that install the same import name under another name.
SAME = {"xgboost-cpu": "xgboost", "matplotlib-base": "matplotlib"}


def names_of(requirements):
    return {re.match(r"[\w.-]+", line)[0].lower() for line in requirements}


def imported_distributions():
    """Return the distributions that the library imports, in functions too."""
    owners = packages_distributions()
    tops = set()
    for path in (REPOSITORY / "scripts" / "reseed").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                tops |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                tops.add(node.module.partition(".")[0])
    outside = tops - sys.stdlib_module_names - {"reseed"}
    found = {owners.get(top, [top])[0].lower().replace("_", "-") for top in outside}
    return {SAME.get(name, name) for name in found}


def test_core_and_extras_declare_every_import():
    extras = PROJECT["optional-dependencies"]
    optional = [requirement for extra in extras.values() for requirement in extra]
    declared = names_of([*PROJECT["dependencies"], *optional])
    # pandas reads spreadsheets with the first, the Snakefile runs in the second, and the code of a
    # paper, which the wheel does not have, converts weights with the third.
    not_imported = {"python-calamine", "snakemake", "onnx"}
    # Parts of declared packages, and what loads the plug-in for pytest.
    parts = {"pydantic-core", "pytest"}
    imported = imported_distributions()
    assert imported - declared - parts - {"torchvision"} == set()
    assert declared - imported == not_imported


def test_users_install_no_tool_of_tests():
    lock = (REPOSITORY / "requirements.txt").read_text()
    locked = {name.lower() for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    assert not locked & ONLY_TESTS
    assert names_of(PROJECT["dependencies"]) <= locked
    listed = (REPOSITORY / "docs" / "reference" / "licenses.md").read_text().lower()
    assert "unknown" not in listed
    # colorama, pywin32 and others are installed on other systems only.
    missing = {name for name in locked if f"| {name} " not in listed.replace("_", "-")}
    unnamed = {name for name in locked if f"| {name} " not in listed}
    assert missing & unnamed <= {"colorama", "pywin32", "pyreadline3", "tomli"}, missing & unnamed
