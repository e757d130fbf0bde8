"""Pairs of models: the right design, and its numbers against independent computations."""

import numpy as np
import pandas as pd
import pytest
from pair_frames import data, frame, one_split, over_splits, row_of
from reseed.analyses import pairs
from reseed.analyses.shared.equivalence import rope_by_metric
from reseed.analyses.shared.pairing import difference_unit
from reseed.core.errors import ReseedError
from reseed.plugins import kinds
from reseed.stats.comparison import nadeau_bengio
from run_kinds import run_analysis
from scipy import stats
from statsmodels.stats.power import TTestPower


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_splits_by_the_corrected_test_for_all_pairs_at_once(rng):
    metrics = frame(over_splits(rng, {"x": 0.0, "y": 0.01, "z": 0.013}))
    table = run_analysis(pairs, data(metrics))
    wide = metrics.pivot(index="data_seed", columns="model", values="accuracy")
    assert list(table["design"]) == ["splits"] * 3
    assert set(table["test"]) == {"corrected resampled t test"}
    for row in table.itertuples():
        d = (wide[row.model_a] - wide[row.model_b]).to_numpy()
        assert d.mean() > 0
        published, se = (np.sqrt((1 / 12 + f * 0.25) * d.var(ddof=1)) for f in (1, 1.5))
        p, half = 2 * stats.t.sf(d.mean() / se, 11), stats.t.ppf(1 - 0.025 / 3, 11) * se
        assert row.difference == pytest.approx(d.mean())
        assert row.p == pytest.approx(p)
        assert row.published_p == pytest.approx(2 * stats.t.sf(d.mean() / published, 11))
        assert row.p_adjusted == pytest.approx(min(1, 3 * p))
        assert (row.low, row.high) == pytest.approx((d.mean() - half, d.mean() + half))
        assert row.instability == pytest.approx((d <= 0).mean())


def test_losses_are_better_when_low(rng):
    rows = over_splits(rng, {"good": -0.05, "bad": 0.0})
    up = run_analysis(pairs, data(frame(rows, "mse"), "mse", False))
    assert list(up["model_a"]) == ["good"]
    assert up["difference"].iloc[0] > 0
    assert up["low"].iloc[0] > 0


def test_seeds_within_a_split_are_averaged(rng):
    rows = [
        ("d", model, split, 0, seed, 0.8 + effect + rng.normal(0, 0.01))
        for model, effect in {"x": 0.02, "y": 0}.items()
        for split in range(6)
        for seed in range(3)
    ]
    metrics = frame(rows)
    row = run_analysis(pairs, data(metrics)).iloc[0]
    means = metrics.groupby(["model", "data_seed"])["accuracy"].mean()
    d = means["x"].to_numpy() - means["y"].to_numpy()
    expected = nadeau_bengio(d, 1.5 * 0.25)
    assert row["n"] == 6
    assert row["published_p"] == pytest.approx(float(nadeau_bengio(d, 0.25).p_value))
    assert row["p"] >= float(expected.p_value) * (1 - 1e-9)  # seeds are crossed with splits


def test_folds_take_their_ratio_from_their_number(rng):
    rows = [
        ("d", m, 0, fold, 0, v) for m in "xy" for fold, v in enumerate(rng.normal(0.8, 0.01, 10))
    ]
    row = run_analysis(pairs, data(frame(rows, test_ratio=np.nan, scheme="kfold-10x1"))).iloc[0]
    x, y = (np.array([v for *_, model, _, _, _, v in [(0, *one) for one in rows] if model == m])
            for m in "xy")  # fmt: skip
    assert row["p"] == pytest.approx(float(nadeau_bengio(x - y, 1.5 / 9).p_value))


def test_several_splits_of_unknown_size_are_refused(rng):
    metrics = frame(over_splits(rng, {"x": 0, "y": 0}), test_ratio=np.nan, scheme="given")
    with pytest.raises(ReseedError, match="test_train_ratio"):
        run_analysis(pairs, data(metrics))


def test_shared_seeds_on_one_split_by_the_plain_paired_test(rng):
    x, y = rng.normal(0.82, 0.01, 9), rng.normal(0.8, 0.01, 9)
    row = run_analysis(pairs, data(one_split({"x": x, "y": y}))).iloc[0]
    test = stats.ttest_rel(x, y)
    assert row["design"] == "seeds"
    assert row["p"] == pytest.approx(test.pvalue)
    assert row["test"] == "paired t test"
    assert (row["low"], row["high"]) == pytest.approx(tuple(test.confidence_interval()))


def test_seeds_that_are_not_shared_by_welch(rng):
    x, y = rng.normal(0.82, 0.01, 9), rng.normal(0.8, 0.02, 7)
    row = run_analysis(pairs, data(one_split({"x": x, "y": y}, {"x": 0, "y": 50}))).iloc[0]
    test = stats.ttest_ind(x, y, equal_var=False)
    assert row["design"] == "unpaired"
    assert row["p"] == pytest.approx(test.pvalue)
    wins = (x[:, None] > y).mean() + (x[:, None] == y).mean() / 2
    assert row["instability"] == pytest.approx(1 - wins)


@pytest.mark.parametrize(("first_of_y", "design"), [(2, "seeds"), (3, "unpaired")])
def test_pairing_by_seed_drops_no_more_than_one_run_in_five(rng, first_of_y, design):
    x, y = rng.normal(0.82, 0.01, 10), rng.normal(0.8, 0.01, 10)
    row = run_analysis(pairs, data(one_split({"x": x, "y": y}, {"x": 0, "y": first_of_y}))).iloc[0]
    paired = stats.ttest_rel(x[first_of_y:], y[: 10 - first_of_y]).pvalue
    expected = paired if design == "seeds" else stats.ttest_ind(x, y, equal_var=False).pvalue
    assert row["design"] == design
    assert row["p"] == pytest.approx(expected)
    assert row["left_out"] == (2 * first_of_y if design == "seeds" else 0)


def test_missing_runs_leave_the_common_ones(rng):
    metrics = frame(over_splits(rng, {"x": 0.02, "y": 0.0}))
    gone = (metrics["model"] == "y") & metrics["data_seed"].isin([2, 5])
    some = metrics[~gone].reset_index(drop=True)
    row = run_analysis(pairs, data(some)).iloc[0]
    both = metrics[~metrics["data_seed"].isin([2, 5])].reset_index(drop=True)
    other = run_analysis(pairs, data(both)).iloc[0]
    assert (row["n"], row["left_out"]) == (10, 2)
    assert row["p"] == pytest.approx(other["p"])


def test_failed_runs_are_left_out_and_counted(rng):
    metrics = frame(over_splits(rng, {"x": 0.02, "y": 0.0}))
    metrics.loc[3, ["status", "accuracy"]] = ["failed", np.nan]
    row = run_analysis(pairs, data(metrics)).iloc[0]
    assert (row["n"], row["failed"]) == (11, 1)


def test_different_splits_are_not_compared(rng):
    metrics = frame(over_splits(rng, {"x": 0.1, "y": 0.0}))
    metrics.loc[metrics["model"] == "y", "data_seed"] += 100
    row = run_analysis(pairs, data(metrics)).iloc[0]
    assert (row["outcome"], row["reason"]) == ("not tested", "no split in common")
    assert np.isnan(row["p"])


def test_a_model_without_any_finished_run(rng):
    metrics = frame(over_splits(rng, {"x": 0.1, "y": 0.0}))
    metrics.loc[metrics["model"] == "y", "status"] = "failed"
    row = run_analysis(pairs, data(metrics)).iloc[0]
    assert (row["n"], row["failed"], row["reason"]) == (0, 12, "too few runs")


def test_too_few_runs_do_not_weigh_on_the_others(rng):
    x, y, z = rng.normal(0.82, 0.01, 9), rng.normal(0.81, 0.01, 9), rng.normal(0.7, 0.01, 3)
    table = run_analysis(pairs, data(one_split({"x": x, "y": y, "z": z})))
    tested = table[table["p_adjusted"].notna()]
    assert len(tested) == 1
    assert tested["p_adjusted"].iloc[0] == tested["p"].iloc[0]
    assert (table["reason"] == "too few runs").sum() == 2


@pytest.mark.parametrize("first_of_y", [0, 7])
def test_one_run_each_is_told_and_not_tested(first_of_y):
    runs = one_split({"x": [0.9], "y": [0.8]}, {"x": 0, "y": first_of_y})
    row = run_analysis(pairs, data(runs)).iloc[0]
    assert (row["model_a"], row["reason"]) == ("x", "too few runs")
    assert row["difference"] == pytest.approx(0.1)
    assert np.isnan(row["p"])


def test_five_runs_are_enough_by_default(rng):
    """Models with four, five and six runs."""
    runs = [rng.normal(mean, 0.01, n) for mean, n in ((0.82, 4), (0.81, 5), (0.7, 6))]
    metrics = data(one_split(dict(zip("xyz", runs, strict=True)), {"x": 0, "y": 50, "z": 100}))
    table = run_analysis(pairs, metrics)
    assert row_of(table, "y", "z")["outcome"] != "not tested"
    assert (table["reason"] == "too few runs").sum() == 2


def test_a_pair_is_two_models():
    for wrong in (["x"], ["x", "y", "z"]):
        with pytest.raises(ValueError, match="pairs"):
            pairs.Options(pairs=[wrong])


def test_equal_differences_are_no_evidence():
    table = run_analysis(pairs, data(one_split({"x": [0.9] * 8, "y": [0.8] * 8})))
    assert (table["outcome"].item(), table["reason"].item()) == ("not tested", "no variation")
    tests = ["low", "high", "p", "p_adjusted"]
    assert table[tests].isna().all(axis=None)
    assert table["difference"].item() == pytest.approx(0.1)


def test_a_baseline_makes_the_family_smaller(rng):
    metrics = frame(over_splits(rng, {"w": 0.0, "x": 0.002, "y": 0.004, "z": 0.01}))
    every = run_analysis(pairs, data(metrics))
    table = run_analysis(pairs, data(metrics), baseline="w")
    assert len(every) == 6
    assert {frozenset(pair) for pair in table[["model_a", "model_b"]].to_numpy()} == {
        frozenset("wx"), frozenset("wy"), frozenset("wz"),
    }  # fmt: skip
    assert list(table["p_adjusted"]) == pytest.approx(np.minimum(1, 3 * table["p"]))
    assert row_of(table, "z", "w")["p"] == pytest.approx(row_of(every, "z", "w")["p"])
    assert row_of(table, "z", "w")["low"] > row_of(every, "z", "w")["low"]
    asked = run_analysis(pairs, data(metrics), pairs=[["x", "y"], ["z", "w"]])
    assert len(asked) == 2
    assert set(asked["pairs"]) == {2}


def test_a_baseline_is_found_under_its_variant(rng):
    metrics = frame(over_splits(rng, {"rf~trees=60": 0.0, "gbm": 0.002, "xgb": 0.004}))
    assert len(run_analysis(pairs, data(metrics), baseline="rf")) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "no"}, "no model of this study. Models: x, y"),
        ({"pairs": [["x", "no"]]}, "no model of this study"),
        ({"pairs": [["x", "x"]]}, "two different models"),
        ({"pairs": [["x", "y"], ["y", "y"]]}, "two different models"),
        ({"pairs": []}, "pairs: List should have at least 1 item"),
        ({"pairs": [["x", "y", "x"]]}, "at most 2 items"),
        ({"pairs": [["x", "y"]], "baseline": "x"}, "not both"),
        ({"family": "all"}, "family: Input should be 'dataset' or 'study'"),
    ],
)
def test_choices_of_pairs_that_make_no_sense(rng, options, message):
    with pytest.raises(ReseedError, match=message):
        kinds.run_kind(
            kinds.find_kind("analyses", "pairs"),
            data(frame(over_splits(rng, {"x": 0, "y": 0}))),
            options,
            pd.DataFrame,
        )


def test_one_family_for_the_whole_study(rng):
    rows = [r for i in range(3) for r in over_splits(rng, {"x": 0, "y": 0.003, "z": 0}, 8, f"d{i}")]
    table = run_analysis(pairs, data(frame(rows)), family="study")
    table = table[table["dataset"] != "all datasets"]
    assert set(table["pairs"]) == {9}
    assert list(table["p_adjusted"]) == pytest.approx(np.minimum(1, 9 * table["p"]))


def test_flattened_repeats_are_asked_about(rng):
    rows = [("d", m, 0, f, 0, v) for m in "xy" for f, v in enumerate(rng.normal(0.8, 0.01, 50))]
    metrics = frame(rows, test_ratio=np.nan, scheme="kfold-50x1")
    with pytest.raises(ReseedError, match=r"50 folds and no repeats.*`repeat`"):
        run_analysis(pairs, data(metrics))
    assert len(run_analysis(pairs, data(metrics.assign(test_ratio=0.2)))) == 1


def test_equivalence_and_what_could_have_been_found(rng):
    shared = rng.normal(0.8, 0.01, 20)
    x, y = shared + rng.normal(0, 0.002, 20), shared + rng.normal(0, 0.002, 20)
    row = run_analysis(pairs, data(one_split({"x": x, "y": y})), rope=0.005).iloc[0]
    d = x - y
    interval = stats.ttest_1samp(d, 0).confidence_interval(0.95)
    assert max(-interval.low, interval.high) < 0.005
    assert row["outcome"] == "equal"
    # The detectable difference is where statsmodels' power of the paired t test is 80 %.
    power = TTestPower().power(row["detectable"] / d.std(ddof=1), 20, 0.05)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_nothing_is_equivalent_unless_a_region_is_stated(rng):
    shared = rng.normal(0.8, 0.01, 20)
    runs = data(one_split({m: shared + rng.normal(0, 1e-4, 20) for m in "xy"}))
    row = run_analysis(pairs, runs).iloc[0]
    assert row["outcome"] == "undecided"
    assert np.isnan(row["rope"])
    by_metric = run_analysis(pairs, runs, rope={"accuracy": 0.005}).iloc[0]
    assert by_metric["outcome"] == "equal"
    with pytest.raises(ReseedError, match="nothing is compared by 'auc'"):
        run_analysis(pairs, runs, rope={"auc": 0.005})


def test_one_region_for_several_metrics_is_refused():
    assert rope_by_metric(0.1, {"auc": 100.0}) == {"auc": 0.1}
    with pytest.raises(ReseedError, match=r"several metrics \(auc, mse\).*\{auc: 0.1\}"):
        rope_by_metric(0.1, {"auc": 100.0, "mse": 1.0})


@pytest.mark.parametrize("rope", [1, {"auc": 2.5}])
def test_region_covering_all_share_differences_is_refused(rope):
    with pytest.raises(ReseedError, match=r"auc is a share of 1: .*Write one point as 0\.01"):
        rope_by_metric(rope, {"auc": 100.0})
    assert rope_by_metric(rope, {"auc": 1.0}) == {"auc": rope if rope == 1 else 2.5}


def test_ties_count_as_half_a_flip():
    x = [0.5, 0.5, 0.5, 0.5, 0.6, 0.5]
    row = run_analysis(pairs, data(one_split({"x": x, "y": [0.5] * 6}))).iloc[0]
    assert row["instability"] == pytest.approx(5 / 6 / 2)


def test_flips_follow_the_stated_order_for_any_seed_count(rng):
    """B leads on the one split with 20 seeds, A on five others: A is stated to be better."""
    noise = rng.normal(0, 1e-3, (25, 2))
    places = [(0, seed) for seed in range(20)] + [(split, 0) for split in range(1, 6)]
    rows = [
        ("d", model, split, 0, seed, 0.8 + lead + noise[i, j])
        for i, (split, seed) in enumerate(places)
        for j, (model, lead) in enumerate([("x", 0.06 * (split > 0)), ("y", 0.03 * (split == 0))])
    ]
    row = run_analysis(pairs, data(frame(rows))).iloc[0]
    assert (row["model_a"], row["n"]) == ("x", 6)
    assert row["difference"] == pytest.approx((5 * 0.06 - 0.03) / 6, abs=2e-3)
    assert row["instability"] == pytest.approx(20 / 25)


def test_runs_in_several_settings_compare_as_they_do_alone(rng):
    """Models that fail in different places are set side by side pair by pair."""
    metrics = frame(over_splits(rng, {m: i * 0.01 for i, m in enumerate("vwxyz")}, 15))
    metrics = metrics[rng.random(len(metrics)) > 0.2].reset_index(drop=True)
    table = run_analysis(pairs, data(metrics))
    wide = metrics.pivot(index="data_seed", columns="model", values="accuracy")
    for row in table.itertuples():
        d = (wide[row.model_a] - wide[row.model_b]).dropna().to_numpy()
        assert row.n == len(d)
        assert row.p == pytest.approx(float(nadeau_bengio(d, 1.5 * 0.25).p_value))


@pytest.mark.nightly
def test_false_claims_over_seeds_stay_below_the_level(rng):
    """Three equal models on one split: family-wise error of the verdicts over 150 datasets."""
    parts = [
        one_split({m: rng.normal(0.8, 0.01, 8) for m in "xyz"}).assign(dataset=f"d{i}")
        for i in range(150)
    ]
    table = run_analysis(pairs, data(pd.concat(parts, ignore_index=True)))
    table = table[table["dataset"] != "all datasets"]
    wrong = (table["outcome"] == "better").groupby(table["dataset"]).any()
    assert len(wrong) == 150
    assert 0.005 < wrong.mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_units():
    scores = pd.Series([0.7, 0.9])
    assert difference_unit("accuracy", scores, "") == (100, "points")
    assert difference_unit("accuracy", 100 * scores, "") == (1, "points")
    assert difference_unit("mse", scores, "kW²") == (1, "kW²")
    assert difference_unit("r2", scores, "") == (1, "")


def test_intervals_agree_with_every_verdict(rng):
    outcomes = set()
    for _ in range(20):
        samples = {n: 0.8 + 0.002 * i + rng.normal(0, 0.003, 9) for i, n in enumerate("wxyz")}
        samples["v"] = 0.8 + rng.exponential(0.01, 9)  # skewed: its test is corrected
        table = run_analysis(pairs, data(one_split(samples)))
        shown = table["outcome"] == "better"
        assert ((table["low"] > 0) == shown).all()
        assert ((table["p_adjusted"] <= 0.05) == shown).all()
        outcomes |= set(shown)
    assert outcomes == {True, False}


def test_intervals_follow_alpha(rng):
    samples = {name: 0.8 + 0.003 * i + rng.normal(0, 0.003, 9) for i, name in enumerate("xy")}
    table = run_analysis(pairs, data(one_split(samples)), alpha=0.2)
    ends = stats.ttest_1samp(samples["y"] - samples["x"], 0).confidence_interval(0.8)
    row = table.iloc[0]
    assert (row.low, row.high) == pytest.approx(tuple(ends))


def test_intervals_of_shares_end_at_the_largest_difference():
    rows = [("d", m, 0, 0, s, v) for m, vs in {"x": (0.9, 0.1, 0.8), "y": (0.2, 0.3, 0.2)}.items()
            for s, v in enumerate(vs)]  # fmt: skip
    (row,) = run_analysis(pairs, data(frame(rows)), min_runs=2).itertuples()
    d = np.array([0.7, -0.2, 0.6])
    half = stats.t.isf(0.025, 2) * d.std(ddof=1) / np.sqrt(3)
    assert d.mean() + half > 1
    assert (row.low, row.high) == pytest.approx((d.mean() - half, 1))
