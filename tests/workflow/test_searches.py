"""Results of searches are validated, regenerated if damaged, and record their environment."""

import json
import os

import pytest

pytestmark = pytest.mark.workflow
SEARCH = {"mode": "fixed", "trials": 2, "folds": 2}


@pytest.fixture
def searched(project):
    experiments = {"fixed": {"hyperparameters": SEARCH, "seeds": {"model": {"count": 2}}}}
    project.change(models=["forest"], experiments=experiments, analyses={}, exhibits={})
    project.run()
    return project


def winner(project):
    (path,) = (project.folder / "results" / "tuning").rglob("*.json")
    return path


def test_damaged_search_or_split_is_rebuilt_under_trials(searched):
    before = searched.metrics()["fingerprint"].tolist()
    for path in (winner(searched), *(searched.folder / "results/splits").rglob("*.parquet")):
        whole, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.chmod(0o644)
        path.write_bytes(whole[: len(whole) // 2])  # a hard link: the cache entry is truncated too
        os.utime(path, ns=times)
        (searched.folder / "results/studies/small/metrics.parquet").unlink()
        assert path.name in searched.run(fails=True)
        searched.run()
        assert path.exists()
        assert searched.metrics()["fingerprint"].tolist() == before


def test_altered_values_of_a_search_train_nothing(searched):
    before, path = searched.trials(), winner(searched)
    result = json.loads(path.read_text())
    for lost in (path, searched.folder / "results/studies/small/metrics.parquet"):
        lost.unlink()
    path.write_text(json.dumps(result | {"best": {"max_depth": result["best"]["max_depth"] + 1}}))
    assert "its values do not match their checksum" in searched.run(fails=True)
    searched.run()
    assert json.loads(path.read_text()) == result
    assert searched.trials() == before


def test_searches_of_other_versions_rerun_on_request(searched):
    first = json.loads(winner(searched).read_text())["environment"]
    machine = searched.folder / "scripts/reseed/core/environment.py"
    text = machine.read_text()
    machine.write_text(
        text.replace("    versions = {}\n", '    versions = {"numpy ": "other"}\n', 1)
    )
    searched.run()
    assert json.loads(winner(searched).read_text())["environment"] == first
    searched.run("--config", "mixed=retrain")
    result = json.loads(winner(searched).read_text())
    assert result["environment"] != first
    assert set(searched.metrics()["environment"]) == {result["environment"]}


def test_search_of_another_environment_is_detected(searched):
    retrain = ("--config", "mixed=retrain")
    searched.run(*retrain)
    path = winner(searched)
    result = json.loads(path.read_text())
    path.unlink()  # a separate file instead of the link
    path.write_text(json.dumps(result | {"environment": "elsewhere"}))
    (searched.folder / "results/studies/small/metrics.parquet").unlink()
    assert "the searches they use (1)" in searched.run(*retrain, fails=True)
    searched.run(*retrain)
    assert json.loads(winner(searched).read_text())["environment"] == result["environment"]
