"""Local GPUs: as many trainings as devices, each sees its own, a killed one gives its back."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from reseed.core.errors import ReseedError
from reseed.pipeline import device_locks as devices
from reseed.pipeline.device_locks import VISIBLE, claim, lock_folder, visible_devices

SCRIPTS = Path(__file__).parents[2] / "scripts"
# A job: claims, says what it got, then holds on to it until it is told to end.
JOB = """
import os, sys
from pathlib import Path
from reseed.pipeline.device_locks import claim
claim(int(sys.argv[2]), folder=Path(sys.argv[1]), report=lambda text: print("waiting", flush=True))
print(os.environ["CUDA_VISIBLE_DEVICES"], flush=True)
sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def _nothing_stays_claimed():
    yield
    devices.release()


@pytest.fixture
def jobs(tmp_path):
    started = []

    def start(count=1, visible="3,5"):
        process = subprocess.Popen(
            [sys.executable, "-c", JOB, str(tmp_path), str(count)],
            env=os.environ | {VISIBLE: visible, "PYTHONPATH": str(SCRIPTS)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def said(process):
    return process.stdout.readline().strip()


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (None, ["0", "1"]),
        ("", []),
        ("-1", []),
        ("2", ["2"]),
        ("1, 0", ["1", "0"]),
        ("1,-1,0", ["1"]),
        ("GPU-8d1a,MIG-77", ["GPU-8d1a", "MIG-77"]),
    ],
)
def test_visible_devices_are_read_as_cuda_reads_them(named, expected):
    environment = {} if named is None else {VISIBLE: named}
    assert visible_devices(environment, lambda: ["0", "1"]) == expected


def test_unknown_devices_are_not_hidden(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/nowhere")
    environment = {}
    assert claim(1, environment, tmp_path) is None
    assert environment == {}


def test_job_without_a_gpu_sees_no_device(tmp_path):
    environment = {VISIBLE: "0,1"}
    assert claim(0, environment, tmp_path) == []
    assert environment[VISIBLE] == ""


def test_devices_from_a_scheduler_need_no_lock(tmp_path):
    # Two Slurm jobs of one node may both be told "0" and mean two devices.
    for job in ("7", "8"):
        assert claim(1, {VISIBLE: "0", "SLURM_JOB_ID": job}, tmp_path / "locks") == ["0"]
    assert not (tmp_path / "locks").exists()


def test_single_device_serves_one_job_at_a_time(jobs):
    first, second = jobs(visible="0"), jobs(visible="0")
    lines = {said(first), said(second)}
    assert lines == {"0", "waiting"}


def test_a_device_that_is_named_twice_serves_two_jobs(jobs):
    first, second, third = (jobs(visible="0,0") for _ in range(3))
    assert sorted(map(said, (first, second, third))) == ["0", "0", "waiting"]


def test_a_job_of_two_devices_never_gets_one_of_them_twice(jobs):
    assert said(jobs(count=2, visible="0,0,1")) == "0,1"


def test_grant_is_limited_to_the_existing_devices(tmp_path):
    environment = {}
    assert claim(2, environment, tmp_path, installed=lambda: []) == []
    assert environment[VISIBLE] == ""


def test_a_negative_grant_is_refused(tmp_path):
    with pytest.raises(ReseedError, match="0 or more"):
        claim(-1, {}, tmp_path)


def test_two_jobs_get_one_device_each_and_a_third_waits(jobs):
    first, second = jobs(), jobs()
    assert {said(first), said(second)} == {"3", "5"}
    third = jobs()
    assert said(third) == "waiting"
    second.communicate("end\n")
    assert said(third) in ("3", "5")


def test_killed_job_releases_its_device(jobs):
    first = jobs(visible="3,5")
    assert said(first) == "3"
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert said(jobs()) == "3"


def test_jobs_that_request_two_devices_do_not_deadlock(jobs):
    def run_to_the_end(process):
        line = said(process)
        if line == "waiting":
            line = said(process)
        process.communicate("end\n")
        return line

    # Each is listened to by itself: whoever waits speaks only once another has ended.
    with ThreadPoolExecutor(3) as listeners:
        found = listeners.map(run_to_the_end, [jobs(2, "0,1,2") for _ in range(3)], timeout=60)
        # Two of three devices: a waiting job may find 1 and 2 free an instant before 0.
        assert {*found} <= {"0,1", "0,2", "1,2"}


def test_lock_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(devices.os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(ReseedError, match="belongs to another user"):
        claim(1, {VISIBLE: "0"}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_locks_of_two_allocations_are_separate():
    folders = {lock_folder({}), lock_folder({"SLURM_JOB_ID": "7"}), lock_folder({"JOB_ID": "../8"})}
    assert len(folders) == 3
    assert all(".." not in folder.parts for folder in folders)
