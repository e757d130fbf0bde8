import numpy as np
import pytest
from reseed.stats.bootstrap import (
    WEIGHTED_METRICS,
    multiply_in_one_thread,
    percentile_interval,
    resample_counts,
    test_set_bootstrap,
)
from sklearn import metrics as sk

SKLEARN = {
    "accuracy": sk.accuracy_score,
    "error": sk.zero_one_loss,
    "mse": sk.mean_squared_error,
    "mae": sk.mean_absolute_error,
    "mean": lambda _, p: np.mean(p),
    "precision": lambda y, p: sk.precision_score(y, p, zero_division=0),
    "recall": lambda y, p: sk.recall_score(y, p, zero_division=0),
    "f1": lambda y, p: sk.f1_score(y, p, zero_division=0),
    "macro_precision": lambda y, p: sk.precision_score(y, p, average="macro", zero_division=0),
    "macro_recall": lambda y, p: sk.recall_score(y, p, average="macro", zero_division=0),
    "macro_f1": lambda y, p: sk.f1_score(y, p, average="macro", zero_division=0),
    "auc": sk.roc_auc_score,
}


def _data(name, rng, n=40, seeds=3):
    if name in ("mse", "mae", "mean"):
        return rng.normal(size=n), rng.normal(size=(seeds, n))
    if name == "auc":  # few distinct scores: many ties
        return rng.integers(0, 2, n), rng.integers(0, 5, (seeds, n)) / 4
    high = 4 if name.startswith("macro") else 2
    return rng.integers(0, high, n), rng.integers(0, high, (seeds, n))


@pytest.mark.parametrize(
    ("name", "n"),
    [(name, n) for name in sorted(WEIGHTED_METRICS) for n in (4, 40) if n > 4 or name != "auc"],
)
def test_counts_metric_equals_scikit_learn_on_resamples(name, n):
    """Of four items a label is often drawn once, or not at all."""
    rng = np.random.default_rng(0)
    y, pred = _data(name, rng, n)
    w = resample_counts(25, y.size, rng=rng)
    result = WEIGHTED_METRICS[name](y, pred, w.astype(float))
    assert result.shape == (25, 3)
    for b, counts in enumerate(w):
        items = np.repeat(np.arange(y.size), counts)
        for s in range(3):
            assert result[b, s] == pytest.approx(SKLEARN[name](y[items], pred[s, items]), abs=1e-12)


@pytest.mark.parametrize("name", ["auc", "macro_f1"])
def test_named_metric_equals_the_general_path(name):
    y, pred = _data(name, np.random.default_rng(1))
    fast = test_set_bootstrap(name, y, pred, 60, rng=np.random.default_rng(2))
    slow = test_set_bootstrap(SKLEARN[name], y, pred, 60, rng=np.random.default_rng(2))
    for field in ("estimate", "mean", "sd", "low", "high"):
        np.testing.assert_allclose(getattr(fast, field), getattr(slow, field), atol=1e-12)


def test_sd_of_accuracy_is_binomial():
    rng = np.random.default_rng(3)
    y = np.ones(500)
    pred = (rng.random((4, 500)) < 0.8).astype(float)
    result = test_set_bootstrap("accuracy", y, pred, 4000, rng=rng)
    p = pred.mean(axis=1)
    exact = np.sqrt(p * (1 - p) / 500)  # ideal bootstrap SD of a mean
    np.testing.assert_allclose(result.sd, exact, rtol=4 / np.sqrt(2 * 4000))
    np.testing.assert_allclose(result.mean, p, atol=4 * exact.max() / np.sqrt(4000))
    assert np.all((result.low < p) & (p < result.high))


def test_stratified_resamples_keep_class_counts():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [300, 100])
    w = resample_counts(50, 400, strata=y, rng=rng)
    assert np.all(w[:, y == 1].sum(axis=1) == 100)
    always_zero = np.zeros(400, dtype=int)  # accuracy = share of class 0: no variance if stratified
    fixed = test_set_bootstrap("accuracy", y, always_zero, 200, stratify=True, rng=rng)
    free = test_set_bootstrap("accuracy", y, always_zero, 200, rng=rng)
    assert fixed.sd == pytest.approx(0, abs=1e-12)
    assert free.sd == pytest.approx(np.sqrt(0.75 * 0.25 / 400), rel=0.2)
    halves = np.tile([0, 1], 200)
    assert np.all(
        resample_counts(9, 400, strata=halves, rng=rng)[:, halves == 0].sum(axis=1) == 200
    )


def test_counts_are_multinomial():
    w = resample_counts(20_000, 10, rng=np.random.default_rng(5))
    assert np.all(w.sum(axis=1) == 10)
    np.testing.assert_allclose(w.mean(axis=0), 1, atol=4 * np.sqrt(0.9 / 20_000))
    np.testing.assert_allclose(w.var(axis=0), 0.9, rtol=0.06)


def test_resamples_without_positives_are_excluded():
    y = np.r_[1, np.zeros(9)]
    result = test_set_bootstrap(
        "auc", y, np.r_[0.9, np.zeros(9)], 2000, rng=np.random.default_rng(6)
    )
    # probability that the only positive is not drawn: 0.9^10
    assert result.undefined / 2000 == pytest.approx(0.9**10, abs=4 * np.sqrt(0.227 / 2000))
    assert result.mean == 1.0
    with pytest.raises(ValueError, match="undefined"):
        test_set_bootstrap("auc", np.ones(5), np.ones(5), 20, rng=np.random.default_rng(6))


def test_auc_of_one_pair_of_items():
    y, w = np.array([0, 1, 1]), np.array([[1.0, 1, 0], [1, 0, 1], [1, 0, 0]])
    result = WEIGHTED_METRICS["auc"](y, np.array([[0.5, 0.7, 0.2]]), w)[:, 0]
    np.testing.assert_array_equal(result, [1, 0, np.nan])


def test_percentile_interval_ignores_nan():
    low, high = percentile_interval(np.r_[np.arange(101.0), np.nan], 0.9)
    assert (low, high) == (pytest.approx(5), pytest.approx(95))


@pytest.mark.parametrize(
    ("metric", "y", "pred", "n_boot", "message"),
    [
        ("accuracy", [], [], 10, "must be"),
        ("accuracy", [0, 1], [0, 1, 1], 10, "must be"),
        ("mse", [0.0, np.nan], [0.0, 1.0], 10, "NaN"),
        ("nope", [0, 1], [0, 1], 10, "unknown metric"),
        ("f1", [0, 2], [0, 1], 10, "macro_f1"),
        ("auc", [0, 2], [0.1, 0.2], 10, "labels 0 and 1"),
        ("accuracy", [0, 1], [0, 1], 1, "n_boot"),
    ],
)
def test_bad_input_is_refused(metric, y, pred, n_boot, message):
    with pytest.raises(ValueError, match=message):
        test_set_bootstrap(metric, y, pred, n_boot, rng=np.random.default_rng(0))


def test_wrong_number_of_strata_is_refused():
    with pytest.raises(ValueError, match="strata"):
        resample_counts(2, 5, strata=[0, 1], rng=np.random.default_rng(0))


def test_single_item_and_all_tied_scores_are_defined():
    one = test_set_bootstrap("accuracy", [1], [1], 5, rng=np.random.default_rng(0))
    assert (one.mean, one.sd) == (1.0, 0.0)
    tied = test_set_bootstrap("auc", [0, 1] * 10, [0.5] * 20, 50, rng=np.random.default_rng(0))
    assert (tied.mean, tied.sd) == (0.5, 0.0)


def test_mixed_labels_and_percent_levels_are_refused():
    with pytest.raises(ValueError, match="same kind of label"):
        test_set_bootstrap("accuracy", [1, 0], ["1", "0"], 10, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="level must lie"):
        test_set_bootstrap("accuracy", [1, 0], [1, 0], 10, level=95, rng=np.random.default_rng(0))
    text = test_set_bootstrap("accuracy", ["a", "b"], ["a", "b"], 10, rng=np.random.default_rng(0))
    assert text.mean == 1


@pytest.mark.parametrize("shape", [(1, 3, 7), (10, 100, 10_000), (700, 900, 11)])
def test_products_in_one_thread_are_whole(shape):
    rng = np.random.default_rng(0)
    rows, inner, columns = shape
    a, b = (rng.normal(size=s).astype(np.float32) for s in ((rows, inner), (inner, columns)))
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert multiply_in_one_thread(a, b) == pytest.approx(exact, abs=1e-3)
