"""Aggregates over datasets as tasks: scales, missing tasks, pairs, and their exhibits."""

import sys
from pathlib import Path

import numpy as np
import pytest
from reseed.core.errors import ReseedError
from reseed.report.analyses import aggregates
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import aggregates_figure, improvement_table
from reseed.report.rendering.data import ExhibitData
from reseed.stats.aggregates import interquartile_mean
from run_kinds import draw, run_analysis
from study_frames import about, frame, trial

sys.path.append(str(Path(__file__).parent.parent / "exhibits"))

from readable import check_figure, check_table

FAST = {"n_boot": 100, "points": 5}
AUC = ("magic", "home_mortgage_sim")


def scores(datasets=AUC, models=("rf", "xgb"), runs=6, gain=0.02, seed=0):
    rng = np.random.default_rng(seed)
    found = {
        (d, m): 0.7 + gain * (m == "xgb") + 0.01 * rng.standard_normal(runs)
        for d in datasets
        for m in models
    }
    rows = [
        trial(v, seed=s, dataset=d, model=m, metric="mse" if d == "bike_sharing" else "auc")
        for (d, m), values in found.items()
        for s, v in enumerate(values)
    ]
    return rows, found


def of(rows, datasets=AUC, **options):
    data = Data(frame(rows), about(datasets))
    return run_analysis(aggregates, data, FAST | options), data


def test_shares_are_taken_as_they_are():
    rows, found = scores()
    table, _ = of(rows)
    assert set(table["scale"]) == {"none"}
    row = table[(table["statistic"] == "iqm") & (table["arm"] == "rf")].iloc[0]
    assert row["value"] == pytest.approx(interquartile_mean([found[d, "rf"] for d in AUC]))
    assert row["low"] <= row["value"] <= row["high"]
    assert row["tasks"] == 2
    better = table[(table["statistic"] == "improvement") & (table["arm"] == "xgb")].iloc[0]
    assert better["value"] > 0.8
    profile = table[(table["statistic"] == "run_profile") & (table["arm"] == "rf")]
    assert len(profile) == 5
    assert (np.diff(profile["value"]) <= 0).all()


def test_a_dataset_is_one_task_however_often_it_was_split():
    def split(rows, ratio):
        return [row | {"test_ratio": ratio, "scheme": f"holdout-{ratio}"} for row in rows]

    one, _ = scores(datasets=["magic"])
    table, _ = of([*split(one, 0.1), *split(one, 0.2), *split(one, 0.3)])
    assert set(table["reason"]) == {"fewer than two tasks on which every arm has two runs"}
    both, _ = scores()
    table, _ = of([*split(both, 0.1), *split(both, 0.2)])
    assert set(table["scheme"]) == {"holdout-0.1", "holdout-0.2"}
    assert set(table["tasks"]) == {2}


def test_percent_are_shares_of_a_hundred():
    rows, _ = scores()
    percent = [row | {"auc": 100 * row["auc"]} for row in rows]
    names = ["value", "low", "high", "tau"]
    (shares, _), (same, _) = of(rows), of(percent)
    assert set(same["scale"]) == {"none"}
    np.testing.assert_allclose(same[names], shares[names])
    # One dataset in percent beside one in shares: each by its own whole.
    mixed, _ = of([r if r["dataset"] == "magic" else p for r, p in zip(rows, percent, strict=True)])
    np.testing.assert_allclose(mixed[names], shares[names])


def test_shares_without_a_range_are_scaled_to_the_range():
    rows, _ = scores()
    hits = [row | {"auc": 5000 * row["auc"]} for row in rows]
    table, _ = of(hits)
    assert set(table["scale"]) == {"range"}
    assert table[table["statistic"] == "iqm"]["value"].between(0, 1).all()


def test_a_loss_is_turned_and_scaled_to_the_range():
    datasets = ("magic", "bike_sharing")
    rows, found = scores(datasets)
    table, _ = of(rows, datasets)
    assert set(table["scale"]) == {"range"}
    loss = -np.concatenate([found["bike_sharing", m] for m in ("rf", "xgb")])
    auc = np.concatenate([found["magic", m] for m in ("rf", "xgb")])
    expected = np.mean([((x[:6] - x.min()) / np.ptp(x)).mean() for x in (auc, loss)])
    row = table[(table["statistic"] == "mean") & (table["arm"] == "rf")].iloc[0]
    assert row["value"] == pytest.approx(expected)
    given, _ = of(rows, datasets, scale={"magic": [0.5, 1], "bike_sharing": [1.0, 0.0]})
    row = given[(given["statistic"] == "mean") & (given["arm"] == "rf")].iloc[0]
    a, b = found["magic", "rf"].mean(), found["bike_sharing", "rf"].mean()
    assert row["value"] == pytest.approx(((a - 0.5) / 0.5 + 1 - b) / 2)
    with pytest.raises(ReseedError, match="bike_sharing"):
        of(rows, datasets, scale={"magic": [0, 1]})


def test_a_task_that_an_arm_lacks_is_told():
    datasets = (*AUC, "bike_sharing")
    rows, _ = scores(datasets)
    rows = [r for r in rows if not (r["dataset"] == "bike_sharing" and r["model"] == "rf")]
    table, _ = of(rows, datasets)
    assert set(table["left_out"]) == {"bike_sharing"}
    alone, _ = of([r for r in rows if r["dataset"] == "magic"], datasets)
    assert "two tasks" in alone["reason"].item()


def test_exhibits(tmp_path):
    rows, _ = scores(models=("ffnn", "rf", "xgb"))
    table, data = of(rows)
    shown = ExhibitData(table, data.metrics, data.info, "k", "Title")
    _, drawn = check_figure(aggregates_figure, shown, {}, tmp_path)
    assert "too narrow" in drawn.footnote
    assert drawn.findings[0].startswith("XGB has the greatest interquartile mean")
    check_figure(aggregates_figure, shown, {"show": "profiles"}, tmp_path)
    square = check_table(draw(improvement_table, shown, {}), tmp_path)
    assert square.shown.shape == (3, 4)
    assert square.shown.iloc[0, 1] == "–"
    nothing = ExhibitData(table.assign(reason="few"), data.metrics, data.info, "k", "T")
    assert "two runs" in draw(improvement_table, nothing, {}).shown.iloc[0, 0]
    assert draw(aggregates_figure, nothing, {})[1].frame.shape == (1, 1)
