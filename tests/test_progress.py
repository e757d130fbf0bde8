"""What a run prints of its progress."""

import io
import logging

import pytest
from reseed.progress import Progress, minutes


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def progress(clock):
    return Progress(io.StringIO(), clock)


def send(progress, event=None, message="", level=logging.INFO, **fields):
    record = logging.LogRecord("snakemake", level, __file__, 1, message, (), None)
    record.__dict__ |= {"event": event, **fields}
    progress.emit(record)
    return progress.stream.getvalue()


def start(progress, job, rule, log):
    send(progress, "job_started", jobs=[job])
    send(progress, "job_info", jobid=job, rule_name=rule, log=[log])


def test_the_plan_and_each_job(progress, clock):
    stats = {"train_a_1": 1, "train_b_2": 2, "report": 1, "all": 1, "total": 5}
    assert send(progress, "run_info", stats=stats) == "4 jobs: train 3, report 1\n"
    start(progress, 7, "train_a_1", "results/logs/trials/magic/xgb/block-0.log")
    clock.now = 65.0
    text = send(progress, "job_finished", job_id=7)
    assert text.endswith("[1/4] train trials/magic/xgb/block-0, 1 min 05 s\n")


def test_a_failed_job_shows_the_end_of_its_log(progress, tmp_path):
    log = tmp_path / "job.log"
    log.write_text("".join(f"line {n}\n" for n in range(50)) + "Error: column y is missing\n")
    start(progress, 1, "prepare_data", str(log))
    text = send(progress, "job_error", jobid=1, rule_name="prepare_data", log=[str(log)])
    assert "FAILED prepare" in text
    assert "Error: column y is missing" in text
    assert "line 10\n" not in text
    assert str(log) in text


def test_errors_are_told_and_chatter_is_not(progress):
    send(progress, message="Building DAG of jobs...")
    send(progress, "error", "RuleException: a long command", logging.ERROR)
    assert send(progress, "error", "LockException: locked", logging.ERROR) == (
        "LockException: locked\n"
    )
    assert "Nothing to be done" in send(progress, message="Nothing to be done (all files).")


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.6, "4 s"), (725, "12 min 05 s"), (11220, "3 h 07 min")]
)
def test_durations(seconds, text):
    assert minutes(seconds) == text
