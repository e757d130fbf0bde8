"""Check an installed wheel: run by the Python of an environment that has only the wheel.

`make wheel` builds the wheel, installs it into an empty environment and runs this file.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MAX_BYTES = 1_100_000
MAX_IMPORT_SECONDS = 0.4
#: Optional packages; modules that need one are skipped where it is missing.
OPTIONAL = {
    "PIL", "joblib", "pooch", "pytest", "python_calamine", "safetensors",
    "tokenizers", "torch", "torchvision", "transformers", "xgboost",
}  # fmt: skip


def main() -> None:
    """Check the size, the modules, the import time and the ways in."""
    wheel = Path(sys.argv[1])
    size = wheel.stat().st_size
    assert size < MAX_BYTES, f"{wheel.name} has {size:,} bytes"
    print(f"{wheel.name}: {size:,} bytes; Python {sys.version.split()[0]}")
    seconds = min(measure_import("reseed.cli") for _ in range(3))
    assert seconds <= MAX_IMPORT_SECONDS, f"import takes {seconds:.2f} s"
    print(f"import of reseed.cli: {seconds:.2f} s more than Python's start")
    skipped = import_all()
    print(f"all modules imported without Snakemake; skipped for optional packages: {skipped}")
    check_commands()
    check_session()
    check_evidence()
    print("passed")


def measure_import(module: str) -> float:
    """Seconds that a new process needs for the import, less those of an empty one."""
    seconds = []
    for code in ("pass", f"import {module}"):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", code], check=True)
        seconds.append(time.perf_counter() - start)
    return seconds[1] - seconds[0]


def import_all() -> int:
    """Import every module of the package; return how many need an optional package."""
    import reseed

    assert "site-packages" in reseed.__file__, reseed.__file__
    skipped = 0
    for found in pkgutil.walk_packages(reseed.__path__, "reseed."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            assert (error.name or "").split(".")[0] in OPTIONAL, f"{found.name}: {error}"
            skipped += 1
    assert "snakemake" not in sys.modules
    return skipped


def check_commands() -> None:
    """Run the command on the table of the first steps."""
    command = Path(sys.executable).with_name("reseed")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        done = subprocess.run(
            [command, "compare", EXAMPLES / "runs.csv", "--html", page],
            cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "15 neighbours" in done.stdout
        assert "naive Bayes" in page.read_text("utf-8")
    done = subprocess.run([command, "compare", "missing.csv"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "missing.csv" in done.stderr
    assert "Traceback" not in done.stderr


def check_session() -> None:
    """Train two small models in the session."""
    import reseed
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    models = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB()}
    found = reseed.study(models, *load_iris(return_X_y=True), splits=5, seeds=2, progress=False)
    assert (found.data.metrics["status"] == "ok").all()
    assert len(found.verdicts) == 1


def check_evidence() -> None:
    """Pages of projects elsewhere show what the reference results of the library say."""
    from reseed.core.layout import find_reference

    path = find_reference(Path("no-project"), "inherent_randomness")
    assert path is not None
    assert "site-packages" in path.parts


if __name__ == "__main__":
    main()
