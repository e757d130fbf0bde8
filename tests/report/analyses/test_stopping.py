"""When to stop and how many to run, over pairs of models, and their exhibits."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed.report.analyses import stopping
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import stopping_figure, stopping_table
from reseed.report.rendering.data import ExhibitData
from reseed.stats.evalues import symmetry_e_process
from reseed.stats.sequential import stopping_point
from run_kinds import draw, run_analysis
from study_frames import about, frame, trial

sys.path.append(str(Path(__file__).parent.parent / "exhibits"))

from readable import check_figure, check_table


def seeds(n=30, gain=0.01, metric="auc", dataset="magic", models=("rf", "xgb"), seed=0):
    rng = np.random.default_rng(seed)
    found = {m: 0.8 + gain * i + rng.normal(0, 0.005, n) for i, m in enumerate(models)}
    rows = [
        trial(v, seed=s, dataset=dataset, metric=metric, model=m)
        for m, values in found.items()
        for s, v in enumerate(values)
    ]
    return frame(rows), found


def test_where_a_pair_was_settled():
    metrics, found = seeds()
    table = run_analysis(stopping, Data(metrics, about()))
    d = found["xgb"] - found["rf"]
    stop = stopping_point(d)
    row = table.iloc[-1]
    assert (row["model_a"], row["n"], row["runs"]) == ("xgb", 30, 30)
    assert row["stopped_at"] == stop.n
    assert row["saved"] == 30 - stop.n
    message = re.search(r"95 % sequence (\S+) to (\S+) points", row["verdict"])
    assert [float(end) for end in message.groups()] == pytest.approx(
        [100 * stop.low, 100 * stop.high], abs=0.05
    )
    evidence = symmetry_e_process(d)
    np.testing.assert_allclose(table["e_value"], evidence)
    assert row["e_stopped_at"] == np.argmax(evidence >= 20) + 1
    assert np.isnan(row["bounded_stopped_at"])  # a point or so of difference is too little for it
    assert row["bounded_low"] < row["low"] < row["mean"] < row["high"] < row["bounded_high"]


def test_all_claims_on_a_dataset_hold_together():
    models, claimed = [f"m{i}" for i in range(6)], 0
    for seed in range(20):
        metrics, found = seeds(n=40, gain=0.0, models=models, seed=seed)
        table = run_analysis(stopping, Data(metrics, about()))
        last = table.drop_duplicates(["model_a", "model_b"])
        claimed += (last["outcome"] == "difference").any()
    assert (last["pairs"] == 15).all()
    row = last.iloc[0]
    stop = stopping_point(found[row["model_a"]] - found[row["model_b"]], 0.05 / 15)
    assert (stop.low, stop.high) == pytest.approx(
        tuple(table.query("runs == 40").iloc[0][["low", "high"]])
    )
    assert "99.67 % sequence" in row["verdict"]
    assert claimed <= 2  # 5 % of 20 are 1; each pair at 5 % would give 4


def test_what_is_not_given_is_what_the_options_say():
    data = Data(seeds()[0], about())
    message = run_analysis(stopping, data, stopping.Options().model_dump(exclude_none=True))
    pd.testing.assert_frame_equal(run_analysis(stopping, data), message)
    assert set(message["alpha"]) == {0.05}


def test_a_loss_has_its_sign_and_no_bounds():
    metrics, found = seeds(metric="mse", dataset="bike_sharing")
    table = run_analysis(stopping, Data(metrics, about()), rope=0.5)
    row = table.iloc[-1]
    assert row["model_a"] == "rf"
    assert row["mean"] == pytest.approx((found["xgb"] - found["rf"]).mean())
    assert np.isnan(row["bounded_low"])
    given = run_analysis(stopping, Data(metrics, about()), bounds=[0, 1])
    assert np.isfinite(given["bounded_low"]).all()
    assert row["reason"] in ("different from 0", "equivalent")


def test_bounds_are_the_same_in_either_order():
    metrics, _ = seeds(metric="mse", dataset="bike_sharing")
    columns = ["bounded_low", "bounded_high", "bounded_stopped_at"]
    rising, falling = (
        run_analysis(stopping, Data(metrics, about()), bounds=bounds)[columns]
        for bounds in ([0.0, 1.0], [1.0, 0.0])
    )
    assert rising["bounded_low"].notna().all()
    np.testing.assert_array_equal(rising, falling)


def test_a_share_is_bounded_by_its_whole_and_a_count_by_nothing():
    metrics, _ = seeds(n=60, gain=0.1)
    columns = ["bounded_low", "bounded_high"]
    shares = run_analysis(stopping, Data(metrics, about()))[columns]
    percent = run_analysis(stopping, Data(metrics.assign(auc=100 * metrics["auc"]), about()))
    np.testing.assert_allclose(percent[columns], 100 * shares)
    counts = run_analysis(stopping, Data(metrics.assign(auc=500 * metrics["auc"]), about()))
    assert counts[columns].isna().all(axis=None)


def test_four_outcomes_at_the_stop():
    def message(gain, options, n=30):
        metrics, _ = seeds(n=n, gain=gain, seed=5)
        return run_analysis(stopping, Data(metrics, about()), options).iloc[-1]

    better = message(0.01, {})
    assert (better["outcome"], better["model_a"]) == ("difference", "xgb")
    assert better["verdict"].startswith(
        "xgb beats rf on exactly this test set, which did not vary, by "
        f"{better['stopped_at']:.0f} runs of each"
    )
    same = message(0.0, {"rope": 0.01})
    assert same["outcome"] == "equivalent"
    assert "are equivalent within ±1 points on exactly this test set" in same["verdict"]
    assert message(0.0, {})["outcome"] == "no difference shown"
    assert "rf: inconclusive after 30 runs of each" in message(0.0, {})["verdict"]
    precise = message(0.0, {"half_width": 0.02})
    assert precise["outcome"] == "no difference shown"
    assert "precise enough to stop, but inconclusive after" in precise["verdict"]


def test_outcome_stays_that_of_the_stop_after_later_runs():
    early, late = np.r_[np.full(12, 0.01), np.full(60, -0.02)], np.zeros(72)
    early = early + np.random.default_rng(0).normal(0, 1e-3, 72)
    rows = [
        trial(0.8 + v, seed=s, dataset="magic", metric="auc", model=m)
        for m, values in (("rf", early), ("xgb", late))
        for s, v in enumerate(values)
    ]
    row = run_analysis(stopping, Data(frame(rows), about())).iloc[-1]
    assert row["model_a"] == "xgb"
    assert row["stopped_at"] <= 12
    assert row["verdict"].startswith(
        "rf beats xgb, with a few runs far from the others, on exactly"
    )
    # The sequence of the share is empty, as the runs drift.
    assert row["better_low"] > row["better_high"]
    assert row["verdict"].endswith("errs more often.")


def test_collapses_are_said_with_a_share_of_runs():
    d = 0.05 + np.random.default_rng(0).normal(0, 0.01, 30)
    d[20] = -0.6
    rows = [
        trial(0.7 + v, seed=s, dataset="magic", metric="auc", model=m)
        for m, values in (("rf", d), ("xgb", np.zeros(30)))
        for s, v in enumerate(values)
    ]
    row = run_analysis(stopping, Data(frame(rows), about())).iloc[-1]
    assert row["skewness"] < 0
    assert row["better_share"] == pytest.approx(29 / 30)
    assert 0.5 < row["better_low"] < row["better_high"] == 1
    said = "rf beats xgb, with a few runs far from the others, on exactly this test set"
    assert row["verdict"].startswith(said)
    assert "rf is better in 29 of 30 runs (95 % interval of that share, for" in row["verdict"]
    plain = run_analysis(stopping, Data(seeds()[0], about())).iloc[-1]
    assert plain["skewness"] == 0
    assert "far from the others" not in plain["verdict"]


def test_splits_have_no_guarantee():
    rows = [
        trial(0.8 + 0.01 * (m == "xgb") + 0.001 * s, data_seed=s, dataset="magic", metric="auc",
              model=m, experiment="data_seeds", varied="data")
        for m in ("rf", "xgb")
        for s in range(6)
    ]  # fmt: skip
    metrics = frame(rows)
    table = run_analysis(stopping, Data(metrics, about()))
    assert table["guarantee"].str.contains("no guarantee").all()
    assert set(table["outcome"]) == {"not comparable"}
    shown = draw(stopping_table, ExhibitData(table, metrics, about(), "k", "T"), {})
    assert "overlap" in shown.footnote
    assert not shown.findings


def test_too_few_runs_give_nothing(tmp_path):
    metrics, _ = seeds(n=1)
    table = run_analysis(stopping, Data(metrics, about()))
    assert table.empty
    empty = ExhibitData(table, metrics, about(), "k", "T")
    assert "two comparable runs" in draw(stopping_table, empty, {}).shown.iloc[0, 0]
    assert draw(stopping_figure, empty, {})[1].frame.shape == (1, 1)


def test_exhibits_of_stopping(tmp_path):
    metrics, _ = seeds(models=("ffnn", "rf", "xgb"))
    table = run_analysis(stopping, Data(metrics, about()))
    data = ExhibitData(table, metrics, about(), "k", "Title")
    shown = check_table(draw(stopping_table, data, {}), tmp_path)
    assert len(shown.shown) == 3
    assert shown.shown["Settled, Gaussian"].str.startswith("at ").all()
    assert any(claim.name == "settled_pair_1" for claim in shown.claims)
    _, drawn = check_figure(stopping_figure, data, {}, tmp_path)
    assert len(drawn.frame) == 90


def grid(rng, arm, effect, m=6, d=5):
    model, split = rng.normal(0, 0.004, (m, 1)), rng.normal(0, 0.01, d)
    scores = 0.8 + effect + model + split + rng.normal(0, 0.004, (m, d))
    rows = [
        trial(scores[i, j], seed=i, data_seed=j, dataset="magic", metric="auc", model=arm,
              experiment="grid", varied="data+model")
        for i in range(m)
        for j in range(d)
    ]  # fmt: skip
    return rows, scores
