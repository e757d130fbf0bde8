"""The report of docs/upstream holds for the pinned Snakemake, and its patch mends the limiter."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow
UPSTREAM = Path(__file__).parents[2] / "docs" / "upstream"
EXAMPLE, PATCH = UPSTREAM / "rate_limiter.smk", UPSTREAM / "rate_limiter.patch"
QUICK = 30
# Snakemake with its scheduler from another file.
PATCHED = """
import importlib.util, sys
name = "snakemake.scheduling.job_scheduler"
spec = importlib.util.spec_from_file_location(name, sys.argv.pop(1))
sys.modules[name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from snakemake.cli import main
main()
"""


@pytest.fixture(scope="module")
def patched(tmp_path_factory) -> Path:
    """The scheduler of the installed Snakemake with the suggested fix."""
    if not shutil.which("patch"):
        pytest.skip("needs the command patch")
    path = tmp_path_factory.mktemp("patched") / "src/snakemake/scheduling/job_scheduler.py"
    path.parent.mkdir(parents=True)
    shutil.copy(find_spec("snakemake.scheduling.job_scheduler").origin, path)
    command = ["patch", "-p1", "--fuzz=0", "-i", str(PATCH)]
    subprocess.run(command, cwd=path.parents[3], check=True, capture_output=True)
    return path


def run_example(folder, *options, scheduler=None, quick=QUICK, seconds=2, unlimited=0) -> int:
    """Run the example to its end; returns the scheduler's number of passes over ready jobs."""
    start = ["-c", PATCHED, str(scheduler)] if scheduler else ["-m", "snakemake"]
    command = [sys.executable, *start, "-s", str(EXAMPLE), "-d", str(folder), "--cores", "2"]
    command += ["--scheduler", "greedy", "--verbose", *options]
    command += ["--config", f"quick={quick}", f"seconds={seconds}", f"unlimited={unlimited}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert len(list(folder.glob("quick/*"))) == quick
    assert len(list(folder.glob("long/*"))) == 4
    return (run.stdout + run.stderr).count("Resources before job selection")


@pytest.mark.nightly
def test_rate_limiter_of_the_pinned_snakemake_adds_passes(tmp_path):
    # About QUICK passes for each second of waiting; one for each finished job would be enough.
    jobs = QUICK + 4
    assert run_example(tmp_path / "without", unlimited=1, seconds=1) <= jobs + 5
    assert run_example(tmp_path / "with") > 2 * jobs


@pytest.mark.nightly
def test_suggested_fix_makes_one_pass_for_each_job(tmp_path, patched):
    assert run_example(tmp_path, scheduler=patched, seconds=1) <= QUICK + 4 + 5


@pytest.mark.nightly
def test_suggested_fix_keeps_the_rate_limit(tmp_path, patched):
    limit = ("--max-jobs-per-timespan", "4/1s")
    passes = run_example(tmp_path, *limit, scheduler=patched, quick=12, seconds=0)
    times = sorted(path.stat().st_mtime for path in tmp_path.glob("quick/*"))
    # The last of the first five jobs starts a second after the first one, and so on.
    assert all(late - early > 0.75 for early, late in zip(times, times[4:], strict=False))
    assert passes <= 16 + 12  # one for each job, and some for each period of a second
