"""Moves: what users, machines and other programs do to a project."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from reseed.core.errors import RETRY_HINT
from reseed.core.layout import splits_name
from reseed.data.splits import read_split
from reseed.data.store import read_targets
from reseed.metrics.registry import evaluate
from reseed.training.run import compute_fingerprint

from fault_harness.blocks import (
    COLUMNS,
    forge_entries,
    forge_records,
    list_blocks,
    read_all,
    read_records,
)
from fault_harness.compare import content_hash
from fault_harness.damage import DAMAGE
from fault_harness.inputs import EDITABLE, EDITS, NAMED, PACKAGE, SETTINGS, TABLE_FILE, TROUBLE
from fault_harness.patches import CLOCK, FAIL_SECOND_READ, KILL_IN_SEGMENT
from fault_harness.warm import WarmRun, kill_all, kill_snakemake
from fault_harness.workspace import METRICS, running_jobs
from fault_harness.world import FOREIGN, RETRY, Impossible, Violation, World

CHECK, VERIFY_ALL = "check_data=true", "verify_all=true"
FOLDERS = ("data", "splits", "trials", "studies", "report", "store", "plan", "logs")
DELETE_WRONG = ["reseed", "verify", "--all", "--delete", "--yes"]


# --- edits ---------------------------------------------------------------------------------------


def edit_an_input(world: World) -> None:
    """Change configuration, data, a user's module or the library."""
    file = world.draw.choice([file for file in EDITS if file not in (PACKAGE, SETTINGS)])
    now = world.inputs.variant(file)
    others = [number for number in range(len(EDITS[file]) + 1) if number != now]
    variant = world.draw.choice(others)
    world.inputs.use(file, variant)
    world.note(f"  {file}: variant {variant}")


def check_out_older_inputs(world: World) -> None:
    """Write all inputs as they were before an earlier move."""
    variants = world.draw.choice(world.history)
    before = world.inputs.used()
    if variants[-1] != before[-1]:  # the package
        world.wait_for_orphans()
    world.inputs.use_all(variants)
    # Trials of another version of the package may be in the cache.
    if variants[-1] != before[-1] or before[list(EDITS).index(SETTINGS)]:
        world.inputs.use(SETTINGS, 1)
    world.note(f"  {variants}")


def edit_during_a_run(world: World) -> None:
    """Edit while a run works. Whatever it ends with, the next run must be right."""
    run = world.start()
    _wait(world)
    edit_an_input(world)
    world.finish(run)


def upgrade_a_package(world: World) -> None:
    """Install another version of a package that a model imports, with `mixed: retrain`."""
    world.wait_for_orphans()
    world.inputs.use(SETTINGS, 1)
    _use_other_variant(world, PACKAGE)


def edit_an_editable_install(world: World) -> None:
    """Edit a module of a package that is installed as editable."""
    _use_other_variant(world, EDITABLE)


def edit_a_named_file(world: World) -> None:
    """Edit the file with a model's environment variables, which `code:` names."""
    _use_other_variant(world, NAMED)


def replace_data_bytes(world: World) -> None:
    """Replace the data by other bytes of equal size and time; large files need `check_data`."""
    path, now = world.folder / TABLE_FILE, world.inputs.variant(TABLE_FILE)
    is_large = world.draw.random() < 0.5
    world.note(f"  {'large' if is_large else 'small'}")
    if is_large != (now >= 2):
        now = (now + 2) % 4
        world.inputs.use(TABLE_FILE, now)
    world.settle()
    status = path.stat()
    world.inputs.use(TABLE_FILE, now ^ 1)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    if path.stat().st_size != status.st_size:
        raise Violation("the variants differ in size: nothing was tested")
    run = world.run(*(("--config", CHECK) if is_large else ()))
    if run.status:
        raise Violation(f"replaced bytes were not prepared again:\n{run.text}")
    # From now on the time tells the bytes, also where the hashes of the check are deleted.
    os.utime(path)


# --- kills ---------------------------------------------------------------------------------------


def kill_everything(world: World) -> None:
    """Kill all processes of a run at a random time after its first job has started."""
    _kill_while_jobs_run(world, kill_all)


def kill_snakemake_alone(world: World) -> None:
    """Kill the main process of a run; its fork server ends its jobs."""
    _kill_while_jobs_run(world, kill_snakemake)


def kill_snakemake_without_server(world: World) -> None:
    """The same where jobs are processes of their own; the next run starts at once."""
    _kill_while_jobs_run(world, kill_snakemake, server=False)
    if world.draw.random() < 0.5:
        edit_an_input(world)


def kill_inside_each_write_of_a_segment(world: World) -> None:
    """`kill -9` of a job before each step that writes a segment of the cache."""
    world.settle()
    for step in range(30):
        for folder in ("trials", "store"):
            shutil.rmtree(world.results / folder)
        run = world.run_unchecked(METRICS, patch=KILL_IN_SEGMENT.format(step=step))
        if run.status == 0:
            break
        world.result.kills += 1
        world.result.hits += 1
        if "ended by signal 9" not in run.text:
            raise Violation(f"step {step}: the killed job is not reported:\n{run.text}")
        if (run := world.run_unchecked(METRICS)).status:
            raise Violation(f"step {step}: the next run fails:\n{run.text}")
    world.note(f"  {step} steps")
    if step < 4:
        raise Violation(f"{step} kills in a segment: nothing was tested")


def _kill_while_jobs_run(
    world: World, kill: Callable[[WarmRun], None], server: bool = True
) -> None:
    edit_an_input(world)
    for folder in world.draw.sample(FOLDERS, 2):
        shutil.rmtree(world.results / folder, ignore_errors=True)
    run, begun = world.start(server=server), time.time()
    while not running_jobs(world.folder, begun) and not world.bench.wait(run, 0.01):
        pass
    _wait(world, 0.2)
    world.kill(run, kill)


# --- files ---------------------------------------------------------------------------------------


def touch_files(world: World) -> None:
    """Give some inputs and results the current time."""
    inputs = [world.folder / file for file in EDITS]
    for path in world.draw.sample([*inputs, *_files(world)], 3):
        if path.exists():
            os.utime(path)
            world.note(f"  {path.relative_to(world.folder)}")


def touch_with_snakemake(world: World) -> None:
    """Ask Snakemake to mark files as current after an edit: it is refused."""
    file = world.draw.choice([EDITABLE, NAMED])
    world.settle()  # else the other variant may be that of the results
    _use_other_variant(world, file)
    run = world.run("--touch")
    if not run.status or "--touch would mark files as current" not in run.text:
        raise Violation(f"--touch was not refused:\n{run.text}")


def delete_a_folder(world: World) -> None:
    """Delete a folder of the results, or Snakemake's records."""
    name = world.draw.choice([*(f"results/{one}" for one in FOLDERS), "results", ".snakemake"])
    shutil.rmtree(world.folder / name, ignore_errors=True)
    world.note(f"  {name}")


def delete_records_after_an_edit(world: World) -> None:
    """Delete Snakemake's records of how files were made, then revert an edit."""
    before = world.inputs.used()
    edit_an_input(world)
    world.settle()
    world.inputs.use_all(before)
    shutil.rmtree(world.folder / ".snakemake")
    run = world.run()
    if "has no record of how files" not in run.text:
        raise Violation(f"the missing records are not reported:\n{run.text}")


def delete_files(world: World) -> None:
    """Delete some files of the results, cache entries included."""
    files = _files(world)
    for path in world.draw.sample(files, min(3, len(files))):
        path.unlink()
        world.note(f"  {path.relative_to(world.folder)}")


def damage_a_file(world: World) -> None:
    """Damage a file; it keeps its times, as after a disk error."""
    damage(world, world.draw.choice(sorted(DAMAGE)))


def damage(world: World, name: str) -> None:
    """Damage a file, and remove what depends on it."""
    world.settle()
    find, how, dependent = DAMAGE[name]
    paths = find(world)
    how(*paths)
    for one in dependent:
        path = world.results / one
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    world.note(f"  {name}: {', '.join(path.name for path in paths)}")
    if not paths:
        raise Violation(f"{name}: there is no such file")


def swap_two_blocks(world: World) -> None:
    """Exchange two files of trials, then verify."""
    world.settle()
    files = world.expected.items()
    planned = {content: path for path, content in files if path.startswith("trials/")}
    chosen = world.draw.sample(list(planned.values()), 2)
    one, other = (world.results / path for path in chosen)
    aside = one.with_suffix(".aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)
    _verify_after(world, [one, other])


def forge_a_result(world: World) -> None:
    """Change a number in a result file or a report, then verify."""
    world.settle()
    planned = sorted(world.expected)
    folders = ("studies/", "splits/", "trials/")
    # No model of the study has curves, so their tables have no number to change.
    chosen = [p for p in planned if p.startswith(folders) and not p.endswith("curves.parquet")]
    path = world.results / world.draw.choice([*chosen, "report/small.html"])
    is_linked = world.draw.random() < 0.5
    world.note(f"  {path.relative_to(world.folder)}{' and its entry' if is_linked else ''}")
    _forge(path, is_linked)
    _verify_after(world, [path])


def forge_perfect_outputs(world: World) -> None:
    """Rewrite a trial to perfect outputs with their metrics; sometimes with their fingerprint.

    Only training again finds a false fingerprint.
    """
    world.settle()
    records = read_all(world.results, COLUMNS)
    planned = {path.removesuffix(".parquet") for path in world.expected}
    blocks = [path for path in list_blocks(world.results) if _name(world, path) in planned]
    path = world.draw.choice(sorted(blocks))
    chosen = [one for one, record in read_records(path, COLUMNS).items() if record.test is not None]
    name = world.draw.choice(chosen)
    _, dataset, scheme, model, source, *_ = Path(_name(world, path)).parts
    record = records[f"{dataset}/{scheme}/{model}/{source}/{name}"]
    seed = int(name.partition("/")[0].removeprefix("data-seed-"))
    splits = world.results / "splits" / dataset / scheme / f"{splits_name(seed)}.parquet"
    truth = read_targets(world.results / "data" / dataset).target[read_split(splits, seed).test]
    outputs = np.where(truth == 1, 9, -9).astype(record.test.dtype)
    forged = replace(record, test=outputs, metrics=evaluate("binary", truth, outputs))
    is_sealed, is_linked = world.draw.random() < 0.5, world.draw.random() < 0.5
    if is_sealed:
        forged = replace(forged, fingerprint=compute_fingerprint(outputs))
    world.note(f"  {name}{', sealed' if is_sealed else ''}{' and its entry' if is_linked else ''}")
    forge_records(path, {name: forged})
    if is_linked:
        forge_entries(world.results, forged)
    _verify_after(world, [path], *(("--config", VERIFY_ALL) if is_sealed else ()))


def rename_the_results(world: World) -> None:
    """Rename the results folder and back; sometimes there is a run in between."""
    if not world.results.exists():
        return
    away = world.folder / "away"
    world.results.rename(away)
    if world.draw.random() < 0.5:
        edit_an_input(world)
        world.run()
        shutil.rmtree(world.results, ignore_errors=True)
    away.rename(world.results)


def prune(world: World) -> None:
    """Delete what no study plans: no trial of other inputs is left."""
    world.settle()
    world.wait_for_orphans()
    theirs = world.foreign()
    run = world.bench.start_program(world.folder, ["reseed", "prune", "--seeds", "--yes"])
    world.bench.wait(run)
    if run.status or world.foreign() != theirs:
        raise Violation(f"prune failed, or deleted files of the user:\n{run.text}")
    allowed, refused = world.find_leftovers(world.hashes())
    kept = [*refused, *(path for path in allowed if path.startswith("trials/"))]
    kept += map(str, world.results.rglob(".*.part"))
    if kept:
        raise Violation(f"prune left {', '.join(kept)}")


def verify(world: World) -> None:
    """Verify finished results: nothing is found."""
    world.settle()
    run = world.run("verify", *world.draw.choice([(), ("--config", VERIFY_ALL)]))
    if run.status:
        raise Violation(f"verify found something in right results:\n{run.text}")


#: Every command of `reseed`; `runs.csv` is a table of runs.
COMMANDS = (
    "verify", "verify small --delete --yes", "verify --all --delete --yes", "prune --yes",
    "prune --seeds --yes", "reference small", "reference --replace", "cost --scale smoke",
    "cost --output scale.md", "read runs.csv", "read results", "compare runs.csv --csv out.csv",
    "compare results/studies/small", "gate runs.csv --baseline runs.csv --margin 1",
    "init mine --results runs.csv --metric auc",
)  # fmt: skip


def run_every_command(world: World) -> None:
    """All commands, one after the other, where a file is damaged."""
    rows = (
        f"{model},{seed},0.{seed + 3 + (model == chr(97)) * seed}"
        for model in "ab"
        for seed in range(6)
    )
    (world.folder / "runs.csv").write_text("\n".join(["model,fold,auc", *rows, ""]))
    damage(world, world.draw.choice(sorted(DAMAGE)))
    for command in COMMANDS:
        world.prepare(may_retrain=True)
        run = world.bench.start_program(world.folder, ["reseed", *command.split()])
        world.bench.wait(run)
        world.note(f"  {command} → {run.status}")
        world.refuse_losses(run)
    (world.folder / "config" / "studies" / "mine.yaml").unlink(missing_ok=True)


# --- models --------------------------------------------------------------------------------------

#: What a model does for its last seed, and words of the message.
MISBEHAVIOUR = {
    "exits": ("sys.exit(3)", ""),
    "leaves": ("os._exit(3)", ""),
    "leaves_as_if_finished": ("os._exit(0)", ""),
    "is_killed": ("os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9"),
    "kills_its_parent": ("os.kill(os.getppid(), signal.SIGKILL)", ""),
    "eats_memory": (
        "resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30,) * 2); np.ones((50, 2**27))",
        "MemoryError",
    ),
    "hangs": ("time.sleep(3600)", "model-seed-2: took longer than trial_seconds"),
}


def let_a_model_misbehave(world: World) -> None:
    """A model that ends, blocks or overloads its process."""
    misbehave(world, world.draw.choice(sorted(MISBEHAVIOUR)))


def misbehave(world: World, name: str) -> None:
    """The job is reported and tried again; finished trials, also its own, are kept."""
    action, words = MISBEHAVIOUR[name]
    world.wait_for_orphans()
    for folder in ("trials", "store"):
        shutil.rmtree(world.results / folder, ignore_errors=True)
    # What was finished two seconds before an end is kept.
    _be_in_trouble(world, f"time.sleep(2.1)\nif seed == 2: {action}")
    limit = ("--config", "trial_seconds=20")
    for _ in range(2):
        run = world.run_unchecked(*limit)
        if not run.status or not re.search("FAILED train|MissingOutput.* in rule train", run.text):
            raise Violation(f"the job is not reported:\n{run.text}")
    if words not in run.text:
        raise Violation(f"the message lacks {words!r}:\n{run.text}")
    if "/forest/" not in "".join(read_all(world.results)):
        world.run_unchecked("--keep-going", *limit)
    if not any("/forest/" in name for name in read_all(world.results)):
        raise Violation("trials of the other model are missing")
    _be_in_trouble(world, "")


def let_trials_fail(world: World) -> None:
    """Record a failure from outside as an outcome, then train the failed trials again."""
    world.wait_for_orphans()
    for folder in ("trials", "store"):
        shutil.rmtree(world.results / folder, ignore_errors=True)
    # A text that is no UTF-8, as the error of a foreign program may have.
    _be_in_trouble(world, "if seed == 0: raise RuntimeError('the licence \\udc80 server is down')")
    run = world.run_unchecked()
    _be_in_trouble(world, "")
    study = world.results / "studies" / "small"
    silent = [path.name for path in study.glob("tables/*.md") if "ailed" not in path.read_text()]
    page = (world.results / "report" / "small.html").read_text()
    if run.status or silent or RETRY_HINT not in run.text or RETRY_HINT not in page:
        raise Violation(f"failed trials are no outcomes, or not shown:\n{run.text}")
    if not _count_failed(world):
        raise Violation(f"no trial failed:\n{run.text}")
    world.run_unchecked()
    if not _count_failed(world):
        raise Violation("failed trials were trained again without a request")
    run = world.run("--config", RETRY)
    if run.status:
        raise Violation(f"failed trials were not trained again:\n{run.text}")


# --- the system ----------------------------------------------------------------------------------


@contextmanager
def _disk(world: World, size: str):
    """The results on a disk of their own; afterwards they are back in the folder."""
    aside = world.folder / "aside"
    world.results.rename(aside)
    world.results.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(world.results)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        world.results.rmdir()
        aside.rename(world.results)
        raise Impossible("a file system cannot be mounted here")
    try:
        subprocess.run(["cp", "-a", f"{aside}/.", str(world.results)], check=True)
        yield
        world.settle()
        shutil.rmtree(aside)
        subprocess.run(["cp", "-a", str(world.results), str(aside)], check=True)
    finally:
        # Lazily, because an ending process may still use a file.
        subprocess.run(["umount", "--lazy", str(world.results)], check=True)
        world.results.rmdir()
        aside.rename(world.results)


def _remount(world: World, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(world.results)], check=True)


def fill_the_disk(world: World) -> None:
    """A disk that fills at different stages of a run, and has space again."""
    world.settle()
    failed = set()
    with _disk(world, "64m"):
        for part in (0.1, 0.4, 0.7, 0.9):
            full = shutil.disk_usage(world.results).used
            for name in FOLDERS:
                if name != "plan":  # else the folder would be one of the user
                    shutil.rmtree(world.results / name)
            used = shutil.disk_usage(world.results).used
            _remount(world, f"size={int(used + part * (full - used))}")
            run = world.run_unchecked()
            _remount(world, "size=64m")
            if run.status == 0:
                break
            if "no space left" not in run.text.lower():
                raise Violation(f"the message does not name space:\n{run.text}")
            failed |= {line.split()[1] for line in run.text.splitlines() if "FAILED" in line}
            world.settle()
    world.note(f"  failed: {', '.join(sorted(failed))}")
    if len(failed) < 2:
        raise Violation(f"the disk was full for {failed} alone")


def make_the_results_read_only(world: World) -> None:
    """A disk that is mounted read-only, while there is something to do."""
    world.settle()
    with _disk(world, "64m"):
        edit_an_input(world)
        _remount(world, "ro")
        run = world.run_unchecked()
        _remount(world, "rw")
        if not run.status or not any(one in run.text for one in ("Read-only", "cannot be written")):
            raise Violation(f"a read-only folder is not reported:\n{run.text}")


def change_the_times_of_all_files(world: World) -> None:
    """Files from tomorrow and from last year."""
    world.settle()
    now = time.time()
    for number, path in enumerate(_files(world)):
        os.utime(path, (now + (86_400 if number % 2 else -365 * 86_400),) * 2)
    edit_an_input(world)
    run = world.run()
    if "The clock was wrong" not in run.text:
        raise Violation(f"files from tomorrow are not reported:\n{run.text}")
    world.settle()
    for path in _files(world):
        os.utime(path)


def let_the_clock_jump(world: World) -> None:
    """The clock of the processes jumps forth and back during a run; that of the files does not."""
    edit_an_input(world)
    for folder in world.draw.sample(FOLDERS, 2):
        shutil.rmtree(world.results / folder, ignore_errors=True)
    world.run_unchecked(patch=CLOCK)
    world.settle()


def fail_on_the_second_read(world: World) -> None:
    """A file looks damaged, and the network file system is away at the second read."""
    world.settle()
    before = {path: path.read_bytes() for path in list_blocks(world.results)}
    for number in ("ESTALE", "EIO"):
        for folder in ("studies", "report"):
            shutil.rmtree(world.results / folder)
        run = world.run_unchecked(patch=FAIL_SECOND_READ.format(number=number))
        if not run.status or os.strerror(getattr(errno, number)) not in run.text:
            raise Violation(f"{number} is not reported:\n{run.text}")
        if {path: path.read_bytes() for path in list_blocks(world.results)} != before:
            raise Violation(f"{number}: trials were deleted")
        world.settle()


def run_twice_at_once(world: World) -> None:
    """The second run is refused while the first one works, which ends well."""
    world.settle()
    shutil.rmtree(world.results / "studies")
    first = world.start()
    while not list((world.folder / ".snakemake" / "locks").glob("*")):
        if world.bench.wait(first, 0.01):
            raise Violation(f"the first run ended too early:\n{first.text}")
    second = world.bench.start(world.folder, log="second")
    world.bench.wait(second)
    world.finish(first)
    if first.status or not second.status or "lock" not in second.text:
        raise Violation(f"two runs at once:\n{first.text}\n{second.text}")


def run_twice_without_lock(world: World) -> None:
    """Two runs with `--nolock`: the later one goes on, and its files are right."""
    edit_an_input(world)
    first = world.start("--nolock")
    _wait(world, 0.5)
    second = world.bench.start(world.folder, "--nolock", log="second")
    for run in (first, second):
        world.finish(run)
    world.note(f"  {first.status}, {second.status}")
    if second.status == 0:
        world.check()


#: Moves of random sequences; `damage_a_file` and `let_a_model_misbehave` draw one of their kinds.
MOVES: tuple[Callable[[World], None], ...] = (
    edit_an_input,
    edit_an_input,
    check_out_older_inputs,
    edit_during_a_run,
    upgrade_a_package,
    edit_an_editable_install,
    edit_a_named_file,
    replace_data_bytes,
    kill_everything,
    kill_snakemake_alone,
    kill_snakemake_without_server,
    touch_files,
    touch_with_snakemake,
    delete_a_folder,
    delete_files,
    delete_records_after_an_edit,
    damage_a_file,
    damage_a_file,
    swap_two_blocks,
    forge_a_result,
    forge_perfect_outputs,
    rename_the_results,
    prune,
    verify,
    let_trials_fail,
    run_twice_without_lock,
)


def _kinds(move: Callable[[World, str], None], names) -> list[Callable[[World], None]]:
    """One move of each kind."""
    moves = []
    for name in names:

        def one(world: World, name: str = name) -> None:
            move(world, name)

        one.__name__ = f"{move.__name__}_{name}"
        moves.append(one)
    return moves


#: What is tried one by one, beside those moves.
FAULTS = (
    *_kinds(damage, DAMAGE),
    *_kinds(misbehave, MISBEHAVIOUR),
    kill_inside_each_write_of_a_segment,
    fill_the_disk,
    make_the_results_read_only,
    change_the_times_of_all_files,
    let_the_clock_jump,
    fail_on_the_second_read,
    run_twice_at_once,
    run_every_command,
)
ALL = (*dict.fromkeys(one for one in MOVES if one is not damage_a_file), *FAULTS)


# --- helpers -------------------------------------------------------------------------------------


def _use_other_variant(world: World, file: str) -> None:
    variant = 1 - world.inputs.variant(file)
    world.inputs.use(file, variant)
    world.note(f"  {file}: variant {variant}")


def _be_in_trouble(world: World, text: str) -> None:
    (world.folder / TROUBLE).write_text(text)


def _count_failed(world: World) -> int:
    trials = pd.read_parquet(world.results / "studies" / "small" / "metrics.parquet")
    return int((trials["status"] == "failed").sum())


def _files(world: World) -> list[Path]:
    theirs = {world.folder / name for name in FOREIGN}
    found = (path for path in world.results.rglob("*") if path.is_file() and path not in theirs)
    return sorted(found)


def _wait(world: World, factor: float = 1.0) -> None:
    seconds = world.draw.uniform(0, factor * world.bench.run_seconds)
    world.note(f"  after {seconds:.2f} s")
    time.sleep(seconds)


def _name(world: World, path: Path) -> str:
    return path.relative_to(world.results).with_suffix("").as_posix()


def _verify_after(world: World, wrong: list[Path], *arguments: str) -> None:
    """Verify after a forgery: each wrong file is named, unless the run has made it again.

    What is named is deleted. If a job that verify waits for stops at a wrong file, that one is
    named; the next run follows.
    """
    expected = world.expected
    run = world.run("verify", *arguments)
    left = [path for path in wrong if not _is_right(world, path, expected)]
    missed = [path for path in left if str(path.resolve()) not in run.text]
    if run.status and "FAILED verify" not in run.text and len(missed) < len(left):
        return
    if missed or (left and run.status == 0):
        raise Violation(f"verify did not find {', '.join(map(str, missed or left))}:\n{run.text}")
    if run.status:
        theirs = world.foreign()
        world.bench.wait(world.bench.start_program(world.folder, DELETE_WRONG))
        world.note("reseed verify --delete")
        if world.foreign() != theirs or any(path.exists() for path in left):
            raise Violation("verify --delete left wrong files, or deleted those of the user")


def _is_right(world: World, path: Path, expected: dict[str, str]) -> bool:
    if path.suffix == ".html":
        return path.exists() and "forged" not in path.read_text()
    name = path.relative_to(world.results).as_posix()
    return path.exists() and content_hash(path) == expected[name]


def _forge(path: Path, is_linked: bool) -> None:
    """Change the content of a file; with `is_linked` in place, else as a new file."""
    text = _forged_table(path) if path.suffix == ".parquet" else _forged_text(path)
    if is_linked:
        path.chmod(0o644)
    else:
        path.unlink()
    path.write_bytes(text)


def _forged_text(path: Path) -> bytes:
    text = path.read_text()
    if path.suffix == ".json":
        return (json.dumps({**json.loads(text), "title": "Forged"}, indent=2) + "\n").encode()
    if path.suffix == ".html":
        return text.replace("A small study", "A forged study").encode()
    return (text + ("0.5\n" if path.suffix == ".csv" else "% forged\n")).encode()


def _forged_table(path: Path) -> bytes:
    """The table with another value in its last row; the metadata are kept."""
    table = pq.read_table(path)
    for number, column in enumerate(table.columns):
        values = column.to_pylist()
        if values and isinstance(values[-1], str) and '"auc":' in values[-1]:
            values[-1] = values[-1].replace('"auc":', '"auc":0.1e-3,"auc_":', 1)
        elif values and isinstance(values[-1], str) and '"skipped"' in values[-1]:
            values[-1] = values[-1].replace('"skipped"', '"ok"')
        elif values and isinstance(values[-1], (int, float)) and not isinstance(values[-1], bool):
            values[-1] += 1
        else:
            continue
        table = table.set_column(number, table.field(number), pa.array(values, column.type))
        break
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, write_page_checksum=True)
    return sink.getvalue().to_pybytes()
