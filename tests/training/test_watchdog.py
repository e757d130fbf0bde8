"""A body that hangs ends its process with its message; one that ends in time is not disturbed."""

import subprocess
import sys
import threading
import time

import pytest
from reseed.training.watchdog import time_limit

HANGS = """
import re, sys, time
sys.path.insert(0, "scripts")
from reseed.training import watchdog
watchdog.GRACE_SECONDS = 0.2
try:
    with watchdog.time_limit(0.2, "trial 7 took too long"):
        {body}
finally:
    print("the rest of the program ran")
"""


def run(body: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", HANGS.format(body=body)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_hanging_trial_is_ended_with_a_message():
    ended = run("time.sleep(3600)")
    assert ended.returncode == 1
    assert ended.stderr == "Error: trial 7 took too long\n"
    assert ended.stdout == ""


def test_compiled_code_that_blocks_threads_is_ended():
    ended = run("re.match('(a+)+$', 'a' * 60 + 'b')")
    assert ended.returncode == 1
    assert "Timeout" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize("seconds", [0.3, None])
def test_finished_body_is_not_ended_later(seconds):
    threads = threading.active_count()
    with time_limit(seconds, "never said"):
        pass
    time.sleep(0.5 if seconds else 0)
    assert threading.active_count() == threads
