"""Almost stochastic order and the 5×2 F test over arms, and their tables."""

import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.analyses import five_by_two, stochastic_order
from reseed.analyses.shared.data import Data
from reseed.exhibits import five_by_two_table, stochastic_order_table
from reseed.rendering.data import ExhibitData
from reseed.stats.comparison import holm
from reseed.stats.five_by_two import detectable_by_f
from reseed.stats.five_by_two import five_by_two as five_by_two_test
from reseed.stats.stochastic_order import violation_ratio
from run_kinds import draw, run_analysis
from study_frames import about, frame, trial

sys.path.append(str(Path(__file__).parent.parent / "exhibits"))

from readable import check_table


def seeds(**arms):
    return frame(
        [
            trial(v, seed=s, dataset="magic", metric="auc", model=arm)
            for arm, values in arms.items()
            for s, v in enumerate(values)
        ]
    )


def folds(metric="auc", dataset="magic", **arms):
    return frame(
        [
            trial(v, dataset=dataset, metric=metric, model=arm, repeat=r, fold=f, varied="none",
                  scheme="kfold-2x5")
            for arm, grid in arms.items()
            for r, row in enumerate(grid)
            for f, v in enumerate(row)
        ]
    )  # fmt: skip


def exhibit(table, metrics):
    return ExhibitData(table, metrics, about(), "k", "Title")


def test_order_by_a_loss_where_the_dataset_is_judged_by_a_score():
    rng = np.random.default_rng(0)
    low, high = rng.normal(0.2, 0.01, 20), rng.normal(0.3, 0.01, 20)
    metrics = seeds(rf=low, xgb=high).assign(log_loss=[*low, *high])
    by_loss = run_analysis(stochastic_order, Data(metrics, about()), metric="log_loss", n_boot=100)
    by_auc = run_analysis(stochastic_order, Data(metrics, about()), n_boot=100)
    assert list(by_loss.loc[by_loss["dominates"], "arm_a"]) == ["rf"]
    assert list(by_auc.loc[by_auc["dominates"], "arm_a"]) == ["xgb"]


def test_order_of_arms(tmp_path):
    rng = np.random.default_rng(0)
    rf, xgb = rng.normal(0.9, 0.01, 20), rng.normal(0.93, 0.01, 15)
    metrics = seeds(rf=rf, xgb=[*xgb, None], svm=[0.5])
    table = run_analysis(stochastic_order, Data(metrics, about()), n_boot=200)
    assert len(table) == 6
    row = table[(table["arm_a"] == "xgb") & (table["arm_b"] == "rf")].iloc[0]
    assert row["ratio"] == pytest.approx(float(violation_ratio(xgb, rf)))
    assert row["dominates"]
    assert (row["n_a"], row["failed"]) == (15, 1)
    back = table[(table["arm_a"] == "rf") & (table["arm_b"] == "xgb")].iloc[0]
    assert back["ratio"] == pytest.approx(1 - row["ratio"])
    assert not back["dominates"]
    assert (table["reason"] != "").sum() == 4
    shown = check_table(draw(stochastic_order_table, exhibit(table, metrics), {}), tmp_path)
    assert shown.shown["XGB"][0] != "–"
    assert shown.shown["RF"][1].endswith("§")
    assert "for the only pair" in shown.findings[0]


def test_a_loss_is_turned():
    rng = np.random.default_rng(1)
    rows = [
        trial(v, seed=s, dataset="bike_sharing", metric="mse", model=arm)
        for arm, mean in (("rf", 0.2), ("xgb", 0.1))
        for s, v in enumerate(rng.normal(mean, 0.01, 10))
    ]
    table = run_analysis(stochastic_order, Data(frame(rows), about()), n_boot=50)
    assert table.set_index("arm_a").loc["xgb", "ratio"] == 0


def test_the_f_test_of_five_by_two(tmp_path):
    rng = np.random.default_rng(2)
    grids = {arm: 0.9 + gain + rng.normal(0, 0.004, (5, 2)) for arm, gain in
             (("rf", 0.0), ("xgb", 0.03), ("ffnn", 0.001))}  # fmt: skip
    metrics = folds(**grids)
    table = run_analysis(five_by_two, Data(metrics, about()))
    assert len(table) == 3
    row = table[(table["arm_a"] == "xgb") & (table["arm_b"] == "rf")].iloc[0]
    test = five_by_two_test(grids["xgb"] - grids["rf"])
    assert (row["f"], row["p"]) == pytest.approx((float(test.f), float(test.f_p)))
    assert row["difference"] == pytest.approx((grids["xgb"] - grids["rf"]).mean())
    np.testing.assert_allclose(table["p_holm"], holm(table["p"]))
    shown = check_table(draw(five_by_two_table, exhibit(table, metrics), {}), tmp_path)
    assert len(shown.shown) == 3


def test_other_schemes_and_holes():
    ten = folds(rf=np.full((5, 3), 0.5), xgb=np.full((5, 3), 0.6))
    assert run_analysis(five_by_two, Data(ten, about())).empty
    hole = np.full((5, 2), 0.5, dtype=object)
    hole[2, 1] = None
    metrics = folds(rf=hole, xgb=np.full((5, 2), 0.6))
    table = run_analysis(five_by_two, Data(metrics, about()))
    assert table["reason"].item() == "a fold has a failed run, or none"
    assert table["failed"].item() == 1
    nothing = draw(five_by_two_table, exhibit(table, metrics), {})
    assert "five repeats" in nothing.shown.iloc[0, 0]


def test_data_seeds_are_the_repeats_of_trained_results():
    rng = np.random.default_rng(4)
    grids = {arm: 0.9 + gain + rng.normal(0, 0.004, (5, 2)) for arm, gain in
             (("rf", 0.0), ("xgb", 0.03))}  # fmt: skip
    given = folds(**grids)
    trained = given.assign(data_seed=[7, 7, 13, 13, 21, 21, 42, 42, 99, 99] * 2, repeat=0)
    expected, table = (run_analysis(five_by_two, Data(m, about())) for m in (given, trained))
    assert len(table) == 1
    assert table["f"].item() == expected["f"].item()
    more = run_analysis(five_by_two, Data(frame([*trained.to_dict("records"),
        *trained.assign(data_seed=100).to_dict("records")]), about()))  # fmt: skip
    assert more.empty  # six repeats


def test_a_failed_seed_is_no_fold_of_fewer_seeds():
    rows = [
        trial(0.9 + 0.01 * r + 0.001 * s + 0.02 * f * (m == "xgb"), dataset="magic", metric="auc",
              model=m, repeat=r, fold=f, seed=s, varied="none", scheme="kfold-2x5")
        for m in ("rf", "xgb", "ffnn") for r in range(5) for f in range(2) for s in range(3)
    ]  # fmt: skip
    rows[1] |= {"status": "failed", "auc": np.nan}
    metrics = frame(rows)
    table = run_analysis(five_by_two, Data(metrics, about()))
    assert (table["reason"] != "").sum() == 2  # both pairs of rf
    whole = table[table["reason"] == ""]
    assert {whole["arm_a"].item(), whole["arm_b"].item()} == {"xgb", "ffnn"}
    assert whole["pairs"].item() == 1
    shown = draw(five_by_two_table, exhibit(table, metrics), {})
    assert "Pairs with a failed or missing run left out: 2." in shown.footnote


def test_rounding_alone_is_no_difference():
    rng = np.random.default_rng(1)
    rows = []
    for r, f in np.ndindex(5, 2):
        scores = rng.uniform(0.1, 0.9, 3)  # the same three, in another order
        for k, m in enumerate(("rf", "xgb")):
            rows += [trial(v, dataset="magic", metric="auc", model=m, repeat=r, fold=f, seed=s,
                           varied="none", scheme="kfold-2x5")
                     for s, v in enumerate(np.roll(scores, k))]  # fmt: skip
    row = run_analysis(five_by_two, Data(frame(rows), about())).iloc[0]
    assert (row["difference"], row["f"], row["p"], row["t_p"]) == (0, 0, 1, 1)


def test_a_study_without_any_score_is_told():
    metrics = folds(rf=np.full((5, 2), None), xgb=np.full((5, 2), None)).drop(columns="auc")
    table = run_analysis(five_by_two, Data(metrics, about()))
    assert table["reason"].tolist() == ["a fold has a failed run, or none"]


def test_claims_state_what_they_could_have_found():
    rng = np.random.default_rng(3)
    metrics = seeds(rf=rng.normal(0.8, 0.01, 12), xgb=rng.normal(0.8, 0.01, 12))
    table = draw(
        stochastic_order_table,
        exhibit(run_analysis(stochastic_order, Data(metrics, about()), n_boot=100), metrics),
        {},
    )
    assert table.claims[0].limits == "power 80 % against a shift of 1.1 SD between Gaussians"
    grids = {name: rng.normal(0.8, 0.01, (5, 2)) for name in ("rf", "xgb", "ffnn")}
    metrics = folds(**grids)
    found = run_analysis(five_by_two, Data(metrics, about()))
    np.testing.assert_allclose(
        found["detectable"],
        [
            detectable_by_f(0.05 / 3) * five_by_two_test(grids[a] - grids[b]).fold_sd
            for a, b in zip(found["arm_a"], found["arm_b"], strict=True)
        ],
    )
    limits = draw(five_by_two_table, exhibit(found, metrics), {}).claims[0].limits
    assert limits.startswith("detectable with a power of 80 % (independent folds): 0.0")
    assert limits.endswith(" AUC")
