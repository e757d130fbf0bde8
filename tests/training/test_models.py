"""Every model: it learns, it repeats bit by bit, and each role moves what it should."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.metrics.outputs import to_probabilities
from reseed.models.registry import Estimator, ScikitLearnEstimator, build_estimator, load_factory
from reseed.training.run import Recipe
from reseed.training.search_design import sample_configurations
from scipy.special import softmax
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC
from synthetic_tables import run_one, same_seeds, table, trial

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


def run(name, task, a_trial):
    path, hyperparameters = MODELS[name]
    return run_one(task, Recipe(path, hyperparameters), a_trial)


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns_each_task(name, task):
    outcome = run(name, task, trial(0))
    assert outcome.status == "ok", outcome.error
    metric, least = {
        "regression": ("r2", 0.8),
        "binary": ("auc", 0.9),
        "multiclass": ("accuracy", 0.7),
    }[task]
    assert outcome.metrics[metric] > least
    outputs = outcome.outputs["test"]
    assert outputs.shape == ((80, 3) if task == "multiclass" else (80,))
    assert outputs.dtype == (np.float64 if task == "regression" else np.float32)


@pytest.mark.parametrize("name", MODELS)
def test_same_seeds_repeat_and_each_role_moves_its_part(name):
    first = run(name, "binary", trial(5))
    assert run(name, "binary", trial(5)).fingerprint == first.fingerprint
    for role in ROLES:
        other = run(name, "binary", trial(5, **{role: 6}))
        assert (other.fingerprint != first.fingerprint) == (role in DRAWS[name]), role


@pytest.mark.parametrize("path", sorted({path for path, _ in MODELS.values()}))
def test_an_unknown_hyperparameter_is_refused(path):
    # It would fail in every trial: the user's mistake, and no result of the model.
    with pytest.raises(ReseedError, match="no hyper-parameter 'n_estimatrs'"):
        run_one("binary", Recipe(path, {"n_estimatrs": 5}))


def hard_vote():
    return VotingClassifier([("only", LogisticRegression())])  # has predict alone


@pytest.mark.parametrize("model", [LogisticRegression, LinearSVC, RidgeClassifier, hard_vote])
@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_a_plain_scikit_learn_estimator_is_wrapped(model, task):
    features, target, _, classes = table(task)
    wrapped = build_estimator(lambda *_: model(), task, classes, {}, {})
    assert isinstance(wrapped, Estimator)
    outputs = wrapped.fit(features.to_numpy(), target).predict(features.to_numpy())
    score = to_probabilities(task, outputs)
    plain = model().fit(features.to_numpy(), target).predict(features.to_numpy())
    assert ((score >= 0) & (score <= 1)).all()
    if task == "multiclass":
        assert score.sum(axis=1) == pytest.approx(1)
        assert (score.argmax(axis=1) == plain).all()
    else:
        assert ((score > 0.5) == plain).all()


def test_class_missing_from_training_rows_keeps_its_column():
    features, target, _, _ = table("multiclass")
    rows = target != 1
    wrapped = build_estimator(lambda *_: LogisticRegression(), "multiclass", 3, {}, {})
    outputs = wrapped.fit(features[rows].to_numpy(), target[rows]).predict(features.to_numpy())
    score = to_probabilities("multiclass", outputs)
    assert score.shape == (400, 3)
    assert score[:, 1] == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize("name", MODELS)
def test_the_shipped_configuration_names_real_hyperparameters(name):
    path = Path(__file__).parents[2] / "config" / "models" / f"{name}.yaml"
    model = yaml.safe_load(path.read_text())
    factory = load_factory(model["factory"])
    drawn = sample_configurations(model["search_space"], 200, seed=0)
    for task in ("regression", "binary"):
        for configuration in [{}, *drawn]:
            chosen = model["hyperparameters"] | configuration
            assert chosen.keys() == model["hyperparameters"].keys()
            build_estimator(factory, task, 2, chosen, same_seeds(0))
    assert len(drawn) == 200


def test_bad_factories_get_one_clear_error():
    with pytest.raises(ReseedError, match="write it as package"):
        load_factory("reseed.models.forest")
    with pytest.raises(ReseedError, match="cannot be imported"):
        load_factory("reseed.models.jungle:random_forest")
    with pytest.raises(ReseedError, match="Did you mean"):
        load_factory("reseed.models.forest:random_forrest")
    with pytest.raises(ReseedError, match="returned int"):
        build_estimator(lambda *_: 3, "binary", 2, {}, {})
    with pytest.raises(ReseedError, match="has no parameter weights"):
        build_estimator(
            lambda *_: DummyRegressor(), "regression", 0, {}, {}, weights=Path("minilm")
        )


def test_factory_gets_weights_and_compute_parameters():
    given = {}

    def factory(task, n_classes, hyperparameters, seeds, device, threads, weights, compute):
        given.update(weights=weights, compute=compute)
        return DummyRegressor()

    build_estimator(factory, "regression", 0, {}, {}, weights=Path("minilm"), compute={"amp": True})
    assert given == {"weights": Path("minilm"), "compute": {"amp": True}}


@pytest.mark.parametrize("name", ["gbm", "xgb"])
def test_log_odds_of_a_booster_are_its_raw_scores(name):
    """The library's own margin against the logit of its probability."""
    features, target, _, _ = table("binary")
    X = features.to_numpy()
    wrapped = build_estimator(
        load_factory(MODELS[name][0]), "binary", 2, MODELS[name][1], same_seeds(0)
    )
    outputs = wrapped.fit(X, target).predict(X)
    model = wrapped.estimator
    margin = model.decision_function(X) if name == "gbm" else model.predict(X, output_margin=True)
    assert outputs == pytest.approx(margin, abs=1e-4)


class Stated:
    """A classifier that states its probabilities."""

    classes_ = np.arange(3)

    def __init__(self, probabilities):
        self.probabilities = probabilities

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def predict_proba(self, X):
        return self.probabilities


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([[0.2], [0.9]], "shape (2, 1)"),  # a column would be spread over all classes
        ([0.2, 0.9], "shape (2,)"),
        ([[0.2, 0.3, 0.4, 0.1]] * 2, "shape (2, 4)"),
        ([[0.2, 0.3, 0.5], [0.6, 0.9, 1.5]], "[0.6, 0.9, 1.5]"),
        ([[0.2, 0.3, 0.5], [-0.5, 0.5, 1.0]], "[-0.5, 0.5, 1.0]"),
    ],
)
def test_invalid_class_probabilities_are_refused(probabilities, message):
    model = ScikitLearnEstimator(Stated(np.array(probabilities)), "multiclass", 3)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.predict(np.zeros((2, 1)))


def test_probabilities_may_be_rounded():
    rounded = np.array([[0.2, 0.3, 0.50001], [-1e-9, 0.5, 0.5]], dtype=np.float32)
    found = ScikitLearnEstimator(Stated(rounded), "multiclass", 3).predict(np.zeros((2, 1)))
    assert softmax(found, axis=1) == pytest.approx(rounded, abs=1e-4)
