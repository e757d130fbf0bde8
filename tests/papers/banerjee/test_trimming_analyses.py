"""Analyses on constructed runs: brute force, an odd run, growing ensembles."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from papers.banerjee import (
    gap_distribution,
    trimming,
    trimming_ensembles,
    trimming_information,
    trimming_pairs,
    trimming_summary,
)
from papers.banerjee.alpha_hat import AUTHORS_GRID
from papers.banerjee.ks import two_sample_threshold
from reseed.analyses.shared.data import Data
from reseed.core.errors import ReseedError
from run_kinds import run_analysis
from scipy.special import expit, logit
from study_frames import about, amended, frame

FAST = {"n_bootstrap": 5, "n_ensembles": 30, "n_halves": 3}
KINDS = [
    trimming, trimming_pairs, trimming_summary, trimming_ensembles, trimming_information,
    gap_distribution,
]  # fmt: skip


def runs(n=24, items=1200, noise=0.7, odd=(), seed=0):
    """Runs of one signal; of the odd ones a third of the items is moved by 12 logits."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, items)
    gaps = (2 * y - 1) * 1.2 + rng.normal(0, 1.5, items) + rng.normal(0, noise, (n, items))
    for i in odd:
        gaps[i, : items // 3] += 12
    return y, gaps


def data_of(folder, y, gaps, arms=("rf",), facts=None):
    found = {("magic", arm): (y, [None if g is None else expit(g) for g in gaps]) for arm in arms}
    return study_of(write_outputs(folder, found), found, facts)


def test_the_first_half_is_the_reference_of_the_rest(tmp_path):
    y, gaps = runs(odd=(20,))
    table = run_analysis(trimming, data_of(tmp_path, y, gaps), FAST).set_index("init")
    assert list(table.index) == list(range(12, 24))
    assert set(table["references"]) == {12}
    assert table["alpha_hat"].idxmax() == 20
    # A third of its mass lies where the reference has none but delta: that share is trimmed.
    delta = table["delta"].iloc[0]
    assert table.loc[20, "alpha_hat"] == pytest.approx((1 / 3 - delta) / (1 - delta), abs=0.06)
    assert not table.loc[20, "admitted"]
    assert table["admitted"].drop(20).all()
    assert (table["alpha_hat_grid"] >= table["alpha_hat"] - 1e-12).all()
    assert table.loc[20, "ks"] > delta > table["ks"].drop(20).max()


def test_measures_by_brute_force(tmp_path):
    y, gaps = runs()
    table = run_analysis(trimming, data_of(tmp_path, y, gaps), FAST)
    chosen = gaps[12:]
    ensemble = chosen.mean(axis=0) > 0
    for i, row in table.iterrows():
        label = chosen[i] > 0
        churn = [np.mean(label != (chosen[j] > 0)) for j in range(12) if j != i]
        assert row["churn"] == pytest.approx(np.mean(churn))
        assert row["churn_ensemble"] == pytest.approx(np.mean(label != ensemble))
        assert row["accuracy"] == pytest.approx(np.mean(label == y))
    assert table["ensemble_accuracy"].unique() == pytest.approx([np.mean(ensemble == y)])


def test_few_runs_are_judged_by_all_others(tmp_path):
    y, gaps = runs(n=8)
    table = run_analysis(trimming, data_of(tmp_path, y, gaps), FAST)
    assert len(table) == 8
    assert set(table["references"]) == {7}
    half = run_analysis(trimming, data_of(tmp_path / "h", y, gaps), FAST, reference="half")
    assert len(half) == 4
    with pytest.raises(ValueError, match="'half' or 'others'"):
        trimming.Options(reference="all")


def test_so_few_items_that_every_run_would_pass_are_a_reason(tmp_path):
    y, gaps = runs(n=8, items=12)
    for kind in (trimming, trimming_pairs, trimming_information):
        table = run_analysis(kind, data_of(tmp_path / kind.__name__, y, gaps), FAST)
        assert "items are too few" in table["reason"].item()


def test_the_authors_grid_is_a_mean_of_grid_values(tmp_path):
    y, gaps = runs(odd=(22,))
    table = run_analysis(trimming, data_of(tmp_path, y, gaps), FAST, n_bootstrap=2)
    sums = table["alpha_hat_grid"] * 2
    allowed = {round(a + b, 6) for a in (*AUTHORS_GRID, 0.5) for b in (*AUTHORS_GRID, 0.5)}
    assert {round(s, 6) for s in sums} <= allowed


def test_pairs_are_all_pairs_of_candidates(tmp_path):
    y, gaps = runs(odd=(20,))
    data = data_of(tmp_path, y, gaps)
    pairs, single = run_analysis(trimming_pairs, data, FAST), run_analysis(trimming, data, FAST)
    assert len(pairs) == 12 * 11 // 2
    row = pairs[(pairs["seed_a"] == "12") & (pairs["seed_b"] == "20")].iloc[0]
    assert row["disagreeing_items"] == np.sum((gaps[12] > 0) != (gaps[20] > 0))
    alpha = single.set_index("init")["alpha_hat"]
    assert row["alpha_high"] == pytest.approx(alpha[20])
    assert row["alpha_low"] == pytest.approx(alpha[12])
    assert pairs["both_admitted"].sum() == 11 * 10 // 2
    # Every run's mean churn is the mean over its pairs.
    mine = pairs[(pairs["seed_a"] == "15") | (pairs["seed_b"] == "15")]["churn"].mean()
    assert mine == pytest.approx(single.set_index("init").loc[15, "churn"])


def printed(folder):
    """Two of the paper's tables in its layout, with numbers of the test's own."""
    folder.mkdir()
    pd.DataFrame(
        {
            "table": "II",
            "randomness": ["init", "batch"],
            "accuracy_min": [90.0, 80.0],
            "accuracy_max": [92.0, 93.0],
            "ensemble_accuracy": 94.0,
            "low_alpha_accuracy_min": 91.0,
            "low_alpha_accuracy_max": 92.0,
        }
    ).to_csv(folder / "banerjee_table2_accuracy_ranges.csv", index=False)
    pd.DataFrame(
        {
            "table": "III",
            "randomness": ["init", "batch"],
            "churn_min": [100, 200],
            "churn_max": 400,
            "low_alpha_churn_min": 100,
            "low_alpha_churn_max": 300,
        }
    ).to_csv(folder / "banerjee_table3_pairwise_churn.csv", index=False)
    pd.DataFrame(
        {"ensemble_size": [3, 5], "percent_of_models_within_alpha_threshold": [77.2, 89.2]}
    ).to_csv(folder / "banerjee_table1_ensembles.csv", index=False)
    return folder


def test_summary_covers_all_runs_and_low_alpha_ones(tmp_path):
    y, gaps = runs(odd=(20,))
    data = data_of(tmp_path / "o", y, gaps)
    data = Data(data.metrics, data.info, printed(tmp_path / "p"), data.predictions)
    row = run_analysis(trimming_summary, data, FAST, published={"rf": "batch"}).iloc[0]
    single = run_analysis(trimming, data, FAST)
    assert row["candidates"] == 12
    assert row["admitted"] == 11
    accuracy = ((gaps > 0) == y).mean(axis=1)  # of the references, too
    assert row["accuracy_min"] == accuracy.min()
    assert row["accuracy_sd"] == pytest.approx(accuracy.std(ddof=1))
    assert row["accuracy_sd_low"] < row["accuracy_sd"] < row["accuracy_sd_high"]
    churn = [np.mean((a > 0) != (b > 0)) for a, b in combinations(gaps, 2)]
    assert row["churn_mean"] == pytest.approx(np.mean(churn))
    assert row["low_alpha_accuracy_min"] == single[single["admitted"]]["accuracy"].min()
    assert row["churn_max"] > row["low_alpha_churn_max"]
    assert (row["n"], row["pairs"], row["pairs_admitted"]) == (24, 276, 55)
    assert row["published_accuracy_min"] == pytest.approx(0.8)
    assert row["published_churn_min"] == pytest.approx(200 / 8018)
    unknown = run_analysis(trimming_summary, data, FAST, published={"other": "batch"})
    assert unknown["published_churn_min"].isna().all()
    with pytest.raises(ReseedError, match="is not in"):
        run_analysis(
            trimming_summary,
            Data(data.metrics, data.info, tmp_path, data.predictions),
            FAST,
            published={"rf": "batch"},
        )


def test_published_shares_stand_at_their_size(tmp_path):
    y, gaps = runs(n=20)
    data = data_of(tmp_path / "o", y, gaps)
    data = Data(data.metrics, data.info, printed(tmp_path / "p"), data.predictions)
    options = FAST | {"sizes": [3, 5], "published": "rf"}
    table = run_analysis(trimming_ensembles, data, options)
    shares = table.groupby("size")["published_share"].first()
    assert shares[3] == pytest.approx(0.772)
    assert np.isnan(shares[10])


def test_larger_ensembles_are_alike_and_end_at_the_whole_pool(tmp_path):
    y, gaps = runs(n=40, noise=2.0)
    table = run_analysis(trimming_ensembles, data_of(tmp_path, y, gaps), FAST, sizes=[1, 5, 12])
    assert table.groupby("size").size().to_dict() == {1: 20, 5: 30, 12: 30, 20: 1}
    single = np.sort(table.loc[table["size"] == 1, "accuracy"])  # each run of the pool once
    assert single == pytest.approx(np.sort(((gaps[20:] > 0) == y).mean(axis=1)))
    spread = table.groupby("size")["accuracy"].std()
    assert spread[1] > spread[5] > spread[12]
    churn = table.groupby("size")["churn_ensemble"].mean()
    assert churn[1] > churn[5] > churn[12] > churn[20] == 0
    whole = table[table["size"] == 20].iloc[0]
    assert whole["accuracy"] == pytest.approx(np.mean((gaps[20:].mean(axis=0) > 0) == y))


def test_ensembles_of_several_classes_average_log_probabilities(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    logits = np.eye(3)[y] + rng.normal(0, 1.5, (24, 300, 3))
    p = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    facts = about(("magic",), ("rf",))
    facts = amended(facts, datasets={"magic": {"task": "multiclass", "metric": "accuracy"}})
    data = data_of(tmp_path, y, [logit(one) for one in p], facts=facts)
    table = run_analysis(trimming, data, FAST)
    expected = np.mean(np.log(p[12:]).mean(axis=0).argmax(axis=1) == y)
    assert table["ensemble_accuracy"].iloc[0] == pytest.approx(expected)
    assert (table["ensemble_accuracy"] > table["accuracy"].max()).all()


def test_measures_that_predict_disagreement_are_found(tmp_path):
    """A few runs are noisier than the others; all measures see it, churn best."""
    rng = np.random.default_rng(2)
    y, gaps = runs(n=30, items=2000)
    gaps += np.maximum(0, np.linspace(-3, 3, 30))[:, None] * rng.normal(size=gaps.shape)
    table = run_analysis(trimming_information, data_of(tmp_path, y, gaps), FAST).set_index(
        "measure"
    )
    assert table.loc["churn", "r"] > 0.7
    assert table.loc["ks", "r"] > 0.3
    assert table.loc["alpha_hat", "r"] > 0.3
    assert table.loc["accuracy", "r"] < -0.5
    assert table.loc["alpha_hat", "share_zero"] > 0
    assert table.loc["alpha_hat", "given"] == "accuracy, churn, ece"
    assert table.loc["churn", "given"] == "accuracy, ece"
    half = len(y) // 2 // 2  # of the half of the items that runs are measured on
    delta = two_sample_threshold(half, half, 0.01) + 1 / half
    assert table["delta"].to_numpy() == pytest.approx(delta)


def test_the_histogram_of_gaps_sums_to_one(tmp_path):
    y, gaps = runs(odd=(23,))
    table = run_analysis(gap_distribution, data_of(tmp_path, y, gaps), n_bins=30)
    assert table["runs_mean"].sum() == pytest.approx(1)
    assert table["ensemble"].sum() == pytest.approx(1)
    assert (table["runs_min"] <= table["runs_mean"]).all()
    inner = table[(table["left"] >= 0) & (table["right"] <= 1)]
    expected = np.mean((gaps >= 0) & (gaps < 1))
    assert set(table["n"]) == {24}
    assert inner["runs_mean"].sum() == pytest.approx(expected, abs=1e-9)
    # The authors' way with gaps beyond the bound: at 0, in runs and ensemble alike.
    zero = {"n_bins": 30, "gap_bound": 1.0, "outside": "zero"}
    table = run_analysis(gap_distribution, data_of(tmp_path / "zero", y, gaps), zero)
    together = gaps.mean(axis=0)
    at_zero = (table["left"] <= 0) & (table["right"] > 0)
    least = {"runs_mean": np.mean(np.abs(gaps) >= 1), "ensemble": np.mean(np.abs(together) >= 1)}
    for name, share in least.items():
        assert table.loc[at_zero, name].item() >= share


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.rpartition(".")[2])
def test_what_cannot_be_measured_is_one_row_with_its_reason(kind, tmp_path):
    y, gaps = runs(n=3, items=50)
    few = run_analysis(kind, data_of(tmp_path / "few", y, [*gaps, None]), FAST)
    assert "did not fail" in few["reason"].item()
    assert few["failed"].item() == 1
    facts = about(("bike_sharing",), ("rf",))
    found = {("bike_sharing", "rf"): (y.astype(float), list(np.abs(gaps)) * 5)}
    data = study_of(write_outputs(tmp_path / "r", found), found, facts)
    table = run_analysis(kind, data, FAST)
    assert "regression" in table["reason"].item()
    table.to_parquet(tmp_path / "t.parquet")
    assert list(run_analysis(kind, Data(frame([]), about())).columns) == kind.COLUMNS


def test_arms_of_one_model_are_apart(tmp_path):
    y, gaps = runs(n=20)
    found = {
        ("magic", "rf:init"): (y, list(expit(gaps))),
        ("magic", "rf:order"): (y, list(expit(gaps * 2))),
    }
    data = study_of(write_outputs(tmp_path, found), found)
    table = run_analysis(trimming, data, FAST)
    assert table.groupby("arm").size().to_dict() == {"rf:init": 10, "rf:order": 10}
    assert isinstance(table, pd.DataFrame)
