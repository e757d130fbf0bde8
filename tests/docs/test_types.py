"""Type checkers accept the code of the README and of the tutorials, and see real signatures."""

import inspect
import json
import re
import subprocess
import sys
from importlib.util import find_spec
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


def wrong_lines(errors):
    """Split errors as (file, line) into those of `wrong.py` and the others."""
    others = [error for error in errors if error[0] != "wrong.py"]
    return {line for name, line in errors if name == "wrong.py"}, others


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
    lines, others = wrong_lines([(name, int(line)) for name, line in found])
    assert (lines, others) == ({3, 4, 5, 6, 7, 8, 9}, []), run.stdout + run.stderr


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("basedpyright") is None, reason="needs basedpyright, as CI has")
def test_pyright_accepts_readme_and_tutorials(folder):
    settings = {
        "typeCheckingMode": "standard",  # that of pyright
        "extraPaths": [str(ROOT / "scripts")],
        "include": ["."],
        # Values shown in a notebook are no mistakes.
        "reportUnusedExpression": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(run.stdout)["generalDiagnostics"]
    errors = [
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in found
        if one["severity"] == "error"
    ]
    lines, others = wrong_lines(errors)
    assert (lines, others) == ({3, 4, 5, 6, 7, 8, 9}, []), json.dumps(found, indent=1)


def test_stub_names_what_the_package_offers():
    text = (ROOT / "scripts" / "reseed" / "__init__.pyi").read_text()
    modules = dict(re.findall(r"^from ([\w.]+) import (\w+) as \2$", text, re.MULTILINE))
    assert {name: module for module, name in modules.items()} == reseed._MODULES
    assert set(reseed.__all__) == set(reseed._MODULES) <= set(dir(reseed))
    listed = text[text.index("__all__") :]
    assert set(re.findall(r'"(\w+)"', listed)) == set(reseed.__all__)


@pytest.mark.parametrize("name", sorted(set(reseed.__all__) - {"ReseedError"}))
def test_public_names_have_typed_signatures(name):
    """Signatures as an editor shows them; `Any` is for values that any type may have."""
    for parameter in inspect.signature(getattr(reseed, name)).parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, f"{name}({parameter.name})"


def test_a_gate_takes_arguments_of_compare():
    options = get_type_hints(GateOptions)
    compared = {**get_type_hints(compare), **get_type_hints(RunTestOptions)}
    assert {name: compared[name] for name in options} == options
