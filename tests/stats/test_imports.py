"""`reseed.stats` must work where only NumPy and SciPy are installed."""

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import reseed.stats

MODULES = [f"reseed.stats.{m.name}" for m in pkgutil.iter_modules(reseed.stats.__path__)]

# Blocks every installed distribution except the two and their requirements, then
# imports one module and prints what is loaded.
SCRIPT = """
import importlib, json, sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
import re

allowed, todo = set(), ["numpy", "scipy"]
while todo:
    name = todo.pop().lower().replace("_", "-")
    if name not in allowed:
        allowed.add(name)
        try:
            needed = requires(name) or []
        except PackageNotFoundError:
            continue
        todo += [re.match(r"[\\w.-]+", r)[0] for r in needed if "extra ==" not in r]

blocked = {
    top for top, owners in packages_distributions().items()
    if not {o.lower().replace("_", "-") for o in owners} & allowed
} - {"reseed"}  # `pip install .` creates a distribution next to the sources

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in blocked:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Block())
for module in sys.argv[1:]:
    importlib.import_module(module)
print(json.dumps({"blocked": sorted(blocked), "loaded": sorted(sys.modules)}))
"""


def run(*modules):
    scripts = Path(reseed.stats.__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *modules],
        capture_output=True, text=True, check=False, env={"PYTHONPATH": str(scripts)},
    )  # fmt: skip


def test_blocked_packages_cannot_be_imported():
    result = run("sklearn")
    assert result.returncode != 0
    assert "sklearn is blocked" in result.stderr


@pytest.mark.parametrize("package", ["sklearn", "matplotlib"])
def test_blocked_packages_are_installed(package):
    assert package in json.loads(run("reseed").stdout)["blocked"]


def test_all_modules_import_with_numpy_and_scipy_only():
    assert {"reseed.stats.spread", "reseed.stats.selection"} <= set(MODULES)
    result = run(*MODULES)
    assert result.returncode == 0, result.stderr
    loaded = {name.split(".")[0] for name in json.loads(result.stdout)["loaded"]}
    assert not loaded & {"sklearn", "torch", "matplotlib", "snakemake", "pyarrow", "xgboost"}
