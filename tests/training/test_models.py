"""Every model: it learns, it repeats bit by bit, and each role moves what it should."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from reseed.errors import ReseedError
from reseed.models.registry import Estimator, build, load_factory
from reseed.training.search_design import sample_configurations
from reseed.training.trial import run_trial
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC
from synthetic_tables import table

NETWORK = {"neurons_1": 16, "neurons_2": 16, "neurons_3": 0, "batch_size": 64, "max_epochs": 60}
NETWORK |= {"learning_rate": 0.01, "dropout": 0.1}
MODELS = {
    "rf": ("reseed.models.forest:random_forest", {"n_estimators": 20, "max_samples": 0.8}),
    "gbm": ("reseed.models.boosting:gbm", {"n_estimators": 30, "subsample": 0.7}),
    "xgb": ("reseed.models.boosting:xgb", {"n_estimators": 30, "subsample": 0.7}),
    "ffnn": ("reseed.models.ffnn:ffnn", NETWORK),
    "ffnn_res": ("reseed.models.ffnn:ffnn", NETWORK | {"dropout": 0, "shuffle": False}),
}
#: The roles that each model draws from.
DRAWS = {name: {"init"} for name in MODELS} | {"ffnn": {"init", "order", "dropout"}}


def trial(name, task, seeds, split):
    features, target, meta, classes = table(task)
    path, hyperparameters = MODELS[name]
    factory = load_factory(path)
    return run_trial(features, target, meta, task, classes, *split, factory, hyperparameters, seeds)


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns_each_task(name, task, split, same_seeds):
    outcome = trial(name, task, same_seeds(0), split)
    assert outcome.status == "ok", outcome.error
    metric, least = {
        "regression": ("r2", 0.8),
        "binary": ("auc", 0.9),
        "multiclass": ("accuracy", 0.7),
    }[task]
    assert outcome.metrics[metric] > least
    assert outcome.y_score.shape == ((80, 3) if task == "multiclass" else (80,))
    assert outcome.y_score.dtype == np.float64


@pytest.mark.parametrize("name", MODELS)
def test_the_same_seeds_repeat_bitwise_and_each_role_moves_what_it_should(name, split, same_seeds):
    first = trial(name, "binary", same_seeds(5), split)
    assert trial(name, "binary", same_seeds(5), split).fingerprint == first.fingerprint
    for role in ("init", "order", "dropout", "augment"):
        other = trial(name, "binary", same_seeds(5) | {role: 6}, split)
        assert (other.fingerprint != first.fingerprint) == (role in DRAWS[name]), role


def test_an_unknown_hyperparameter_is_a_failed_trial(split, same_seeds):
    features, target, meta, classes = table("binary")
    for path, _ in MODELS.values():
        outcome = run_trial(
            *(features, target, meta, "binary", classes, *split),
            *(load_factory(path), {"n_estimatrs": 5}, same_seeds(0)),
        )
        assert outcome.status == "failed"
        assert "n_estimatrs" in outcome.error


def hard_vote():
    return VotingClassifier([("only", LogisticRegression())])  # has predict alone


@pytest.mark.parametrize("model", [LogisticRegression, LinearSVC, RidgeClassifier, hard_vote])
@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_a_plain_scikit_learn_estimator_is_wrapped(model, task):
    features, target, _, classes = table(task)
    wrapped = build(lambda *_: model(), task, classes, {}, {})
    assert isinstance(wrapped, Estimator)
    score = wrapped.fit(features.to_numpy(), target).predict_score(features.to_numpy())
    plain = model().fit(features.to_numpy(), target).predict(features.to_numpy())
    assert ((score > 0) & (score < 1) | (score == 0) | (score == 1)).all()
    if task == "multiclass":
        assert score.sum(axis=1) == pytest.approx(1)
        assert (score.argmax(axis=1) == plain).all()
    else:
        assert ((score > 0.5) == plain).all()


def test_a_class_missing_from_the_training_rows_keeps_its_column():
    features, target, _, _ = table("multiclass")
    rows = target != 1
    wrapped = build(lambda *_: LogisticRegression(), "multiclass", 3, {}, {})
    score = wrapped.fit(features[rows].to_numpy(), target[rows]).predict_score(features.to_numpy())
    assert score.shape == (400, 3)
    assert (score[:, 1] == 0).all()


@pytest.mark.parametrize("name", MODELS)
def test_the_shipped_configuration_names_real_hyperparameters(name, same_seeds):
    path = Path(__file__).parents[2] / "config" / "models" / f"{name}.yaml"
    model = yaml.safe_load(path.read_text())
    factory = load_factory(model["factory"])
    drawn = sample_configurations(model["search_space"], 200, seed=0)
    for task in ("regression", "binary"):
        for configuration in [{}, *drawn]:
            chosen = model["hyperparameters"] | configuration
            assert chosen.keys() == model["hyperparameters"].keys()
            build(factory, task, 2, chosen, same_seeds(0))
    assert len(drawn) == 200


def test_bad_factories_get_one_clear_error():
    with pytest.raises(ReseedError, match="write it as package"):
        load_factory("reseed.models.forest")
    with pytest.raises(ReseedError, match="cannot be imported"):
        load_factory("reseed.models.jungle:random_forest")
    with pytest.raises(ReseedError, match="did you mean random_forest"):
        load_factory("reseed.models.forest:random_forrest")
    with pytest.raises(ReseedError, match="returned int"):
        build(lambda *_: 3, "binary", 2, {}, {})
    assert build(lambda *_: DummyRegressor(), "regression", 0, {}, {}).curve_ == []
