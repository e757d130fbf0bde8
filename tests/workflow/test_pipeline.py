"""The pipeline as a user runs it: what is made, what is made again, and what is not."""

import json
import os
import signal
import time

import pandas as pd
import pytest
from reseed.trials import made_by, read_trial

pytestmark = pytest.mark.workflow
TRAINED = 2 * (4 + 3 - 1)  # two models; one trial is shared by both experiments


def test_from_raw_data_to_the_report(project):
    text = project.run()
    assert "results/report/index.html" in text
    assert len(project.trials()) == TRAINED
    study = project.folder / "results" / "studies" / "small"
    metrics = pd.read_parquet(study / "metrics.parquet")
    assert len(metrics) == 2 * (4 + 3)
    assert (metrics["status"] == "ok").all()
    spread = pd.read_parquet(study / "statistics" / "spread.parquet")
    cell = metrics[(metrics["experiment"] == "model_seeds") & (metrics["model"] == "forest")]
    row = spread[(spread["experiment"] == "model_seeds") & (spread["model"] == "forest")]
    assert row["median"].item() == cell["auc"].median()
    for file in ("tables/scores.tex", "tables/scores.md", "figures/bars.pdf", "figures/bars.png"):
        assert (study / file).stat().st_size > 0
    assert not project.planned()


def test_more_seeds_train_only_what_is_new(project):
    project.run()
    before = project.trials()
    project.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] = 6
    project.write("studies/small", project.study)
    project.run()
    after = project.trials()
    assert len(after) == len(before) + 2 * 2
    assert {path: after[path] for path in before} == before


def test_deleted_trials_alone_are_made_again_and_equal(project):
    project.run()
    before = project.trials()
    lost = list(before)[:3]
    prints = [read_trial(project.folder / path)["fingerprint"] for path in lost]
    for path in lost:
        (project.folder / path).unlink()
    project.run()
    after = project.trials()
    assert {path for path in before if after[path] != before[path]} == set(lost)
    assert [read_trial(project.folder / path)["fingerprint"] for path in lost] == prints


def test_another_block_size_retrains_nothing(project):
    project.run()
    before = project.trials()
    project.run("--config", "seeds_per_job=1")
    assert project.trials() == before


def append(project, file, text):
    path = project.folder / "scripts" / "reseed" / file
    path.write_text(path.read_text() + text)


def test_an_edited_figure_is_redrawn_and_nothing_else(project):
    project.run()
    append(project, "exhibits/range_bars.py", "\nUNUSED = 1\n")
    assert set(project.planned()) == {"figure", "report", "all"}


def test_an_edited_model_retrains_its_family_alone(project):
    project.run()
    before = project.trials()
    append(project, "models/forest.py", "\nUNUSED = 1\n")
    project.run()
    after = project.trials()
    assert {path for path in before if after[path] != before[path]} == {
        path for path in before if "/forest/" in path
    }


def test_comments_and_touched_files_change_nothing(project):
    project.run()
    append(project, "models/forest.py", "\n# a comment\n")
    (project.folder / "scripts" / "train.py").touch()
    assert not project.planned()


def test_a_killed_run_goes_on_where_it_stopped(project):
    slow = """
import time
from sklearn.dummy import DummyClassifier

def slow(task, n_classes, hyperparameters, seeds, device, threads):
    time.sleep(0.5)
    return DummyClassifier(strategy="stratified", random_state=seeds["init"])
"""
    (project.folder / "my_models.py").write_text(slow)
    slow_model = {"name": "slow", "title": "Slow", "factory": "my_models:slow"}
    project.write("models/slow", slow_model)
    project.study["models"] = ["slow"]
    project.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] = 20
    project.write("studies/small", project.study)
    process = project.start()
    deadline = time.monotonic() + 120
    while len(project.trials()) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = project.trials()
    assert 3 <= len(done) < 22
    assert all(made_by(project.folder / path) for path in done)
    assert "--unlock" in project.run(fails=True)
    project.run("--unlock")
    project.run()
    after = project.trials()
    assert len(after) == 22
    assert {path: after[path] for path in done} == done


def test_a_trial_that_raises_is_a_row_and_the_study_finishes(project):
    broken = """
from sklearn.dummy import DummyClassifier

def sometimes(task, n_classes, hyperparameters, seeds, device, threads):
    if seeds["init"] == 2:
        raise FloatingPointError("loss is NaN at epoch 3")
    return DummyClassifier(strategy="stratified", random_state=seeds["init"])
"""
    (project.folder / "my_models.py").write_text(broken)
    project.write("models/odd", {"name": "odd", "title": "Odd", "factory": "my_models:sometimes"})
    project.study["models"] = ["odd"]
    project.write("studies/small", project.study)
    project.run()
    study = project.folder / "results" / "studies" / "small"
    about = json.loads((study / "about.json").read_text())
    assert about["trials"]["failed"] == 1
    assert "loss is NaN at epoch 3" in about["trials"]["failures"][0]["error"]
    spread = pd.read_parquet(study / "statistics" / "spread.parquet")
    assert spread.loc[spread["experiment"] == "model_seeds", "n"].item() == 3
    assert "loss is NaN at epoch 3" in (project.folder / "results/report/index.html").read_text()


def test_tuned_once_and_tuned_for_each_pair(project):
    project.study["experiments"] = {
        "fixed": {
            "hyperparameters": {"mode": "fixed", "trials": 2, "folds": 2},
            "seeds": {"model": {"count": 2}},
        },
        "tuned": {
            "hyperparameters": {"mode": "tuned", "trials": 2, "folds": 2, "method": "random"},
            "seeds": {"model": {"count": 2}},
        },
    }
    project.study["models"] = ["forest"]
    project.write("studies/small", project.study)
    project.run()
    searches = sorted((project.folder / "results" / "tuning").rglob("*.json"))
    assert len(searches) == 1 + 2
    for path in searches:
        best = json.loads(path.read_text())
        log = pd.read_parquet(path.with_suffix(".parquet"))
        assert best["best"]["max_depth"] in (2, 3, 4)
        assert len(log) == 4
        mean = log.groupby("configuration")["score"].mean()
        assert best["best_score"] == pytest.approx(mean.max())
    trial = read_trial(project.folder / next(p for p in project.trials() if "fixed-" in p))
    best = next(p for p in searches if "fixed-" in str(p))
    assert (
        json.loads(trial["hyperparameters"])["max_depth"]
        == (json.loads(best.read_text())["best"]["max_depth"])
    )


def test_repeated_folds_make_a_trial_each(project):
    project.study["splits"] = [{"kind": "kfold", "folds": 3, "repeats": 2}]
    project.study["experiments"] = {"folds": {"seeds": {"model": {"count": 2}}}}
    project.study["models"] = ["boost"]
    project.write("studies/small", project.study)
    project.run()
    metrics = pd.read_parquet(project.folder / "results/studies/small/metrics.parquet")
    assert len(metrics) == 3 * 2 * 2
    assert metrics.groupby(["repeat", "fold"]).size().eq(2).all()


def test_roles_set_apart(project):
    project.study["experiments"] = {
        "init": {"seeds": {"init": {"count": 2}}},
        "order": {"seeds": {"order": {"count": 2}}},
    }
    project.study["models"] = ["boost"]
    project.write("studies/small", project.study)
    project.run()
    names = {path.rsplit("/", 1)[1] for path in project.trials()}
    assert names == {
        "model-seed-0.parquet",
        "init-1-order-0-dropout-0-augment-0.parquet",
        "init-0-order-1-dropout-0-augment-0.parquet",
    }


def test_verify_passes_and_can_fail(project):
    assert "bitwise the same" in project.run("verify")
    path = project.folder / next(iter(project.trials()))
    table = pd.read_parquet(path)  # forge a record: same metadata, another fingerprint
    import pyarrow as pa
    import pyarrow.parquet as pq

    stored = pq.read_table(path)
    column = stored.schema.get_field_index("fingerprint")
    forged = stored.set_column(column, "fingerprint", pa.array(["0" * 64]))
    pq.write_table(forged.replace_schema_metadata(stored.schema.metadata), path)
    assert len(table) == 1
    text = project.run("verify", "--config", "verify_sample=100", fails=True)
    assert "differ from their record" in text
    assert str(path.relative_to(project.folder)) in text


def test_ten_thousand_seeds_are_planned(project):
    project.study["models"] = ["boost"]
    project.study["experiments"] = {"many": {"seeds": {"model": {"count": 10000}}}}
    project.study["analyses"], project.study["exhibits"] = {}, {}
    project.write("studies/small", project.study)
    jobs = project.planned("--config", "seeds_per_job=100")
    assert sum(count for name, count in jobs.items() if name.startswith("train")) == 100
