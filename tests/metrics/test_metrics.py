"""Metrics against their definitions, written out by hand, and against libraries."""

import numpy as np
import pytest
from papers.banerjee.calibration import reliability_curve
from reseed.core.errors import ReseedError
from reseed.metrics import registry as metrics
from sklearn import metrics as sk


def test_regression_metrics_are_their_definitions():
    rng = np.random.default_rng(0)
    y, p = rng.normal(size=50), rng.normal(size=50)
    found = metrics.evaluate_scores("regression", y, p)
    assert found["mse"] == pytest.approx(sum((a - b) ** 2 for a, b in zip(y, p, strict=True)) / 50)
    assert found["mae"] == pytest.approx(sum(abs(a - b) for a, b in zip(y, p, strict=True)) / 50)
    assert found["r2"] == pytest.approx(1 - np.sum((y - p) ** 2) / np.sum((y - y.mean()) ** 2))


def test_binary_metrics_are_their_definitions():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    p = np.round(rng.random(60), 1)  # with ties, and with exact 0 and 1
    found = metrics.evaluate_scores("binary", y, p)
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
    found = metrics.evaluate_scores("multiclass", y, p)
    assert found["accuracy"] == pytest.approx(np.mean(p.argmax(axis=1) == y))
    assert found["log_loss"] == pytest.approx(-np.log(p[np.arange(90), y]).mean())
    areas = [np.mean(p[y == k, k][:, None] > p[y != k, k]) for k in range(3)]
    assert found["macro_auc"] == pytest.approx(np.mean(areas))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_not_finite_is_diverged(bad):
    with pytest.raises(ValueError, match="diverged: 1 of 2"):
        metrics.evaluate_scores("regression", np.zeros(2), np.array([0.0, bad]))


def test_wrong_shapes_and_unknown_tasks_are_refused():
    with pytest.raises(ValueError, match="one entry for each row"):
        metrics.evaluate("binary", np.array([0, 1]), np.ones((2, 2)))
    with pytest.raises(ValueError, match="use one of regression, binary, multiclass"):
        metrics.evaluate("ranking", np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_classification_metrics_are_the_libraries_own(task):
    rng = np.random.default_rng(3)
    k = 2 if task == "binary" else 4
    y, logits = rng.integers(0, k, 300), rng.normal(size=(300, k)).astype(np.float32)
    outputs = logits[:, 1] - logits[:, 0] if task == "binary" else logits
    found = metrics.evaluate(task, y, outputs)
    p = np.exp(logits.astype(float))
    p /= p.sum(axis=1, keepdims=True)
    classes = logits.argmax(axis=1)
    precision, recall, f1, _ = sk.precision_recall_fscore_support(y, classes, average="macro")
    macro = [found[f"macro_{name}"] for name in ("precision", "recall", "f1")]
    assert macro == pytest.approx([precision, recall, f1])
    assert found["balanced_accuracy"] == pytest.approx(sk.balanced_accuracy_score(y, classes))
    assert found["mcc"] == pytest.approx(sk.matthews_corrcoef(y, classes))
    assert found["log_loss"] == pytest.approx(sk.log_loss(y, p), rel=1e-6)
    predicted, confidence = p.argmax(axis=1), p.max(axis=1)
    curve = reliability_curve(confidence, predicted == y, metrics.ECE_BINS)
    assert found["ece"] == pytest.approx(float(curve.ece), rel=1e-5)
    if task == "binary":
        assert found["f1"] == pytest.approx(sk.f1_score(y, classes))
        assert found["precision"] == pytest.approx(sk.precision_score(y, classes))
        assert found["recall"] == pytest.approx(sk.recall_score(y, classes))
    else:
        kappa = sk.cohen_kappa_score(y, classes, weights="quadratic")
        assert found["quadratic_kappa"] == pytest.approx(kappa)
        hot = np.eye(k)[y]
        assert found["brier"] == pytest.approx(np.mean(np.sum((p - hot) ** 2, axis=1)), rel=1e-5)


@pytest.mark.parametrize("observed", [[0, 0, 0], [2, 2, 0], [1, 2, 1]])
@pytest.mark.parametrize("predicted", [[0, 0, 0], [1, 1, 1], [0, 2, 1]])
def test_counts_with_absent_classes_match_scikit_learn(observed, predicted):
    of_four = metrics.evaluate_scores("multiclass", np.array(observed), np.eye(4)[predicted])
    y, classes = np.array(observed) > 0, np.array(predicted) > 0
    of_two = metrics.evaluate_scores("binary", y.astype(int), classes.astype(float))
    for name in ("precision", "recall", "f1"):
        score = getattr(sk, f"{name}_score")
        macro = dict(average="macro", zero_division=0)
        assert of_two[name] == pytest.approx(score(y, classes, zero_division=0))
        assert of_two[f"macro_{name}"] == pytest.approx(score(y, classes, **macro))
        assert of_four[f"macro_{name}"] == pytest.approx(score(observed, predicted, **macro))


def test_undefined_metric_is_omitted():
    found = metrics.evaluate("binary", np.array([1, 1]), np.array([0.1, 0.2]))
    assert not {"auc", "average_precision", "mcc"} & set(found)
    assert found["accuracy"] == 1
    found = metrics.evaluate("regression", np.ones(3), np.arange(3.0))
    assert "r2" not in found
    assert found["rmse"] == pytest.approx(np.sqrt((1 + 0 + 1) / 3))


def test_pinball_loss_on_request_is_least_at_its_quantile():
    y = np.random.default_rng(0).exponential(size=5000)
    assert "pinball_90" not in metrics.evaluate("regression", y, y)
    constants = np.linspace(1, 4, 61)
    losses = [
        metrics.evaluate("regression", y, np.full(y.shape, c), ["pinball_90"])["pinball_90"]
        for c in constants
    ]
    assert constants[np.argmin(losses)] == pytest.approx(np.quantile(y, 0.9), abs=0.05)
    half = metrics.evaluate("regression", y, np.ones(y.shape), ["pinball_50"])
    assert half["pinball_50"] == pytest.approx(half["mae"] / 2)


def test_every_task_computes_its_default_metric():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    outputs = {"regression": rng.random(30), "binary": rng.random(30)}
    outputs["multiclass"] = rng.random((30, 3))
    for task, scores in outputs.items():
        found = metrics.evaluate(task, y % 2 if task == "binary" else y, scores)
        assert metrics.default_metric(task).name in found
        assert set(found) <= set(metrics.METRICS)
        assert all(task in metrics.METRICS[name].tasks for name in found)
    assert all(name == metric.name for name, metric in metrics.METRICS.items())


def test_a_users_own_metric_is_named_by_its_module(tmp_path, monkeypatch):
    (tmp_path / "house_metrics.py").write_text(
        "from reseed.metrics.registry import Metric\n"
        "def worst_error(y, p): return abs(y - p).max()\n"
        "def oddness(y, p): return 1.0\n"
        "def cost(y, p): return ((p > 0.2) != y).mean()\n"
        "cost.greater_is_better = False\n"
        "bias = Metric('bias', 'Bias', False, False, ('regression',), lambda y, p: (p-y).mean())\n"
        "number = 3\n"
        "def f1(y, p): return 0.5\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    named = ["house_metrics:worst_error", "house_metrics:bias"]
    found = metrics.evaluate("regression", np.zeros(2), np.array([1.0, 3.0]), named)
    assert (found["worst_error"], found["bias"]) == (3, 2)
    assert metrics.get_metric("house_metrics:worst_error").greater_is_better is False
    assert metrics.get_metric("house_metrics:cost").greater_is_better is False
    for name, message in {
        "house_metrics:oddness": "does not say whether greater is better",
        "house_metrics:number": "neither a Metric nor a function",
        "house_metrics:cots": "Did you mean 'cost'",
        "house_metrics:f1": "'f1' is the name of a built-in metric",
        "no_such_module:cost": "cannot be imported",
        "acuracy": "Did you mean 'accuracy'",
    }.items():
        with pytest.raises(ReseedError, match=message):
            metrics.get_metric(name)
    with pytest.raises(ReseedError, match="'bias' is for regression, not binary"):
        metrics.evaluate("binary", np.array([0, 1]), np.zeros(2), ["house_metrics:bias"])


def test_first_applicable_metric_of_the_task():
    assert metrics.first_applicable("regression", ["auc", "mae"]) == "mae"
    assert metrics.first_applicable("multiclass", ["log_loss", "accuracy"]) == "log_loss"
    assert metrics.first_applicable("multiclass", ["auc"]) is None
