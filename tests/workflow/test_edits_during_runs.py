"""An edit of the library during a run stops the jobs behind it, and leaves nothing wrong."""

import time

import pytest

pytestmark = pytest.mark.workflow


def edit_when(project, condition, file, text):
    """Start a run, append to a library file once a condition holds, and return the output."""
    process = project.start()
    deadline = time.monotonic() + 120
    while not condition() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    project.append(file, text)
    return process.communicate(timeout=600)[0], process.returncode


@pytest.mark.parametrize(
    ("folder", "file"),
    [("data", "models/forest.py"), ("splits", "exhibits/spread_table.py")],
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
