"""The report of docs/upstream holds for the pinned Snakemake, so its workaround is needed."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.workflow
EXAMPLE = Path(__file__).parents[2] / "docs" / "upstream" / "rate_limiter.smk"
QUICK = 30


def count_passes(folder, *config) -> int:
    """Return the number of passes of the scheduler over ready jobs."""
    command = [sys.executable, "-m", "snakemake", "-s", str(EXAMPLE), "-d", str(folder)]
    command += ["--cores", "2", "--scheduler", "greedy", "--verbose"]
    command += ["--config", f"quick={QUICK}", "seconds=4", *config]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return (run.stdout + run.stderr).count("Resources before job selection")


def test_rate_limiter_of_the_pinned_snakemake_adds_passes(tmp_path):
    jobs = QUICK + 4
    assert count_passes(tmp_path / "without", "unlimited=1") <= jobs + 5
    # About QUICK passes for each second of waiting; one for each finished job would be enough.
    assert count_passes(tmp_path / "with") > 2 * jobs
