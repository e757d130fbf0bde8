"""A small project: a copy of the pipeline, a table, a study."""

from __future__ import annotations

import copy
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from fault_harness.blocks import (
    forge_entries,
    forge_records,
    list_blocks,
    read_all,
    read_records,
)
from fault_harness.warm import (
    WarmRun,
    kill_all,
    run_warm,
    shared_runner,
    start_warm,
    suits_warm_runs,
)
from fault_harness.workspace import TABLE, copy_pipeline, unlock, write_entry
from reseed.trials.trial_records import TrialRecord

REPOSITORY = Path(__file__).parent.parent.parent
FOREST = {
    "name": "forest",
    "title": "Forest",
    "factory": "reseed.models.forest:random_forest",
    "hyperparameters": {"n_estimators": 5, "max_depth": 4},
    "search_space": {"max_depth": {"low": 2, "high": 4}},
    "seconds_per_trial": 0.05,
}
BOOST = FOREST | {"name": "boost", "title": "Boost", "factory": "reseed.models.boosting:xgb"}
BOTH = {"options": {"experiments": ["model_seeds", "data_seeds"]}}
BARS = "papers.raste.range_bars:figure"
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
        "scores": {"kind": "spread_table", "title": "Scores", "analysis": "spread"} | BOTH,
        "bars": {"kind": "papers.raste.range_bars:figure", "title": "Ranges", "analysis": "spread"}
        | BOTH,
    },
}

#: Trials of that study: two models, and one trial is shared by both experiments.
TRAINED = 2 * (4 + 3 - 1)

RUN_SECONDS = 600
METRICS = "results/studies/small/metrics.parquet"


def kill_run(run: WarmRun) -> None:
    """Kill all processes of a run, and wait for their end."""
    kill_all(run)
    shared_runner().wait(run)


class Project:
    """A project folder, and runs of Snakemake in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
        self.environment = inherited | {"RESEED_DATA_MIRROR": ""}
        self.study = copy.deepcopy(STUDY)

    def write_files(self) -> None:
        """Copy the pipeline and write a table, two models and a study."""
        folder = self.folder
        copy_pipeline(folder)
        self.write("config", {"scale": "smoke", "block_seconds": 60})
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
        frame["y"] = np.where(frame["a"] + rng.normal(size=200) > 0, "yes", "no")
        self.table(frame)
        self.write("models/forest", FOREST)
        self.write("models/boost", BOOST)
        self.write("studies/small", self.study)

    def write_shipped_config(self) -> None:
        """Copy the pipeline and the configuration of the repository without its studies."""
        copy_pipeline(self.folder)
        config = self.folder / "config"
        without = shutil.ignore_patterns("studies")
        shutil.copytree(REPOSITORY / "config", config, ignore=without, dirs_exist_ok=True)
        (config / "studies").mkdir(exist_ok=True)

    def write(self, name: str, entry: dict) -> None:
        write_entry(self.folder, name, entry)

    def table(self, frame: pd.DataFrame, **changes) -> None:
        frame.to_csv(self.folder / "table.csv", index=False)
        self.write("datasets/table", TABLE | changes)

    def start(self, *arguments: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Run Snakemake, check whether it fails as expected, and return its output.

        The run is a fork of a process with loaded libraries, which saves seconds, unless its
        environment has variables that Python reads at its start.
        """
        if suits_warm_runs(self.environment):
            command = ["--cores", "2", *arguments]
            status, text = run_warm(self.folder, command, self.environment, RUN_SECONDS)
        else:
            status, text = self._run_normally(*arguments)
        assert (status != 0) == fails, text
        return text

    def train(self, *arguments: str, fails: bool = False) -> str:
        """Run Snakemake up to the study's collected table: no analysis, exhibit or page."""
        return self.run(METRICS, *arguments, fails=fails)

    def _run_normally(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        try:
            text, _ = process.communicate(timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, text

    def delete_wrong(self) -> None:
        """Run `reseed verify --delete`, which finds something."""
        command = [sys.executable, "-m", "reseed", "verify", "--all", "--delete", "--yes"]
        environment = self.environment | {"PYTHONPATH": str(self.folder / "scripts")}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, done.stderr
        assert "files deleted. Run snakemake again" in done.stderr

    def start_warm(self, *arguments: str) -> WarmRun:
        """Start Snakemake as a fork of a process with loaded libraries."""
        return start_warm(self.folder, ["--cores", "2", *arguments], self.environment)

    def kill_once(self, is_due: Callable[[], object], *arguments: str) -> None:
        """Run Snakemake, kill all its processes once `is_due` is true, and remove the lock."""
        run = self.start_warm(*arguments)
        deadline = time.monotonic() + 300
        while not is_due():
            assert not shared_runner().wait(run, 0.01), run.text
            assert time.monotonic() < deadline
        kill_run(run)
        unlock(self.folder)

    def copy(self, folder: Path) -> Project:
        """A copy of the project in a folder, with its links and times, without training logs."""
        subprocess.run(["cp", "-a", f"{self.folder}/.", str(folder)], check=True)
        project = Project(folder)
        project.study = copy.deepcopy(self.study)
        project.forget_logs()
        return project

    def change(self, **parts) -> None:
        """Write the study with some parts changed."""
        self.study |= parts
        self.write("studies/small", self.study)

    def append(self, file: str, text: str) -> None:
        """Add text to a file of the library."""
        path = self.folder / "scripts" / "reseed" / file
        path.write_text(path.read_text() + text)

    def metrics(self) -> pd.DataFrame:
        """The study's collected table."""
        return pd.read_parquet(self.folder / METRICS)

    def blocks(self) -> list[Path]:
        """All block files, sorted."""
        return sorted(list_blocks(self.folder / "results"))

    def trials(self) -> dict[str, str]:
        """Keys of all trials in block files, by `SETTING/TRIAL`."""
        records = read_all(self.folder / "results")
        return {name: record.key for name, record in sorted(records.items())}

    def forge(self, trials: dict[str, TrialRecord], with_entries: bool = True) -> list[Path]:
        """Replace trials, by `SETTING/TRIAL`, in their blocks; returns these."""
        results, changed = self.folder / "results", []
        for path in self.blocks():
            setting = "/".join(path.relative_to(results / "trials").parts[:4])
            found = {f"{setting}/{name}": name for name in read_records(path)}
            if chosen := {found[name]: record for name, record in trials.items() if name in found}:
                forge_records(path, chosen)
                changed.append(path)
        if with_entries:
            forge_entries(results, trials)
        return changed

    def trained(self) -> int:
        """Number of trials that a run trained and did not link, from its logs."""
        logs = (self.folder / "results" / "logs" / "train").rglob("*.log")
        return sum(len(re.findall(r": ok in|: failed in", log.read_text())) for log in logs)

    def forget_logs(self) -> None:
        """Remove the training logs, so that `trained` counts only the next run."""
        shutil.rmtree(self.folder / "results" / "logs" / "train", ignore_errors=True)

    def planned(self, *arguments: str) -> dict[str, int]:
        """Number of jobs of each rule that a run would execute."""
        table = self.run("-n", *arguments, "--quiet", "host")  # Snakemake's own lines
        jobs = re.findall(r"^([\w -]+?) {2,}(\d+) *$", table, re.MULTILINE)
        return {name: int(count) for name, count in jobs if name != "total"}
