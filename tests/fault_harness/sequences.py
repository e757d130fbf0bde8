"""Random sequences of edits, kills, deletions and forgeries, with one invariant.

Invariant: after exit status 0, every result file equals that of a fresh run with the same inputs,
except for clocks.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from reseed.data.kinds import MIRROR_VARIABLE

from fault_harness.compare import hash_contents, list_differences
from fault_harness.inputs import Inputs
from fault_harness.warm import WarmRun, WarmRunner
from fault_harness.workspace import PARTS

# Runs that may fail in a row, each with a message, until one succeeds.
MOST_RUNS = 5
RUN_SECONDS = 120


class Violation(Exception):
    """The invariant does not hold, or a run does not recover."""


@dataclass
class Result:
    """Outcome of a sequence: its moves, runs, kills, and the violation if any."""

    seed: int
    moves: list[str] = field(default_factory=list)
    runs: int = 0
    kills: int = 0
    compared: int = 0
    seconds: float = 0.0
    violation: str = ""


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
        self.runner = WarmRunner(inherited | {MIRROR_VARIABLE: ""}, self.base / "scripts")
        parts = (path for part in PARTS for path in sorted((self.base / part).rglob("*.*")))
        texts = [path.read_bytes() for path in parts if path.is_file() and path.suffix != ".pyc"]
        self._pipeline = hashlib.sha256(b"".join(texts)).hexdigest()[:12]
        self._fresh_file = folder / "fresh.json"
        self._fresh: dict[str, dict[str, str]] = (
            json.loads(self._fresh_file.read_text()) if self._fresh_file.exists() else {}
        )
        self.run_seconds = self._make_base()

    def _make_base(self) -> float:
        self.run(self.base)  # fills caches of the operating system
        shutil.rmtree(self.base / "results")
        shutil.rmtree(self.base / ".snakemake")
        started = time.monotonic()
        run = self.run(self.base)
        if run.status:
            raise RuntimeError(f"the undisturbed run failed:\n{run.text}")
        return time.monotonic() - started

    def close(self) -> None:
        """End the warm process."""
        self.runner.close()

    def run(self, folder: Path, *arguments: str) -> WarmRun:
        """Run Snakemake in a project to its end."""
        run = self.start(folder, *arguments)
        if not self.runner.wait(run, RUN_SECONDS):
            raise Violation(f"a run did not end within {RUN_SECONDS} s:\n{run.text}")
        return run

    def start(self, folder: Path, *arguments: str, server: bool = True) -> WarmRun:
        """Start Snakemake in a project."""
        command = ["snakemake", "--cores", "2", *arguments]
        return self.runner.start(folder, command, self.folder / "run.log", server)

    def expected(self, inputs: Inputs) -> dict[str, str]:
        """Hashes of the files that a fresh run makes of these inputs."""
        name = f"{self._pipeline} {inputs.used()}"
        if name not in self._fresh:
            folder = self.folder / "fresh"
            shutil.rmtree(folder, ignore_errors=True)
            Inputs.write(folder).use_all(inputs.used())
            run = self.run(folder)
            if run.status:
                raise RuntimeError(f"the fresh run with {name} failed:\n{run.text}")
            self._fresh[name] = hash_contents(folder / "results")
            self._fresh_file.write_text(json.dumps(self._fresh))
        return self._fresh[name]


@dataclass
class World:
    """A project in the course of a sequence."""

    bench: Bench
    folder: Path
    inputs: Inputs
    draw: random.Random
    result: Result
    history: list[tuple[int, ...]] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.folder / "results"

    def note(self, text: str) -> None:
        """Add a line to the moves."""
        self.result.moves.append(text)

    def run(self, *arguments: str) -> WarmRun:
        """Run to the end. After exit status 0 of a whole run, check the invariant."""
        self.unlock()
        run = self.bench.run(self.folder, *arguments)
        self.result.runs += 1
        self.note(f"run {' '.join(arguments)} → {run.status}")
        if run.status == 0 and not arguments:
            self.check()
        return run

    def start(self, server: bool = True) -> WarmRun:
        """Start a run that a move disturbs."""
        self.unlock()
        self.result.runs += 1
        return self.bench.start(self.folder, server=server)

    def settle(self) -> None:
        """Run until a run succeeds."""
        for _ in range(MOST_RUNS):
            run = self.run()
            if run.status == 0:
                return
        raise Violation(f"still failing after {MOST_RUNS} runs:\n{run.text}")

    def check(self) -> None:
        """Compare all files with those of a fresh run. Files of other inputs may remain."""
        self.result.compared += 1
        found = hash_contents(self.results)
        wrong = list_differences(self.bench.expected(self.inputs), found)
        wrong = [line for line in wrong if not line.startswith("unexpected")]
        if wrong:
            raise Violation("; ".join(wrong))

    def unlock(self) -> None:
        """Delete the locks of a killed run, as `snakemake --unlock` does."""
        for lock in (self.folder / ".snakemake" / "locks").glob("*"):
            lock.unlink()

    def wait_for_orphans(self, seconds: float = 60) -> None:
        """Wait until no process of a killed run lives."""
        deadline = time.monotonic() + seconds
        for group in self.killed:
            with suppress(ProcessLookupError):
                while time.monotonic() < deadline:
                    os.killpg(group, 0)
                    time.sleep(0.05)
                raise Violation("processes of a killed run live on")


def run_sequence(bench: Bench, seed: int, least: int = 2, most: int = 4) -> Result:
    """Make random moves in a copy of the finished project; the folder of a violation is kept.

    least, most: number of moves.
    """
    from fault_harness.moves import MOVES

    draw, result, started = random.Random(seed), Result(seed), time.monotonic()
    folder = bench.folder / "work"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cp", "-a", bench.base, folder], check=True)
    world = World(bench, folder, Inputs(folder, Inputs.read(bench.base).originals), draw, result)
    try:
        for _ in range(draw.randint(least, most)):
            world.history.append(world.inputs.used())
            move = draw.choice(MOVES)
            world.note(move.__name__)
            move(world)
            if draw.random() < 0.5:
                world.run()
        world.settle()
        world.wait_for_orphans()
        world.check()
    except Violation as violation:
        result.violation = str(violation)
        kept = bench.folder / f"violation-{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(folder, kept)
        (kept / "moves.txt").write_text("\n".join([*result.moves, result.violation]))
    result.seconds = time.monotonic() - started
    return result


# --- a series that can be interrupted ------------------------------------------------------------


def read_results(path: Path) -> list[Result]:
    """Results of earlier sequences, one JSON line each."""
    if not path.exists():
        return []
    return [Result(**json.loads(line)) for line in path.read_text().splitlines() if line]


def add_result(path: Path, result: Result) -> None:
    """Append a result."""
    with path.open("a") as stream:
        stream.write(json.dumps(asdict(result)) + "\n")


def summarise(results: list[Result]) -> str:
    """Paragraphs for docs/reliability.md."""
    from fault_harness.moves import MOVES

    violated = [one for one in results if one.violation]
    kills = sum(one.kills for one in results)
    names = {move.__name__ for move in MOVES}
    counts = Counter(name for one in results for name in one.moves if name in names)
    lines = [
        f"{len(results)} random sequences (seeds {min(r.seed for r in results)} to "
        f"{max(r.seed for r in results)}) of {sum(counts.values())} moves, "
        f"{sum(r.runs for r in results)} runs and {kills} kill{'s' if kills != 1 else ''}. "
        f"{sum(r.compared for r in results)} times all result files were compared with those of a "
        f"fresh run with the same inputs, after exit status 0. Violations: {len(violated)}.",
        "",
        "Moves: "
        + ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(counts.items()))
        + ".",
    ]
    lines += [f"- seed {one.seed}: {one.violation.splitlines()[0]}" for one in violated]
    return "\n".join(lines)
