"""Models compared over several datasets, against independent computations."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from pair_frames import data, frame, over_splits, row_of
from reseed.analyses import pairs
from reseed.analyses.shared.data import Data
from reseed.core.study_info import StudyInfo
from reseed.verdicts.decide import ALL_DATASETS
from run_kinds import run_analysis
from scipy import stats


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def flip_p(d):
    """Adjusted p-values of (pairs, datasets) by the step-down test over all patterns of signs."""
    signs = np.array(list(product((1, -1), repeat=d.shape[1])))
    t = (signs @ d.T) ** 2 / (d**2).sum(axis=1)
    order, p, least = np.argsort(-t[0], kind="stable"), np.empty(len(d)), 0.0
    for step, pair in enumerate(order):
        largest = t[:, order[step:]].max(axis=1)
        p[pair] = least = max(least, np.mean(largest >= t[0, pair] * (1 - 1e-9)))
    return p


@pytest.mark.parametrize("metric", ["accuracy", "mse"])
def test_all_models_over_datasets_by_sign_flips(rng, metric):
    """Mean scores of a share, ranks of a loss."""
    effects = {"x": 0.0, "y": 0.01, "z": 0.03}
    rows = [r for i in range(6) for r in over_splits(rng, effects, 6, f"d{i}")]
    metrics, greater = frame(rows, metric), metric == "accuracy"
    table = run_analysis(pairs, data(metrics, metric, greater))
    over = table[table["dataset"] == "all datasets"]
    means = metrics.groupby(["dataset", "model"])[metric].mean().unstack()
    signed = means if greater else -means
    ranks = signed.rank(axis=1, ascending=False)
    tested = signed if greater else -ranks
    compared = zip(over["model_a"], over["model_b"], strict=True)
    p = flip_p(np.array([tested[a] - tested[b] for a, b in compared]))
    for row, adjusted in zip(over.itertuples(), p, strict=True):
        a, b = row.model_a, row.model_b
        assert row.test == ("sign-flip test" if greater else "sign-flip test of ranks")
        assert row.p_adjusted == pytest.approx(adjusted)
        assert row.difference == pytest.approx((tested[a] - tested[b]).mean())
        assert row.mean_a == pytest.approx((means if greater else ranks)[a].mean())
        assert row.instability == pytest.approx((signed[a] < signed[b]).mean())
    assert over["greater_is_better"].tolist() == [greater] * 3


def test_flips_over_datasets_follow_the_stated_order(rng):
    # On one dataset of six losses are a billion times as large, and the order is turned.
    parts, facts = [], {}
    for number in range(6):
        unit, way = (1e9, -1) if number == 0 else (1.0, 1)
        rows = [(f"d{number}", m, s, 0, 0, unit * (1 + way * gain + rng.normal(0, 0.001)))
                for m, gain in (("a", -0.2), ("b", 0.0), ("c", 0.2)) for s in range(6)]  # fmt: skip
        parts.append(frame(rows, metric="mse"))
        facts[f"d{number}"] = {"metric": "mse", "greater_is_better": False, "metric_unit": ""}
    found = Data(pd.concat(parts, ignore_index=True), StudyInfo(scale="demo", datasets=facts))
    for options in ({}, {"baseline": "b"}):
        table = run_analysis(pairs, found, options)
        over = table[table["dataset"] == "all datasets"]
        assert over["model_a"].tolist() == (["a", "a", "b"] if not options else ["a", "b"])
        assert over["instability"].to_numpy() == pytest.approx(1 / 6)


def test_few_datasets_are_pooled_by_their_runs(rng):
    """The mean over exactly these datasets: the sum of squared errors, Satterthwaite's df."""
    rows = [r for i in range(4) for r in over_splits(rng, {"x": 0.01, "y": 0}, 5 + i, f"d{i}")]
    metrics = frame(rows)
    row = run_analysis(pairs, data(metrics)).iloc[-1]
    wide = metrics.pivot(index=["dataset", "data_seed"], columns="model", values="accuracy")
    d = (wide["x"] - wide["y"]).groupby(level=0)
    n = d.size().to_numpy()
    squares = (1 / n + 1.5 * 0.25) * d.var(ddof=1).to_numpy() / 16
    se, df = np.sqrt(squares.sum()), squares.sum() ** 2 / (squares**2 / (n - 1)).sum()
    difference = d.mean().mean()
    half = stats.t.isf(0.025, df) * se
    assert (row["dataset"], row["n"]) == ("all datasets", 4)
    assert row["difference"] == pytest.approx(abs(difference))
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(difference) / se, df))
    assert (row["low"], row["high"]) == pytest.approx(
        (abs(difference) - half, abs(difference) + half)
    )
    assert row["mean_a"] - row["mean_b"] == pytest.approx(row["difference"])
    losses = run_analysis(pairs, data(frame(rows, "mse"), "mse", False)).iloc[-1]
    assert (losses["model_a"], losses["p"]) == (row["model_b"], pytest.approx(row["p"]))


def test_few_datasets_without_runs_and_one_model(rng):
    few = [r for i in range(4) for r in over_splits(rng, {"x": 0.1, "y": 0}, 1, f"d{i}")]
    row = run_analysis(pairs, data(frame(few))).iloc[-1]
    assert (row["dataset"], row["outcome"]) == ("all datasets", "not tested")
    assert np.isnan(row["p_adjusted"])
    alone = frame(over_splits(rng, {"x": 0.1, "y": 0}))
    assert "all datasets" not in set(run_analysis(pairs, data(alone))["dataset"])
    assert run_analysis(pairs, data(frame(over_splits(rng, {"x": 0})))).empty


@pytest.mark.nightly
def test_pooled_datasets_hold_their_level(rng):
    """Three equal models, five seeds on each of three datasets: any claim in 300 draws."""
    claims = 0
    for _ in range(300):
        rows = [
            (f"d{i}", m, 0, 0, seed, 0.8 + rng.normal(0, 0.01 * (i + 1)))
            for i in range(3) for m in "xyz" for seed in range(5)
        ]  # fmt: skip
        table = run_analysis(pairs, data(frame(rows)))
        claims += (table[table["dataset"] == ALL_DATASETS]["outcome"] == "better").any()
    assert claims / 300 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def failing(rng, datasets=12, gone=(0, 1, 2)):
    """B is better than A by 0.01 everywhere; A fails on splits that are hard for all."""
    rows = []
    for i in range(datasets):
        for seed in range(10):
            base = 0.9 - 0.2 * (seed < 5) + rng.normal(0, 0.0005)
            for model, effect in {"A": 0.0, "B": 0.01, "C": -0.05}.items():
                lost = model == "A" and seed in gone
                noise = rng.normal(0, 0.0005)
                rows.append((f"d{i}", model, seed, 0, 0, np.nan if lost else base + effect + noise))
    return frame(rows)


def test_over_datasets_uses_only_shared_splits(rng):
    """A's failures on hard splits made its own mean the best on every dataset."""
    over = run_analysis(pairs, data(failing(rng))).query("dataset == 'all datasets'")
    row = row_of(over, "B", "A")
    assert row["outcome"] == "better"
    assert row["mean_a"] - row["mean_b"] == pytest.approx(row["difference"])
    assert row["failed"] == 3 * 12
    assert row["left_out"] == 3 * 12  # the runs of B on the splits where A failed


def test_runs_left_out_of_both_models_are_counted(rng):
    over = run_analysis(pairs, data(failing(rng))).query("dataset == 'all datasets'")
    assert row_of(over, "B", "C")["left_out"] == 2 * 3 * 12


def test_different_test_ratios_and_folds_form_one_comparison(rng):
    parts = [
        frame(over_splits(rng, {"x": 0, "y": 0.02}, dataset=f"d{i}"), test_ratio=ratio, scheme=way)
        for i, (ratio, way) in enumerate(
            [(0.2, "holdout"), (0.2008, "holdout"), (0.19, "given"), (np.nan, "kfold-5x1")] * 2
        )
    ]
    for part in parts[3::4]:
        part["fold"] = part["data_seed"] % 4
    table = run_analysis(pairs, data(pd.concat(parts, ignore_index=True)))
    over = table[table["dataset"] == ALL_DATASETS]
    assert over["n"].tolist() == [8]
    assert over["test"].item() == "sign-flip test"
    assert over["scheme"].item() == "holdout, given, kfold-5x1"
    assert np.isnan(over["test_ratio"].item())


def test_a_dataset_counts_once_in_a_comparison_over_datasets(rng):
    parts = [
        frame(over_splits(rng, {"x": 0, "y": 0.02}, dataset=f"d{i}"), test_ratio=r, scheme=str(r))
        for i in range(2)
        for r in (0.1, 0.2, 0.3)
    ]
    one = run_analysis(pairs, data(pd.concat(parts[:3], ignore_index=True)))
    assert ALL_DATASETS not in set(one["dataset"])
    both = run_analysis(pairs, data(pd.concat(parts, ignore_index=True)))
    over = both[both["dataset"] == ALL_DATASETS]
    assert over["n"].tolist() == [2, 2, 2]
    assert over["test_ratio"].tolist() == [0.1, 0.2, 0.3]


def test_model_missing_a_dataset_is_reported_and_compared(rng):
    metrics = failing(rng, 8, ())
    gone = (metrics["model"] == "C") & metrics["dataset"].isin(["d3", "d5"])
    over = run_analysis(pairs, data(metrics[~gone])).query("dataset == 'all datasets'")
    assert len(over) == 3
    row = row_of(over, "A", "C")
    assert (row["n"], row["instability"]) == (6, 0)
    assert row_of(over, "B", "A")["n"] == 8
    means = metrics.groupby(["dataset", "model"])["accuracy"].mean().unstack()
    d = np.array([means[a] - means[b] for a, b in zip(over.model_a, over.model_b, strict=True)])
    gone = (over[["model_a", "model_b"]] == "C").any(axis=1).to_numpy()
    d[np.ix_(gone, means.index.isin(["d3", "d5"]))] = 0  # no part in any pattern
    assert over["p_adjusted"].to_numpy() == pytest.approx(flip_p(d))


def test_two_models_over_datasets_by_sign_flips(rng):
    rows = [r for i in range(9) for r in over_splits(rng, {"x": 0, "y": 0.02}, 6, f"d{i}")]
    metrics = frame(rows)
    row = run_analysis(pairs, data(metrics)).query("dataset == 'all datasets'").iloc[0]
    means = metrics.groupby(["dataset", "model"])["accuracy"].mean().unstack()
    d = (means["y"] - means["x"]).to_numpy()
    assert (row["model_a"], row["test"]) == ("y", "sign-flip test")
    assert row["p_adjusted"] == pytest.approx(flip_p(d[None])[0])
    assert row["difference"] == pytest.approx(d.mean())
    losses = frame(rows, "mse")
    row = run_analysis(pairs, data(losses, "mse", False)).query("dataset == 'all datasets'").iloc[0]
    assert (row["model_a"], row["test"]) == ("x", "sign-flip test of log ratios")
    means = losses.groupby(["dataset", "model"])["mse"].mean().unstack()
    ratios = np.log(means["y"] / means["x"]).to_numpy()
    assert row["p_adjusted"] == pytest.approx(flip_p(ratios[None])[0])
    geometric = stats.gmean(means["x"]), stats.gmean(means["y"])
    assert (row["mean_a"], row["mean_b"]) == pytest.approx(geometric)
    assert row["difference"] == pytest.approx(1 - geometric[0] / geometric[1])
    losses["mse"] -= losses["mse"].mean()  # no ratio
    row = run_analysis(pairs, data(losses, "mse", False)).query("dataset == 'all datasets'").iloc[0]
    assert (row["model_a"], row["test"]) == ("x", "sign test")
    assert row["p"] == pytest.approx(stats.binomtest(round(row["mean_a"] * row["n"]), 9).pvalue)
    assert row["mean_a"] - row["mean_b"] == pytest.approx(row["difference"])


def test_equivalence_over_datasets(rng):
    parts = [frame(over_splits(rng, {"x": 0, "y": 0}, 12, f"d{i}")) for i in range(7)]
    metrics = pd.concat(parts, ignore_index=True)
    table = run_analysis(pairs, data(metrics), rope=0.01)
    row = table[table["dataset"] == "all datasets"].iloc[0]
    wide = metrics.pivot(index=["dataset", "data_seed"], columns="model", values="accuracy")
    d = (wide["x"] - wide["y"]).groupby(level=0).mean().to_numpy()
    signs = np.array(list(product((1, -1), repeat=7)))
    sides = [np.mean(signs @ margin >= margin.sum() - 1e-12) for margin in (0.01 + d, 0.01 - d)]
    assert (max(sides) <= 0.05, row["outcome"]) == (True, "equal")


def test_a_model_on_one_dataset_of_two_is_counted_there(rng):
    rows = over_splits(rng, {"x": 0.0, "y": 0.1}, 6, "d0")
    rows += over_splits(rng, {"x": 0.0, "y": 0.1, "z": 0.2}, 6, "d1")
    table = run_analysis(pairs, data(frame(rows, "accuracy"), "accuracy", True))
    over = table[table["dataset"] == "all datasets"].set_index(["model_a", "model_b"])
    found = {frozenset(pair): n for pair, n in over["n"].items()}
    assert found == {frozenset("xy"): 2, frozenset("xz"): 1, frozenset("yz"): 1}


def test_models_are_compared_on_the_datasets_that_both_have(rng):
    models = {"x": 0.03, "y": 0.0, "z": 0.01}
    rows = over_splits(rng, {"x": 0.03, "y": 0.0}, 6, "d0")
    rows += [r for i in range(1, 8) for r in over_splits(rng, models, 6, f"d{i}")]
    metrics = frame(rows, "accuracy")
    table = run_analysis(pairs, data(metrics, "accuracy", True))
    means = metrics.groupby(["dataset", "model"])["accuracy"].mean().unstack()
    over = table[table["dataset"] == "all datasets"]
    assert sorted(over["n"]) == [7, 7, 8]
    for row in over.itertuples():
        d = (means[row.model_a] - means[row.model_b]).dropna()
        assert row.difference == pytest.approx(d.mean())
        assert row.instability == pytest.approx((d < 0).mean())


def test_single_runs_have_rows_over_datasets_alone(rng):
    rows = [r for i in range(8) for r in over_splits(rng, {"x": 0.1, "y": 0, "z": 0}, 1, f"d{i}")]
    table = run_analysis(pairs, data(frame(rows)))
    assert (len(table), {*table["dataset"]}) == (3, {"all datasets"})
    rows += over_splits(rng, {"x": 0.1, "y": 0, "z": 0}, 2, "d8")
    assert len(run_analysis(pairs, data(frame(rows)))) == 3 * 10
