"""Moves that once ended with exit status 0 and wrong or unproven results."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
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
from fault_harness.inputs import EDITABLE, LICENCE, NAMED, PACKAGE, SETTINGS, TABLE_FILE
from fault_harness.sequences import Violation, World

RETRY, CHECK, VERIFY_ALL = "retry_failed=true", "check_data=true", "verify_all=true"


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
        forge_entries(world.results, {name: forged})
    verify_after(world, [path], *(("--config", VERIFY_ALL) if is_sealed else ()))


def _name(world: World, path: Path) -> str:
    return path.relative_to(world.results).with_suffix("").as_posix()


def verify_everything(world: World) -> None:
    """Verify finished results by training every trial again: nothing is found."""
    world.settle()
    run = world.run("verify", "--config", VERIFY_ALL)
    if run.status:
        raise Violation(f"verify found something in right results:\n{run.text}")


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


def let_trials_fail(world: World) -> None:
    """Record a failure from outside as an outcome, then train the failed trials again."""
    world.wait_for_orphans()
    for folder in ("trials", "store"):
        shutil.rmtree(world.results / folder, ignore_errors=True)
    licence = world.folder / LICENCE
    licence.write_text("down")
    run = world.run_unchecked()
    licence.write_text("up")
    if run.status:
        raise Violation(f"failed trials are no outcomes:\n{run.text}")
    if not _count_failed(world):
        raise Violation(f"no trial failed:\n{run.text}")
    world.run_unchecked()
    if not _count_failed(world):
        raise Violation("failed trials were trained again without a request")
    run = world.run("--config", RETRY)
    if run.status:
        raise Violation(f"failed trials were not trained again:\n{run.text}")


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


def touch_with_snakemake(world: World) -> None:
    """Ask Snakemake to mark files as current after an edit: it is refused."""
    file = world.draw.choice([EDITABLE, NAMED])
    world.settle()  # else the other variant may be that of the results
    _use_other_variant(world, file)
    run = world.run("--touch")
    if not run.status or "--touch would mark files as current" not in run.text:
        raise Violation(f"--touch was not refused:\n{run.text}")


REPORTED = (
    forge_perfect_outputs,
    verify_everything,
    upgrade_a_package,
    edit_an_editable_install,
    edit_a_named_file,
    let_trials_fail,
    replace_data_bytes,
    touch_with_snakemake,
)


def verify_after(world: World, wrong: list[Path], *arguments: str) -> None:
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
        command = ["reseed", "verify", "--all", "--delete", "--yes"]
        world.bench.wait(world.bench.start_program(world.folder, command))
        world.note("reseed verify --delete")


def _is_right(world: World, path: Path, expected: dict[str, str]) -> bool:
    name = path.relative_to(world.results).as_posix()
    return path.exists() and content_hash(path) == expected[name]


def _use_other_variant(world: World, file: str) -> None:
    variant = 1 - world.inputs.variant(file)
    world.inputs.use(file, variant)
    world.note(f"  {file}: variant {variant}")


def _count_failed(world: World) -> int:
    trials = pd.read_parquet(world.results / "studies" / "small" / "metrics.parquet")
    return int((trials["status"] == "failed").sum())
