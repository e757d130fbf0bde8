"""Models with side effects or errors in `reseed.study`."""

import gc
import random
import warnings

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, Y = make_classification(120, 5, random_state=0)
FOREST = RandomForestClassifier(4, max_depth=3)


class Own(ClassifierMixin, BaseEstimator):
    """A model of one's own: naive Bayes behind its own `fit` and `predict`."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.inner = GaussianNB().fit(self.dense(X), y)
        return self

    def dense(self, X):
        return X.toarray() if sparse.issparse(X) else X

    def predict(self, X):
        return self.inner.predict(self.dense(X))


class Writing(Own):
    def fit(self, X, y):
        super().fit(X, y)
        if sparse.issparse(X):
            X.data[:] = 0
        else:
            X.iloc[:, :] = 0.0
        return self


@pytest.mark.parametrize("form", [pd.DataFrame, sparse.csr_matrix, sparse.csr_array])
def test_model_that_changes_its_rows_does_not_affect_others(form):
    rows = reseed.study({"w": Writing()}, form(X), Y, splits=1, seeds=3).data.metrics
    assert (rows["status"] == "ok").all()
    assert rows["accuracy"].nunique() == 1
    assert rows["accuracy"].iloc[0] > 0.8


class Shortening(Own):
    """Takes the length of a text for its class, and empties the texts it was given."""

    def fit(self, X, y):
        X[:] = [""] * len(X)
        return self

    def predict(self, X):
        found = np.array([len(text) for text in X])
        X.clear()
        return found


def test_model_that_changes_its_texts_does_not_affect_others():
    texts = ["x" * label for label in Y]
    rows = reseed.study({"s": Shortening()}, texts, Y, splits=1, seeds=3).data.metrics
    assert (rows["status"] == "ok").all()
    assert (rows["accuracy"] == 1).all()


class Drawing(Own):
    """Draws from NumPy's global generator, and has no parameter that holds a seed."""

    def __init__(self):
        pass

    def fit(self, X, y):
        super().fit(X, y)
        self.noise = np.random.rand(X.shape[1])
        return self

    def predict(self, X):
        return (X @ self.noise > 0).astype(int)


def test_global_generators_are_seeded_and_restored():
    np.random.seed(99)
    random.seed(99)
    before = np.random.get_state()[1].copy(), random.getstate()
    found = reseed.study({"d": Drawing(), "nb": GaussianNB()}, X, Y, splits=2, seeds=[3, 7, 8])
    assert (np.random.get_state()[1] == before[0]).all()
    assert random.getstate() == before[1]
    rows = found.data.metrics.query("model == 'd'")
    assert rows["accuracy"].groupby(rows["data_seed"]).nunique().min() > 1
    again = reseed.study({"d": Drawing()}, X, Y, splits=2, seeds=[7], n_jobs=2).data.metrics
    of_seven = rows.loc[rows["init"] == 7, "fingerprint"].tolist()
    assert of_seven == again["fingerprint"].tolist()
    np.random.seed(7)
    by_hand = Drawing().fit(X, Y).noise
    seen = []

    class Told(Drawing):
        def fit(self, X, y):
            super().fit(X, y)
            seen.append(self.noise)
            return self

    reseed.study({"t": Told()}, X, Y, splits=1, seeds=[7], keep=False)
    assert seen[0] == pytest.approx(by_hand)


def test_seedless_model_is_checked_for_seed_effects():
    found = reseed.study({"d": Drawing(), "nb": GaussianNB()}, X, Y, splits=2, seeds=3)
    assert found.data.info.trials.planned == 2 * 3 + 2
    (note,) = (note for note in found.notes if "one training a split is enough" in note)
    assert note.startswith("nb:")
    assert any("d: no parameter holds a seed" in note and "differ" in note for note in found.notes)
    alone = reseed.study({"nb": GaussianNB()}, X, Y, splits=1, seeds=3)
    assert alone.data.info.trials.planned == 1


def test_a_torch_model_that_draws_globally_repeats():
    torch = pytest.importorskip("torch")

    def make(task, n_classes, hyperparameters, seeds, device, threads):
        layer = torch.nn.Linear(5, 1)

        class Linear(Own):
            def predict(self, X):
                return (layer(torch.tensor(X).float())[:, 0] > 0).numpy().astype(int)

        return Linear()

    one, two = (
        reseed.study({"t": make}, X, Y, splits=1, seeds=seeds).data.metrics
        for seeds in ([4, 5], [5])
    )
    assert one["fingerprint"].nunique() == 2
    assert one["fingerprint"].tolist()[1:] == two["fingerprint"].tolist()


def test_user_model_needs_only_fit_and_predict():
    own = reseed.study({"own": Own()}, X, Y, splits=2, seeds=1, metric="accuracy").data.metrics
    nb = reseed.study({"nb": GaussianNB()}, X, Y, splits=2, seeds=1, metric="accuracy").data.metrics
    assert own["accuracy"].tolist() == nb["accuracy"].tolist()


def test_unknown_labels_are_no_predictions():
    class Words(Own):
        def predict(self, X):
            return np.array(["no", "yes"])[super().predict(X)]

    with pytest.raises(reseed.ReseedError, match=r"predict gave .*'(no|yes)'.*class numbers 0 … 1"):
        reseed.study({"w": Words()}, X, np.array(["no", "yes"])[Y], splits=2, seeds=1)


@pytest.mark.parametrize("classes", [3, 4])
def test_margins_by_pairs_of_classes_are_not_read_as_classes(classes):
    data, labels = make_classification(
        200, 6, n_informative=5, n_redundant=0, n_classes=classes, random_state=0
    )
    pairs = SVC(decision_function_shape="ovo")
    models = {"plain": pairs, "piped": make_pipeline(StandardScaler(), pairs)}
    split = [(np.arange(150), np.arange(150, 200))]
    rows = reseed.study(models, data, labels, splits=split, seeds=1).data.metrics
    for row, model in zip(rows.itertuples(), models.values(), strict=True):
        fitted = clone(model).fit(data[:150], labels[:150])
        assert row.accuracy == pytest.approx(fitted.score(data[150:], labels[150:]))


def test_column_values_are_read_and_two_columns_refused():
    class Column(RegressorMixin, BaseEstimator):
        def __init__(self, columns=1):
            self.columns = columns

        def fit(self, X, y):
            self.inner = Ridge().fit(X, y)
            return self

        def predict(self, X):
            return np.column_stack([self.inner.predict(X)] * self.columns)

    models = {"one": Column(), "ridge": Ridge()}
    rows = reseed.study(models, X, X[:, 0] + X[:, 1], splits=1, seeds=1).data.metrics
    assert rows["mse"].nunique() == 1
    with pytest.raises(reseed.ReseedError, match=r"shape \(24, 2\); expected \(24,\)"):
        reseed.study({"two": Column(2)}, X, X[:, 0], splits=1, seeds=1)


def accuracy(y_true, p):
    return float(np.mean((p > 0.9) == y_true))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": {1: FOREST, "1": GaussianNB()}}, "two are named '1'"),
        ({"models": {"f": lambda: FOREST}}, "must take task, n_classes, hyperparameters, seeds"),
        ({"X": [[1, 2], [3]] * 60}, "rows differ in length"),
        ({"groups": np.arange(120)[:, None]}, r"groups has shape \(120, 1\)"),
        ({"splits": [([-1, 2], [3])]}, "names row -1"),
        ({"metric": accuracy}, "'accuracy' is the name of a built-in metric"),
        ({"y": None}, "y is None"),
        ({"rope": 1}, "auc is a share of 1"),
        ({"rope": {"mse": 1}}, "nothing is compared by 'mse'"),
        ({"splits": "kfold"}, r"a splitter as KFold\(5\)"),
        ({"models": {"piped": make_pipeline(StandardScaler(), Ridge())}}, "'piped' is a regressor"),
        ({"y": X[:, 0]}, "'f' is a classifier, and y was taken for values"),
        ({"n_jobs": 0}, "n_jobs: give a whole number"),
        ({"n_jobs": "2"}, "n_jobs: give a whole number"),
        ({"seeds": [2**32]}, r"below 2\*\*32"),
        ({"y": np.arange(120) % 3, "positive": 2}, "positive.*one of two classes"),
    ],
)
def test_invalid_input_is_refused(change, message):
    given = {"models": {"f": FOREST}, "X": X, "y": Y, "splits": 2, "seeds": 2} | change
    with pytest.raises(reseed.ReseedError, match=message):
        reseed.study(**given)


def test_numbers_and_labels_come_in_many_types():
    values = X[:, 0] + X[:, 1]
    ridge, forest = {"r": Ridge()}, {"f": FOREST}

    def mse(y):
        return reseed.study(ridge, X, y, splits=1, seeds=1).data.metrics["mse"].tolist()

    assert mse(values.astype(object)) == mse(pd.Series(values, dtype="Float64")) == mse(values)
    schemes = reseed.study(forest, X, Y, test=np.float64(0.25), splits=1, seeds=1).data.metrics
    assert set(schemes["scheme"]) == {"holdout-0.25"}
    reseed.study(forest, X, Y, test=np.float32(0.25), splits=1, seeds=1)
    own = reseed.study(forest, X[:80], Y[:80], test=(X[80:], Y[80:].astype(str)), seeds=1)
    same = reseed.study(forest, X[:80], Y[:80], test=(X[80:], Y[80:]), seeds=1)
    assert own.data.metrics["auc"].tolist() == same.data.metrics["auc"].tolist()


@pytest.mark.parametrize(
    ("name", "meant"), [("cv", "splits"), ("scoring", "metric"), ("test_size", "test")]
)
def test_names_of_scikit_learn_lead_to_those_of_study(name, meant):
    models = {"a": DummyClassifier(), "b": DummyClassifier()}
    with pytest.raises(ReseedError, match=f"unknown argument '{name}'. Did you mean '{meant}'"):
        reseed.study(models, X, Y, **{name: 1})


def test_one_row_a_test_set_asks_for_another_metric():
    models = {"a": DummyClassifier(), "b": DummyClassifier()}
    with pytest.raises(ReseedError, match="Give another metric, such as metric='accuracy'"):
        reseed.study(models, X[:20], Y[:20], splits=LeaveOneOut(), seeds=1, progress=False)


def test_outputs_are_deleted_with_the_result():
    models = {"a": DummyClassifier(), "b": DummyClassifier(strategy="stratified")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        comparison = reseed.study(models, X, Y, splits=2, seeds=1, progress=False)
        folder = comparison.data.predictions.folder
        assert folder.is_dir()
        del comparison
        gc.collect()
        assert not folder.exists()
