"""The comparison with a bare loop runs; its numbers are measured by hand."""

import re
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
    # A local mirror of data adds trials.
    assert re.search(r"2 searches, (\d+) trials, \1 ok, .*of CPU seconds", done.stdout, re.DOTALL)
