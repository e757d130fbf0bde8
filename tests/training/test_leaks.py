"""Every step of a preparation is fitted on training rows; a leak that is planted is seen."""

import numpy as np
import pandas as pd
import pytest
from reseed.models import text_classic
from reseed.models.recent_cache import RecentCache
from reseed.training import encoder
from reseed.training.run import Problem, Recipe, Trial, run_trials
from synthetic_tables import Plain, Rows, Table, same_seeds

STEPS = {
    "imputation": (encoder, "SimpleImputer"),
    "scaling": (encoder, "MinMaxScaler"),
    "encoding": (encoder, "OneHotEncoder"),
    "vocabulary": (text_classic, "TfidfVectorizer"),
}
#: Training rows come first, and every value names its row.
TRAIN, ROWS = 40, 60
SPLIT = Rows(np.arange(TRAIN), np.arange(0), np.arange(TRAIN, ROWS))
TEXTS = [f"word{row:03} of a text" for row in range(ROWS)]


def watch(monkeypatch, step):
    """Rows that the step is fitted on, for each fit."""
    module, name = STEPS[step]
    base, fitted = getattr(module, name), []

    class Watched(base):
        def fit(self, X, y=None, **other):
            fitted.append(np.asarray(X, dtype=object).copy())
            return super().fit(X, y, **other)

    monkeypatch.setattr(module, name, Watched)
    monkeypatch.setattr(text_classic, "_encoders", RecentCache(2))
    return fitted


def train(step, scaling="training_rows"):
    target = np.arange(ROWS) % 2
    seeds = Trial(SPLIT, same_seeds(0))
    if step == "vocabulary":
        recipe = Recipe("reseed.models.text_classic:naive_bayes")
        return list(run_trials(Problem(Plain(TEXTS), target, "binary", 2), recipe, [seeds]))
    numbers = np.where(np.arange(ROWS) % 7 == 3, np.nan, np.arange(ROWS))
    frame = pd.DataFrame({"n": numbers, "c": [f"word{row:03}" for row in range(ROWS)]})
    meta = [{"name": "n", "kind": "numeric"}, {"name": "c", "kind": "categorical"}]
    problem = Problem(Table(frame), target, "binary", 2, features=meta)
    recipe = Recipe("reseed.models.forest:random_forest", {"n_estimators": 2},
                    encoder={"scaling": scaling})  # fmt: skip
    return list(run_trials(problem, recipe, [seeds]))


def leaks(fitted):
    """Whether a fit saw a row that is no training row."""
    assert fitted
    names = [str(value) for one in fitted for value in one.ravel()]
    words = [int(name[4:7]) for name in names if name.startswith("word")]
    numbers = [float(name) for name in names if not name.startswith("word")]
    return max([*words, *(one for one in numbers if one == one)]) >= TRAIN


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_fitted_on_training_rows(monkeypatch, step):
    fitted = watch(monkeypatch, step)
    (outcome,) = train(step)
    assert outcome.status == "ok", outcome.error
    assert not leaks(fitted)


@pytest.mark.parametrize("step", STEPS)
def test_a_planted_leak_is_seen(monkeypatch, step):
    fitted = watch(monkeypatch, step)
    fit = text_classic.Tfidf.fit
    monkeypatch.setattr(text_classic.Tfidf, "fit", lambda self, texts: fit(self, TEXTS))
    train(step, "all_rows")
    assert leaks(fitted)
