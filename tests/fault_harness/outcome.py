"""What one fault came to, and the list of all faults that are tried."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fault_harness.compare import contents, differences
from fault_harness.workspace import Workspace

# Good ends: made again and equal; turned away with a message; kept as a failed trial of the study;
# the run ends with an error that names the job, and keeps everything else.
GOOD = ("recovered", "refused", "recorded", "reported")
# Bad ends.
UNNOTICED, LOST, HUNG, OTHERWISE = "NOT NOTICED", "LOST", "HUNG", "OTHERWISE"


@dataclass(frozen=True)
class Outcome:
    """One fault: how it ended (`GOOD` or not) and the message a user saw."""

    end: str
    message: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing wrong came out and nothing was lost."""
        return self.end in GOOD


@dataclass(frozen=True)
class Case:
    """A fault to try, and the end it must have: `group` and `title` as the page prints them."""

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
    """Register a function that tries one fault, which must have that end."""

    def register(function: Callable[["Bench"], Outcome]):
        name = function.__name__
        CASES[name] = Case(name, group, title, end, function, needs_root)
        return function

    return register


@dataclass
class Bench:
    """Folders for cases, and one finished run that several of them may damage in turn."""

    folder: Path
    _finished: Workspace | None = None
    _expected: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def empty(self) -> Path:
        """A new folder."""
        self._count += 1
        path = self.folder / f"case-{self._count}"
        path.mkdir(parents=True)
        return path

    def small(self, **options) -> Workspace:
        """A small project that was not run yet: one block of six trials, one table."""
        made = Workspace.small(self.empty(), **options)
        made.study["exhibits"].pop("bars")
        # Reads every byte that a trial keeps, not its scores alone.
        made.study["analyses"]["noise"] = {"kind": "noise_split", "experiments": ["model_seeds"]}
        made.write("studies/small", made.study)
        made.write("config", {"scale": "smoke", "seeds_per_job": 100})
        return made

    def finished(self) -> Workspace:
        """A small project after a complete run; as good as new for each case."""
        if self._finished is None:
            self._finished = self.small()
            run = self._finished.run()
            if not run.ok:
                raise RuntimeError(f"the run before the fault failed:\n{run.text}")
            self._expected = contents(self._finished.results)
        return self._finished

    def differences(self, made: Workspace) -> list[str]:
        """How a workspace's results differ from those of a run without faults."""
        self.finished()
        return differences(self._expected, contents(made.results))

    def recovered(self, made: Workspace, runs: int = 2) -> Outcome:
        """Run until all is well, `runs` times at most, and say how it ended."""
        told = ""
        for _ in range(runs):
            run = made.run(timeout=300)
            told = told or ("" if run.ok else run.message)
            if run.ok:
                break
        wrong = self.differences(made)
        if not run.ok:
            return Outcome(LOST, f"after {runs} runs still: {run.message}")
        if wrong:
            return Outcome(UNNOTICED, wrong[0])
        return Outcome("recovered", told)

    def try_case(self, one: Case) -> tuple[Outcome, float]:
        """Try a fault; what it spoiled is not used again. Returns the outcome and the seconds.

        Another good end than the one that is promised is a bad one, and so is none in time.
        """
        started = time.perf_counter()
        try:
            outcome = one.run(self)
        except subprocess.TimeoutExpired as error:
            outcome = Outcome(HUNG, f"still running after {error.timeout:.0f} s")
        if outcome.good and outcome.end != one.end:
            outcome = Outcome(OTHERWISE, f"{outcome.end}, not {one.end}: {outcome.message}")
        if not outcome.good and self._finished is not None:
            shutil.rmtree(self._finished.folder, ignore_errors=True)
            self._finished = None
        return outcome, time.perf_counter() - started
