"""Faults of files: cut short, flipped, exchanged, on a full or read-only disk, under a wrong clock.

A damaged file keeps its times, as after a disk error: nothing but its content tells. It must be
noticed when something reads it, so each case takes away what was made from it, and runs again.
"""

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from fault_harness.compare import said
from fault_harness.outcome import LOST, UNNOTICED, Bench, Outcome, case
from fault_harness.workspace import Workspace, kill_group

FILES = "Damaged files"
PLACE = "The place of work"
FLIPS = 5
NO_SPACE = "no space left"
CLOCK = "The clock was wrong"
NO_RECORD = "has no record of how files"
STUDY = "studies/small"


def rewrite(path: Path, data: bytes) -> None:
    """Put other bytes into a file in place (a hard link's other names see them), times kept."""
    before = path.stat()
    path.chmod(before.st_mode | stat.S_IWUSR)
    with open(path, "r+b") as stream:
        stream.write(data)
        stream.truncate()
    path.chmod(before.st_mode)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def forget(path: Path) -> None:
    """Take a file away."""
    path.unlink()


def read_trials_again(made: Workspace) -> None:
    """Take away all that was made from trials, so that the next run reads every one of them."""
    for name in ("studies", "report"):
        shutil.rmtree(made.results / name)


def train_again(made: Workspace, count: int = 1) -> None:
    """Take away the last trials, their copies in a store too, so that the next run trains.

    The last one learns from data seed 2, the one before it from data seed 1.
    """
    inodes = {trial.stat().st_ino for trial in made.trials()[-count:]}
    for path in list(made.results.rglob("*")):
        if path.is_file() and path.stat().st_ino in inodes:
            forget(path)


def cut(path: Path) -> None:
    """Keep the first half of a file."""
    rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Leave nothing of a file but its name."""
    rewrite(path, b"")


def flip(path: Path, part: float) -> None:
    """Flip one bit at a part of the file's length."""
    data = bytearray(path.read_bytes())
    data[int(part * len(data))] ^= 0x10
    rewrite(path, bytes(data))


def flip_inside(path: Path) -> None:
    """Flip the first bit, from a third of the file on, that changes what the file says."""
    before, bytes_before = said(path), path.read_bytes()
    for position in range(len(bytes_before) // 3, len(bytes_before)):
        flip(path, (position + 0.5) / len(bytes_before))
        if said(path) != before:
            return
        rewrite(path, bytes_before)
    raise RuntimeError(f"no bit of {path} matters")


def exchange(first: Path, second: Path) -> None:
    """Exchange the contents of two files."""
    one, other = first.read_bytes(), second.read_bytes()
    rewrite(first, other)
    rewrite(second, one)


def split_file(made: Workspace, seed: int) -> Path:
    """The split of a data seed."""
    return next((made.results / "splits").rglob(f"data-seed-{seed}.parquet"))


@case(FILES, "a trial file cut short", "recovered")
def trial_cut(bench: Bench) -> Outcome:
    """Half of a trial's bytes are gone."""
    made = bench.finished()
    cut(made.trials()[0])
    read_trials_again(made)
    return bench.recovered(made)


@case(FILES, f"one bit flipped in a trial file, at {FLIPS} places in turn", "recovered")
def trial_flipped(bench: Bench) -> Outcome:
    """Data pages, headers and footer each lose a bit."""
    told = []
    for number in range(FLIPS):
        made = bench.finished()
        flip(made.trials()[0], (number + 0.5) / FLIPS)
        read_trials_again(made)
        outcome = bench.recovered(made)
        if not outcome.good:
            return Outcome(outcome.end, f"bit {number + 1} of {FLIPS}: {outcome.message}")
        told.append(outcome.message)
    return Outcome("recovered", next(filter(None, told), ""))


@case(FILES, "two trial files exchanged", "recovered")
def trial_exchanged(bench: Bench) -> Outcome:
    """Both are whole; each stands in the other's place."""
    made = bench.finished()
    exchange(*made.trials()[:2])
    read_trials_again(made)
    return bench.recovered(made)


@case(FILES, "a split file cut short", "recovered")
def split_cut(bench: Bench) -> Outcome:
    """The split that a missing trial needs."""
    made = bench.finished()
    cut(split_file(made, 2))
    train_again(made)
    return bench.recovered(made)


@case(FILES, "one bit flipped in a split file", "recovered")
def split_flipped(bench: Bench) -> Outcome:
    """A bit that changes the row numbers, or makes them unreadable."""
    made = bench.finished()
    flip_inside(split_file(made, 2))
    train_again(made)
    return bench.recovered(made)


@case(FILES, "two split files exchanged", "recovered")
def split_exchanged(bench: Bench) -> Outcome:
    """A trial must not learn from another seed's rows."""
    made = bench.finished()
    exchange(split_file(made, 1), split_file(made, 2))
    train_again(made, 2)
    return bench.recovered(made)


@case(FILES, "the prepared data cut short", "recovered")
def data_cut(bench: Bench) -> Outcome:
    """Half of the rows file is gone."""
    made = bench.finished()
    cut(max((made.results / "data").rglob("*.parquet"), key=lambda path: path.stat().st_size))
    train_again(made)
    return bench.recovered(made)


@case(FILES, "one bit flipped in the prepared data", "recovered")
def data_flipped(bench: Bench) -> Outcome:
    """A bit that changes the values, or makes them unreadable."""
    made = bench.finished()
    rows = max((made.results / "data").rglob("*.parquet"), key=lambda path: path.stat().st_size)
    flip_inside(rows)
    train_again(made)
    return bench.recovered(made)


@case(FILES, "the description of the prepared data cut short", "recovered")
def meta_cut(bench: Bench) -> Outcome:
    """meta.json is half a text."""
    made = bench.finished()
    cut(next((made.results / "data").rglob("meta.json")))
    train_again(made)
    return bench.recovered(made)


def _made_from(bench: Bench, damage: Callable[[Path], object], path: str, reader: str) -> Outcome:
    """Damage what one job made and another reads, take away what that made, and run again."""
    made = bench.finished()
    damage(made.results / path)
    forget(made.results / reader)
    return bench.recovered(made)


@case(FILES, "a study's table of trials cut short", "recovered")
def metrics_cut(bench: Bench) -> Outcome:
    """metrics.parquet, when an analysis reads it."""
    return _made_from(bench, cut, f"{STUDY}/metrics.parquet", f"{STUDY}/statistics/spread.parquet")


@case(FILES, "one bit flipped in a study's table of trials", "recovered")
def metrics_flipped(bench: Bench) -> Outcome:
    """A number that changed must not be analysed."""
    flipped, reader = f"{STUDY}/metrics.parquet", f"{STUDY}/statistics/spread.parquet"
    return _made_from(bench, flip_inside, flipped, reader)


@case(FILES, "raw outputs of a study cut short", "recovered")
def scores_cut(bench: Bench) -> Outcome:
    """scores.parquet, when an analysis reads it."""
    scores = f"{STUDY}/predictions/model_seeds/scores.parquet"
    return _made_from(bench, cut, scores, f"{STUDY}/statistics/noise.parquet")


@case(FILES, "the facts of a study emptied, as a power cut leaves a file", "recovered")
def facts_emptied(bench: Bench) -> Outcome:
    """about.json has no bytes."""
    return _made_from(bench, empty, f"{STUDY}/about.json", "report/small.html")


@case(FILES, "a table of statistics cut short", "recovered")
def statistics_cut(bench: Bench) -> Outcome:
    """When an exhibit is drawn from it."""
    return _made_from(bench, cut, f"{STUDY}/statistics/spread.parquet", f"{STUDY}/tables/scores.md")


@case(FILES, "an exhibit's file cut short, in the store too", "recovered")
def exhibit_cut(bench: Bench) -> Outcome:
    """When the page is made of it."""
    return _made_from(bench, cut, f"{STUDY}/tables/scores.json", "report/small.html")


@case(FILES, "what every job is told, one bit flipped", "recovered")
def told_flipped(bench: Bench) -> Outcome:
    """Descriptions in results/plan; then all is read again."""
    made = bench.finished()
    for path in (made.results / "plan").glob("??/*.json"):
        flip_inside(path)
    read_trials_again(made)
    outcome = bench.recovered(made, runs=5)
    # Those that no job has read are damaged still, and the next case is another one.
    shutil.rmtree(made.results / "plan")
    return outcome


def _mount(folder: Path, size: str) -> None:
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)


def _unmount(folder: Path) -> None:
    """Lazily: a process that is just ending may still hold a file."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _full(bench: Bench, kilobytes: int, job: str = "") -> Outcome:
    """Results on a file system of so many KB, which grows once `job` has failed."""
    made = bench.small()
    _mount(made.results, f"{kilobytes}k")
    try:
        run = made.run(timeout=300)
        if run.ok:
            return Outcome(LOST, f"{kilobytes} KB were enough: nothing was tried")
        told = [line.strip() for line in run.text.splitlines() if NO_SPACE in line.lower()]
        if f"FAILED {job}" not in run.text:
            return Outcome(LOST, f"no {job} failed: {run.message}")
        if not told:
            return Outcome(LOST, f"no word of space: {run.message}")
        subprocess.run(["mount", "-o", "remount,size=64m", str(made.results)], check=True)
        outcome = bench.recovered(made)
        return Outcome(outcome.end, told[0] if outcome.good else outcome.message)
    finally:
        _unmount(made.results)


@case(PLACE, "the disk is full, then has room again", "recovered", needs_root=True)
def full_disk(bench: Bench) -> Outcome:
    """60 KB: nothing but the prepared data fits."""
    return _full(bench, 60)


@case(PLACE, "the disk fills while trials are collected", "recovered", needs_root=True)
def full_when_collecting(bench: Bench) -> Outcome:
    """120 KB hold the trials."""
    return _full(bench, 120, "collect")


@case(PLACE, "the disk fills while exhibits are drawn", "recovered", needs_root=True)
def full_when_drawing(bench: Bench) -> Outcome:
    """210 KB hold the study's tables."""
    return _full(bench, 210, "draw")


@case(PLACE, "the results folder is read-only", "refused", needs_root=True)
def read_only(bench: Bench) -> Outcome:
    """A file system mounted without the right to write."""
    made = bench.small()
    _mount(made.results, "1m")
    try:
        subprocess.run(["mount", "-o", "remount,ro", str(made.results)], check=True)
        run = made.run(timeout=120)
        told = "cannot be written" in run.text or "Read-only" in run.text
        if run.ok or not told or "Traceback" in run.text:
            return Outcome(LOST, run.message)
        return Outcome("refused", run.message)
    finally:
        _unmount(made.results)


@case(PLACE, "the clock jumps: files from tomorrow beside files from last year", "recovered")
def clock_jumps(bench: Bench) -> Outcome:
    """Every other file of a finished run gets another time; a trial is lost besides."""
    made = bench.finished()
    now = time.time()
    files = sorted(path for path in made.results.rglob("*") if path.is_file())
    for number, path in enumerate(files):
        moment = now + 86_400 if number % 2 else now - 365 * 86_400
        os.utime(path, (moment, moment))
    train_again(made)
    outcome = _with_notice(bench, made, CLOCK)
    for path in files:
        if path.exists():
            os.utime(path)
    return outcome


def _with_notice(bench: Bench, made: Workspace, notice: str) -> Outcome:
    """A run that ends well at once, and says what it saw."""
    run = made.run(timeout=300)
    told = [line for line in run.text.splitlines() if notice in line]
    outcome = bench.recovered(made)
    if not run.ok:
        return Outcome(LOST, run.message)
    if not told:
        return Outcome(LOST, f"no word of it: {notice}")
    return Outcome(outcome.end, told[0] if outcome.good else outcome.message)


@case(PLACE, "two runs in one folder at once", "refused")
def two_runs(bench: Bench) -> Outcome:
    """The second is turned away; the first is not disturbed."""
    made = bench.small(seconds=3)
    first = made.start()
    try:
        deadline = time.monotonic() + 60
        while not made.trials() and time.monotonic() < deadline:
            time.sleep(0.1)
        second = made.run(timeout=60)
        text, _ = first.communicate(timeout=300)
    except BaseException:
        kill_group(first)
        raise
    if second.ok:
        return Outcome(UNNOTICED, "the second run was let in")
    if first.returncode or len(made.trials()) != 6:
        return Outcome(LOST, text[-300:])
    return Outcome("refused", next(line for line in second.text.splitlines() if "lock" in line))


@case(PLACE, "Snakemake's records are gone, and a hyper-parameter is another", "recovered")
def records_gone(bench: Bench) -> Outcome:
    """`.snakemake` is deleted after a run of other hyper-parameters."""
    made = bench.finished()
    model = made.folder / "config" / "models" / "tree.yaml"
    as_it_was = model.read_text()
    model.write_text(as_it_was.replace("note: tree", "note: other"))
    run = made.run(timeout=300)
    model.write_text(as_it_was)
    shutil.rmtree(made.folder / ".snakemake")
    return _with_notice(bench, made, NO_RECORD) if run.ok else Outcome(LOST, run.message)
