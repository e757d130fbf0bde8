"""Results of scikit-learn, pivoted frames, and tables with one column a run or model."""

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.readers import import_results
from reseed.readers.converters.sklearn import MOST_CANDIDATES
from reseed.report.rendering.data import ExhibitData
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, RepeatedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from study_import import read

STUDY = {"name": "mine"}
X, Y = make_classification(120, 6, random_state=0)
MODELS = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}


def by_fold(metrics, metric):
    return metrics.pivot(index="fold", columns="model", values=metric)


def test_cross_validate_of_several_models(tmp_path):
    scoring = ["accuracy", "neg_log_loss"]
    found = {
        name: cross_validate(model, X, Y, cv=4, scoring=scoring, return_estimator=True)
        for name, model in MODELS.items()
    }
    metrics, about = read(found, metric="neg_log_loss")
    for name, result in found.items():
        assert list(by_fold(metrics, "neg_log_loss")[name]) == list(result["test_neg_log_loss"])
    assert about.datasets["data"].greater_is_better is True
    assert set(metrics["scheme"]) == {"kfold-4x1"}
    frames = [pd.DataFrame(r).drop(columns="estimator").assign(model=n) for n, r in found.items()]
    pd.concat(frames).to_csv(tmp_path / "cv.csv")
    again, _ = read(tmp_path / "cv.csv", metric="accuracy")
    assert np.allclose(by_fold(again, "accuracy")["tree"], found["tree"]["test_accuracy"])
    with pytest.raises(ReseedError, match=r"what is compared|names the model"):
        read(found["tree"], metric="accuracy")


def test_cross_validate_with_one_score_uses_the_passed_name():
    found = {name: cross_validate(model, X, Y, cv=4) for name, model in MODELS.items()}
    assert "accuracy" in read(found, metric="accuracy")[0]
    with pytest.raises(ReseedError, match="'score' is better is not known"):
        read(found)


def test_lists_of_scores_by_model():
    found = {name: cross_val_score(model, X, Y, cv=4) for name, model in MODELS.items()}
    metrics, about = read(found, metric="accuracy")
    assert list(by_fold(metrics, "accuracy")["bayes"]) == list(found["bayes"])
    assert any("score i" in note for note in about.notes)
    with pytest.raises(ReseedError, match="tree has 4, bayes has 3"):
        read({"tree": found["tree"], "bayes": found["bayes"][:3]}, metric="accuracy")


def test_repeated_folds_need_a_ratio():
    folds = RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    found = {name: cross_val_score(model, X, Y, cv=folds) for name, model in MODELS.items()}
    with pytest.raises(ReseedError, match=r"12 folds.*test_train_ratio"):
        read(found, metric="accuracy")
    metrics, _ = read(found, metric="accuracy", test_train_ratio=1 / 3)
    assert np.allclose(metrics["test_ratio"], 0.25)


def test_cv_results(tmp_path):
    grid = {"max_depth": list(range(1, 7)), "min_samples_leaf": [1, 5]}
    search = GridSearchCV(MODELS["tree"], grid, cv=3).fit(X, Y)
    frame = pd.DataFrame(search.cv_results_)
    best = frame.sort_values("mean_test_score", ascending=False, kind="stable")
    best = best.head(MOST_CANDIDATES)
    pd.DataFrame(search.cv_results_).to_csv(tmp_path / "search.csv", index=False)
    for source in (search.cv_results_, frame, tmp_path / "search.csv"):
        metrics, about = read(source, metric="accuracy")
        assert metrics["model"].nunique() == MOST_CANDIDATES
        for _, row in best.iterrows():
            name = ", ".join(f"{key}={value}" for key, value in row["params"].items())
            expected = [row[f"split{k}_test_score"] for k in range(3)]
            assert np.allclose(by_fold(metrics, "accuracy")[name], expected)
        assert any("Of 12 candidates" in note for note in about.notes)
        assert any("The search chose on these splits" in note for note in about.notes)


def test_a_pivoted_frame():
    long = pd.DataFrame(
        [(m, f, 0.5 + f / 10) for m in "ab" for f in range(3)], columns=["model", "fold", "auc"]
    )
    for index, columns in (("model", "fold"), ("fold", "model")):
        frame = long.pivot(index=index, columns=columns, values="auc")
        metrics, _ = read(frame, metric="auc")
        assert np.allclose(by_fold(metrics, "auc")["b"], [0.5, 0.6, 0.7])
    grouped = long.set_index(["model", "fold"])
    assert np.allclose(by_fold(read(grouped)[0], "auc")["a"], [0.5, 0.6, 0.7])


def test_one_run_each_on_many_datasets():
    rng = np.random.default_rng(0)
    names = [f"d{i}" for i in range(6)]
    frame = pd.DataFrame({"dataset": names, "new": rng.random(6), "old": rng.random(6)})
    metrics, about = read(frame, metric="accuracy")
    assert len(metrics) == 12
    assert any("over the 6 datasets" in note for note in about.notes)
    with pytest.raises(ReseedError, match="one run of each model"):
        read(frame.head(3), metric="accuracy")


def test_titles_replace_names_and_variants_list_changes():
    rows = [
        (model, dataset, seed, "accuracy", 0.8 + 0.01 * seed)
        for model in ("xgb", "rf~depth=3", "mine")
        for dataset in ("magic", "magic~rows=500")
        for seed in range(3)
    ]
    table = pd.DataFrame(rows, columns=["model", "dataset", "seed", "metric", "value"])
    titles = {"models": {"xgb": "XGB", "rf": "RF"}, "datasets": {"magic": "MAGIC"}}
    metrics, about = import_results(table, {}, STUDY | {"titles": titles})
    shown = ExhibitData(None, metrics, about)
    assert [shown.model(m) for m in about.models] == ["XGB", "RF†", "mine"]
    assert [shown.dataset(d) for d in about.datasets] == ["MAGIC", "MAGIC, 500 rows"]
    assert about.experiments["results"].arms["xgb"] == "XGB"


def test_a_candidate_whose_parameter_is_none(tmp_path):
    grid = [{"max_depth": [1, None]}, {"max_depth": [2], "criterion": ["entropy"]}]
    X, y = make_classification(100, random_state=0)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3).fit(X, y)
    path = tmp_path / "search.csv"
    pd.DataFrame(search.cv_results_).to_csv(path, index=False)
    names = ["max_depth=1", "max_depth=None", "max_depth=2, criterion=entropy"]
    for source in (search.cv_results_, path):
        metrics, _ = import_results(source, {"metric": "accuracy"}, {"name": "mine"})
        means = metrics.groupby("model")["accuracy"].mean()
        assert means[names].to_numpy() == pytest.approx(search.cv_results_["mean_test_score"])
    none = pd.DataFrame(search.cv_results_).drop(columns="params")
    metrics, _ = import_results(none, {"metric": "accuracy"}, {"name": "mine"})
    assert metrics["model"].nunique() == 3


def test_lists_in_order_note_the_assumption_about_folds():
    scores = {"a": [0.6, 0.7, 0.9], "b": [0.7, 0.6, 0.8]}
    _, about = import_results(scores, {"metric": "auc"}, {"name": "mine"})
    assert any("test_train_ratio" in note for note in about.notes)
