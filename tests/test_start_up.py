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


def run_python(code: str) -> str:
    """Output of code in a new process that finds the package."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SCRIPTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.mark.parametrize("code", ["import reseed; dir(reseed)", "import reseed.cli"])
def test_import_loads_no_heavy_library(code):
    output = run_python(f"import sys, json; {code}; print(json.dumps(sorted(sys.modules)))")
    loaded = {name.partition(".")[0] for name in json.loads(output)}
    assert "reseed" in loaded
    assert not loaded & HEAVY


def test_help_loads_no_heavy_library():
    output = run_python(
        "import sys, atexit; sys.argv = ['reseed', '--help'];"
        f"atexit.register(lambda: print('HEAVY', sorted({HEAVY!r} & set(sys.modules))));"
        "from reseed.cli import main; main()"
    )
    assert output.endswith("HEAVY []\n"), output[-200:]


def test_a_first_comparison_loads_only_what_it_uses():
    """Each of these takes a quarter of a second or more, and no number of the answer needs it."""
    table = Path(__file__).parents[1] / "docs/examples/runs.csv"
    unused = {"matplotlib", "scipy.stats", "scipy.optimize", "sklearn", "jinja2", "torch"}
    output = run_python(
        f"import sys; sys.argv = ['reseed', 'compare', {str(table)!r}];"
        "from reseed.cli import main; main();"
        f"print('LOADED', sorted({unused!r} & set(sys.modules)))"
    )
    assert output.endswith("LOADED []\n"), output[-200:]
