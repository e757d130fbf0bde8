"""Limit numerical libraries to one thread per process, as the pipeline does for its jobs.

The variables must be set before any library is imported.
"""

import gc
import os
import re
import subprocess
import tempfile
from pathlib import Path

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")
# Reseed syncs each file that it writes, for which a disk needs longer than most tests.
_MEMORY = "/dev/shm"
if "PYTEST_DEBUG_TEMPROOT" not in os.environ and os.access(_MEMORY, os.W_OK):
    _disk = os.statvfs(_MEMORY)
    if _disk.f_bavail * _disk.f_frsize > 4e9 and not _disk.f_flag & os.ST_NOEXEC:
        _folder = tempfile.TemporaryDirectory(prefix="reseed-", dir=_MEMORY)
        os.environ |= {"PYTEST_DEBUG_TEMPROOT": _MEMORY, "TMPDIR": _folder.name}
gc.disable()  # until all tests are collected

import pandas as pd  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# Examples are reproducible; `pytest --hypothesis-profile=default` draws new ones. No test fails
# because the machine is busy.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")


@pytest.fixture(autouse=True)
def _same_strings():
    """Restore the storage of texts, which the command line sets for its process."""
    name = "mode.string_storage"
    with pd.option_context(name, pd.get_option(name)):
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run long tests first, so that short ones are left to share at the end."""
    items.sort(key=lambda item: "workflow" not in item.keywords)
    if not os.environ.get("RESEED_NIGHTLY"):
        skip = pytest.mark.skip(reason="runs nightly: set RESEED_NIGHTLY=1")
        for item in items:
            if "nightly" in item.keywords:
                item.add_marker(skip)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of later collections of garbage.

    Thousands of tests make a full collection take 0.4 s, and some libraries start one each call.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


#: Pages that say when their test last passed in full, and how: RESEED_NOTE_RUNS=1 pytest FILE.
NOTED = {
    "tests/cluster/test_slurm.py": ("docs/cluster.md", "Last run"),
    "tests/conda/test_conda.py": ("docs/cluster.md", "Last run with conda"),
    "tests/ci/test_ci.py": ("docs/ci.md", "Last run"),
    "tests/docs/test_tracker_page.py": ("docs/your-tracker.md", "Last run"),
}


def pytest_terminal_summary(terminalreporter, exitstatus):
    if exitstatus or not os.environ.get("RESEED_NOTE_RUNS"):
        return
    root = Path(__file__).parents[1]
    files = {
        outcome: {one.nodeid.partition("::")[0] for one in terminalreporter.stats.get(outcome, [])}
        for outcome in ("passed", "skipped")
    }
    git = ["git", "log", "-1", "--format=%h, %cs"]
    commit = subprocess.run(git, cwd=root, capture_output=True, text=True, check=True).stdout
    for file in files["passed"] - files["skipped"]:
        if file in NOTED:
            name, words = NOTED[file]
            page = root / name
            note = f"{words}: commit {commit.strip()}."
            page.write_text(re.sub(rf"{words}: [^.]+\.", note, page.read_text()))
