"""Type checkers accept the code of the README and of the tutorials, and see real signatures."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest
import reseed
from reseed.comparison.arguments import GateOptions, RunTestOptions
from reseed.comparison.compare import compare

ROOT = Path(__file__).parents[2]
#: The reader's own data in the README's second example.
PRELUDE = "import numpy as np\n\nX, y = np.zeros((9, 2)), np.zeros(9)\n"
#: A wrong call of each kind, which a checker must refuse: the stub is not `Any`.
WRONG = "import reseed\n\nreseed.compare()\nreseed.study({}, 1)\nreseed.compare('a').to_latx()\n"
WRONG += "reseed.compare('a.csv', metrc='auc')\nreseed.study({}, 1, 2, rope='wide')\n"
WRONG += "reseed.gate('a', 'b', 0.1, metrc='auc')\nreseed.gate('a', 'b', 0.1, baseline='b')\n"
#: Right ones, which it must accept: any name of a model, and options of reading in a gate.
RIGHT = "import reseed\n\nreseed.study({1: object(), 2: object()}, 1, 2, rope={'auc': 0.1})\n"
RIGHT += "reseed.gate({'loss': [1]}, 'b', 0.1, use=1, greater_is_better=False, fixed=['prompt'])\n"
RIGHT += "reseed.compare({1: [0.1, 0.2], 2: [0.3, 0.4]}, rope=0.1, baseline='1', seeds='own')\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The README's blocks and the tutorials as files, in a project that has Reseed installed."""
    folder = tmp_path_factory.mktemp("types")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) >= 2
    for number, block in enumerate(blocks):
        (folder / f"readme_{number}.py").write_text(
            ("" if "X =" in block else PRELUDE) + block, encoding="utf-8"
        )
    for path in (ROOT / "docs" / "tutorials").glob("*.py"):
        (folder / f"tutorial_{path.name}").write_text(path.read_text("utf-8"), encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG)
    (folder / "right.py").write_text(RIGHT)
    return folder


def test_mypy_accepts_readme_and_tutorials(folder):
    run = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--config-file", ""),
            *("--follow-imports", "silent", "--ignore-missing-imports"),
            *("--cache-dir", str(ROOT / ".mypy_cache" / "readme")),
            *sorted(path.name for path in folder.glob("*.py")),
        ],
        cwd=folder, env={"MYPYPATH": str(ROOT / "scripts")}, capture_output=True, text=True,
    )  # fmt: skip
    found = re.findall(r"^([\w.]+):(\d+): error", run.stdout, re.MULTILINE)
    expected = {("wrong.py", str(line)) for line in range(3, 10)}
    assert set(found) == expected, run.stdout + run.stderr


def test_stub_names_what_the_package_offers():
    text = (ROOT / "scripts" / "reseed" / "__init__.pyi").read_text()
    modules = dict(re.findall(r"^from ([\w.]+) import (\w+) as \2$", text, re.MULTILINE))
    assert {name: module for module, name in modules.items()} == reseed._MODULES
    assert set(reseed.__all__) == set(reseed._MODULES) <= set(dir(reseed))
    listed = text[text.index("__all__") :]
    assert set(re.findall(r'"(\w+)"', listed)) == set(reseed.__all__)


def test_a_gate_takes_arguments_of_compare():
    options = get_type_hints(GateOptions)
    compared = {**get_type_hints(compare), **get_type_hints(RunTestOptions)}
    assert {name: compared[name] for name in options} == options
