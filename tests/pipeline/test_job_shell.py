"""`job.sh`: what the log of a job says about the signal that ended it."""

import subprocess
from pathlib import Path

import pytest
from reseed.pipeline import startup

SCRIPT = Path(startup.__file__).with_name("job.sh")


@pytest.mark.parametrize(
    ("number", "meaning"),
    [
        (6, "aborted: a compiled library found an error"),
        (9, "killed, often because memory ran out"),
        (11, "invalid access to memory"),
        (15, "terminated, for example by a scheduler at its time limit"),
        (14, "ALRM"),
    ],
)
def test_signal_that_ended_a_job_is_explained(tmp_path, number, meaning):
    log = tmp_path / "job.log"
    kill = f"import os; os.kill(os.getpid(), {number})"
    command = f'source "{SCRIPT}"; python -c "{kill}" > "{log}" 2>&1'
    run = subprocess.run(["bash", "-c", command], check=False)
    assert run.returncode == 128 + number
    text = log.read_text()
    assert f"ended by signal {number} ({meaning}" in text
    assert "What it finished is kept: run again." in text


def test_log_of_a_job_that_finished_names_no_signal(tmp_path):
    log = tmp_path / "job.log"
    command = f'source "{SCRIPT}"; python -c "print(\'done\')" > "{log}" 2>&1'
    subprocess.run(["bash", "-c", command], check=True)
    assert log.read_text() == "done\n"
