"""Outcomes of faults, and the registry of all cases."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fault_harness.compare import hash_contents, list_differences
from fault_harness.workspace import Workspace

# Good outcomes: regenerated and equal; rejected with a message; recorded as a failed trial;
# reported as an error that names the job, with all other results kept.
GOOD = ("recovered", "refused", "recorded", "reported")
# Bad outcomes.
UNNOTICED, LOST, HUNG, OTHERWISE = "NOT NOTICED", "LOST", "HUNG", "OTHERWISE"
FOREIGN = "CHANGED A FILE OF THE USER"

#: Files of the user beside and inside the results, some with names that rules give elsewhere.
FOREIGN_FILES = (
    "meta.json",
    "theirs/table/holdout-0.3/tree/default/data-seed-0/model-seed-0.json",
    "config/studies/notes.txt",
    "results/notes.md",
    "results/meta.json",
    "results/store/ab/thesis.pdf",
    "results/store/meta.json",
    "results/trials/notes.txt",
    "results/data/table/notes.txt",
    "results/splits/table/meta.json",
    "results/reference/other/evidence.json",
    "results/reference/other/meta.json",
    "results/reference/other/trials.parquet",
)


def plant(folder: Path) -> None:
    """Write the user's files, and a link to some."""
    for name in FOREIGN_FILES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"mine: {name}")
    (folder / "results" / "trials" / "linked").symlink_to(folder / "theirs")


def find_changed(folder: Path) -> list[str]:
    """The user's files that are gone or have other bytes."""
    paths = {name: folder / name for name in FOREIGN_FILES}
    return [
        name
        for name, path in paths.items()
        if not path.is_file() or path.read_text() != f"mine: {name}"
    ]


@dataclass(frozen=True)
class Outcome:
    """Outcome of one fault (`GOOD` or not), and the message for the user."""

    end: str
    message: str = ""

    @property
    def good(self) -> bool:
        """Whether the results are right and nothing was lost."""
        return self.end in GOOD


@dataclass(frozen=True)
class Case:
    """A fault and its expected outcome; the page prints `group` and `title`."""

    name: str
    group: str
    title: str
    end: str
    run: Callable[["Bench"], Outcome]
    needs_root: bool = False

    @property
    def possible(self) -> bool:
        """Whether this user can try it."""
        return not self.needs_root or os.geteuid() == 0


CASES: dict[str, Case] = {}


def case(group: str, title: str, end: str, needs_root: bool = False):
    """Register a function that tries one fault with the expected outcome `end`."""

    def register(function: Callable[["Bench"], Outcome]):
        name = function.__name__
        CASES[name] = Case(name, group, title, end, function, needs_root)
        return function

    return register


@dataclass
class Bench:
    """Folders for cases, and one finished run that several cases use in turn.

    warm: whether runs fork a process with loaded libraries.
    """

    folder: Path
    warm: bool = False
    _finished: Workspace | None = None
    _expected: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def empty(self) -> Path:
        """Create a new folder."""
        self._count += 1
        path = self.folder / f"case-{self._count}"
        path.mkdir(parents=True)
        return path

    def small(self, **options) -> Workspace:
        """Create a small project without results: one block of six trials, one table."""
        workspace = Workspace.small(self.empty(), warm=self.warm, **options)
        workspace.study["exhibits"].pop("bars")
        # This analysis reads all stored outputs of a trial, not only its scores.
        workspace.study["analyses"]["noise"] = {
            "kind": "noise_split",
            "experiments": ["model_seeds"],
        }
        workspace.write("studies/small", workspace.study)
        workspace.write("config", {"scale": "smoke", "seeds_per_job": 100})
        return workspace

    def finished(self) -> Workspace:
        """Return a small project after a complete run; cases leave it intact."""
        if self._finished is None:
            self._finished = self.small()
            run = self._finished.run()
            if not run.ok:
                raise RuntimeError(f"the run before the fault failed:\n{run.text}")
            self._expected = hash_contents(self._finished.results)
            plant(self._finished.folder)
        return self._finished

    def differences(self, workspace: Workspace) -> list[str]:
        """List differences between a workspace's results and a run without faults."""
        self.finished()
        found = hash_contents(workspace.results)
        theirs = {name.removeprefix("results/") for name in FOREIGN_FILES}
        return list_differences(self._expected, {k: v for k, v in found.items() if k not in theirs})

    def recovered(self, workspace: Workspace, runs: int = 2) -> Outcome:
        """Run until a run succeeds, at most `runs` times, and return the outcome."""
        message = ""
        for _ in range(runs):
            run = workspace.run(timeout=300)
            message = message or ("" if run.ok else run.message)
            if run.ok:
                break
        wrong = self.differences(workspace)
        if not run.ok:
            return Outcome(LOST, f"still failing after {runs} runs: {run.message}")
        if wrong:
            return Outcome(UNNOTICED, wrong[0])
        return Outcome("recovered", message)

    def try_case(self, one: Case) -> tuple[Outcome, float]:
        """Try a fault and return the outcome and the seconds.

        A good outcome that is not the expected one is bad, and so is a timeout. After a bad outcome
        the workspace is not used again.
        """
        started = time.perf_counter()
        try:
            outcome = one.run(self)
        except subprocess.TimeoutExpired as error:
            outcome = Outcome(HUNG, f"still running after {error.timeout:.0f} s")
        if outcome.good and outcome.end != one.end:
            outcome = Outcome(OTHERWISE, f"{outcome.end}, not {one.end}: {outcome.message}")
        if outcome.good and self._finished and (changed := find_changed(self._finished.folder)):
            outcome = Outcome(FOREIGN, ", ".join(changed))
        if not outcome.good and self._finished is not None:
            shutil.rmtree(self._finished.folder, ignore_errors=True)
            self._finished = None
        return outcome, time.perf_counter() - started
