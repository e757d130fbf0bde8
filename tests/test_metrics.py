"""Metrics against their definitions, written out by hand."""

import numpy as np
import pytest
from reseed import metrics


def test_regression_metrics_are_their_definitions():
    rng = np.random.default_rng(0)
    y, p = rng.normal(size=50), rng.normal(size=50)
    found = metrics.evaluate("regression", y, p)
    assert found["mse"] == pytest.approx(sum((a - b) ** 2 for a, b in zip(y, p, strict=True)) / 50)
    assert found["mae"] == pytest.approx(sum(abs(a - b) for a, b in zip(y, p, strict=True)) / 50)
    assert found["r2"] == pytest.approx(1 - np.sum((y - p) ** 2) / np.sum((y - y.mean()) ** 2))


def test_binary_metrics_are_their_definitions():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    p = np.round(rng.random(60), 1)  # with ties, and with exact 0 and 1
    found = metrics.evaluate("binary", y, p)
    pairs = [(a > b) + 0.5 * (a == b) for a in p[y == 1] for b in p[y == 0]]
    assert found["auc"] == pytest.approx(np.mean(pairs))
    assert found["accuracy"] == pytest.approx(np.mean((p > 0.5) == y))
    assert found["brier"] == pytest.approx(np.mean((p - y) ** 2))
    inside = np.clip(p, np.finfo(float).eps, 1 - np.finfo(float).eps)
    losses = -np.where(y == 1, np.log(inside), np.log(1 - inside))
    assert found["log_loss"] == pytest.approx(losses.mean())


def test_multiclass_metrics_are_their_definitions():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 90)
    p = rng.dirichlet(np.ones(4), 90)  # class 3 does not occur among the test rows
    found = metrics.evaluate("multiclass", y, p)
    assert found["accuracy"] == pytest.approx(np.mean(p.argmax(axis=1) == y))
    assert found["log_loss"] == pytest.approx(-np.log(p[np.arange(90), y]).mean())
    areas = [np.mean(p[y == k, k][:, None] > p[y != k, k]) for k in range(3)]
    assert found["macro_auc"] == pytest.approx(np.mean(areas))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_not_finite_is_diverged(bad):
    with pytest.raises(ValueError, match="diverged: 1 of 2"):
        metrics.evaluate("regression", np.zeros(2), np.array([0.0, bad]))


def test_wrong_shapes_one_class_and_unknown_tasks_are_refused():
    with pytest.raises(ValueError, match="one entry a row"):
        metrics.evaluate("binary", np.array([0, 1]), np.ones((2, 2)))
    with pytest.raises(ValueError, match="one class only"):
        metrics.evaluate("binary", np.array([1, 1]), np.array([0.1, 0.2]))
    with pytest.raises(ValueError, match="use one of regression, binary, multiclass"):
        metrics.evaluate("ranking", np.zeros(2), np.zeros(2))


def test_each_metric_has_a_direction():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    scores = {"regression": rng.random(30), "binary": rng.random(30)}
    scores["multiclass"] = rng.dirichlet(np.ones(3), 30)
    for task, primary in metrics.PRIMARY.items():
        found = metrics.evaluate(task, y % 2 if task == "binary" else y, scores[task])
        assert primary in found
        assert set(found) <= set(metrics.GREATER_IS_BETTER)
