"""Kill a run's whole process group at random moments, run again to the end, compare every bit."""

import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fault_harness.compare import contents, differences
from fault_harness.workspace import Run, Workspace, kill_group

# A run is killed at a moment of its first so-much: what a resumed run takes is mostly shorter.
EARLY = 0.6


@dataclass
class Kills:
    """What a series of kills came to; `what`: the run that was killed, in words."""

    what: str = "a run"
    kills: int = 0
    rounds: int = 0
    undisturbed_seconds: float = 0.0
    files: int = 0
    moments: list[float] = field(default_factory=list)
    # What differed from the undisturbed run, and runs that could not be taken up again.
    differences: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def survived(self) -> bool:
        """Whether every round ended in the files of the undisturbed run."""
        return self.kills > 0 and not self.differences and not self.errors


def kill_often(
    make: Callable[[Path], Workspace],
    folder: Path,
    kills: int,
    seed: int = 0,
    arguments: tuple[str, ...] = (),
    report: Callable[[str], object] = print,
) -> Kills:
    """Kill runs `kills` times; a run that gets through is compared, and a new round is begun.

    Args:
        make: makes the same workspace in a given folder each time.
        folder: for the workspaces.
        kills: how many SIGKILLs.
        seed: of the moments.
        arguments: of every run of Snakemake.
        report: told a line a kill and a round.
    """
    draw = random.Random(seed)
    found = Kills()
    undisturbed = make(folder / "undisturbed")
    started = time.perf_counter()
    run = undisturbed.run(*arguments)
    found.undisturbed_seconds = time.perf_counter() - started
    if not run.ok:
        raise RuntimeError(f"the undisturbed run failed:\n{run.text}")
    expected = contents(undisturbed.results)
    found.files = len(expected)
    while found.kills < kills:
        found.rounds += 1
        made = make(folder / f"round-{found.rounds}")
        through = False
        while not through and found.kills < kills:
            moment = draw.uniform(0, EARLY * found.undisturbed_seconds)
            ended = _run_until(made, moment, arguments)
            through = ended is not None
            if through and not ended.ok:
                found.errors.append(f"round {found.rounds}: {ended.message}")
            elif not through:
                found.kills += 1
                found.moments.append(moment)
                report(f"kill {found.kills}/{kills} after {moment:.1f} s (round {found.rounds})")
        run = made.resume(*arguments)
        if not run.ok:
            found.errors.append(f"round {found.rounds}: {run.message}")
        else:
            lines = differences(expected, contents(made.results))
            found.differences += [f"round {found.rounds}: {line}" for line in lines]
        report(f"round {found.rounds}: {'the same bits' if found.survived else 'DIFFERENT'}")
    return found


def _run_until(made: Workspace, seconds: float, arguments: tuple[str, ...]) -> Run | None:
    """Run, and kill after so many seconds. Returns how it ended if it did so before."""
    made.run("--unlock", *arguments)
    process = made.start(*arguments)
    try:
        text, _ = process.communicate(timeout=seconds)
        return Run(process.returncode, text)
    except subprocess.TimeoutExpired:
        kill_group(process)
        return None
