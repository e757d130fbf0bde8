"""An edit of the library during a run stops the jobs behind it, and leaves nothing wrong."""

import time

import pytest
from fault_harness.warm import shared_runner

pytestmark = pytest.mark.workflow


def edit_when(project, condition, file, text):
    """Start a run, append to a library file once a condition holds, and return the output."""
    run = project.start_warm()
    deadline = time.monotonic() + 120
    while not condition() and not shared_runner().wait(run, 0.02) and time.monotonic() < deadline:
        pass
    project.append(file, text)
    assert shared_runner().wait(run, 600)
    return run.text, run.status


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        ("data", "models/forest.py"),
        pytest.param("splits", "report/exhibits/spread_table.py", marks=pytest.mark.nightly),
    ],
)
def test_a_library_edit_during_a_run_stops_its_jobs(project, folder, file):
    path = project.folder / "scripts" / "reseed" / file
    original, results = path.read_text(), project.folder / "results"
    text, status = edit_when(project, (results / folder).exists, file, "\nEDITED = 1\n")
    assert status != 0
    assert f"{file}: was edited after the run was planned" in text
    path.write_text(original)
    project.run()
    fresh = project.metrics()
    project.run("verify", "--config", "verify_all=true")
    assert (fresh["status"] == "ok").all()
