"""Kill a run's process group at random moments, run it again to the end, and compare all files."""

import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fault_harness.compare import hash_contents, list_differences
from fault_harness.workspace import Run, Workspace, unlock

# A run is killed within this part of the undisturbed time, because a resumed run is shorter.
EARLY = 0.6


@dataclass
class Kills:
    """Result of a series of kills; `what` describes the killed run."""

    what: str = "a run"
    kills: int = 0
    rounds: int = 0
    undisturbed_seconds: float = 0.0
    files: int = 0
    moments: list[float] = field(default_factory=list)
    # Differences from the undisturbed run, and errors of resumed runs.
    differences: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def survived(self) -> bool:
        """Whether all rounds ended with the files of the undisturbed run."""
        return self.kills > 0 and not self.differences and not self.errors


def kill_repeatedly(
    make: Callable[[Path], Workspace],
    folder: Path,
    kills: int,
    seed: int = 0,
    arguments: tuple[str, ...] = (),
    report: Callable[[str], object] = print,
) -> Kills:
    """Kill runs `kills` times. When a run completes, compare its files and start a new round.

    Args:
        make: creates the same workspace in a folder.
        folder: for the workspaces.
        kills: number of SIGKILLs.
        seed: seed of the random moments.
        arguments: arguments of every run of Snakemake.
        report: receives a line for each kill and round.
    """
    draw = random.Random(seed)
    result = Kills()
    undisturbed = make(folder / "undisturbed")
    started = time.perf_counter()
    run = undisturbed.run(*arguments)
    result.undisturbed_seconds = time.perf_counter() - started
    if not run.ok:
        raise RuntimeError(f"the undisturbed run failed:\n{run.text}")
    expected = hash_contents(undisturbed.results)
    result.files = len(expected)
    while result.kills < kills:
        result.rounds += 1
        workspace = make(folder / f"round-{result.rounds}")
        is_complete = False
        while not is_complete and result.kills < kills:
            moment = draw.uniform(0, EARLY * result.undisturbed_seconds)
            finished_run = _run_until(workspace, moment, arguments)
            is_complete = finished_run is not None
            if is_complete and not finished_run.ok:
                result.errors.append(f"round {result.rounds}: {finished_run.message}")
            elif not is_complete:
                result.kills += 1
                result.moments.append(moment)
                report(f"kill {result.kills}/{kills} after {moment:.1f} s (round {result.rounds})")
        run = workspace.resume(*arguments)
        if not run.ok:
            result.errors.append(f"round {result.rounds}: {run.message}")
        else:
            lines = list_differences(expected, hash_contents(workspace.results))
            result.differences += [f"round {result.rounds}: {line}" for line in lines]
        report(f"round {result.rounds}: {'the same bits' if result.survived else 'DIFFERENT'}")
    return result


def _run_until(workspace: Workspace, seconds: float, arguments: tuple[str, ...]) -> Run | None:
    """Run, and kill after `seconds`. Returns the run if it ended before."""
    unlock(workspace.folder)
    try:
        return workspace.run(*arguments, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
