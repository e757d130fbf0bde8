"""Console lines of a run."""

import io
import json
import logging
from types import SimpleNamespace

import pytest
from reseed.core.errors import RETRY_HINT
from reseed.core.layout import ResultsLayout
from reseed.pipeline.progress import Progress, failed_trials, format_duration
from reseed.pipeline.stage_table import StageNeeds, format_stages


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


def start(progress, job, rule, label=None):
    send(progress, "job_started", jobs=[job])
    send(progress, "job_info", jobid=job, rule_name=rule, rule_msg=label, log=["job.log"])


def test_plan_and_finished_jobs_are_printed(progress, clock):
    stats = {"train": 3, "index": 1, "all": 1, "total": 5}
    assert send(progress, "run_info", stats=stats) == "4 jobs: train 3, index 1\n"
    start(progress, 7, "train", "train XGB on MAGIC, seed 0")
    clock.now = 65.0
    text = send(progress, "job_finished", job_id=7)
    line = "[1/4] train XGB on MAGIC, seed 0 (1 min 05 s, about 3 min 15 s left)\n"
    assert text.endswith(line)


def test_last_job_is_printed_without_remaining_time(progress, clock):
    send(progress, "run_info", stats={"report": 1, "total": 1})
    start(progress, 1, "report")
    clock.now = 2.0
    assert send(progress, "job_finished", job_id=1).endswith("[1/1] report (2 s)\n")


def test_requested_study_is_not_counted_as_a_job(progress):
    progress.targets.add("my_runs")
    stats = {"table": 2, "page": 1, "my_runs": 1, "total": 4}
    assert send(progress, "run_info", stats=stats) == "3 jobs: table 2, page 1\n"
    send(progress, "job_started", jobs=[1])
    send(progress, "job_info", jobid=1, rule_name="my_runs", log=[])
    assert "my" not in send(progress, "job_finished", job_id=1)


def test_dry_run_prints_each_reason_once(clock):
    progress = Progress(io.StringIO(), clock, dry=True)
    stats = {"train": 2, "figure": 1, "total": 3}
    send(progress, "run_info", stats=stats)
    changed = "Missing output files: x; Params have changed since last execution: y"
    follow = "Input files updated by another job: x"
    resources = {
        "train": SimpleNamespace(gpu=1, mem_mb=1500, runtime=65, disk_mb=900),
        "figure": SimpleNamespace(),
    }
    for rule, reason in (("train", changed), ("train", changed), ("figure", follow)):
        fields = {"rule_name": rule, "reason": reason, "threads": 2, "resources": resources[rule]}
        send(progress, "job_info", jobid=1, log=["l"], **fields)
    send(progress, "run_info", stats=stats)
    text = send(progress, message="Reasons:\n    (check individual jobs above for details)")
    assert text.splitlines() == [
        "3 jobs: train 2, figure 1",
        "  because its code, recipe, data or trials have changed: train 2",
        "  because upstream output changes: figure 1",
        "  rule   jobs  threads  memory  time limit  GPUs  core-hours  GPU-hours    disk",
        "  train     2        2  1.5 GB      65 min     1         4.3        2.2  1.8 GB",
        "Hours: at most, by the time limits. Hours and disk grow with data not prepared yet.",
        "Commands and reasons of all jobs: snakemake -n -p --quiet host",
        "This was a dry run. Nothing was made.",
    ]


def test_failed_job_shows_the_end_of_its_log(progress, tmp_path):
    log = tmp_path / "job.log"
    log.write_text("".join(f"line {n}\n" for n in range(50)) + "Error: column y is missing\n")
    start(progress, 1, "prepare_table", "prepare MAGIC")
    text = send(progress, "job_error", jobid=1, rule_name="prepare_table", log=[str(log)])
    assert "FAILED prepare MAGIC\n" in text
    assert "Error: column y is missing" in text
    assert "line 10\n" not in text
    assert str(log) in text


def test_errors_are_printed_and_routine_messages_are_not(progress):
    send(progress, message="Building DAG of jobs...")
    send(progress, "error", "RuleException: a long command", logging.ERROR)
    assert send(progress, "error", "LockException: locked", logging.ERROR) == (
        "LockException: locked\n"
    )
    text = "WorkflowError:\nAt least one job did not complete successfully."
    before = progress.stream.getvalue()
    assert send(progress, "error", text, logging.ERROR) == before
    assert "Nothing to be done" in send(progress, message="Nothing to be done (all files).")


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.6, "4 s"), (725, "12 min 05 s"), (11220, "3 h 07 min")]
)
def test_durations(seconds, text):
    assert format_duration(seconds) == text


def test_failed_trials_are_listed_at_the_end(tmp_path):
    first = {"dataset": "loans", "model": "mine", "error": "KeyError: 'depth'"}
    trials = {"failed": 12, "ok": 12, "failures": [first] * 12}
    for name, counts in (("a", trials), ("b", {"failed": 0, "ok": 3, "failures": []})):
        (tmp_path / "studies" / name).mkdir(parents=True)
        about = json.dumps({"trials": counts})
        (tmp_path / "studies" / name / "about.json").write_text(about)
    lines = failed_trials(ResultsLayout(str(tmp_path)), ["a", "b", "not_run"])
    failed = "a: 12 of 24 trials failed, for example loans, mine: KeyError: 'depth'"
    assert lines == [failed, RETRY_HINT]


def test_rules_that_fetch_files_are_named_after_a_dry_run():
    stages = {name: StageNeeds(jobs=3) for name in ("prepare_table", "weights.bert", "split")}
    *_, network, _ = format_stages(stages)
    assert network.startswith("prepare_table, weights.bert may fetch files;")
