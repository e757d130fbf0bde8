"""Steps of `verify`: jobs after preparation, and which of them are needed."""

from pathlib import Path

import pytest
from reseed.core.layout import ResultsLayout
from reseed.jobs.replay import needed_steps
from reseed.pipeline.job import Job
from reseed.pipeline.replay_steps import list_steps
from reseed.planning.specs import ReplayStep


def job(module, name, inputs, outputs):
    return Job(module, inputs, outputs, name, lambda: None, "env")


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    return [
        job("collect_trials", "collect-a", ["results/t"], ["results/m"]),
        job("export", "export-b", ["results/m"], ["elsewhere/runs.csv"]),
        job("analyse", "analyse-a", ["results/m"], ["results/s", "results/s.csv"]),
        job("draw", "draw-c", ["results/u"], ["results/e"]),
    ]


def steps(jobs, **options):
    return list(list_steps(jobs, ResultsLayout("results"), lambda job: job.key, **options))


def test_steps_name_files_below_the_results_folder(jobs):
    assert steps(jobs) == [
        ReplayStep("collect_trials", "collect-a", (), ("m",)),
        ReplayStep("analyse", "analyse-a", ("m",), ("s", "s.csv")),
        ReplayStep("draw", "draw-c", (), ("e",)),
    ]


def test_jobs_that_depend_on_missing_files_are_left_out(jobs):
    Path("results/u").touch()
    assert [one.spec for one in steps(jobs, finished_only=True)] == ["draw-c"]
    Path("results/t").touch()
    assert len(steps(jobs, finished_only=True)) == 3


def test_only_steps_behind_existing_files_are_needed(jobs):
    found = steps(jobs)
    assert needed_steps(found, Path("results")) == []
    Path("results/s.csv").touch()
    assert [one.spec for one in needed_steps(found, Path("results"))] == ["collect-a", "analyse-a"]
