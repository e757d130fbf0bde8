"""A project that moves disturb, and what must hold after each of its runs.

- No run prints a traceback, changes a file of the user, loses a sound trial of the cache or trains
  one again.
- After exit status 0, every result file equals that of a fresh run with the same inputs, except for
  clocks. Other files that may be there: trials and splits that earlier inputs planned. They must be
  readable. The next run with these inputs validates their keys, and `prune --seeds` deletes the
  trials. Not compared: logs, downloads, job specs, cache entries (each read validates them) and
  report pages (they state dates and seconds; `verify` compares them).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from reseed.data.kinds import MIRROR_VARIABLE

from fault_harness import inputs as input_files
from fault_harness.blocks import read_all, sound_trials
from fault_harness.compare import hash_contents, list_differences
from fault_harness.inputs import EDITS, SETTINGS, Inputs
from fault_harness.warm import WarmRun, shared_runner
from fault_harness.workspace import PARTS, running_jobs, unlock

# Runs that may fail in a row, each with a message, until one succeeds.
MOST_RUNS = 5
RUN_SECONDS = 120
RETRY = "retry_failed=true"

#: Files of the user beside and inside the results, some with names that rules give elsewhere.
FOREIGN = (
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


class Violation(Exception):
    """What must hold does not, or a run does not recover."""


class Impossible(Exception):
    """This machine cannot try a move, such as one that mounts a file system."""


Move = Callable[["World"], None]


@dataclass
class Result:
    """Outcome of a sequence: its moves, runs, kills, and the violation if any.

    hits: kills at which a job was running. compared: number of comparisons with a fresh run.
    """

    seed: int
    moves: list[str] = field(default_factory=list)
    runs: int = 0
    kills: int = 0
    hits: int = 0
    compared: int = 0
    seconds: float = 0.0
    violation: str = ""
    skipped: str = ""


class Bench:
    """A finished project to start from, and the results of fresh runs, in a folder.

    The folder can be used again: fresh runs are stored by the inputs.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SNAKEMAKE", "RESEED", "PYTHONPATH"))
        }
        self.base = folder / "base"
        shutil.rmtree(self.base, ignore_errors=True)
        Inputs.write(self.base)
        self._environment = inherited | {MIRROR_VARIABLE: ""}
        parts = (path for part in PARTS for path in sorted((self.base / part).rglob("*.*")))
        files = [path for path in parts if path.is_file() and path.suffix != ".pyc"]
        texts = [path.read_bytes() for path in (*files, Path(input_files.__file__))]
        self._pipeline = hashlib.sha256(b"".join(texts)).hexdigest()[:12]
        self._fresh_file = folder / "fresh.json"
        self._fresh: dict[str, dict[str, str]] = (
            json.loads(self._fresh_file.read_text()) if self._fresh_file.exists() else {}
        )
        started = time.monotonic()
        run = self.run(self.base)
        if run.status:
            raise RuntimeError(f"the undisturbed run failed:\n{run.text}")
        self.run_seconds = time.monotonic() - started
        for name in FOREIGN:
            path = self.base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"mine: {name}")
        (self.base / "results" / "trials" / "linked").symlink_to(self.base / "theirs")

    def run(self, folder: Path, *arguments: str, patch: str = "") -> WarmRun:
        """Run Snakemake in a project to its end."""
        run = self.start(folder, *arguments, patch=patch)
        if not self.wait(run, RUN_SECONDS):
            raise Violation(f"a run did not end within {RUN_SECONDS} s:\n{run.text}")
        return run

    def start(
        self, folder: Path, *arguments: str, server: bool = True, patch: str = "", log: str = "run"
    ) -> WarmRun:
        """Start Snakemake in a project."""
        command = ["snakemake", "--cores", "2", *arguments]
        return self.start_program(folder, command, server=server, patch=patch, log=log)

    def start_program(
        self, folder: Path, command: list[str], log: str = "run", **options
    ) -> WarmRun:
        """Start a program in a project."""
        file = self.folder / f"{log}.log"
        return shared_runner().start(
            folder, command, file, environment=self._environment, **options
        )

    def wait(self, run: WarmRun, seconds: float | None = None) -> bool:
        """Wait until a run ends, at most `seconds`; returns whether it has ended."""
        return shared_runner().wait(run, seconds)

    def expected(self, variants: tuple[int, ...]) -> dict[str, str]:
        """Hashes of the files that a fresh run makes of these variants of the inputs."""
        name = f"{self._pipeline} {variants}"
        if name not in self._fresh:
            folder = self.folder / "fresh"
            shutil.rmtree(folder, ignore_errors=True)
            Inputs.write(folder).use_all(variants)
            run = self.run(folder)
            if run.status:
                raise RuntimeError(f"the fresh run with {name} failed:\n{run.text}")
            self._fresh[name] = hash_contents(folder / "results")
            self._fresh_file.write_text(json.dumps(self._fresh))
        return self._fresh[name]


class World:
    """A project in the course of a sequence.

    history: inputs before each move. killed: process groups of killed runs.
    """

    def __init__(self, bench: Bench, folder: Path, draw: random.Random, result: Result):
        self.bench, self.folder, self.draw, self.result = bench, folder, draw, result
        self.inputs = Inputs(folder, Inputs.read(bench.base).originals)
        self.history: list[tuple[int, ...]] = []
        self.killed: list[int] = []
        self._studies = {0}
        self._theirs: dict[str, str] = {}
        self._cached: set[str] = set()
        self._may_retrain = False
        self.is_first = True

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.folder / "results"

    def note(self, text: str) -> None:
        """Add a line to the moves."""
        self.result.moves.append(text)

    @property
    def expected(self) -> dict[str, str]:
        """Hashes of the files that a fresh run makes of the inputs."""
        return self.bench.expected(self.inputs.used())

    def run(self, *arguments: str) -> WarmRun:
        """Run to the end. After exit status 0 of a run without targets, compare the files."""
        run = self.run_unchecked(*arguments)
        if run.status == 0 and (not arguments or arguments[0].startswith("--")):
            self.check()
        return run

    def run_unchecked(self, *arguments: str, patch: str = "") -> WarmRun:
        """Run to the end where the files differ from those of a fresh run by design.

        patch: code that the run and its jobs execute first.
        """
        self.prepare(RETRY in arguments)
        run = self.bench.run(self.folder, *arguments, patch=patch)
        self.note(f"run {' '.join(arguments)} → {run.status}")
        self.refuse_losses(run)
        return run

    def start(self, *arguments: str, **options) -> WarmRun:
        """Start a run that a move disturbs."""
        self.prepare()
        return self.bench.start(self.folder, *arguments, **options)

    def finish(self, run: WarmRun) -> None:
        """Wait until a started run ends by itself."""
        if not self.bench.wait(run, RUN_SECONDS):
            raise Violation(f"a run did not end:\n{run.text}")
        self.note(f"  → {run.status}")
        self.refuse_losses(run)

    def kill(self, run: WarmRun, kill: Callable[[WarmRun], None]) -> None:
        """Kill a started run, unless it has ended."""
        self.killed.append(run.pid)
        if not self.bench.wait(run, 0):
            self.result.hits += running_jobs(self.folder, self._since) > 0
            kill(run)
            self.result.kills += 1
            self.bench.wait(run)
        self.refuse_losses()

    def prepare(self, may_retrain: bool = False) -> None:
        """Note what the next run must keep."""
        unlock(self.folder)
        self.result.runs += 1
        self._studies.add(self.inputs.used()[0])
        self._theirs = self.foreign()
        shutil.rmtree(self.results / "logs" / "train", ignore_errors=True)
        self._cached, self._since = sound_trials(self.results), time.time()
        mixes = self.inputs.used()[list(EDITS).index(SETTINGS)] > 0  # `mixed: retrain`
        self._may_retrain = may_retrain or mixes

    def foreign(self) -> dict[str, str]:
        """Content of the user's files that are there."""
        there = {name: self.folder / name for name in FOREIGN}
        return {name: path.read_text() for name, path in there.items() if path.is_file()}

    def refuse_losses(self, run: WarmRun | None = None) -> None:
        """What every run must keep, also one that fails or is killed."""
        lost = [name for name, text in self._theirs.items() if self.foreign().get(name) != text]
        if lost:
            raise Violation(f"files of the user were changed: {', '.join(lost)}")
        if gone := self._cached - sound_trials(self.results):
            raise Violation(f"sound trials are gone from the cache: {', '.join(sorted(gone))}")
        if run is not None and "Traceback (most" in run.text:
            raise Violation(f"a run printed a traceback:\n{run.text}")
        again = set() if self._may_retrain else self._cached.intersection(self._trained())
        if again:
            raise Violation(f"sound trials were trained again: {', '.join(again)}")

    def _trained(self) -> list[str]:
        """Keys of trials that the last run trained and put into a block."""
        logs = (self.results / "logs" / "train").rglob("*.log")
        # Logs on a disk that is read-only are those of an earlier run.
        text = "".join(log.read_text() for log in logs if log.stat().st_mtime >= self._since)
        found = re.findall(r"^(\S+): \d+/\d+ (\S+): ok in ", text, re.MULTILINE)
        names = [f"{setting}/{name}" for setting, name in found]
        records = read_all(self.results) if names else {}
        return [records[name].key for name in names if name in records]

    def settle(self) -> None:
        """Run until a run succeeds; nothing, where nothing has happened to the finished project."""
        if self.result.runs == 0 and self.is_first and not any(self.inputs.used()):
            return
        for _ in range(MOST_RUNS):
            run = self.run()
            if run.status == 0:
                return
        raise Violation(f"still failing after {MOST_RUNS} runs:\n{run.text}")

    def check(self) -> None:
        """Compare all files with those of a fresh run."""
        self.result.compared += 1
        found, expected = self.hashes(), self.expected
        lines = list_differences(expected, found)
        wrong = [line for line in lines if not line.startswith("unexpected")]
        wrong += self.find_leftovers(found)[1]
        if wrong:
            raise Violation("; ".join(wrong))

    def hashes(self) -> dict[str, str]:
        """Hashes of the files that are there, without those of the user."""
        theirs = {name.removeprefix("results/") for name in FOREIGN}
        found = hash_contents(self.results)
        return {name: value for name, value in found.items() if name not in theirs}

    def find_leftovers(self, found: dict[str, str]) -> tuple[list[str], list[str]]:
        """Files that a fresh run does not make: those allowed, and a line for each other one."""
        # Other inputs than the study change no name of a file.
        others = (0,) * (len(EDITS) - 1)
        before = {file for study in self._studies for file in self.bench.expected((study, *others))}
        return find_leftovers(self.expected, found, before)

    def wait_for_orphans(self, seconds: float = 60) -> None:
        """Wait until no process of a killed run lives."""
        deadline = time.monotonic() + seconds
        for group in self.killed:
            with suppress(ProcessLookupError):
                while time.monotonic() < deadline:
                    os.killpg(group, 0)
                    time.sleep(0.05)
                raise Violation("processes of a killed run live on")


def find_leftovers(
    expected: dict[str, str], found: dict[str, str], planned_before: set[str]
) -> tuple[list[str], list[str]]:
    """Allowed files, and a line for each other one, that a fresh run does not make."""
    allowed, refused = [], []
    for path in sorted(found.keys() - expected.keys()):
        if not path.startswith(("trials/", "splits/")) or path not in planned_before:
            refused.append(f"unexpected: {path}")
        elif found[path].startswith("damaged"):
            refused.append(f"damaged and left: {path}")
        else:
            allowed.append(path)
    return allowed, refused


def run_sequence(bench: Bench, seed: int, moves: Sequence[Move]) -> Result:
    """Make moves in a copy of the finished project; the folder of a violation is kept.

    After each of several moves there is a run or not, at random.
    """
    draw, started = random.Random(seed), time.monotonic()
    folder = bench.folder / "work"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cp", "-a", bench.base, folder], check=True)
    world = World(bench, folder, draw, Result(seed))
    try:
        for move in moves:
            world.history.append(world.inputs.used())
            world.note(move.__name__)
            move(world)
            world.is_first = False
            if len(moves) > 1 and draw.random() < 0.5:
                world.run()
        world.settle()
        world.wait_for_orphans()
        world.check()
    except Impossible as error:
        world.result.skipped = str(error)
    except Violation as violation:
        world.result.violation = str(violation)
        kept = bench.folder / f"violation-{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(folder, kept)
        (kept / "moves.txt").write_text("\n".join([*world.result.moves, str(violation)]))
    world.result.seconds = time.monotonic() - started
    return world.result


def kill_repeatedly(
    make: Callable, folder: Path, kills: int, arguments: tuple[str, ...] = (), say=print
) -> Result:
    """Kill runs at random moments. When one completes, compare its files and start a new round.

    make: creates the same workspace in a folder.
    """
    draw, result = random.Random(0), Result(0, ["killed at random moments"])
    undisturbed, started = make(folder / "undisturbed"), time.monotonic()
    undisturbed.run(*arguments)
    seconds = time.monotonic() - started
    expected = hash_contents(undisturbed.results)
    while result.kills < kills and not result.violation:
        workspace, is_complete = make(folder / f"round-{result.compared + 1}"), False
        while not is_complete and result.kills < kills:
            unlock(workspace.folder)
            # A resumed run is shorter than an undisturbed one.
            moment, begun = draw.uniform(0, 0.6 * seconds), time.time()
            try:
                status, text = workspace.try_to_run(*arguments, timeout=moment)
                is_complete = True
                result.violation = text if status else ""
            except subprocess.TimeoutExpired:
                result.kills += 1
                result.hits += running_jobs(workspace.folder, begun) > 0
                say(f"kill {result.kills}/{kills} after {moment:.1f} s")
        unlock(workspace.folder)
        status, text = workspace.try_to_run(*arguments)
        differences = list_differences(expected, hash_contents(workspace.results))
        result.compared += 1
        result.violation = result.violation or (text if status else "; ".join(differences))
    result.seconds = time.monotonic() - started
    return result
