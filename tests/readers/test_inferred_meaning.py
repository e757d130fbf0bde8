"""Meaning inferred from values: sign and unit, a status, the column of scores."""

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from study_import import read

NEGATED = "neg_mean_squared_error"
X, Y = load_diabetes(return_X_y=True)
MODELS = {"ridge": Ridge(), "dummy": DummyRegressor()}


def runs(metric="accuracy", rf=0.9, svm=0.8, **columns):
    """Six seeds of two models; `rf` and `svm` are their scores on the first seed."""
    rows = [(m, s, v * (1 + s / 100)) for m, v in (("rf", rf), ("svm", svm)) for s in range(6)]
    return pd.DataFrame(rows, columns=["model", "seed", metric]).assign(**columns)


def greater(about):
    return about.datasets["data"].greater_is_better


@pytest.mark.parametrize("how", ["cross_validate", "cross_val_score", "cv_results"])
def test_negated_errors_of_scorers(how):
    if how == "cross_validate":
        source = {
            name: cross_validate(model, X, Y, scoring={"mse": NEGATED, "r2": "r2"}, cv=5)
            for name, model in MODELS.items()
        }
    elif how == "cross_val_score":
        source = {n: cross_val_score(m, X, Y, scoring=NEGATED, cv=5) for n, m in MODELS.items()}
    else:
        source = GridSearchCV(Ridge(), {"alpha": [1, 9]}, scoring=NEGATED, cv=5).fit(X, Y)
        source = source.cv_results_
    _, about = read(source, metric="mse")
    assert greater(about) is True
    assert any("mse: no value is above 0" in note for note in about.notes)
    assert greater(read(source, metric="mse", greater_is_better=False)[1]) is False


def test_direction_of_a_missing_metric_is_refused():
    with pytest.raises(ReseedError, match=r"'f1_negatives', which is missing.*'f1_negative'"):
        read(runs("f1_negative"), greater_is_better={"f1_negatives": True})
    assert greater(read(runs("f1_negative"), greater_is_better={"f1_negative": True})[1]) is True
    # One that the table has may be told of, whether or not it is compared by.
    both = {"accuracy": True, "error": False}
    read(runs().assign(error=0.1), metric="accuracy", greater_is_better=both)
    table = runs("test_elo", test_f1=0.5)
    for name in ("elo", "Test elo"):
        about = read(table, metric="test_elo", greater_is_better={name: False, "f1": True})[1]
        assert greater(about) is False


def test_share_next_to_percentages_is_refused():
    words = "percent of rf, and a share of svm"
    with pytest.raises(ReseedError, match=words):
        read(runs(rf=90))
    read(runs(rf=90), unit="points")  # svm is right on 0.8 percent
    read(runs(rf=90, svm=0))
    read(runs("mse", rf=90))


@pytest.mark.parametrize("ratio", [80, -0.5, "0.25", True, np.bool_(True)])
def test_invalid_ratio_is_refused(ratio):
    with pytest.raises(ReseedError, match=r"`test_train_ratio` is .* up to 10") as error:
        read(runs().rename(columns={"seed": "split"}), test_train_ratio=ratio)
    assert "mistakes" not in str(error.value)


@pytest.mark.parametrize("ratio", [np.float32(0.25), np.int64(1), 1])
def test_a_ratio_of_any_kind_of_number(ratio):
    metrics, _ = read(runs().rename(columns={"seed": "split"}), test_train_ratio=ratio)
    assert np.allclose(metrics["test_ratio"], ratio / (1 + ratio))


def test_a_loss_that_rounding_put_below_zero():
    _, about = read(runs("log_loss", rf=-1e-16))
    assert greater(about) is False
