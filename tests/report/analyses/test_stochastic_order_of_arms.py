"""Almost stochastic order and the 5×2 F test over arms, and their tables."""

import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.report.analyses import stochastic_order
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import stochastic_order_table
from reseed.report.rendering.data import ExhibitData
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
