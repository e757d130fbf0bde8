"""A copy of the pipeline in a new folder, and runs of Snakemake in it."""

from __future__ import annotations

import compileall
import copy
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from reseed.data.kinds import MIRROR_VARIABLE
from reseed.planning.read_plan import data_mirror

from fault_harness.blocks import list_blocks, read_all
from fault_harness.warm import WarmRun, kill_all, shared_runner, start_warm, suits_warm_runs

REPOSITORY = Path(__file__).resolve().parents[2]
PARTS = ("Snakefile", "rules", "scripts", "envs", "profiles", "config/published")
MODULE = "workspace_models"
RUN_SECONDS = 1800
METRICS = "results/studies/small/metrics.parquet"
# A model that takes a configured time and records what its process could see.
MODEL_CODE = '''
"""A seeded classifier that waits and records what its process could see."""
import os
import time
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier


def tree(task, n_classes, hyperparameters, seeds, device, threads):
    notes = os.environ.get("WORKSPACE_NOTES")
    if notes:
        line = "|".join(
            [str(hyperparameters["note"]), os.environ.get("CUDA_VISIBLE_DEVICES", "unset"),
             os.environ.get("SLURM_JOB_ID", ""), str(seeds["init"])]
        )
        with open(Path(notes), "a") as stream:
            stream.write(line + "\\n")
    time.sleep(hyperparameters["seconds"])
    return DecisionTreeClassifier(
        max_depth=hyperparameters.get("max_depth", 3), max_features=1, splitter="random",
        random_state=seeds["init"],
    )
'''
FOREST = {
    "name": "forest",
    "title": "Forest",
    "factory": "reseed.models.forest:random_forest",
    "hyperparameters": {"n_estimators": 5, "max_depth": 4},
    "search_space": {"max_depth": {"low": 2, "high": 4}},
    "seconds_per_trial": 0.05,
}
BOOST = FOREST | {"name": "boost", "title": "Boost", "factory": "reseed.models.boosting:xgb"}
#: The dataset entry of a small table with the classes yes and no.
TABLE = {
    "name": "table",
    "title": "A table",
    "task": "binary",
    "target": "y",
    "positive": "yes",
    "sources": [{"kind": "file", "path": "table.csv"}],
}
_BOTH = {"options": {"experiments": ["model_seeds", "data_seeds"]}}
STUDY = {
    "name": "small",
    "title": "A small study",
    "keep": ["test"],
    "datasets": ["table"],
    "models": ["forest", "boost"],
    "splits": [{"kind": "holdout", "test": 0.3}],
    "experiments": {
        "model_seeds": {"seeds": {"model": {"count": 4}}},
        "data_seeds": {"seeds": {"data": {"count": 3}, "model": 0}},
    },
    "analyses": {"spread": {"kind": "spread"}},
    "exhibits": {
        "scores": {"kind": "spread_table", "title": "Scores", "analysis": "spread"} | _BOTH,
        "bars": {"kind": "papers.raste.range_bars:figure", "title": "Ranges", "analysis": "spread"}
        | _BOTH,
    },
}
#: Trials of that study: two models, and one trial is shared by both experiments.
TRAINED = 2 * (4 + 3 - 1)


@cache
def compile_library() -> None:
    """Compile the library once, so that no run of a copy has to: a copy keeps times of files."""
    compileall.compile_dir(REPOSITORY / "scripts", quiet=2)


def _copy(source: str, target: str) -> None:
    """Copy a file; link bytecode, which Python replaces and never edits."""
    if source.endswith(".pyc"):
        os.symlink(source, target)
    else:
        shutil.copy2(source, target)


def copy_pipeline(folder: Path) -> None:
    """Copy the pipeline without its studies, and with its bytecode, to a project folder."""
    compile_library()
    for part in PARTS:
        source = REPOSITORY / part
        if source.is_dir():
            shutil.copytree(source, folder / part, copy_function=_copy)
        else:
            shutil.copy(source, folder / part)


def unlock(folder: Path) -> None:
    """Delete the locks of a killed run in a project, as `snakemake --unlock` does."""
    for lock in (folder / ".snakemake" / "locks").glob("*"):
        lock.unlink()


def running_jobs(folder: Path, since: float) -> int:
    """Number of outputs that jobs of a run are making, or were making when it was killed."""
    marks = [path for path in (folder / ".snakemake" / "incomplete").rglob("*") if path.is_file()]
    return sum(path.stat().st_mtime >= since for path in marks)


def write_entry(folder: Path, name: str, entry: dict) -> None:
    """Write a configuration file: the name `models/rf` is `config/models/rf.yaml`."""
    path = folder / "config" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(yaml.safe_dump(entry))


def kill_group(process: subprocess.Popen) -> None:
    """Kill a started run and all of its processes, as a power cut would."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


class Workspace:
    """A project folder with the pipeline and no configuration.

    Args:
        folder: created if missing; must not contain a project.
        python: an interpreter with Snakemake; None: this one.
        environment: variables in addition to those of this process.

    Without the last two, runs are forks of a process with loaded libraries, which saves seconds.
    """

    def __init__(
        self, folder: Path, python: str | None = None, environment: dict[str, str] | None = None
    ):
        self.folder, self.python = Path(folder), python or sys.executable
        self.is_warm = python is None and environment is None
        self.folder.mkdir(parents=True, exist_ok=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
        self.environment = inherited | {MIRROR_VARIABLE: ""} | (environment or {})
        self.study = copy.deepcopy(STUDY)
        if not (self.folder / "Snakefile").exists():
            copy_pipeline(self.folder)

    @classmethod
    def own(cls, *arguments, **options) -> Workspace:
        """Create a workspace with the repository's configuration, and its data mirror if any."""
        workspace = cls(*arguments, **options)
        shutil.copytree(REPOSITORY / "config", workspace.folder / "config", dirs_exist_ok=True)
        for coverage in REPOSITORY.glob("scripts/papers/*/exhibits.csv"):
            shutil.copy(coverage, workspace.folder / coverage.relative_to(REPOSITORY))
        before = Path.cwd()
        os.chdir(REPOSITORY)
        try:
            mirror = data_mirror(None)
            workspace.environment[MIRROR_VARIABLE] = os.path.abspath(mirror) if mirror else ""
        finally:
            os.chdir(before)
        return workspace

    @classmethod
    def shipped(cls, folder: Path) -> Workspace:
        """Create a workspace with the repository's datasets and models, without its studies."""
        workspace, config = cls(folder), Path(folder, "config")
        without = shutil.ignore_patterns("studies")
        shutil.copytree(REPOSITORY / "config", config, ignore=without, dirs_exist_ok=True)
        (config / "studies").mkdir(exist_ok=True)
        return workspace

    @classmethod
    def small(
        cls,
        folder: Path,
        python: str | None = None,
        models: dict[str, dict] | None = None,
        seeds: int = 4,
        seconds: float = 0.0,
        environment: dict[str, str] | None = None,
    ) -> Workspace:
        """Create a workspace with one dataset, and `seeds` + 2 trials of each of `models`.

        `models` maps names to changes of a decision tree (default: one tree). `seconds` is the
        duration of a trial in addition to its training.
        """
        workspace = cls(folder, python, environment)
        (workspace.folder / f"{MODULE}.py").write_text(MODEL_CODE)
        entries = {
            name: {
                "name": name,
                "title": name.title(),
                "factory": f"{MODULE}:tree",
                "hyperparameters": {"seconds": seconds, "note": name},
                "search_space": {"note": [name]},
                "seconds_per_trial": 30,
            }
            | changes
            for name, changes in (models or {"tree": {}}).items()
        }
        workspace.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] = seeds
        return workspace.write_study(entries)

    def write_study(self, models: dict[str, dict]) -> Workspace:
        """Write a table, models and a study of them."""
        self.write("config", {"scale": "smoke", "block_seconds": 60})
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
        frame["y"] = np.where(frame["a"] + rng.normal(size=200) > 0, "yes", "no")
        self.table(frame)
        for name, entry in models.items():
            self.write(f"models/{name}", entry)
        self.change(models=list(models))
        return self

    def write(self, name: str, entry: dict) -> None:
        """Write a configuration file."""
        write_entry(self.folder, name, entry)

    def table(self, frame: pd.DataFrame, **changes) -> None:
        """Write the table of the study, and its dataset entry."""
        frame.to_csv(self.folder / "table.csv", index=False)
        self.write("datasets/table", TABLE | changes)

    def change(self, **parts) -> None:
        """Write the study with some parts changed."""
        self.study |= parts
        self.write("studies/small", self.study)

    def append(self, file: str, text: str) -> None:
        """Add text to a file of the library."""
        path = self.folder / "scripts" / "reseed" / file
        path.write_text(path.read_text() + text)

    def copy(self, folder: Path) -> Workspace:
        """A copy of the project in a folder, with its links and times, without training logs."""
        subprocess.run(["cp", "-a", f"{self.folder}/.", str(folder)], check=True)
        workspace = Workspace(folder)
        workspace.study = copy.deepcopy(self.study)
        workspace.forget_logs()
        return workspace

    # --- runs ------------------------------------------------------------------------------------

    def start(self, *arguments: str, cores: int = 2) -> subprocess.Popen:
        """Start Snakemake in a new session."""
        return subprocess.Popen(
            [self.python, "-m", "snakemake", *_with_cores(arguments, cores)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def start_warm(self, *arguments: str, cores: int = 2) -> WarmRun:
        """Start Snakemake as a fork of a process with loaded libraries."""
        return start_warm(self.folder, _with_cores(arguments, cores), self.environment)

    def try_to_run(
        self, *arguments: str, timeout: float = RUN_SECONDS, cores: int = 2
    ) -> tuple[int, str]:
        """Exit status and output of a run; after `timeout`, kill it and raise TimeoutExpired."""
        if self.is_warm and suits_warm_runs(self.environment):
            run = self.start_warm(*arguments, cores=cores)
            if not shared_runner().wait(run, timeout):
                kill_all(run)
                shared_runner().wait(run)
                raise subprocess.TimeoutExpired("snakemake", timeout)
            return run.status or 0, run.text
        process = self.start(*arguments, cores=cores)
        try:
            text, _ = process.communicate(timeout=timeout)
        except BaseException:
            kill_group(process)
            raise
        return process.returncode, text

    def run(self, *arguments: str, fails: bool = False, **options) -> str:
        """Run Snakemake, check whether it fails as expected, and return its output."""
        status, text = self.try_to_run(*arguments, **options)
        assert (status != 0) == fails, text
        return text

    def train(self, *arguments: str, fails: bool = False) -> str:
        """Run Snakemake up to the study's collected table: no analysis, exhibit or page."""
        return self.run(METRICS, *arguments, fails=fails)

    def kill_once(self, is_due: Callable[[], object], *arguments: str) -> None:
        """Run Snakemake, kill all its processes once `is_due` is true, and remove the lock."""
        run = self.start_warm(*arguments)
        deadline = time.monotonic() + 300
        while not is_due():
            assert not shared_runner().wait(run, 0.01), run.text
            assert time.monotonic() < deadline
        kill_all(run)
        shared_runner().wait(run)
        unlock(self.folder)

    def planned(self, *arguments: str) -> dict[str, int]:
        """Number of jobs of each rule that a run would execute."""
        table = self.run("-n", *arguments, "--quiet", "host")  # Snakemake's own lines
        jobs = re.findall(r"^([\w. -]+?) {2,}(\d+) *$", table, re.MULTILINE)
        return {name: int(count) for name, count in jobs if name != "total"}

    # --- results ---------------------------------------------------------------------------------

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.folder / "results"

    def metrics(self) -> pd.DataFrame:
        """The study's collected table."""
        return pd.read_parquet(self.folder / METRICS)

    def blocks(self) -> list[Path]:
        """The block files, sorted."""
        return sorted(list_blocks(self.results))

    def trials(self) -> dict[str, str]:
        """Keys of all trials in block files, by `SETTING/TRIAL`."""
        return {name: record.key for name, record in sorted(read_all(self.results).items())}

    def trained(self) -> int:
        """Number of trials that a run trained and did not link, from its logs."""
        logs = (self.results / "logs" / "train").rglob("*.log")
        return sum(len(re.findall(r": ok in|: failed in", log.read_text())) for log in logs)

    def forget_logs(self) -> None:
        """Remove the training logs, so that `trained` counts only the next run."""
        shutil.rmtree(self.results / "logs" / "train", ignore_errors=True)


def _with_cores(arguments: tuple[str, ...], cores: int) -> list[str]:
    if any(argument in ("--profile", "--jobs", "--cores") for argument in arguments):
        return [*arguments]
    return [*arguments, "--cores", str(cores)]
