"""Files that tools wrote, and objects of libraries: read without an option."""

from pathlib import Path

import pytest
import reseed
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.tree import DecisionTreeClassifier

LOGS = Path(__file__).parent / "logs"


@pytest.mark.parametrize(("name", "seeds"), [("hydra", {1, 2, 3}), ("mlflow.csv", {0, 1, 2, 3})])
def test_runs_of_a_tracker_have_their_model_and_seed(name, seeds):
    scores = read_scores(open_source(LOGS / name), ReadOptions())
    assert set(scores.models) == {"small", "large"}
    assert set(scores.frame["seed"]) == seeds
    assert set(scores.frame["repetition"]) == {0}
    assert scores.greater == {scores.metric: True}


def test_parent_runs_of_mlflow_are_left_out_with_a_note():
    scores = read_scores(open_source(LOGS / "mlflow.csv"), ReadOptions())
    assert len(scores.frame) == 8
    assert "2 rows without a model and a score were left out." in scores.notes


def test_the_workspace_of_dvc_is_a_copy_of_its_run():
    scores = read_scores(open_source(LOGS / "dvc.csv"), ReadOptions())
    runs = scores.frame[["model", "seed"]].apply(tuple, axis=1)
    small, large = [("small", s) for s in range(4)], [("large", s) for s in (1, 2, 3)]
    assert sorted(runs) == sorted(small + large)
    assert "1 rows that are copies of other rows of the same runs were left out." in scores.notes


def test_the_last_epoch_of_lightnings_runs():
    options = ReadOptions(metric="val_acc", rows="last")
    scores = read_scores(open_source(LOGS / "lightning", options), options)
    found = scores.frame.groupby("model")["value"].apply(lambda one: sorted(one.round(2)))
    assert found.to_dict() == {"linear": [0.73, 0.73, 0.74], "network": [0.64, 0.71, 0.71]}


def test_a_folder_of_offline_runs_says_what_to_export(tmp_path):
    (tmp_path / "offline-run" / "files").mkdir(parents=True)
    (tmp_path / "offline-run" / "files" / "requirements.txt").write_text("wandb==0.31.0\n")
    (tmp_path / "offline-run" / "run.wandb").write_bytes(b":W&B")
    with pytest.raises(reseed.ReseedError, match=r"run\.wandb: is a log of Weights & Biases"):
        read_scores(open_source(tmp_path), ReadOptions())


@pytest.mark.parametrize("search", [GridSearchCV, HalvingGridSearchCV])
def test_a_fitted_search_is_read_as_its_results(search):
    X, y = make_classification(300, random_state=0)
    grid = {"max_depth": [1, 2, 4, 8, 9, 10, 11, 12]}
    fitted = search(DecisionTreeClassifier(random_state=0), grid, cv=5).fit(X, y)
    found = reseed.compare(fitted, metric="accuracy").verdicts
    expected = reseed.compare(fitted.cv_results_, metric="accuracy").verdicts
    assert found["difference"].tolist() == expected["difference"].tolist()
    assert len(found) == (28 if search is GridSearchCV else 3)


def test_a_search_that_was_not_fitted_is_an_error():
    with pytest.raises(reseed.ReseedError, match="Call its `fit` first"):
        reseed.compare(GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}))
