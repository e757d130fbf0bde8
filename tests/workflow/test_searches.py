"""What a search found is checked, made again where it must be, and knows where it was made."""

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
        path.write_bytes(whole[: len(whole) // 2])  # a link: the store's file is cut as well
        os.utime(path, ns=times)
        (searched.folder / "results/studies/small/metrics.parquet").unlink()
        assert path.name in searched.run(fails=True)
        searched.run()
        assert path.exists()
        assert searched.metrics()["fingerprint"].tolist() == before


def test_altered_values_of_a_search_train_nothing(searched):
    before, path = searched.trials(), winner(searched)
    found = json.loads(path.read_text())
    for lost in (path, searched.folder / "results/studies/small/metrics.parquet"):
        lost.unlink()
    path.write_text(json.dumps(found | {"best": {"max_depth": found["best"]["max_depth"] + 1}}))
    assert "its values are not those that were found" in searched.run(fails=True)
    searched.run()
    assert json.loads(path.read_text()) == found
    assert searched.trials() == before


def test_searches_of_other_versions_are_made_again_when_asked(searched):
    first = json.loads(winner(searched).read_text())["environment"]
    machine = searched.folder / "scripts/reseed/machine.py"
    text = machine.read_text()
    machine.write_text(text.replace("    found = {}\n", '    found = {"numpy ": "other"}\n', 1))
    searched.run()
    assert json.loads(winner(searched).read_text())["environment"] == first
    searched.run("--config", "mixed=retrain")
    found = json.loads(winner(searched).read_text())
    assert found["environment"] != first
    assert set(searched.metrics()["environment"]) == {found["environment"]}


def test_a_search_brought_from_elsewhere_is_noticed_when_asked(searched):
    asked = ("--config", "mixed=retrain")
    searched.run(*asked)
    path = winner(searched)
    found = json.loads(path.read_text())
    path.unlink()  # a file of its own, in place of the link
    path.write_text(json.dumps(found | {"environment": "elsewhere"}))
    (searched.folder / "results/studies/small/metrics.parquet").unlink()
    assert "the searches they follow (1)" in searched.run(*asked, fails=True)
    searched.run(*asked)
    assert json.loads(winner(searched).read_text())["environment"] == found["environment"]
