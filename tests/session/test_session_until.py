"""`reseed.study(until=…)`: the same trainings and stops as with a fixed number of seeds."""

import json
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.stats.sequential import stopping_point
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, Y = make_classification(300, 6, random_state=0)
TEST = X[200:], Y[200:]
STUMP = DecisionTreeClassifier(max_depth=1, max_features=1)
MODELS = {
    "trees": ExtraTreesClassifier(10, max_depth=4),
    "stump": STUMP,
    "other": DecisionTreeClassifier(max_depth=1, max_features=1, min_samples_leaf=2),
    "dummy": DummyClassifier(),
}
RULE, SEEDS = {"first": 6, "batch": 4}, 21
BORDERS = [6, 10, 14, 18, 21]


class Coin(ClassifierMixin, BaseEstimator):
    """Random without a seed parameter: it draws from the global generator."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.shift_ = np.random.normal()
        return self

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-(X[:, 0] + self.shift_ * X[:, 1])))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def study(models=MODELS, **options):
    options = {"test": TEST, "seeds": SEEDS, "progress": False, "keep": False} | options
    return reseed.study(models, X[:200], Y[:200], **options)


@pytest.fixture(scope="module")
def fixed():
    return study()


@pytest.fixture(scope="module")
def settled():
    return study(until=RULE)


def scores_of(found):
    metric = found.data.info.datasets["data"].metric
    return found.data.metrics.pivot(index="init", columns="model", values=metric)


def expected_runs(scores, alpha=0.05):
    """Seeds of each model by the rule, from the scores of all seeds."""
    pairs = list(combinations(MODELS, 2))
    runs, stops = dict.fromkeys(MODELS, BORDERS[0]), {}
    for now, after in pairwise(BORDERS):
        for a, b in pairs:
            n = min(runs[a], runs[b])
            stop = stopping_point((scores[a] - scores[b]).to_numpy()[:n], alpha / len(pairs))
            if stop.n is not None:
                stops.setdefault((a, b), stop.n)
        for model in {m for pair in pairs if pair not in stops for m in pair}:
            assert runs[model] == now
            runs[model] = after
    return runs, stops


def test_runs_and_scores_are_those_of_the_rule(fixed, settled):
    scores = scores_of(fixed)
    runs, stops = expected_runs(scores)
    used = settled.runs.set_index("model")["used"]
    assert used.to_dict() == runs
    assert runs["trees"] < SEEDS
    assert stops
    found = scores_of(settled)
    for model in MODELS:
        np.testing.assert_array_equal(found[model].dropna(), scores[model][: runs[model]])
    rows = settled.verdicts
    stopped = {
        frozenset(pair): at
        for *pair, at in rows[["model_a", "model_b", "stopped_at"]].itertuples(index=False)
    }
    for pair in combinations(MODELS, 2):
        at = stopped[frozenset(pair)]
        if pair in stops:
            assert at == stops[pair]
        else:  # the last round may have settled it
            assert np.isnan(at) or at > BORDERS[-2]


def test_the_result_says_what_was_saved(settled):
    runs = settled.runs
    assert (runs["saved"] == SEEDS - runs["used"]).all()
    assert runs["saved"].sum() > 0
    text = f"{runs['used'].sum()} of {4 * SEEDS} runs were needed"
    assert any(text in note for note in settled.notes)
    assert text in str(settled)
    page = settled.to_html()
    assert text in page
    content = json.loads(settled.to_json())
    assert content["runs"] == runs.to_dict("records")
    assert len(content["verdicts"]) == 6
    assert "decided on exactly this test set" in settled.answer[0]
    assert settled.table().shown is not None
    assert "saved" in settled._repr_html_()


def test_models_without_a_seed_are_trained_as_often_as_needed():
    models = {"coin": Coin(), "bayes": GaussianNB(), "stump": STUMP}
    whole, part = study(models), study(models, until=RULE)
    runs = part.runs.set_index("model")["used"]
    assert runs["coin"] > BORDERS[0]
    for model in models:
        kept = scores_of(part)[model].dropna()
        np.testing.assert_array_equal(kept, scores_of(whole)[model][: runs[model]])
    assert part.data.info.trials.ok == runs["coin"] + runs["stump"] + 1


def test_seeds_in_any_order_and_parallel_trainings_agree(settled):
    order = np.random.default_rng(0).permutation(SEEDS).tolist()
    other = study(until=RULE, seeds=order, n_jobs=2)
    pd.testing.assert_frame_equal(other.verdicts, settled.verdicts)
    pd.testing.assert_frame_equal(scores_of(other), scores_of(settled))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"until": "soon"}, "until: give 'settled'"),
        ({"until": {"batches": 3}}, "until: batches"),
        ({"until": "settled", "test": 0.2, "splits": 3}, "3 splits of one table overlap"),
        ({"until": "settled", "rope": 0.1}, "rope: with `until`"),
        ({"until": "settled", "baseline": "stump"}, "baseline: with `until`"),
        ({"until": {"rope": 2.0}}, "`rope` is 2"),
    ],
)
def test_invalid_rules_and_designs_are_refused(options, message):
    with pytest.raises(ReseedError, match=message):
        study(**options)


def test_one_random_split_is_the_default():
    found = reseed.study(
        {"stump": STUMP, "trees": MODELS["trees"]}, X, Y, seeds=12, until="settled",
        progress=False, keep=False,
    )  # fmt: skip
    assert found.data.metrics["data_seed"].nunique() == 1
    assert set(found.runs["maximum"]) == {12}
