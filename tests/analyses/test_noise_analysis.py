"""Seed noise against test-set noise: simulations with known truth, and the predictions reader."""

import numpy as np
import pytest
from item_files import write_items
from reseed.analyses import noise_split
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from reseed.stats.spread import variance_limits
from run_kinds import run_analysis
from sklearn.metrics import f1_score, mean_absolute_error, recall_score, roc_auc_score
from study_frames import about, amended, frame


def write(folder, dataset, y_true, scores, model="rf"):
    """`scores`: one array a seed, None for a failed trial."""
    return write_items(folder, {(dataset, model): (y_true, scores)})


def analyse(predictions, facts, **options):
    data = Data(frame([]), facts, None, predictions)
    return run_analysis(noise_split, data, {"n_boot": 100} | options).set_index("metric")


def test_accuracy_splits_by_jordans_formula(tmp_path):
    rng = np.random.default_rng(0)
    runs, items = 30, 400
    y = rng.integers(0, 2, items)
    right = rng.random((runs, items)) < np.clip(rng.normal(0.8, 0.05, (runs, 1)), 0, 1)
    scores = np.where(right, y, 1 - y) * 0.8 + 0.1
    table = analyse(write(tmp_path, "magic", y, list(scores)), about())
    accuracy, p = right.mean(axis=1), right.mean(axis=0)
    # ddof=1 over runs in both terms makes the published estimator unbiased.
    inside = (p * (1 - p)).sum() * runs / (runs - 1) / items**2
    expected = items / (items - 1) * (accuracy.var(ddof=1) - inside)
    row = table.loc["accuracy"]
    assert row["observed_sd"] == pytest.approx(accuracy.std(ddof=1), rel=1e-9)
    assert row["infinite_sd"] == pytest.approx(np.sqrt(max(expected, 0)), rel=1e-9)
    assert row["infinite_sd_low"] < 0.05 < row["infinite_sd_high"]
    mean = accuracy.mean()
    assert row["test_set_sd_closed_form"] == pytest.approx(np.sqrt(mean * (1 - mean) / items))
    assert row["test_set_sd"] == pytest.approx(row["test_set_sd_closed_form"], rel=0.25)
    areas = [roc_auc_score(y, score) for score in scores]
    assert table.loc["auc", "observed_sd"] == pytest.approx(np.std(areas, ddof=1), rel=1e-9)
    assert bool(table.loc["auc", "primary"])
    assert np.isnan(table.loc["auc", "infinite_sd"])


def test_mse_keeps_the_noise_that_is_the_seeds_own(tmp_path):
    """Seeds scale the error by 1+s: the MSE of seed s is (1+s)²·σ², whatever the test rows."""
    rng = np.random.default_rng(1)
    runs, items = 40, 2000
    scale = 1 + rng.normal(0, 0.1, runs)
    y = rng.normal(size=items)
    error = rng.normal(size=(runs, items)) * 0.3
    predictions = write(tmp_path, "bike_sharing", y, list(y + scale[:, None] * error))
    row = analyse(predictions, about()).loc["mse"]
    truth = np.std((scale * 0.3) ** 2, ddof=1)
    assert row["infinite_sd_low"] < truth < row["infinite_sd_high"]
    assert row["infinite_sd"] == pytest.approx(truth, rel=0.2)
    assert row["infinite_sd"] < row["observed_sd"]


def test_mse_without_a_seed_effect_is_all_test_set_noise(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.normal(size=500)
    predictions = write(tmp_path, "bike_sharing", y, list(y + rng.normal(size=(30, 500))))
    row = analyse(predictions, about()).loc["mse"]
    assert row["infinite_sd_low"] == 0
    assert row["seed_share"] < 0.6
    assert row["observed_sd"] > 0.03


@pytest.mark.parametrize(
    ("metric", "average", "score"),
    [("f1", "binary", f1_score), ("macro_f1", "macro", f1_score),
     ("macro_recall", "macro", recall_score)],
)  # fmt: skip
def test_metrics_of_labels_are_given_labels(tmp_path, metric, average, score):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    runs = np.clip((y + rng.normal(0.0, 0.8, (6, 300))) / 2 + 0.25, 0, 1)
    facts = about()
    facts = amended(facts, datasets={"magic": {"metric": metric}})
    row = analyse(write(tmp_path, "magic", y, list(runs)), facts).loc[metric]
    expected = [score(y, run > 0.5, average=average) for run in runs]
    assert row["mean"] == pytest.approx(np.mean(expected))
    assert row["observed_sd"] == pytest.approx(np.std(expected, ddof=1))


def test_a_macro_mean_over_three_classes(tmp_path):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet(np.ones(3), (5, 200)) + np.eye(3)[y] / 2
    facts = about()
    facts = amended(facts, datasets={"magic": {"task": "multiclass", "metric": "macro_f1"}})
    row = analyse(write(tmp_path, "magic", y, list(p / 1.5)), facts).loc["macro_f1"]
    expected = [f1_score(y, run.argmax(axis=1), average="macro") for run in p]
    assert row["mean"] == pytest.approx(np.mean(expected))


def test_a_mean_absolute_error_is_a_mean_over_items(tmp_path):
    rng = np.random.default_rng(5)
    y = rng.normal(size=2000)
    scale = 1 + rng.normal(0, 0.1, 40)
    runs = y + scale[:, None] * rng.normal(0, 0.3, (40, 2000))
    facts = about()
    facts = amended(facts, datasets={"bike_sharing": {"metric": "mae"}})
    table = analyse(write(tmp_path, "bike_sharing", y, list(runs)), facts)
    assert list(table.index) == ["mse", "mae"]
    row = table.loc["mae"]
    assert row["mean"] == pytest.approx(np.mean([mean_absolute_error(y, run) for run in runs]))
    # The seed scales |error|, whose mean is 0.3 √(2/π).
    truth = np.std(scale * 0.3 * np.sqrt(2 / np.pi), ddof=1)
    assert row["infinite_sd_low"] < truth < row["infinite_sd_high"]
    assert row["reason"] == ""


def test_failed_trials_are_counted_and_too_few_say_why(tmp_path):
    y = np.array([0.0, 1.0, 2.0, 3.0])
    row = analyse(write(tmp_path, "bike_sharing", y, [None, y + 0.1, None]), about()).loc["mse"]
    assert (row["n"], row["failed"]) == (1, 2)
    assert "two model seeds" in row["reason"]
    assert np.isnan(row["observed_sd"])


def test_every_trial_failed(tmp_path):
    row = analyse(write(tmp_path, "bike_sharing", [1.0, 2.0], [None, None]), about()).loc["mse"]
    assert (row["n"], row["failed"]) == (0, 2)


def test_no_predictions_at_all():
    assert run_analysis(noise_split, Data(frame([]), about())).empty


def test_several_classes_are_unfolded_row_by_row(tmp_path):
    facts = about()
    facts = amended(facts, datasets={"magic": {"task": "multiclass", "metric": "accuracy"}})
    y = [0, 1, 2, 1]
    first = np.eye(3)[[0, 1, 2, 1]]
    second = np.eye(3)[[0, 1, 2, 0]]
    predictions = write(tmp_path, "magic", y, [first, second])
    (group,) = predictions.read_groups()
    np.testing.assert_allclose(group.scores, [first, second], atol=1e-11)
    assert analyse(predictions, facts).loc["accuracy", "mean"] == pytest.approx(7 / 8)


def test_the_reader_keeps_groups_apart(tmp_path):
    predictions = write(tmp_path, "magic", [0, 1], [[0.1, 0.9], None, [0.2, 0.8]])
    (group,) = predictions.read_groups()
    np.testing.assert_allclose(group.scores, [[0.1, 0.9], [0.2, 0.8]])
    np.testing.assert_array_equal(group.y_true, [0, 1])
    assert group.seeds == [(0, 0, 0, 0), (2, 2, 2, 2)]
    assert group.failed == 1
    assert list(Predictions(tmp_path, ["grid"]).read_groups()) == []


def test_no_sd_of_an_accuracy_is_above_one_half(tmp_path):
    """Five seeds of one right and one wrong kind: the interval of the SD would pass 1."""
    y = np.arange(200) % 2
    scores = [np.abs(y - wrong) * 0.8 + 0.1 for wrong in (0, 1, 0, 1, 0)]
    row = analyse(write(tmp_path, "magic", y, scores), about()).loc["accuracy"]
    assert row["observed_sd"] > 0.5
    assert row["infinite_sd"] == row["infinite_sd_high"] == 0.5
    assert row["observed_sd_low"] < row["observed_sd"] < row["observed_sd_high"]


def test_the_interval_of_the_observed_sd_is_that_of_the_scores(tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    right = rng.random((6, 300)) < 0.8
    scores = np.where(right, y, 1 - y) * 0.8 + 0.1
    row = analyse(write(tmp_path, "magic", y, list(scores)), about()).loc["accuracy"]
    low, high = np.sqrt(variance_limits(right.mean(axis=1)))
    assert row["observed_sd_low"] == pytest.approx(low)
    assert row["observed_sd_high"] == pytest.approx(high)
