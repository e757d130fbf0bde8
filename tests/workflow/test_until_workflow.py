"""An experiment that trains until settled: what is trained, kills, blocks, checks."""

import json
import shutil
import subprocess
import sys
from itertools import combinations, pairwise

import pandas as pd
import pytest
from projects import METRICS, Project
from reseed.cache.trial_records import read_trial
from reseed.stats.sequential import stopping_point

pytestmark = pytest.mark.workflow
MODELS = """
import os

from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import DecisionTreeClassifier


def stump(task, n_classes, hyperparameters, seeds, device, threads):
    return DecisionTreeClassifier(
        max_depth=1, max_features=1, random_state=seeds["init"], **hyperparameters
    )


def trees(task, n_classes, hyperparameters, seeds, device, threads):
    if seeds["init"] in (2, 7) and os.path.exists("no_licence"):
        raise RuntimeError("no licence")
    return ExtraTreesClassifier(20, max_depth=4, random_state=seeds["init"])
"""
SEEDS, FIRST, BATCH = 18, 6, 4
BORDERS = [6, 10, 14, 18]
ARMS = ["other_stump", "stump", "trees"]
SETTLED = "results/studies/small/statistics/settled.csv"


def write_study(project, **until):
    """Two stumps of the same kind, and trees that are better than both."""
    (project.folder / "my_models.py").write_text(MODELS)
    for name in ARMS:
        factory = f"my_models:{name.removeprefix('other_')}"
        entry = {"name": name, "title": name, "factory": factory, "seconds_per_trial": 0.05}
        if name == "other_stump":
            entry["hyperparameters"] = {"min_samples_leaf": 2}
        project.write(f"models/{name}", entry)
    experiment = {
        "seeds": {"model": {"count": SEEDS}},
        "until": {"first": FIRST, "batch": BATCH, **until},
    }
    for name in ("analyses", "exhibits"):
        project.study.pop(name, None)
    project.change(models=ARMS, experiments={"runs": experiment})


@pytest.fixture(scope="module")
def _once(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("settled"))
    project.write_files()
    write_study(project)
    project.run()
    return project


@pytest.fixture
def settled(_once, tmp_path):
    """A copy of a project with the finished study."""
    return _once.copy(tmp_path)


def decisions(project):
    folder = project.folder / "results/studies/small/rounds/runs"
    return [path.read_text() for path in sorted(folder.glob("round-*.json"))]


def outcome(project):
    """Scores of the trials that were needed, and the decisions."""
    metrics = project.metrics().drop(columns=["train_seconds", "environment"])
    return metrics, decisions(project)


def expected_runs(scores, metric="auc", alpha=0.05):
    """Seeds of each arm by the rule, from the scores of all seeds, without any code of rounds."""
    pairs = list(combinations(ARMS, 2))
    runs, stopped = dict.fromkeys(ARMS, FIRST), set()
    for now, after in pairwise(BORDERS):
        for pair in pairs:
            a, b = (scores[arm][: min(runs[arm] for arm in pair)] for arm in pair)
            if stopping_point(a - b, alpha / len(pairs)).n is not None:
                stopped.add(pair)
        for arm in {arm for pair in pairs if pair not in stopped for arm in pair}:
            assert runs[arm] == now
            runs[arm] = after
    return runs


def start_again(project):
    for name in ("results", ".snakemake"):
        shutil.rmtree(project.folder / name)


def test_only_open_pairs_are_trained_with_kills_and_blocks(settled):
    metrics, decided = outcome(settled)
    assert not settled.planned()
    check_against_all_seeds(settled, metrics)
    check_pages_and_files(settled, metrics)
    settled.run("verify")
    for options in (("--config", "seeds_per_job=1"), ("--config", "block_seconds=0.2")):
        start_again(settled)
        settled.kill_once(lambda: decisions(settled), METRICS, *options)
        settled.train(*options)
        found, again = outcome(settled)
        pd.testing.assert_frame_equal(found, metrics)
        assert again == decided


def check_against_all_seeds(project, metrics):
    """The trials are those that the rule needs, by the scores of a study of all seeds."""
    fixed = {"all": {"seeds": {"model": {"count": SEEDS}}}}
    project.write("studies/whole", project.study | {"name": "whole", "experiments": fixed})
    project.run("results/studies/whole/metrics.parquet")
    whole = pd.read_parquet(project.folder / "results/studies/whole/metrics.parquet")
    (project.folder / "config/studies/whole.yaml").unlink()
    metric = json.loads((project.folder / "results/studies/whole/about.json").read_text())
    metric = metric["datasets"]["table"]["metric"]
    scores = {
        arm: rows.sort_values("init")[metric].to_numpy() for arm, rows in whole.groupby("model")
    }
    runs = expected_runs(scores)
    assert FIRST <= runs["trees"] < SEEDS, "the trees must be settled before the maximum"
    assert metrics.groupby("model").size().to_dict() == runs
    marks = whole.set_index(["model", "init"])["fingerprint"]
    for _, row in metrics.iterrows():
        assert row["fingerprint"] == marks[row["model"], row["init"]]
    shutil.rmtree(project.folder / "results/studies/whole")


def check_pages_and_files(project, metrics):
    """Counts, notes and placeholder records of trials that were not needed."""
    about = json.loads((project.folder / "results/studies/small/about.json").read_text())
    counts, total = about["trials"], len(ARMS) * SEEDS
    assert (counts["planned"], counts["ok"]) == (total, len(metrics))
    assert counts["skipped"] == total - len(metrics) > 0
    longest = metrics.groupby("model").size().max()
    assert any(f"{longest} of {SEEDS} seeds" in note for note in about["notes"])
    assert f"{len(metrics)} of {total} trials were needed" in about["notes"][-1]
    page = (project.folder / "results/report/small.html").read_text()
    assert f"{total - len(metrics)} not needed" in page
    table = pd.read_csv(project.folder / SETTLED)
    assert set(table["pairs"]) == {3}


def skipped(project):
    paths = (project.folder / "results/trials").rglob("*.parquet")
    return [path for path in paths if read_trial(path).status == "skipped"]


def prune(project):
    library = {"PYTHONPATH": str(project.folder / "scripts")}
    command = [sys.executable, "-m", "reseed", "prune", "--yes"]
    subprocess.run(command, cwd=project.folder, env=project.environment | library, check=True)


def test_a_changed_rule_trains_what_it_needs(settled):
    first = skipped(settled)
    assert first
    before = settled.metrics()
    settled.forget_logs()
    write_study(settled, alpha=1e-9)  # nothing is settled: every trial is needed
    settled.train()
    assert not skipped(settled)
    after = settled.metrics()
    assert len(after) == len(ARMS) * SEEDS
    assert settled.trained() == len(first)
    marks = after.set_index(["model", "init"])["fingerprint"]
    assert all(marks[r["model"], r["init"]] == r["fingerprint"] for _, r in before.iterrows())
    write_study(settled)
    settled.forget_logs()
    settled.train()
    pd.testing.assert_frame_equal(settled.metrics(), before)
    assert settled.trained() == 0
    entries = list((settled.folder / "results/store").glob("??/*.test.parquet"))
    prune(settled)
    left = list((settled.folder / "results/store").glob("??/*.test.parquet"))
    assert len(entries) - len(left) == len(first)  # trials that are not needed now
    assert not settled.planned(METRICS)


def test_a_trial_needed_elsewhere_replaces_its_placeholder(settled):
    before, first = settled.metrics(), skipped(settled)
    shutil.rmtree(settled.folder / ".snakemake")  # Snakemake knows nothing of its parameters
    experiments = settled.study["experiments"]
    fixed = {"fixed": {"seeds": {"model": {"count": SEEDS}}, "models": ["trees", "stump"]}}
    settled.change(experiments=experiments | fixed)
    settled.forget_logs()
    settled.train()
    assert settled.trained() == sum("other_stump" not in str(path) for path in first)
    after = settled.metrics()
    runs = after[after["experiment"] == "runs"].reset_index(drop=True)
    pd.testing.assert_frame_equal(runs, before, check_dtype=False)
    assert (after["experiment"] == "fixed").sum() == 2 * SEEDS


def test_a_deleted_or_altered_decision_is_made_again(settled):
    before, decided = outcome(settled)
    path = settled.folder / "results/studies/small/rounds/runs/round-0.json"
    path.unlink()
    settled.run()
    found, again = outcome(settled)
    assert again == decided
    pd.testing.assert_frame_equal(found, before)
    path.write_text(path.read_text().replace('"open"', '"different"'))
    assert "round-0.json" in settled.run("verify", fails=True)


def test_a_deleted_decision_of_a_covered_experiment(settled):
    """Another experiment needs every trial in any case."""
    fixed = {"fixed": {"seeds": {"model": {"count": SEEDS}}}}
    analyses = {"settled": {"kind": "stopping", "experiments": ["runs"]}}
    experiments = settled.study["experiments"] | fixed
    settled.change(experiments=experiments, analyses=analyses, exhibits={})
    settled.run()
    before = decisions(settled)
    (settled.folder / "results/studies/small/rounds/runs/round-0.json").unlink()
    settled.run()
    assert decisions(settled) == before


def test_failed_trials_are_missing_from_pairs_and_retried(project):
    write_study(project)
    (project.folder / "no_licence").touch()
    project.run(SETTLED)
    metrics = project.metrics()
    failed = metrics[metrics["status"] == "failed"]
    assert set(failed["model"]) == {"trees"}
    assert set(failed["init"]) >= {2}
    table = pd.read_csv(project.folder / SETTLED)
    with_trees = table[(table["model_a"] == "trees") | (table["model_b"] == "trees")]
    runs = metrics.groupby("model").size()
    assert set(with_trees["n"]) == {runs["trees"] - len(failed)}
    (project.folder / "no_licence").unlink()
    assert not project.planned(SETTLED)
    project.train("--config", "retry_failed=true")
    retried, again = outcome(project)
    assert (retried["status"] == "ok").all()
    start_again(project)
    project.train()
    fresh, decided = outcome(project)
    pd.testing.assert_frame_equal(retried, fresh)
    assert again == decided
