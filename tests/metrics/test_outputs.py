"""Raw outputs and the probabilities they stand for."""

import numpy as np
import pytest
from reseed.metrics import registry as metrics
from reseed.metrics.outputs import MAX_LOG_ODDS, from_probabilities, to_probabilities
from scipy.special import expit, softmax


def test_probabilities_are_scipys_and_do_not_overflow():
    logits = np.array([-1e4, -700.0, -3.2, 0.0, 0.5, 40.0, 1e4], dtype=np.float32)
    assert to_probabilities("binary", logits) == pytest.approx(
        expit(logits.astype(float)), rel=1e-12
    )
    many = np.array([[0, 1e4, -1e4], [1.5, -0.5, 0.25]], dtype=np.float32)
    assert to_probabilities("multiclass", many) == pytest.approx(
        softmax(many.astype(float), axis=1)
    )
    values = np.array([1.5, -2e9], dtype=np.float32)
    found = to_probabilities("regression", values)
    assert found.dtype == np.float64
    assert (found == values).all()


def test_probabilities_round_trip():
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.random(1000), [0.0, 1.0, 0.5, 1e-9, 1 - 1e-9]])
    found = to_probabilities("binary", from_probabilities("binary", p))
    assert found == pytest.approx(p, abs=3e-8)
    assert ((found > 0.5) == (p > 0.5)).all()
    assert from_probabilities("binary", p)[1000:1002] == pytest.approx(
        [-MAX_LOG_ODDS, MAX_LOG_ODDS]
    )
    rows = rng.dirichlet(np.full(5, 0.1), 500)
    rows[0] = [0, 0, 1, 0, 0]
    outputs = from_probabilities("multiclass", rows)
    assert outputs.dtype == np.float32
    assert np.isfinite(outputs).all()
    assert to_probabilities("multiclass", outputs) == pytest.approx(rows, abs=1e-6)


def test_confident_error_costs_the_same_raw_or_probability():
    """As scikit-learn has it: a probability of 0 counts as the smallest step of float64."""
    dearest = -np.log(np.finfo(np.float64).eps)
    for task, truth, p in (
        ("binary", np.array([0, 1]), np.array([1.0, 0.0])),
        ("multiclass", np.array([0, 1]), np.array([[0.0, 1, 0], [1, 0, 0]])),
    ):
        given = metrics.evaluate_scores(task, truth, p)["log_loss"]
        trained = metrics.evaluate(task, truth, from_probabilities(task, p))["log_loss"]
        assert given == pytest.approx(dearest)
        assert trained == pytest.approx(given, rel=1e-6)


def test_predictions_of_a_regression_are_not_converted():
    values = np.array([1e6 + 0.01, -3.0])
    assert (from_probabilities("regression", values) == values).all()
