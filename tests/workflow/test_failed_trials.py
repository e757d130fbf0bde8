"""Failures are outcomes. `retry_failed` trains failed trials and searches again."""

import pytest
from fault_harness.blocks import read_all
from fault_harness.workspace import FOREST, METRICS

pytestmark = pytest.mark.workflow

MODEL = """import pathlib
from sklearn.tree import DecisionTreeClassifier

def make(task, classes, hyperparameters, seeds, device, threads):
    if seeds["init"] == 0 and pathlib.Path({flag!r}).exists():
        raise RuntimeError("licence server does not answer")
    return DecisionTreeClassifier(random_state=seeds["init"], **hyperparameters)
"""
FAILS_IN_DEVELOPMENT = """
def make_strict(task, classes, hyperparameters, seeds, device, threads):
    import sys
    if sys.flags.dev_mode:
        raise RuntimeError("a warning is an error")
    return DecisionTreeClassifier(random_state=seeds["init"])
"""


@pytest.fixture
def failing(project):
    """Return a project whose model fails for seed 0 while a file exists, and this file."""
    flag = project.folder / "down"
    flag.touch()
    (project.folder / "my_models.py").write_text(MODEL.format(flag=str(flag)))
    mine = FOREST | {"name": "boost", "factory": "my_models:make"}
    project.write("models/boost", mine | {"hyperparameters": {"max_depth": 3}})
    return project, flag


def failures(project) -> int:
    return int((project.metrics()["status"] == "failed").sum())


def planned_again(project) -> dict[str, int]:
    """Number of jobs, by stage, that a run with `retry_failed` would execute."""
    rules = project.planned("--config", "retry_failed=true")
    return {stage: sum(one.startswith(stage) for one in rules) for stage in ("train", "search")}


@pytest.mark.nightly
def test_search_with_failed_fits_is_made_again_on_request(failing):
    project, flag = failing
    searched = {"mode": "fixed", "trials": 2, "folds": 2}
    project.change(models=["boost"], hyperparameters=searched)
    model = MODEL.replace('seeds["init"] == 0', 'hyperparameters["max_depth"] == 3')
    (project.folder / "my_models.py").write_text(model.format(flag=str(flag)))
    space = FOREST | {"name": "boost", "factory": "my_models:make"}
    project.write(
        "models/boost", space | {"hyperparameters": {}, "search_space": {"max_depth": [1, 3]}}
    )
    project.train()
    flag.unlink()
    assert not project.planned(METRICS)
    assert planned_again(project)["search"] == 1
    project.train("--config", "retry_failed=true")
    assert not project.planned(METRICS, "--config", "retry_failed=true")


@pytest.mark.nightly
def test_failures_of_programs_and_flags_are_retried(failing):
    project, flag = failing
    error = 'subprocess.CalledProcessError(1, ["solve"])'
    model = MODEL.replace('RuntimeError("licence server does not answer")', error)
    model = model.replace("import pathlib", "import pathlib, subprocess").format(flag=str(flag))
    (project.folder / "my_models.py").write_text(model + FAILS_IN_DEVELOPMENT)
    entry = {"name": "strict", "factory": "my_models:make_strict", "hyperparameters": {}}
    project.write("models/strict", FOREST | entry | {"search_space": {}})
    project.change(models=["boost", "strict"])
    project.environment["PYTHONDEVMODE"] = "1"
    text = project.train(fails=True)
    assert "a warning is an error" in text  # of the try, so that it is not trained
    records = read_all(project.folder / "results")
    errors = {path: one.error for path, one in records.items() if one.status == "failed"}
    assert not any("/strict/" in path for path in records)
    assert any("CalledProcessError" in error for error in errors.values())
    flag.unlink()
    del project.environment["PYTHONDEVMODE"]
    project.train("--config", "retry_failed=true")
    assert not failures(project)
    # Flags of the interpreter are part of the record.
    assert project.metrics().groupby("model")["environment"].nunique()["boost"] == 2


def test_a_mistyped_hyperparameter_stops_the_run(project):
    typo = {"max_depth": 3, "n_estimator": 5}
    project.write("models/forest", FOREST | {"hyperparameters": typo, "search_space": {}})
    text = project.train(fails=True)  # exit status above 0
    assert "no hyper-parameter 'n_estimator'" in text
    assert "Correct `hyperparameters` of the model" in text
    stored = project.folder / "results" / "store"
    assert not [path for path in stored.rglob("*.parquet") if "forest" in str(path)]
    assert not (project.folder / METRICS).exists()


def test_a_model_that_never_works_is_not_trained(failing):
    project, _ = failing
    (project.folder / "my_models.py").write_text(
        "def make(task, classes, hyperparameters, seeds, device, threads):\n"
        "    raise RuntimeError('this model never works')\n"
    )
    text = project.train(fails=True)
    assert "this model never works (my_models.py, line 2: raise" in text
    assert not list((project.folder / "results" / "logs" / "train").rglob("boost/**/*.log"))
    assert not (project.folder / METRICS).exists()
