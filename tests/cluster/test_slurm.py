"""The Slurm profile on a real Slurm: devices, equal results, and cancelled jobs.

These tests take a quarter of an hour and install Debian's Slurm, so they need
RESEED_CLUSTER_TESTS=1. RESEED_CLUSTER_TESTS=full adds the project's studies at scale smoke.
"""

import json
import os
import re
import subprocess
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from fault_harness.blocks import read_all
from fault_harness.compare import hash_contents, list_differences
from fault_harness.workspace import REPOSITORY, Workspace, kill_group
from slurm_cluster import SWITCH

pytestmark = pytest.mark.workflow
# The example in the profile; the plug-in refuses options that it sets itself.
EXAMPLES = (REPOSITORY / "profiles" / "slurm" / "config.yaml").read_text()
EXTRA = re.search(r"# slurm_extra: \"(.+?)\"", EXAMPLES)[1]
# Settings of the site: without accounting, squeue reports the status.
SITE = (
    *("--profile", "profiles/slurm", "--slurm-no-account", "--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "6", "--seconds-between-status-checks", "6"),
    *("--latency-wait", "5"),
    *("--default-resources", "slurm_partition=main", "mem_mb=500", f"slurm_extra={EXTRA}"),
)
MODELS = {"tree": {}, "gpu": {"device": "auto"}}
# Two blocks for each model, long enough that two GPU jobs run at once.
BLOCKS, SECONDS = ("--config", "seeds_per_job=3"), 6


def workspace(folder, python, models=MODELS, **options) -> Workspace:
    project = Workspace.small(folder, python, models, **options)
    project.study["analyses"]["again"] = {"kind": "spread"}
    project.write("studies/small", project.study)
    project.environment["WORKSPACE_NOTES"] = str(folder / "notes")
    return project


def notes(project: Workspace) -> list[list[str]]:
    """Model, visible devices, Slurm job and seed of every model that was built, so far."""
    path = project.folder / "notes"
    return [line.split("|") for line in path.read_text().splitlines()] if path.exists() else []


def trainings(project: Workspace) -> list[list[str]]:
    """The notes without the first of each model, which is its try on a few rows."""
    built = notes(project)
    names = [note for note, *_ in built]
    return [line for place, line in enumerate(built) if line[0] in names[:place]]


def array_task(slurm, number: str) -> str:
    """Slurm's `ARRAY_TASK` of a job: the number of one task is that of its whole array."""
    job = next(job for job in slurm.jobs() if job["JobId"] == number)
    return f"{job['ArrayJobId']}_{job['ArrayTaskId']}"


@pytest.fixture(scope="module")
def both(tmp_path_factory, slurm, slurm_python):
    """The same study run locally and by Slurm, with the facts of the Slurm jobs."""
    local = workspace(tmp_path_factory.mktemp("local"), slurm_python, seconds=SECONDS)
    local.run(*BLOCKS)
    before = {job["JobId"] for job in slurm.jobs()}
    remote = workspace(tmp_path_factory.mktemp("remote"), slurm_python, seconds=SECONDS)
    remote.run(*SITE, "runtime=10", *BLOCKS)
    jobs = {job["JobId"]: job for job in slurm.jobs() if job["JobId"] not in before}
    return local, remote, jobs


def test_results_through_slurm_are_bitwise_those_of_a_local_run(both):
    local, remote, _ = both
    expected = hash_contents(local.results)
    assert len(expected) > 20
    assert list_differences(expected, hash_contents(remote.results)) == []


def test_each_gpu_block_gets_one_gpu_and_cpu_blocks_none(both):
    _, remote, jobs = both
    started = trainings(remote)
    assert {note for note, *_ in started} == set(MODELS)
    for note, visible, job, _ in started:
        assert jobs[job].get("TresPerJob") == ("gres:gpu:1" if note == "gpu" else None)
        if note == "gpu":
            assert visible in ("0", "1")
        else:
            assert visible in ("unset", "")
    gpu_jobs = sorted({(job, visible) for note, visible, job, _ in started if note == "gpu"})
    together = [
        (device, other_device)
        for (job, device), (other, other_device) in combinations(gpu_jobs, 2)
        if jobs[job]["StartTime"] < jobs[other]["EndTime"]
        and jobs[other]["StartTime"] < jobs[job]["EndTime"]
    ]
    times = [(jobs[job]["StartTime"], jobs[job]["EndTime"]) for job, _ in gpu_jobs]
    assert together, f"no two GPU jobs ran at once, so nothing was tested: {times}"
    assert all(device != other for device, other in together)


def test_training_requests_what_the_plan_says(both):
    _, _, jobs = both
    assert {f"'--nice={job['Nice']}'" for job in jobs.values()} == {EXTRA}
    # Three trials of 30 s on 16,000 rows (0.4 s on 200), plus the start.
    assert {job["TimeLimit"] for job in jobs.values()} == {"00:06:00"}
    # A GPU's jobs have more; the plug-in adds a megabyte for the commands of an array.
    memory = {"1501M", "1502M", "4001M", "4002M"}
    assert {job["MinMemoryNode"] for job in jobs.values()} == memory


def test_slurm_jobs_are_arrays_of_trainings_and_tries(both):
    _, remote, jobs = both
    arrays = {number for number, job in jobs.items() if "ArrayTaskId" in job}
    assert {job for _, _, job, _ in trainings(remote)} == arrays
    assert {job for _, _, job, _ in notes(remote)} == set(jobs)
    assert len(jobs) - len(arrays) == len(MODELS)


def fingerprints(project: Workspace) -> dict[str, str]:
    """Map each trial to the hash of its raw predictions."""
    return {name: trial.fingerprint for name, trial in read_all(project.results).items()}


def wait_for(condition, seconds: float):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := condition():
            return result
        time.sleep(0.5)
    raise AssertionError("the expected event did not happen")


def test_a_job_ended_by_scancel_or_its_time_limit_is_sent_again(tmp_path, slurm, slurm_python):
    # Two blocks: one is cancelled, the other's time limit is cut to less than it needs.
    models = {"cancelled": {}, "slow": {}}
    project = workspace(tmp_path, slurm_python, models, seeds=22, seconds=4)
    process = project.start(*SITE, "runtime=10", "--config", "seeds_per_job=24")
    try:

        def job_of(name):
            """The job that runs the third trial of its model."""
            started = trainings(project)
            return next(
                (job for note, _, job, seed in started if (note, seed) == (name, "2")), None
            )

        job = wait_for(lambda: job_of("cancelled"), 900)
        subprocess.run(["scancel", array_task(slurm, job)], check=True)
        slow = wait_for(lambda: job_of("slow"), 900)
        command = ["scontrol", "update", f"JobId={array_task(slurm, slow)}", "TimeLimit=1"]
        subprocess.run(command, check=True)
        text, _ = process.communicate(timeout=1500)
    except BaseException:
        kill_group(process)
        raise
    assert process.returncode == 0, text
    jobs = {entry["JobId"]: entry for entry in slurm.jobs()}
    assert (jobs[job]["JobState"], jobs[slow]["JobState"]) == ("CANCELLED", "TIMEOUT")
    # Submitted again with twice the time, in whole minutes; one minute is the limit set above.
    limits = [jobs[number]["TimeLimit"] for _, _, number, _ in trainings(project)]
    cut, first, second = sorted({int(limit.split(":")[1]) for limit in limits})
    assert cut == 1
    assert abs(second - 2 * first) <= 1
    assert len(project.trials()) == 2 * (22 + 3 - 1)
    local = workspace(tmp_path / "local", slurm_python, models, seeds=22)
    local.run("--config", "seeds_per_job=24")
    # The sleep of a trial is a hyper-parameter, so only predictions are compared.
    assert fingerprints(local) == fingerprints(project)
    again = Counter((note, seed) for note, _, _, seed in trainings(project) if note == "slow")
    assert sum(count > 1 for count in again.values()) <= 3, "finished trials were trained again"


# One rung of six candidates: a search of one job, or of three shards (180 s by the model's hint).
SEARCH = {"mode": "fixed", "trials": 6, "folds": 2, "method": "random"}
WHOLE, SHARDS = ("--config", "block_seconds=1e6"), ("--config", "block_seconds=60")


def searching(folder, python) -> Workspace:
    """A study whose hyper-parameters one search finds."""
    model = {"search_space": {"max_depth": [1, 2, 3, 4, 5, 6]}}
    project = workspace(folder, python, {"tree": model}, seconds=2)
    del project.study["experiments"]["data_seeds"]
    project.study |= {"hyperparameters": SEARCH, "analyses": {}, "exhibits": {}}
    project.write("studies/small", project.study)
    return project


def search_outcome(project: Workspace) -> tuple[dict, pd.DataFrame]:
    """The winner and the log, without clocks and environments."""
    (path,) = (project.results / "tuning").rglob("model-seed-*.json")
    log = pd.read_parquet(path.with_suffix(".parquet"))
    result = json.loads(path.read_text())
    facts = {name: result[name] for name in ("best", "best_score", "fits", "key")}
    return facts, log.drop(columns=["seconds", "environment"])


def test_shards_on_two_nodes_with_one_killed_agree(tmp_path, slurm, slurm_python):
    local = searching(tmp_path / "local", slurm_python)
    local.run(*WHOLE)
    assert not list((local.results / "tuning").rglob("shard-*"))
    before = {job["JobId"] for job in slurm.jobs()}
    project = searching(tmp_path / "remote", slurm_python)
    process = project.start(*SITE, "runtime=10", *SHARDS)

    def models_built() -> Counter[str]:
        """Number of models that each Slurm job built: one to look at it, and one for each fit."""
        return Counter(job for _, _, job, _ in notes(project))

    def job_with_a_finished_fit() -> str | None:
        return next((job for job, count in models_built().items() if count > 2), None)

    def finished_fits() -> dict[Path, int]:
        files = (project.results / "store").glob("??/*.fits/*.json")
        return {path: path.stat().st_mtime_ns for path in files}

    try:
        killed = wait_for(job_with_a_finished_fit, 900)
        fits = finished_fits()
        subprocess.run(["scancel", "--signal=KILL", "--full", killed], check=True)
        text, _ = process.communicate(timeout=1500)
    except BaseException:
        kill_group(process)
        raise
    assert process.returncode == 0, text
    jobs = {job["JobId"]: job for job in slurm.jobs() if job["JobId"] not in before}
    shards = [job for job in jobs.values() if "shard" in job["Comment"]]
    assert {job["NodeList"] for job in shards} == {"one", "two"}
    assert jobs[killed] in shards
    assert len(shards) == 4  # three, and one again
    assert Counter(job["JobState"] for job in shards)["COMPLETED"] == 3
    facts, log = search_outcome(project)
    expected, expected_log = search_outcome(local)
    assert facts == expected
    pd.testing.assert_frame_equal(log, expected_log)
    assert fingerprints(project) == fingerprints(local)
    assert fits, "no fit was finished when the shard was killed"
    assert fits.items() <= finished_fits().items(), "finished fits are not made again"
    (again,) = (
        job["JobId"]
        for job in shards
        if job["Comment"] == jobs[killed]["Comment"] and job["JobId"] != killed
    )
    counts = models_built()
    assert counts[again] < max(counts[job["JobId"]] for job in shards)


def test_a_job_that_is_never_let_through_is_reported(tmp_path, slurm, slurm_python):
    project = workspace(tmp_path, slurm_python, {"tree": {}}, seconds=20)
    process = project.start(*SITE, "runtime=10", "--retries", "0")
    ended = set()

    def cancel_all():
        for job in {job for _, _, job, _ in trainings(project)} - ended:
            ended.add(job)
            subprocess.run(["scancel", array_task(slurm, job)], check=True)
        return process.poll() is not None

    try:
        wait_for(cancel_all, 900)
        text, _ = process.communicate(timeout=10)
    except BaseException:
        kill_group(process)
        raise
    assert process.returncode != 0
    assert "FAILED train" in text
    assert not (project.results / "report" / "index.html").exists()


def test_a_bucket_in_place_of_a_file_system_is_refused(tmp_path, slurm_python):
    project = workspace(tmp_path, slurm_python, {"tree": {}})
    storage = ("--default-storage-provider", "fs", "--default-storage-prefix", str(tmp_path))
    text = project.run(*storage, "--shared-fs-usage", "none", fails=True)
    assert "run without --default-storage-provider" in text
    assert len(text.splitlines()) < 5


@pytest.mark.skipif(os.environ.get(SWITCH) != "full", reason=f"some 90 jobs: set {SWITCH}=full")
def test_the_projects_own_studies_at_scale_smoke(tmp_path, slurm, slurm_python):
    local = Workspace.own(tmp_path / "local", slurm_python)
    local.run("--config", "scale=smoke")
    remote = Workspace.own(tmp_path / "remote", slurm_python)
    remote.run(*SITE, "runtime=20", "--config", "scale=smoke", timeout=3600)
    assert list_differences(hash_contents(local.results), hash_contents(remote.results)) == []
