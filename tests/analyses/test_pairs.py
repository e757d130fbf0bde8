"""Pairs of models: the right design, and its numbers against independent computations."""

import numpy as np
import pandas as pd
import pytest
from pair_frames import data, frame, one_split, over_splits
from reseed.analyses.pairing import unit_of
from reseed.analyses.pairs import analyse
from reseed.errors import ReseedError
from reseed.stats.comparison import nadeau_bengio
from scipy import stats
from statsmodels.stats.multitest import multipletests

OPTIONS = {"n_boot": 200}


def row_of(table, a, b):
    found = table[(table["model_a"] == a) & (table["model_b"] == b)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_splits_by_the_corrected_test_with_holm(rng):
    metrics = frame(over_splits(rng, {"x": 0.0, "y": 0.01, "z": 0.013}))
    table = analyse(data(metrics), OPTIONS)
    wide = metrics.pivot(index="data_seed", columns="model", values="accuracy")
    assert list(table["design"]) == ["splits"] * 3
    raw = []
    for row in table.itertuples():
        d = (wide[row.model_a] - wide[row.model_b]).to_numpy()
        assert d.mean() > 0
        se = np.sqrt((1 / 12 + 0.25) * d.var(ddof=1))
        t, half = d.mean() / se, stats.t.ppf(0.975, 11) * se
        assert row.difference == pytest.approx(d.mean())
        assert row.p == pytest.approx(2 * stats.t.sf(abs(t), 11))
        assert (row.low, row.high) == pytest.approx((d.mean() - half, d.mean() + half))
        assert row.cohens_d == pytest.approx(d.mean() / d.std(ddof=1))
        assert row.rank_p == pytest.approx(stats.wilcoxon(d).pvalue)
        assert row.instability == pytest.approx((d <= 0).mean())
        raw.append(row.p)
    adjusted = multipletests(raw, method="holm")[1]
    assert list(table["p_holm"]) == pytest.approx(list(adjusted))


def test_losses_are_better_when_low(rng):
    rows = over_splits(rng, {"good": -0.05, "bad": 0.0})
    up = analyse(data(frame(rows, "mse"), "mse", False), OPTIONS)
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
    row = analyse(data(metrics), OPTIONS).iloc[0]
    means = metrics.groupby(["model", "data_seed"])["accuracy"].mean()
    d = means["x"].to_numpy() - means["y"].to_numpy()
    expected = nadeau_bengio(d, 0.25)
    assert (row["n"], row["runs"]) == (6, 18)
    assert row["p"] == pytest.approx(float(expected.p_value))


def test_folds_take_their_ratio_from_their_number(rng):
    rows = [
        ("d", m, 0, fold, 0, v) for m in "xy" for fold, v in enumerate(rng.normal(0.8, 0.01, 10))
    ]
    row = analyse(data(frame(rows, test_ratio=np.nan, scheme="kfold-10x1")), OPTIONS).iloc[0]
    assert row["test_train_ratio"] == pytest.approx(1 / 9)


def test_several_splits_of_unknown_size_are_refused(rng):
    metrics = frame(over_splits(rng, {"x": 0, "y": 0}), test_ratio=np.nan, scheme="given")
    with pytest.raises(ReseedError, match="test_train_ratio"):
        analyse(data(metrics), OPTIONS)


def test_shared_seeds_on_one_split_by_the_plain_paired_test(rng):
    x, y = rng.normal(0.82, 0.01, 9), rng.normal(0.8, 0.01, 9)
    row = analyse(data(one_split({"x": x, "y": y})), OPTIONS).iloc[0]
    test = stats.ttest_rel(x, y)
    assert row["design"] == "seeds"
    assert row["p"] == pytest.approx(test.pvalue)
    assert (row["low"], row["high"]) == pytest.approx(tuple(test.confidence_interval()))
    assert "on this one split" in row["verdict"]


def test_seeds_that_are_not_shared_by_welch(rng):
    x, y = rng.normal(0.82, 0.01, 9), rng.normal(0.8, 0.02, 7)
    row = analyse(data(one_split({"x": x, "y": y}, {"x": 0, "y": 50})), OPTIONS).iloc[0]
    test = stats.ttest_ind(x, y, equal_var=False)
    assert row["design"] == "unpaired"
    assert row["p"] == pytest.approx(test.pvalue)
    wins = (x[:, None] > y).mean() + (x[:, None] == y).mean() / 2
    assert row["superiority"] == pytest.approx(wins)
    assert row["instability"] == pytest.approx(1 - wins)
    assert row["rank_p"] == pytest.approx(stats.mannwhitneyu(x, y).pvalue)


def test_missing_runs_leave_the_common_ones(rng):
    metrics = frame(over_splits(rng, {"x": 0.02, "y": 0.0}))
    gone = (metrics["model"] == "y") & metrics["data_seed"].isin([2, 5])
    some = metrics[~gone].reset_index(drop=True)
    row = analyse(data(some), OPTIONS).iloc[0]
    both = metrics[~metrics["data_seed"].isin([2, 5])].reset_index(drop=True)
    other = analyse(data(both), OPTIONS).iloc[0]
    assert (row["n"], row["left_out"]) == (10, 2)
    assert row["p"] == pytest.approx(other["p"])
    assert "2 runs without a counterpart" in row["verdict"]


def test_failed_runs_are_left_out_and_counted(rng):
    metrics = frame(over_splits(rng, {"x": 0.02, "y": 0.0}))
    metrics.loc[3, ["status", "accuracy"]] = ["failed", np.nan]
    row = analyse(data(metrics), OPTIONS).iloc[0]
    assert (row["n"], row["failed"]) == (11, 1)


def test_different_splits_are_not_compared(rng):
    metrics = frame(over_splits(rng, {"x": 0.1, "y": 0.0}))
    metrics.loc[metrics["model"] == "y", "data_seed"] += 100
    row = analyse(data(metrics), OPTIONS).iloc[0]
    assert row["outcome"] == "not comparable"
    assert np.isnan(row["p"])


def test_a_model_without_any_finished_run(rng):
    metrics = frame(over_splits(rng, {"x": 0.1, "y": 0.0}))
    metrics.loc[metrics["model"] == "y", "status"] = "failed"
    row = analyse(data(metrics), OPTIONS).iloc[0]
    assert (row["n"], row["failed"], row["outcome"]) == (0, 12, "too few runs")


def test_too_few_runs_do_not_weigh_on_the_others(rng):
    x, y, z = rng.normal(0.82, 0.01, 9), rng.normal(0.81, 0.01, 9), rng.normal(0.7, 0.01, 3)
    table = analyse(data(one_split({"x": x, "y": y, "z": z})), OPTIONS)
    tested = table[table["p_holm"].notna()]
    assert len(tested) == 1
    assert tested["p_holm"].iloc[0] == tested["p"].iloc[0]
    assert (table["outcome"] == "too few runs").sum() == 2


def test_equal_differences_are_no_evidence():
    table = analyse(data(one_split({"x": [0.9] * 8, "y": [0.8] * 8})), OPTIONS)
    assert table["outcome"].iloc[0] == "no variation"
    assert "say no more than one" in table["verdict"].iloc[0]


def test_over_many_datasets_by_friedman_and_nemenyi(rng):
    posthocs = pytest.importorskip("scikit_posthocs")
    effects = {"x": 0.0, "y": 0.01, "z": 0.03}
    rows = [r for i in range(7) for r in over_splits(rng, effects, 6, f"d{i}")]
    metrics = frame(rows)
    table = analyse(data(metrics), OPTIONS)
    over = table[table["dataset"] == "all datasets"]
    means = metrics.groupby(["dataset", "model"])["accuracy"].mean().unstack()
    expected = posthocs.posthoc_nemenyi_friedman(-means)
    for row in over.itertuples():
        assert row.p == pytest.approx(expected.loc[row.model_a, row.model_b], abs=1e-6)
        assert row.friedman_p == pytest.approx(stats.friedmanchisquare(*means.to_numpy().T).pvalue)
    assert row_of(over, "z", "x")["mean_a"] < row_of(over, "z", "x")["mean_b"]


def test_no_row_over_few_datasets_and_none_for_one_model(rng):
    few = frame([r for i in range(4) for r in over_splits(rng, {"x": 0, "y": 0}, 6, f"d{i}")])
    assert "all datasets" not in set(analyse(data(few), OPTIONS)["dataset"])
    assert analyse(data(frame(over_splits(rng, {"x": 0}))), OPTIONS).empty


def test_false_claims_over_seeds_stay_below_the_level(rng):
    """Three equal models on one split: family-wise error of the verdicts over 150 datasets."""
    parts = [
        one_split({m: rng.normal(0.8, 0.01, 8) for m in "xyz"}).assign(dataset=f"d{i}")
        for i in range(150)
    ]
    table = analyse(data(pd.concat(parts, ignore_index=True)), {"n_boot": 20})
    table = table[table["dataset"] != "all datasets"]
    wrong = (table["outcome"] == "difference").groupby(table["dataset"]).any()
    assert len(wrong) == 150
    assert 0.005 < wrong.mean() < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_units():
    scores = pd.Series([0.7, 0.9])
    assert unit_of("accuracy", scores, "") == (100, "points")
    assert unit_of("accuracy", 100 * scores, "") == (1, "points")
    assert unit_of("mse", scores, "kW²") == (1, "kW²")
    assert unit_of("r2", scores, "") == (1, "")
