"""The first hour of a newcomer with a wheel alone.

`make newcomer` builds the wheel, installs it with its extra `workflow` into an empty environment
and runs this file there, in a folder with the rules alone. A step with another exit status than
stated ends it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "docs" / "examples"

NOTEBOOK = """\
import reseed
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
models = {
    "tree": DecisionTreeClassifier(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
found = reseed.study(models, X, y, splits=10, seeds=2)
print(found)
"""
STUDY = """\
name: mine
title: Which of my models is better?
question: Do my models differ by more than the folds do?
results: runs.csv
"""
HOSTED = """\
configfile: "config/config.yaml"

module reseed:
    snakefile: "workflow/Snakefile"
    config: config

use rule * from reseed

onstart:
    reseed.onstart()

onsuccess:
    reseed.onsuccess()

onerror:
    reseed.onerror()
"""


class Step(NamedTuple):
    """What a newcomer wants, writes and types, and the exit status that this must have."""

    title: str
    files: dict[str, str]
    command: str
    status: int = 0


def list_steps() -> list[Step]:
    """Own scores, own models in a notebook, own study, hosted module, gate in CI."""
    evaluation = {
        Path(name).name: (EXAMPLES / "ci" / name).read_text(encoding="utf-8")
        for name in ("evaluate.py", "scores/baseline.csv")
    }
    study = {"config/config.yaml": "{}\n", "config/studies/mine.yaml": STUDY, "Snakefile": HOSTED}
    tutorials = sorted((REPOSITORY / "docs" / "tutorials").glob("*.py"))
    return [
        Step(
            "My scores: which model is better?",
            {"runs.csv": (EXAMPLES / "runs.csv").read_text(encoding="utf-8")},
            "reseed compare runs.csv --html report.html",
        ),
        Step(
            "My models, as in a cell of a notebook",
            {"models.py": NOTEBOOK},
            "python models.py",
        ),
        Step("My own study", {}, "reseed init mine --results runs.csv && python mine.py"),
        Step(
            "The hosted module: a study in my repository",
            study,
            "snakemake --cores 1 --quiet all && ls results/report",
        ),
        Step(
            "The gate of my CI",
            evaluation,
            "python evaluate.py --output candidate.csv"
            " && reseed gate candidate.csv --baseline baseline.csv --margin 0.02",
        ),
        *(Step(path.stem, {path.name: path.read_text("utf-8")}, f"python {path.name}")
          for path in tutorials),
    ]  # fmt: skip


def run_step(step: Step, folder: Path) -> tuple[str, float]:
    """Write the files of a step, run its command; return what it printed and the seconds."""
    for name, text in step.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    start = time.perf_counter()
    done = subprocess.run(
        step.command,
        shell=True,
        cwd=folder,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        | {"PATH": path, "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seconds = time.perf_counter() - start
    assert done.returncode == step.status, f"{step.title}: {done.returncode}\n{done.stdout}"
    printed = done.stdout.replace(str(REPOSITORY), "…/reseed").replace(str(folder), "…")
    return printed, seconds


def main() -> None:
    """Run all steps."""
    folder = Path(tempfile.mkdtemp(prefix="newcomer-"))
    for part in ("workflow", "rules", "envs"):  # what Snakemake fetches of the repository
        shutil.copytree(REPOSITORY / part, folder / part)
    try:
        seconds = [run_step(step, folder)[1] for step in list_steps()]
    finally:
        shutil.rmtree(folder)
    print(f"{len(seconds)} steps passed in {sum(seconds):.0f} s")


if __name__ == "__main__":
    main()
