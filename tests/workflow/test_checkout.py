"""The included test project leaves nothing in a checkout that git would track."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
@pytest.mark.parametrize("file", ["results/report/index.html", ".snakemake/metadata/x"])
def test_results_of_the_test_project_are_ignored(file):
    path = Path(".test", file)
    command = ["git", "check-ignore", "--quiet", path]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
