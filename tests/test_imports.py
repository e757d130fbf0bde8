"""Starting the command and importing the package load no heavy library."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
HEAVY = {
    "jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "pydantic", "scipy", "sklearn",
    "snakemake", "statsmodels", "torch",
}  # fmt: skip


@pytest.mark.parametrize("code", ["import reseed; dir(reseed)", "import reseed.cli"])
def test_import_loads_no_heavy_library(code):
    code = f"import sys, json; {code}; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in json.loads(run.stdout)}
    assert "reseed" in loaded
    assert not loaded & HEAVY


def test_help_loads_no_heavy_library():
    code = (
        "import sys, atexit; sys.argv = ['reseed', '--help'];"
        f"atexit.register(lambda: print('HEAVY', sorted({HEAVY!r} & set(sys.modules))));"
        "from reseed.cli import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.endswith("HEAVY []\n"), run.stdout[-200:]
