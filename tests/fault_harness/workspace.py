"""A copy of the pipeline in a new folder, and runs of Snakemake in it."""

import compileall
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from reseed.data.kinds import MIRROR_VARIABLE
from reseed.planning.read_plan import data_mirror
from reseed.trials.trial_records import TrialRecord

from fault_harness.blocks import list_blocks, read_all
from fault_harness.warm import run_warm, suits_warm_runs

REPOSITORY = Path(__file__).resolve().parents[2]
PARTS = ("Snakefile", "rules", "scripts", "envs", "profiles", "config/published")
MODULE = "workspace_models"
# Patterns of the line that states the error, the clearest first.
MARKS = (r"^Error: .*\S", r"^\w*Error: .*\S", r"\w+(Error|Exception) in ", "^FAILED ")
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


#: The dataset entry of a small table with the classes yes and no.
TABLE = {
    "name": "table",
    "title": "A table",
    "task": "binary",
    "target": "y",
    "positive": "yes",
    "sources": [{"kind": "file", "path": "table.csv"}],
}


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


def write_entry(folder: Path, name: str, entry: dict) -> None:
    """Write a configuration file: the name `models/rf` is `config/models/rf.yaml`."""
    path = folder / "config" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(yaml.safe_dump(entry))


@dataclass(frozen=True)
class Run:
    """Exit status and output of a run of Snakemake."""

    status: int
    text: str

    @property
    def ok(self) -> bool:
        """Whether the run succeeded."""
        return self.status == 0

    @property
    def message(self) -> str:
        """The line of the output that states the error."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        for mark in MARKS:
            for number, line in enumerate(lines):
                if re.search(mark, line):
                    # Snakemake prints the location in a separate line before the reason.
                    rest = [text for text in lines[number:] if not text.endswith(":")]
                    return rest[0] if rest else line
        return lines[-1] if lines else ""


class Workspace:
    """A project folder: `own` has the repository's studies, `small` one study of a few seconds.

    Args:
        folder: created if missing; must not contain a project.
        python: an interpreter with Snakemake.
        environment: variables in addition to those of this process.
        warm: whether `run` forks a process with loaded libraries, which saves seconds.
    """

    def __init__(
        self,
        folder: Path,
        python: str = sys.executable,
        environment: dict[str, str] | None = None,
        warm: bool = False,
    ):
        self.warm = warm
        self.folder, self.python = Path(folder), python
        self.folder.mkdir(parents=True, exist_ok=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
        self.environment = inherited | {MIRROR_VARIABLE: ""} | (environment or {})
        copy_pipeline(self.folder)

    @classmethod
    def own(cls, folder: Path, *arguments, **options) -> "Workspace":
        """Create a workspace with the repository's configuration, and its data mirror if any."""
        workspace = cls(folder, *arguments, **options)
        shutil.copytree(REPOSITORY / "config", workspace.folder / "config", dirs_exist_ok=True)
        before = Path.cwd()
        os.chdir(REPOSITORY)
        try:
            mirror = data_mirror(None)
            workspace.environment[MIRROR_VARIABLE] = os.path.abspath(mirror) if mirror else ""
        finally:
            os.chdir(before)
        return workspace

    @classmethod
    def small(
        cls,
        folder: Path,
        python: str = sys.executable,
        models: dict[str, dict] | None = None,
        seeds: int = 4,
        seconds: float = 0.0,
        environment: dict[str, str] | None = None,
        warm: bool = False,
    ) -> "Workspace":
        """Create a workspace with one dataset, and `seeds` + 2 trials of each of `models`.

        `models` maps names to changes of a decision tree (default: one tree). `seconds` is the
        duration of a trial in addition to its training.
        """
        workspace = cls(folder, python, environment, warm)
        (workspace.folder / f"{MODULE}.py").write_text(MODEL_CODE)
        workspace.write("config", {"scale": "smoke", "block_seconds": 60})
        workspace.write_table()
        models = models or {"tree": {}}
        for name, changes in models.items():
            entry = {
                "name": name,
                "title": name.title(),
                "factory": f"{MODULE}:tree",
                "hyperparameters": {"seconds": seconds, "note": name},
                "search_space": {"note": [name]},
                "seconds_per_trial": 30,
            }
            workspace.write(f"models/{name}", entry | changes)
        workspace.study = small_study(list(models), seeds)
        workspace.write("studies/small", workspace.study)
        return workspace

    def write(self, name: str, entry: dict) -> None:
        """Write a configuration file."""
        write_entry(self.folder, name, entry)

    def write_table(self, rows: int = 200, **changes) -> None:
        """Write a small table with two features and a class, and its dataset entry."""
        draw = random.Random(0)
        lines = ["a,b,y"]
        for _ in range(rows):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            lines.append(f"{a:.6f},{b:.6f},{'yes' if a + draw.gauss(0, 1) > 0 else 'no'}")
        (self.folder / "table.csv").write_text("\n".join(lines) + "\n")
        self.write("datasets/table", TABLE | changes)

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.folder / "results"

    def blocks(self) -> list[Path]:
        """Return the block files, sorted."""
        return sorted(list_blocks(self.results))

    def trials(self) -> dict[str, TrialRecord]:
        """Return the trials in the block files, by `SETTING/TRIAL`."""
        return read_all(self.results)

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

    def run(self, *arguments: str, timeout: float = 1800, cores: int = 2) -> Run:
        """Run Snakemake to its end; after `timeout`, kill it and raise TimeoutExpired."""
        if self.warm and suits_warm_runs(self.environment):
            command = _with_cores(arguments, cores)
            return Run(*run_warm(self.folder, command, self.environment, timeout))
        process = self.start(*arguments, cores=cores)
        try:
            text, _ = process.communicate(timeout=timeout)
        except BaseException:
            kill_group(process)
            raise
        return Run(process.returncode, text)

    def resume(self, *arguments: str, **options) -> Run:
        """Run again after a kill, after removing the remaining lock."""
        unlock(self.folder)
        return self.run(*arguments, **options)


def _with_cores(arguments: tuple[str, ...], cores: int) -> list[str]:
    if any(argument in ("--profile", "--jobs") for argument in arguments):
        return [*arguments]
    return [*arguments, "--cores", str(cores)]


def kill_group(process: subprocess.Popen) -> None:
    """Kill a started run and all of its processes, as a power cut would."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def small_study(models: list[str], seeds: int) -> dict:
    """Return a study with two experiments, an analysis, a table and a figure."""
    both = {"options": {"experiments": ["model_seeds", "data_seeds"]}}
    return {
        "name": "small",
        "title": "A small study",
        "keep": ["test"],
        "datasets": ["table"],
        "models": models,
        "splits": [{"kind": "holdout", "test": 0.3}],
        "experiments": {
            "model_seeds": {"seeds": {"model": {"count": seeds}}},
            "data_seeds": {"seeds": {"data": {"count": 3}, "model": 0}},
        },
        "analyses": {"spread": {"kind": "spread"}},
        "exhibits": {
            "scores": {"kind": "spread_table", "title": "Scores", "analysis": "spread"} | both,
            "bars": {
                "kind": "papers.raste.range_bars:figure",
                "title": "Ranges",
                "analysis": "spread",
            }
            | both,
        },
    }
