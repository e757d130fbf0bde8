"""Pairs of arms on one test set: known differences, one run a side, failures, direction."""

import numpy as np
import pytest
from output_frames import study_of, write_outputs
from papers.banerjee.logit_gaps import logit_gaps
from reseed.analyses import item_pairs
from reseed.analyses.shared.arms import with_arms
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.outputs import SplitOptions, read_outputs, select_outputs
from reseed.stats.item_model import Factor, item_difference
from run_kinds import run_analysis
from scipy.special import expit
from sklearn.metrics import f1_score, roc_auc_score
from study_frames import about, amended, frame

FAST = {"n_boot": 200, "n_permutations": 500}


def arms(models=("rf", "xgb"), runs=6, items=600, gain=(0.0, 0.4), seed=0, dataset="magic"):
    """Binary outputs; `gain` strengthens the signal of each model."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, items)
    hard = rng.normal(0, 1.5, items)
    return {
        (dataset, model): (
            y,
            list(expit((2 * y - 1) * (1 + g) + hard + rng.normal(0, 0.7, (runs, items)))),
        )
        for model, g in zip(models, gain, strict=True)
    }


def analyse(tmp_path, found, facts=None, first_seed=None, **options):
    predictions = write_outputs(tmp_path, found, first_seed=first_seed)
    return run_analysis(item_pairs, study_of(predictions, found, facts), FAST | options)


def test_numbers_are_those_of_the_outputs(tmp_path):
    found = arms()
    table = analyse(tmp_path, found).set_index("metric")
    (y, rf), (_, xgb) = found.values()
    for metric, score in [
        ("accuracy", lambda p: np.mean((p > 0.5) == y)),
        ("auc", lambda p: roc_auc_score(y, p)),
    ]:
        row = table.loc[metric]
        assert (row["arm_a"], row["arm_b"]) == ("xgb", "rf")
        assert row["mean_a"] == pytest.approx(np.mean([score(p) for p in xgb]))
        assert row["difference"] == pytest.approx(row["mean_a"] - row["mean_b"])
        assert row["low"] < row["difference"] < row["high"]
        assert row["boot_low"] < row["difference"] < row["boot_high"]
        assert row["scope"] == "seeds and items"
    right = [(np.array(side) > 0.5) == y for side in (xgb, rf)]
    expected = item_difference(*right, [Factor("seed", True)])
    row = table.loc["accuracy"]
    assert row["p"] == pytest.approx(expected.p_value)
    assert row["shared_seeds"]
    assert row["outcome"] == "better"
    assert (row["level_seed"], row["level_item"]) == (6, 600)
    assert row["single_pairs"] == 6
    assert row["swap_p"] < 0.05
    assert row["permutation_p"] == pytest.approx(2 / 2**6)


def test_one_run_a_side_is_judged_for_the_models_as_trained(tmp_path):
    table = analyse(tmp_path, arms(runs=1))
    assert set(table["scope"]) == {"items"}
    assert table["permutation_p"].isna().all()


def test_seeds_that_are_not_shared_are_two_samples(tmp_path):
    found = arms()
    table = analyse(tmp_path, found, first_seed={"xgb": 50})
    assert not table["shared_seeds"].any()
    (y, rf), (_, xgb) = found.values()
    right = [(np.array(side) > 0.5) == y for side in (xgb, rf)]
    expected = item_difference(*right, [Factor("seed", False)])
    assert table.set_index("metric").loc["accuracy", "p"] == pytest.approx(expected.p_value)


def test_few_shared_seeds_of_many_are_not_paired(tmp_path):
    found = arms()
    (y, rf), (_, xgb) = found.values()
    few = {("magic", "rf"): (y, [*rf, *rf, *rf, *rf[:2]]), ("magic", "xgb"): (y, xgb[:4])}
    row = analyse(tmp_path, few, first_seed={"rf": 0, "xgb": 18}).iloc[0]
    # Two of the four seeds of xgb are shared: all 20 and 4 runs are two samples.
    assert not row["shared_seeds"]
    assert {row["runs_a"], row["runs_b"]} == {20, 4}


def test_pairs_of_a_test_set_hold_at_once(tmp_path):
    found = arms(("ffnn", "rf", "xgb"), gain=(0.0, 0.05, 0.3))
    table = analyse(tmp_path, found).query("metric == 'auc'")
    assert (table["pairs"] == 3).all()
    assert table["p_adjusted"].to_numpy() == pytest.approx(np.minimum(1, 3 * table["p"]))
    shown = table["outcome"] == "better"
    assert ((table["low"] > 0) == shown).all()


def test_a_loss_is_better_the_less(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.normal(size=400)
    found = {
        ("bike_sharing", "rf"): (y, [y + rng.normal(0, 0.5, 400) for _ in range(4)]),
        ("bike_sharing", "xgb"): (y, [y + rng.normal(0, 0.3, 400) for _ in range(4)]),
    }
    row = analyse(tmp_path, found).iloc[0]
    assert (row["metric"], row["arm_a"]) == ("mse", "xgb")
    assert row["difference"] > 0
    assert row["mean_a"] < row["mean_b"]
    assert row["outcome"] == "better"
    assert row["boot_low"] > 0


def test_error_is_in_target_units_only_where_defined(tmp_path):
    rng = np.random.default_rng(6)
    y = rng.normal(size=100)
    found = {
        ("bike_sharing", arm): (y, [y + rng.normal(0, sd, 100) for _ in range(4)])
        for arm, sd in (("rf", 2), ("xgb", 3))
    }
    facts = about(("bike_sharing",), ("rf", "xgb"))
    facts = amended(facts, datasets={"bike_sharing": {"unit": "°C"}})
    table = analyse(tmp_path, found, facts, metrics=["mse", "mae"]).set_index("metric")
    assert table["unit"].to_dict() == {"mse": "", "mae": "°C"}


def test_failed_runs_are_counted_and_an_arm_without_any_is_told(tmp_path):
    found = arms()
    y, rf = found["magic", "rf"]
    found["magic", "rf"] = (y, [None, *rf[1:]])
    found["magic", "ffnn"] = (y, [None, None])
    table = analyse(tmp_path, found)
    pair = table[(table["metric"] == "auc") & (table["reason"] == "")].iloc[0]
    assert (pair["failed"], pair["runs_a"], pair["runs_b"]) == (1, 5, 5)
    assert set(table[table["reason"] != ""]["reason"]) == {"one of them has no finished run"}
    assert len(table) == 6
    table.to_parquet(tmp_path / "t.parquet")


def test_equal_outputs_give_no_verdict(tmp_path):
    found = arms(gain=(0.0, 0.0))
    found["magic", "xgb"] = found["magic", "rf"]
    table = analyse(tmp_path, found)
    assert set(table["outcome"]) == {"not tested"}
    assert (table["difference"] == 0).all()


def test_constant_item_difference_is_reported_as_constant(tmp_path):
    y = np.repeat([0, 1], 50)
    found = {
        ("magic", "rf"): (y, [np.where(y == 1, 0.75, 0.25)] * 4),
        ("magic", "xgb"): (y, [np.full(100, 0.5)] * 4),
    }
    row = analyse(tmp_path, found).set_index("metric").loc["auc"]
    assert (row["arm_a"], row["difference"], row["outcome"]) == ("rf", 0.5, "not tested")
    assert (row["single_a"], row["single_b"]) == (1, 0)


def test_only_the_first_split_unless_asked(tmp_path):
    found = arms()
    predictions = write_outputs(tmp_path, found)
    data = study_of(predictions, found)
    one = list(read_outputs(data))
    assert [o.key["arm"] for o in one] == ["rf", "xgb"]
    assert one[0].n == 6
    assert len(run_analysis(item_pairs, data, FAST, splits="all")) == 2


def splits_of(tmp_path, data_seeds, models=("rf", "xgb")):
    found = arms(models, gain=(0.0, 0.4, 0.8)[: len(models)])
    return study_of(write_outputs(tmp_path, found, data_seeds=data_seeds), found)


def test_the_first_split_is_the_first_that_all_arms_have(tmp_path):
    data = splits_of(tmp_path, {"rf": [0, 1, 2], "xgb": [2, 1]})
    table = run_analysis(item_pairs, data, FAST)
    assert list(table["data_seed"]) == [1, 1]
    assert (table["reason"] == "").all()
    both = run_analysis(item_pairs, data, FAST, splits="all")
    assert sorted(both["data_seed"]) == [1, 1, 2, 2]


@pytest.mark.parametrize("splits", ["first", "all"])
def test_arms_that_share_no_split_are_a_row_with_its_reason(tmp_path, splits):
    data = splits_of(tmp_path, {"rf": [0], "xgb": [1, 2], "ffnn": [2, 0]}, ("rf", "xgb", "ffnn"))
    table = run_analysis(item_pairs, data, FAST, splits=splits)
    apart = table[table["reason"] != ""]
    assert set(apart["reason"]) == {"they are on different splits"}
    assert {("rf", "xgb")} <= set(zip(apart["arm_a"], apart["arm_b"], strict=True))
    named = {frozenset(pair) for pair in zip(table["arm_a"], table["arm_b"], strict=True)}
    assert named == {frozenset(p) for p in (("rf", "xgb"), ("rf", "ffnn"), ("xgb", "ffnn"))}
    assert [one.key["arm"] for one in select_outputs(data, SplitOptions())] == ["rf", "xgb", "ffnn"]


def test_several_classes_have_labels_confidence_and_margins(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 200)
    logits = np.eye(3)[y] * 1.5 + rng.normal(0, 1, (4, 200, 3))
    p = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    found = {("magic", "rf"): (y, list(p)), ("magic", "xgb"): (y, list(p[::-1]))}
    facts = about(("magic",), ("rf", "xgb"))
    facts = amended(facts, datasets={"magic": {"task": "multiclass", "metric": "accuracy"}})
    data = study_of(write_outputs(tmp_path, found), found, facts)
    one = next(read_outputs(data))
    np.testing.assert_array_equal(one.labels, logits.argmax(axis=2))
    np.testing.assert_allclose(one.confidence, p.max(axis=2))
    margin = [
        [logits[s, i, y[i]] - np.delete(logits[s, i], y[i]).max() for i in range(200)]
        for s in range(4)
    ]
    np.testing.assert_allclose(logit_gaps(one), np.clip(margin, -15, 15), atol=1e-6)
    assert ((logit_gaps(one) > 0) == one.correct).all()


def test_metrics_of_labels_are_given_labels(tmp_path):
    found = arms()
    table = analyse(tmp_path, found, metrics=["f1"])
    (y, rf), _ = found.values()
    expected = np.mean([f1_score(y, np.array(p) > 0.5) for p in rf])
    assert table["mean_b"].item() == pytest.approx(expected)


def test_an_arm_is_its_model_where_none_is_named():
    table = with_arms(frame([{"model": "rf"}, {"model": "xgb"}]))
    assert list(table["arm"]) == ["rf", "xgb"]
    named = with_arms(frame([{"model": "rf", "arm": "rf, warm"}, {"model": "xgb", "arm": None}]))
    assert list(named["arm"]) == ["rf, warm", "xgb"]


def test_no_predictions_give_an_empty_table():
    table = run_analysis(item_pairs, Data(frame([]), about()))
    assert table.empty
    assert list(table.columns) == item_pairs.COLUMNS
