"""Random sequences of edits, kills, deletions and forgeries, with one invariant.

Invariant: after exit status 0, every result file equals that of a fresh run with the same inputs,
except for clocks. `leftovers` lists which other files may be there.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from reseed.data.kinds import MIRROR_VARIABLE

from fault_harness import inputs as input_files
from fault_harness.compare import hash_contents, list_differences
from fault_harness.inputs import Inputs
from fault_harness.leftovers import Leftovers, find_leftovers
from fault_harness.series import Result
from fault_harness.warm import WarmRun, shared_runner
from fault_harness.workspace import PARTS, unlock

# Runs that may fail in a row, each with a message, until one succeeds.
MOST_RUNS = 5
RUN_SECONDS = 120


class Violation(Exception):
    """The invariant does not hold, or a run does not recover."""


Move = Callable[["World"], None]


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
        self.run_seconds = self._make_base()

    def _make_base(self) -> float:
        started = time.monotonic()
        run = self.run(self.base)
        if run.status:
            raise RuntimeError(f"the undisturbed run failed:\n{run.text}")
        return time.monotonic() - started

    def run(self, folder: Path, *arguments: str) -> WarmRun:
        """Run Snakemake in a project to its end."""
        run = self.start(folder, *arguments)
        if not self.wait(run, RUN_SECONDS):
            raise Violation(f"a run did not end within {RUN_SECONDS} s:\n{run.text}")
        return run

    def start(self, folder: Path, *arguments: str, server: bool = True) -> WarmRun:
        """Start Snakemake in a project."""
        return self.start_program(folder, ["snakemake", "--cores", "2", *arguments], server)

    def start_program(self, folder: Path, command: list[str], server: bool = True) -> WarmRun:
        """Start a program in a project."""
        log = self.folder / "run.log"
        return shared_runner().start(folder, command, log, server, self._environment)

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
        """Run to the end. After exit status 0 of a run without targets, check the invariant."""
        run = self.run_unchecked(*arguments)
        if run.status == 0 and (not arguments or arguments[0].startswith("--")):
            self.check()
        return run

    def run_unchecked(self, *arguments: str) -> WarmRun:
        """Run to the end where the files differ from those of a fresh run by design."""
        self._prepare()
        run = self.bench.run(self.folder, *arguments)
        self.note(f"run {' '.join(arguments)} → {run.status}")
        return run

    def start(self, server: bool = True) -> WarmRun:
        """Start a run that a move disturbs."""
        self._prepare()
        return self.bench.start(self.folder, server=server)

    def _prepare(self) -> None:
        unlock(self.folder)
        self.result.runs += 1
        self._studies.add(self.inputs.used()[0])

    def settle(self) -> None:
        """Run until a run succeeds."""
        for _ in range(MOST_RUNS):
            run = self.run()
            if run.status == 0:
                return
        raise Violation(f"still failing after {MOST_RUNS} runs:\n{run.text}")

    def check(self) -> None:
        """Compare all files with those of a fresh run; `leftovers` says what may be there too."""
        self.result.compared += 1
        found, expected = hash_contents(self.results), self.expected
        lines = list_differences(expected, found)
        left = find_leftovers(expected, found, self._planned_before())
        self.result.left += len(left.allowed)
        wrong = [line for line in lines if not line.startswith("unexpected")] + left.refused
        if wrong:
            raise Violation("; ".join(wrong))

    def find_leftovers(self) -> Leftovers:
        """Files that a fresh run with the inputs does not make."""
        found = hash_contents(self.results)
        return find_leftovers(self.expected, found, self._planned_before())

    def _planned_before(self) -> set[str]:
        """Files of fresh runs with every variant of the study that a run of the sequence used.

        Other inputs change no name of a file.
        """
        others = (0,) * (len(self.inputs.used()) - 1)
        return {file for study in self._studies for file in self.bench.expected((study, *others))}

    def wait_for_orphans(self, seconds: float = 60) -> None:
        """Wait until no process of a killed run lives."""
        deadline = time.monotonic() + seconds
        for group in self.killed:
            with suppress(ProcessLookupError):
                while time.monotonic() < deadline:
                    os.killpg(group, 0)
                    time.sleep(0.05)
                raise Violation("processes of a killed run live on")


def run_sequence(bench: Bench, seed: int, moves: Sequence[Move] = ()) -> Result:
    """Make moves in a copy of the finished project; the folder of a violation is kept.

    moves: random ones if empty. After each there is a run or not, at random.
    """
    draw, started = random.Random(seed), time.monotonic()
    folder = bench.folder / "work"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cp", "-a", bench.base, folder], check=True)
    world = World(bench, folder, draw, Result.start(seed))
    try:
        for move in moves or draw_moves(draw):
            world.history.append(world.inputs.used())
            world.note(move.__name__)
            move(world)
            if draw.random() < 0.5:
                world.run()
        world.settle()
        world.wait_for_orphans()
        world.check()
    except Violation as violation:
        world.result.violation = str(violation)
        kept = bench.folder / f"violation-{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(folder, kept)
        (kept / "moves.txt").write_text("\n".join([*world.result.moves, str(violation)]))
    world.result.seconds = time.monotonic() - started
    return world.result


def draw_moves(draw: random.Random) -> list[Move]:
    """Two to four random moves."""
    from fault_harness.moves import MOVES

    return draw.choices(MOVES, k=draw.randint(2, 4))
