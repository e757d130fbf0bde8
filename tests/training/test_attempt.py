"""A user's factory is tried on a few rows: an error says the line and the expected form."""

import numpy as np
import pytest
from reseed.core.errors import ReseedError
from reseed.data.inputs import Table
from reseed.training.attempt import try_model
from reseed.training.run import Problem, Recipe

HEAD = "from sklearn.neighbors import KNeighborsClassifier as Near\n"
MAKE = "def make(task, classes, hyperparameters, seeds, device, threads):\n    "
WRONG = {  # code → what the error names
    "signature": ("def make(data): return 1\n", "must take task"),
    "no model": (MAKE + "return object()\n", "has no fit and predict"),
    "fit": (MAKE + "return Own()\nclass Own:\n    def fit(self, X): pass\n"
            "    predict = fit\n", "TypeError"),
    "predict": (MAKE + "return Own()\nclass Own:\n    def fit(self, X, y): pass\n"
                "    def predict(self, X): return X.nothing\n", "line 6: def predict"),
    "labels": (MAKE + "return Own()\nclass Own:\n    def fit(self, X, y): pass\n"
               "    def predict(self, X): return ['yes'] * len(X)\n", "which is not a class"),
    "probabilities": (MAKE + "return Own()\nclass Own:\n    def fit(self, X, y): pass\n"
                      "    predict = fit\n"
                      "    def predict_proba(self, X): return X[:, :2] - 1\n",
                      "sum to 1"),
}  # fmt: skip


@pytest.fixture
def problem(tmp_path, monkeypatch):
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=(300, 2))
    frame = pd.DataFrame(x, columns=["a", "b"])
    features = [{"name": name, "kind": "numeric"} for name in frame]
    return Problem(Table(frame), (x[:, 0] > 0).astype(int), "binary", 2, features=features)


def own_factory(tmp_path, monkeypatch, name, code):
    (tmp_path / f"{name}.py").write_text(HEAD + code)
    monkeypatch.setenv("RESEED_PROJECT", str(tmp_path))
    return Recipe(f"{name}:make")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_factory_names_line_and_form(problem, tmp_path, monkeypatch, name):
    code, expected = WRONG[name]
    module = f"wrong_{name.replace(' ', '_')}"
    with pytest.raises(ReseedError) as error:
        try_model(problem, own_factory(tmp_path, monkeypatch, module, code))
    text = str(error.value)
    assert expected in text
    assert "line " in text
    assert "X is float64 of shape (300, 2), y class numbers 0 … 1" in text


@pytest.mark.parametrize(("neighbours", "rows"), [(5, 50), (200, 300)])
def test_a_model_may_need_more_rows(problem, tmp_path, monkeypatch, neighbours, rows):
    recipe = own_factory(tmp_path, monkeypatch, f"near_{rows}", MAKE + f"return Near({neighbours})")
    assert try_model(problem, recipe) == rows
