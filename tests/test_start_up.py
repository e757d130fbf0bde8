"""Imports and first commands load no library that they do not use."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import reseed.stats

ROOT = Path(__file__).parents[1]
MODELS = {"sklearn", "torch"}
HEAVY = MODELS | {
    "jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "pydantic", "scipy", "snakemake",
    "statsmodels",
}  # fmt: skip
STATISTICS = [f"reseed.stats.{one.name}" for one in pkgutil.iter_modules(reseed.stats.__path__)]


@pytest.mark.parametrize(
    ("code", "unused"),
    [
        ("import reseed; dir(reseed)", HEAVY),
        ("import reseed.cli", HEAVY),
        ("import reseed; reseed.study", {"torch"}),
        ("import reseed.planning.build, reseed.planning.project, reseed.pipeline.startup",
         HEAVY - {"jinja2", "pydantic", "snakemake"}),
        ("from reseed.core.random_streams import ensure_deterministic; ensure_deterministic();"
         "import json.tool", MODELS | {"pandas", "pydantic", "reseed.config"}),
        ("import reseed.metrics.registry", MODELS),
        ("import reseed.data.kinds, reseed.data.registry, reseed.data.files",
         {"numpy", "pandas", "pyarrow"}),
        ("import reseed.data.sources, reseed.data.store, reseed.data.inputs", MODELS | {"pandas"}),
        ("import reseed.data.prepare, reseed.data.tables", MODELS | {"scipy"}),
        (f"import {', '.join(STATISTICS)}", MODELS | {"matplotlib"}),
        ("sys.argv = ['reseed', '--help']; from reseed.cli import main; main()", HEAVY),
        ("sys.argv = ['reseed', 'compare', 'docs/examples/runs.csv'];"
         "from reseed.cli import main; main()",
         MODELS | {"matplotlib", "scipy.stats", "scipy.optimize", "jinja2"}),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)  # fmt: skip
def test_no_unused_library_is_loaded(code, unused):
    check = f"atexit.register(lambda: print('LOADED', sorted({unused!r} & set(sys.modules))));"
    run = subprocess.run(
        [sys.executable, "-c", f"import atexit, sys; {check} {code}"], cwd=ROOT,
        env={"PYTHONPATH": "scripts"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.endswith("LOADED []\n"), run.stdout[-200:]
