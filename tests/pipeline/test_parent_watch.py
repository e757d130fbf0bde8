"""A job ends when the process that started its shell ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from reseed.core.errors import ReseedError
from reseed.pipeline.parent_watch import VARIABLE, end_with_parent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prctl and pidfd_open are Linux's")
SCRIPTS = Path(__file__).parents[2] / "scripts"
JOB = "from reseed.pipeline.parent_watch import *; end_with_parent(); print('on', flush=True);"
# A run starts a shell; the shell starts the job, and waits for it.
RUN = f"""
import subprocess, sys
shell = 'export {VARIABLE}=$PPID; "$0" -c "$1"; true'
subprocess.run(["bash", "-c", shell, sys.executable, sys.argv[1]])
"""


def test_job_ends_when_its_run_is_killed():
    job = f"{JOB} import time, os; print(os.getpid(), flush=True); time.sleep(60)"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, job],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SCRIPTS)},
    )
    assert run.stdout.readline() == "on\n"
    number = int(run.stdout.readline())
    run.send_signal(signal.SIGKILL)
    run.wait()
    deadline = time.monotonic() + 20
    while _is_running(number):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_job_of_a_run_that_has_ended_does_not_start(monkeypatch):
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setenv(VARIABLE, str(ended.pid))
    with pytest.raises(ReseedError, match="has ended"):
        _in_fork(end_with_parent)
    stranger = subprocess.Popen(["sleep", "60"])  # alive, but not above this process
    monkeypatch.setenv(VARIABLE, str(stranger.pid))
    with pytest.raises(ReseedError, match="has ended"):
        _in_fork(end_with_parent)
    stranger.kill()
    stranger.wait()


@pytest.mark.parametrize("value", ["", "0", "1", "x"])
def test_process_without_a_run_is_not_watched(monkeypatch, value):
    monkeypatch.setenv(VARIABLE, value)
    threads = threading.active_count()
    end_with_parent()
    assert threading.active_count() == threads


def _is_running(number: int) -> bool:
    """Whether a process exists that has not ended (state Z)."""
    try:
        status = Path("/proc", str(number), "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _in_fork(function):
    """Call a function in a fork: the kernel's setting must not stay in this process."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            function()
        except ReseedError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with os.fdopen(reading) as stream:
        text = stream.read()
    if text:
        raise ReseedError(text)
