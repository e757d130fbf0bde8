"""A job that outlives `kill -9` of Snakemake ends with it, or leaves the files of the next run."""

import os
import shutil
import signal
import time

import pandas as pd
import psutil
import pytest
from fault_harness.workspace import REPOSITORY, unlock

pytestmark = pytest.mark.workflow
# An analysis that waits for a file when its option says so.
MODULE = '''
"""An analysis that may wait."""
import time
from pathlib import Path

import pandas as pd
from reseed.plugins.options import Strict


class Options(Strict):
    value: int = 0
    wait: str = ""


def analyse(data, options):
    if options.wait:
        Path(options.wait).with_suffix(".started").touch()
        while not Path(options.wait).exists():
            time.sleep(0.05)
    return pd.DataFrame({"value": [options.value]})
'''


@pytest.fixture
def waiting(project):
    """A project with trials but without fork server, whose analysis waits for the file `go`."""
    (project.folder / "waiting.py").write_text(MODULE)
    change(project, value=1, wait=str(project.folder / "go.txt"))
    project.train()
    rules = project.folder / "rules" / "workflow.smk"
    rules.write_text(rules.read_text().replace("fork_server.start()", "pass"))
    return project


def change(project, **options):
    analyses = {"slow": {"kind": "waiting:analyse", "options": options}}
    project.change(analyses=analyses, exhibits={}, models=["forest"])


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def kill_snakemake_alone(project):
    """Kill the main process while the analysis waits; return the process of the analysis."""
    process = project.start()
    wait_until((project.folder / "go.started").exists, 120)
    children = psutil.Process(process.pid).children(recursive=True)
    running = [one for one in children if one.status() != psutil.STATUS_ZOMBIE]
    (job,) = [one for one in running if "reseed.jobs.analyse" in one.cmdline()]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return job


def test_jobs_end_with_snakemake(waiting):
    job = kill_snakemake_alone(waiting)
    job.wait(timeout=10)
    assert not job.is_running()


def test_orphan_leaves_the_table_of_the_next_run(waiting):
    waiting.append("pipeline/parent_watch.py", "\n\ndef end_with_parent() -> None: ...\n")
    job = kill_snakemake_alone(waiting)
    change(waiting, value=2)
    shutil.copy(REPOSITORY / "rules" / "workflow.smk", waiting.folder / "rules")
    unlock(waiting.folder)
    name = "results/studies/small/statistics/slow.parquet"
    waiting.run(name)
    table = waiting.folder / name
    written = table.stat().st_mtime_ns
    assert job.is_running()
    (waiting.folder / "go.txt").touch()
    job.wait(timeout=60)
    assert pd.read_parquet(table)["value"].tolist() == [2]
    assert table.stat().st_mtime_ns == written


def test_reader_refuses_a_table_of_another_key(finished):
    """An older table that was put in the place of the newer one is made again."""
    table = finished.folder / "results/studies/small/metrics.parquet"
    older = table.read_bytes()
    seeds = {"seeds": {"model": {"count": 5}}}
    finished.change(experiments=finished.study["experiments"] | {"model_seeds": seeds})
    finished.train()
    newer = table.read_bytes()
    assert newer != older
    table.write_bytes(older)
    assert "metrics.parquet: made under other settings" in finished.run(fails=True)
    assert not table.exists()
    finished.train()
    assert table.read_bytes() == newer


@pytest.mark.nightly
def test_two_projects_in_one_folder_make_files_again(finished, tmp_path_factory):
    table = finished.folder / "results/studies/small/metrics.parquet"
    before = table.read_bytes()
    other = finished.copy(tmp_path_factory.mktemp("other"))
    seeds = {"seeds": {"model": {"count": 5}}}
    other.change(experiments=finished.study["experiments"] | {"model_seeds": seeds})
    other.run("--config", f"results={finished.folder}/results")
    assert table.read_bytes() != before
    assert "is not the folder that the last run wrote" in finished.run()
    assert table.read_bytes() == before
