"""Faults of files: truncated, flipped, exchanged, on a full or read-only disk, with a wrong clock.

A damaged file keeps its times, as after a disk error. It must be detected when it is read, so each
case removes the files that depend on it and runs again.
"""

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from reseed.core.layout import splits_name

from fault_harness.blocks import forget_trials
from fault_harness.compare import content_hash
from fault_harness.outcome import LOST, UNNOTICED, Bench, Outcome, case
from fault_harness.workspace import Workspace, kill_group

FILES = "Damaged files"
SYSTEM = "Folder and system"
FLIPS = 5
NO_SPACE = "no space left"
CLOCK = "The clock was wrong"
NO_RECORD = "has no record of how files"
STUDY = "studies/small"


def rewrite(path: Path, data: bytes) -> None:
    """Overwrite a file in place, so that its hard links change too, and keep its times."""
    before = path.stat()
    path.chmod(before.st_mode | stat.S_IWUSR)
    with open(path, "r+b") as stream:
        stream.write(data)
        stream.truncate()
    path.chmod(before.st_mode)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def read_trials_again(workspace: Workspace) -> None:
    """Remove all results of trials, so that the next run reads every trial."""
    for name in ("studies", "report"):
        shutil.rmtree(workspace.results / name)


def train_again(workspace: Workspace, count: int = 1) -> None:
    """Remove the last trials and their blocks and cache entries, so that the next run trains them.

    The last trial uses data seed 2, the one before it data seed 1.
    """
    names = sorted(workspace.trials())[-count:]
    records = workspace.trials()
    forget_trials(workspace.results, {name: records[name] for name in names})
    for path in workspace.blocks():
        path.unlink()


def cut(path: Path) -> None:
    """Truncate a file to its first half."""
    rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Truncate a file to zero bytes."""
    rewrite(path, b"")


def flip(path: Path, part: float) -> None:
    """Flip one bit at a part of the file's length."""
    data = bytearray(path.read_bytes())
    data[int(part * len(data))] ^= 0x10
    rewrite(path, bytes(data))


def flip_inside(path: Path, start: float = 1 / 3) -> None:
    """Flip the first bit after a share of the file that changes its content."""
    before, bytes_before = content_hash(path), path.read_bytes()
    for position in range(int(start * len(bytes_before)), len(bytes_before)):
        flip(path, (position + 0.5) / len(bytes_before))
        if content_hash(path) != before:
            return
        rewrite(path, bytes_before)
    raise RuntimeError(f"no bit of {path} changes its content")


def exchange(first: Path, second: Path) -> None:
    """Exchange the contents of two files."""
    one, other = first.read_bytes(), second.read_bytes()
    rewrite(first, other)
    rewrite(second, one)


def split_file(workspace: Workspace, seed: int) -> Path:
    """Return the file with the split of a data seed."""
    return next((workspace.results / "splits").rglob(f"{splits_name(seed)}.parquet"))


def data_file(workspace: Workspace) -> Path:
    """Return the file of the prepared rows."""
    files = (workspace.results / "data").rglob("*.parquet")
    return max(files, key=lambda path: path.stat().st_size)


def register(
    name: str,
    title: str,
    damage: Callable[[Workspace], object],
    remove: Callable[[Workspace], object],
) -> None:
    """Register a case: damage a finished run, remove the files that depend on it, and run again."""

    def run(bench: Bench) -> Outcome:
        workspace = bench.finished()
        damage(workspace)
        remove(workspace)
        return bench.recovered(workspace)

    run.__name__ = name
    case(FILES, title, "recovered")(run)


register(
    "trial_cut",
    "a truncated trial file",
    lambda workspace: cut(workspace.blocks()[0]),
    read_trials_again,
)


@case(FILES, f"one bit flipped in a trial file, at {FLIPS} places in turn", "recovered")
def trial_flipped(bench: Bench) -> Outcome:
    """Data pages, headers and footer each lose a bit."""
    messages = []
    for number in range(FLIPS):
        workspace = bench.finished()
        flip(workspace.blocks()[0], (number + 0.5) / FLIPS)
        read_trials_again(workspace)
        outcome = bench.recovered(workspace)
        if not outcome.good:
            return Outcome(outcome.end, f"bit {number + 1} of {FLIPS}: {outcome.message}")
        messages.append(outcome.message)
    return Outcome("recovered", next(filter(None, messages), ""))


register(
    "trial_exchanged",
    "two exchanged trial files",
    lambda workspace: exchange(*workspace.blocks()[:2]),
    read_trials_again,
)
register(
    "split_cut",
    "a truncated split file",
    lambda workspace: cut(split_file(workspace, 2)),
    train_again,
)
register(
    "split_flipped",
    "one bit flipped in a split file",
    # The file holds twenty seeds, of which the first three are read.
    lambda workspace: flip_inside(split_file(workspace, 2), 1 / 40),
    train_again,
)
register(
    "split_exchanged",
    "two exchanged split files",
    lambda workspace: exchange(split_file(workspace, 1), split_file(workspace, 2)),
    lambda workspace: train_again(workspace, 2),
)
register(
    "data_cut",
    "truncated prepared data",
    lambda workspace: cut(data_file(workspace)),
    train_again,
)
register(
    "data_flipped",
    "one bit flipped in the prepared data",
    lambda workspace: flip_inside(data_file(workspace)),
    train_again,
)
register(
    "meta_cut",
    "a truncated description of the prepared data",
    lambda workspace: cut(next((workspace.results / "data").rglob("meta.json"))),
    train_again,
)


def register_output(
    name: str, title: str, damage: Callable[[Path], object], output: str, dependent: str
) -> None:
    """Register a case: damage an output, remove a file that depends on it, and run again."""
    register(
        name,
        title,
        lambda workspace: damage(workspace.results / output),
        lambda workspace: (workspace.results / dependent).unlink(),
    )


METRICS, SPREAD = f"{STUDY}/metrics.parquet", f"{STUDY}/statistics/spread.parquet"
SCORES = f"{STUDY}/predictions/model_seeds/scores.parquet"
PAGE = "report/small.html"
register_output("metrics_cut", "a truncated table of trials of a study", cut, METRICS, SPREAD)
register_output(
    "metrics_flipped",
    "one bit flipped in the table of trials of a study",
    flip_inside,
    METRICS,
    SPREAD,
)
register_output(
    "scores_cut",
    "truncated raw outputs of a study",
    cut,
    SCORES,
    f"{STUDY}/statistics/noise.parquet",
)
register_output(
    "facts_emptied",
    "an empty about.json, as after a power cut",
    empty,
    f"{STUDY}/about.json",
    PAGE,
)
register_output(
    "statistics_cut",
    "a truncated table of statistics",
    cut,
    SPREAD,
    f"{STUDY}/tables/scores.md",
)
register_output(
    "exhibit_cut",
    "a truncated file of an exhibit, in the cache too",
    cut,
    f"{STUDY}/tables/scores.json",
    PAGE,
)


@case(FILES, "one bit flipped in every job spec", "recovered")
def spec_flipped(bench: Bench) -> Outcome:
    """Specs in results/plan; all of them are read again."""
    workspace = bench.finished()
    for path in (workspace.results / "plan").glob("??/*.json"):
        flip_inside(path)
    read_trials_again(workspace)
    outcome = bench.recovered(workspace, runs=5)
    # Specs that no job has read are still damaged, so remove them for the next case.
    shutil.rmtree(workspace.results / "plan")
    return outcome


def _mount(folder: Path, size: str) -> None:
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)


def _unmount(folder: Path) -> None:
    """Unmount lazily, because an ending process may still use a file."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _full(bench: Bench, kilobytes: int, job: str = "") -> Outcome:
    """Put results on a file system of `kilobytes`, and enlarge it after `job` has failed."""
    workspace = bench.small()
    _mount(workspace.results, f"{kilobytes}k")
    try:
        run = workspace.run(timeout=300)
        if run.ok:
            return Outcome(LOST, f"{kilobytes} KB were enough: nothing was tested")
        lines = [line.strip() for line in run.text.splitlines() if NO_SPACE in line.lower()]
        if f"FAILED {job}" not in run.text:
            failed = [line for line in run.text.splitlines() if "FAILED" in line]
            return Outcome(LOST, f"no {job} failed, but {failed}: {run.message}")
        if not lines:
            return Outcome(LOST, f"the message does not name space: {run.message}")
        subprocess.run(["mount", "-o", "remount,size=64m", str(workspace.results)], check=True)
        outcome = bench.recovered(workspace)
        return Outcome(outcome.end, lines[0] if outcome.good else outcome.message)
    finally:
        _unmount(workspace.results)


@case(SYSTEM, "a full disk that has space again", "recovered", needs_root=True)
def full_disk(bench: Bench) -> Outcome:
    """260 KB: only the specs and the prepared data fit."""
    return _full(bench, 260)


@case(SYSTEM, "a disk that fills while trials are collected", "recovered", needs_root=True)
def full_when_collecting(bench: Bench) -> Outcome:
    """320 KB: the trials fit."""
    return _full(bench, 320, "collect")


@case(SYSTEM, "a disk that fills while exhibits are drawn", "recovered", needs_root=True)
def full_when_drawing(bench: Bench) -> Outcome:
    """420 KB: the tables of the study fit."""
    return _full(bench, 420, "draw")


@case(SYSTEM, "a read-only results folder", "refused", needs_root=True)
def read_only(bench: Bench) -> Outcome:
    """The file system is mounted read-only."""
    workspace = bench.small()
    _mount(workspace.results, "1m")
    try:
        subprocess.run(["mount", "-o", "remount,ro", str(workspace.results)], check=True)
        run = workspace.run(timeout=120)
        is_clear = "cannot be written" in run.text or "Read-only" in run.text
        if run.ok or not is_clear or "Traceback" in run.text:
            return Outcome(LOST, run.message)
        return Outcome("refused", run.message)
    finally:
        _unmount(workspace.results)


@case(SYSTEM, "a clock jump: files from tomorrow and files from last year", "recovered")
def clock_jumps(bench: Bench) -> Outcome:
    """Change the times of all files of a finished run, and remove a trial."""
    workspace = bench.finished()
    now = time.time()
    files = sorted(path for path in workspace.results.rglob("*") if path.is_file())
    for number, path in enumerate(files):
        moment = now + 86_400 if number % 2 else now - 365 * 86_400
        os.utime(path, (moment, moment))
    train_again(workspace)
    outcome = _with_notice(bench, workspace, CLOCK)
    for path in files:
        if path.exists():
            os.utime(path)
    return outcome


def _with_notice(bench: Bench, workspace: Workspace, notice: str) -> Outcome:
    """Run once; the run must succeed and print `notice`."""
    run = workspace.run(timeout=300)
    lines = [line for line in run.text.splitlines() if notice in line]
    outcome = bench.recovered(workspace)
    if not run.ok:
        return Outcome(LOST, run.message)
    if not lines:
        return Outcome(LOST, f"missing message: {notice}")
    return Outcome(outcome.end, lines[0] if outcome.good else outcome.message)


@case(SYSTEM, "two runs in one folder at once", "refused")
def two_runs(bench: Bench) -> Outcome:
    """The second run is refused; the first continues."""
    workspace = bench.small(seconds=3)
    first = workspace.start()
    try:
        deadline = time.monotonic() + 60
        store = workspace.results / "store"
        while not list(store.glob("??/**/*.parquet")) and time.monotonic() < deadline:
            time.sleep(0.1)
        second = workspace.run(timeout=60)
        text, _ = first.communicate(timeout=300)
    except BaseException:
        kill_group(first)
        raise
    if second.ok:
        return Outcome(UNNOTICED, "the second run was accepted")
    if first.returncode or len(workspace.trials()) != 6:
        return Outcome(LOST, text[-300:])
    return Outcome("refused", next(line for line in second.text.splitlines() if "lock" in line))


@case(SYSTEM, "missing Snakemake metadata after a changed hyper-parameter", "recovered")
def records_gone(bench: Bench) -> Outcome:
    """`.snakemake` is deleted after a run with other hyper-parameters."""
    workspace = bench.finished()
    model = workspace.folder / "config" / "models" / "tree.yaml"
    original = model.read_text()
    model.write_text(original.replace("note: tree", "note: other"))
    run = workspace.run(timeout=300)
    model.write_text(original)
    shutil.rmtree(workspace.folder / ".snakemake")
    return _with_notice(bench, workspace, NO_RECORD) if run.ok else Outcome(LOST, run.message)
