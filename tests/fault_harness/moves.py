"""Moves of a random sequence: what users, machines and other programs do to a project."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fault_harness.inputs import EDITS, PACKAGE, SETTINGS
from fault_harness.reported_moves import REPORTED, verify_after
from fault_harness.sequences import Violation, World
from fault_harness.warm import kill_all, kill_snakemake

FOLDERS = ("data", "splits", "trials", "studies", "report", "store", "plan", "logs")


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
    _finish(world, run)


def kill_everything(world: World) -> None:
    """Kill all processes of a run at a random time."""
    run = world.start()
    _wait(world)
    _kill(world, run, kill_all)


def kill_snakemake_alone(world: World) -> None:
    """Kill the main process of a run at a random time; its fork server ends its jobs."""
    run = world.start()
    _wait(world)
    _kill(world, run, kill_snakemake)


def kill_snakemake_without_server(world: World) -> None:
    """The same where jobs are processes of their own; the next run starts at once."""
    edit_an_input(world)
    run = world.start(server=False)
    _wait(world, 2.0)
    _kill(world, run, kill_snakemake)
    if world.draw.random() < 0.5:
        edit_an_input(world)


def touch_files(world: World) -> None:
    """Give some inputs and results the current time."""
    inputs = [world.folder / file for file in EDITS]
    for path in world.draw.sample([*inputs, *_files(world)], 3):
        if path.exists():
            os.utime(path)
            world.note(f"  {path.relative_to(world.folder)}")


def delete_a_folder(world: World) -> None:
    """Delete a folder of the results, or Snakemake's records."""
    name = world.draw.choice([*(f"results/{one}" for one in FOLDERS), "results", ".snakemake"])
    shutil.rmtree(world.folder / name, ignore_errors=True)
    world.note(f"  {name}")


def delete_files(world: World) -> None:
    """Delete some files of the results, cache entries included."""
    files = _files(world)
    for path in world.draw.sample(files, min(3, len(files))):
        path.unlink()
        world.note(f"  {path.relative_to(world.folder)}")


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
    verify_after(world, [one, other])


def forge_a_result(world: World) -> None:
    """Change a number in a result file, then verify."""
    world.settle()
    planned = sorted(world.expected)
    folders = ("studies/", "splits/", "trials/")
    # No model of the study has curves, so their tables have no number to change.
    chosen = [p for p in planned if p.startswith(folders) and not p.endswith("curves.parquet")]
    path = world.results / world.draw.choice(chosen)
    is_linked = world.draw.random() < 0.5
    world.note(f"  {path.relative_to(world.folder)}{' and its entry' if is_linked else ''}")
    _forge(path, is_linked)
    verify_after(world, [path])


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
    run = world.bench.start_program(world.folder, ["reseed", "prune", "--seeds", "--yes"])
    world.bench.wait(run)
    if run.status:
        raise Violation(f"prune failed:\n{run.text}")
    left = world.find_leftovers()
    kept = [*left.refused, *(path for path in left.allowed if path.startswith("trials/"))]
    kept += map(str, world.results.rglob(".*.part"))
    if kept:
        raise Violation(f"prune left {', '.join(kept)}")


def verify(world: World) -> None:
    """Verify finished results: nothing is found."""
    world.settle()
    run = world.run("verify")
    if run.status:
        raise Violation(f"verify found something in right results:\n{run.text}")


MOVES: tuple[Callable[[World], None], ...] = (
    edit_an_input,
    edit_an_input,
    check_out_older_inputs,
    edit_during_a_run,
    kill_everything,
    kill_snakemake_alone,
    kill_snakemake_without_server,
    touch_files,
    delete_a_folder,
    delete_files,
    swap_two_blocks,
    forge_a_result,
    rename_the_results,
    prune,
    verify,
    *REPORTED,
)


# --- helpers -------------------------------------------------------------------------------------


def _files(world: World) -> list[Path]:
    return sorted(path for path in world.results.rglob("*") if path.is_file())


def _wait(world: World, factor: float = 1.0) -> None:
    seconds = world.draw.uniform(0, factor * world.bench.run_seconds)
    world.note(f"  after {seconds:.2f} s")
    time.sleep(seconds)


def _finish(world: World, run) -> None:
    if not world.bench.wait(run, 120):
        raise Violation(f"a run did not end:\n{run.text}")
    world.note(f"  → {run.status}")


def _kill(world: World, run, kill: Callable) -> None:
    world.killed.append(run.pid)
    if not world.bench.wait(run, 0):
        kill(run)
        world.result.kills += 1
        world.bench.wait(run)


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
