"""The comparison with a bare loop runs; its numbers are measured by hand (docs/speed.md)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.nightly
@pytest.mark.workflow
def test_the_pipeline_is_compared_with_a_loop():
    command = [sys.executable, "benchmarks/overhead.py", "--scale", "smoke"]
    done = subprocess.run(
        [*command, "--studies", "inherent_randomness"],
        cwd=ROOT, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": "scripts:benchmarks"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "2 searches, 90 trials, 90 ok" in done.stdout
    assert "of CPU seconds" in done.stdout
