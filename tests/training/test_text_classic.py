"""Classical text models: fitted on training rows, and each with the seed it has or has not."""

import numpy as np
import pytest
from reseed.models import text_classic
from reseed.models.recent_cache import RecentCache
from reseed.models.registry import build_estimator
from reseed.training.run import Problem, Recipe, run_trials
from synthetic_tables import Plain, same_seeds, trial

MODELS = ["linear_svm", "logistic_regression", "naive_bayes", "random_forest"]
SMALL = {"random_forest": {"n_estimators": 20}, "logistic_regression": {"max_iter": 30}}
#: Does a change of the seed change its outputs at all?
SEEDED = {"linear_svm": None, "logistic_regression": True, "naive_bayes": False,
          "random_forest": True}  # fmt: skip


def texts(classes: int, rows: int = 400, seed: int = 0):
    """Texts of filler words and of words that tell the class, most of the time."""
    rng = np.random.default_rng(seed)
    target = rng.integers(classes, size=rows)
    words = []
    for label in target:
        noisy_label = label if rng.random() < 0.85 else rng.integers(classes)
        filler = rng.integers(60, size=8)
        words.append(" ".join([f"class{noisy_label}", *(f"word{w}" for w in filler)]))
    return words, target


def problem(classes: int, pairs: bool = False) -> Problem:
    words, target = texts(classes)
    inputs = [(f"question {i % 7}", text) for i, text in enumerate(words)] if pairs else words
    task = "binary" if classes == 2 else "multiclass"
    return Problem(Plain(inputs), target, task, classes)


def run(name, classes=3, pairs=False, a_trial=None):
    recipe = Recipe(f"reseed.models.text_classic:{name}", SMALL.get(name, {}))
    (outcome,) = run_trials(problem(classes, pairs), recipe, [a_trial or trial()])
    assert outcome.status == "ok", outcome.error
    return outcome


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_model_learns_texts_and_pairs(name, classes, pairs):
    outcome = run(name, classes, pairs)
    assert outcome.metrics["accuracy"] > 0.75  # 0.85 + 0.15/classes at best
    assert outcome.outputs["test"].shape == ((80,) if classes == 2 else (80, 3))


@pytest.mark.parametrize("name", MODELS)
def test_each_role_changes_its_part_of_training(name):
    first = run(name).fingerprint
    assert run(name).fingerprint == first
    other = run(name, a_trial=trial(0, init=1)).fingerprint
    if SEEDED[name] is not None:
        assert (other != first) == SEEDED[name]
    assert run(name, a_trial=trial(0, order=1, dropout=1, augment=1)).fingerprint == first


def test_terms_are_fitted_on_training_rows_only():
    words, target = texts(2)
    model = build_estimator(text_classic.naive_bayes, "binary", 2, {}, same_seeds(0)).fit(
        words, target
    )
    before = model.predict(["class1 word3"])
    assert before == model.predict(["class1 word3 neverseen"])
    assert "neverseen" not in model.estimator.encoder.fields[0].vocabulary_


def test_pairs_have_one_vocabulary_per_field():
    encoder = text_classic.Tfidf(**text_classic.TFIDF).fit([("red", "blue"), ("red", "green")])
    assert [sorted(f.vocabulary_) for f in encoder.fields] == [["red"], ["blue", "green"]]
    assert encoder.transform([("blue", "red")]).nnz == 0


def test_a_split_is_encoded_once_for_all_its_seeds(monkeypatch):
    calls = []
    fit = text_classic.Tfidf.fit
    monkeypatch.setattr(text_classic.Tfidf, "fit", lambda self, X: calls.append(1) or fit(self, X))
    monkeypatch.setattr(text_classic, "_encoders", RecentCache(2))  # earlier tests have used it
    recipe = Recipe("reseed.models.text_classic:naive_bayes", {})
    trials = [trial(seed) for seed in range(3)] + [trial(0, data_seed=2)]
    outcomes = list(run_trials(problem(3), recipe, trials))
    assert all(o.status == "ok" for o in outcomes)
    assert len(calls) == 2
    alone = next(run_trials(problem(3), recipe, trials[3:]))
    assert alone.fingerprint == outcomes[3].fingerprint


def test_training_that_reached_its_limit_is_reported():
    recipe = Recipe("reseed.models.text_classic:logistic_regression", {"max_iter": 1})
    (outcome,) = run_trials(problem(3), recipe, [trial()])
    assert outcome.converged is False


def test_a_regression_is_refused():
    words, target = texts(2)
    recipe = Recipe("reseed.models.text_classic:naive_bayes")
    hard = Problem(Plain(words), target.astype(float), "regression")
    (outcome,) = run_trials(hard, recipe, [trial()])
    assert outcome.status == "failed"
    assert "regression" in outcome.error
