"""Training times of two arms on the same splits and seeds: by hand, and where there are none."""

import numpy as np
import pytest
from pair_frames import data, frame
from papers.protocol import training_time
from reseed.core.errors import ReseedError
from run_kinds import run_analysis
from scipy import stats


def timed(seconds):
    rows = [("d", arm, 0, 0, s, 0.9) for arm, times in seconds.items() for s in range(len(times))]
    return frame(rows).assign(train_seconds=[t for times in seconds.values() for t in times])


def test_the_ratio_is_a_geometric_mean_with_a_t_interval():
    slow, fast = np.array([2.0, 3.0, 2.5]), np.array([1.0, 2.0, 1.0])
    trials = timed({"a": fast, "b": slow}).assign(fingerprint=list("xyzxyw"))
    (row,) = run_analysis(training_time, data(trials)).to_dict("records")
    logs = np.log(slow / fast)
    low, high = stats.t.interval(0.95, 2, logs.mean(), stats.sem(logs))
    assert row["arm"] == "b"
    assert row["baseline"] == "a"
    assert row["ratio"] == pytest.approx(stats.gmean(slow / fast))
    assert (row["low"], row["high"]) == pytest.approx((np.exp(low), np.exp(high)))
    assert (row["seconds"], row["baseline_seconds"]) == (2.5, 1.0)
    assert (row["n"], row["same_outputs"]) == (3, 2)


def test_seeds_that_warm_up_a_process_are_not_compared():
    trials = timed({"a": [9.0, 1.0, 1.0], "b": [1.0, 2.0, 2.0]})
    (row,) = run_analysis(training_time, data(trials), warm_up=[0]).to_dict("records")
    assert (row["n"], row["ratio"]) == (2, pytest.approx(2))
    (row,) = run_analysis(training_time, data(trials), warm_up=[0, 1, 2]).to_dict("records")
    assert "no run shares" in row["reason"]


def test_any_arm_may_be_the_baseline():
    trials = timed({"a": [1.0, 1.0], "b": [2.0, 2.0], "c": [4.0, 4.0]})
    table = run_analysis(training_time, data(trials), baseline="b").set_index("arm")
    assert table["ratio"].to_dict() == pytest.approx({"a": 0.5, "c": 2.0})
    with pytest.raises(ReseedError, match="no arm 'd', only a, b, c"):
        run_analysis(training_time, data(trials), baseline="d")


def test_what_cannot_be_measured_says_why():
    trials = timed({"a": [1.0], "b": [2.0]})
    (row,) = run_analysis(training_time, data(trials)).to_dict("records")
    assert row["ratio"] == pytest.approx(2)
    assert np.isnan(row["low"])
    apart = trials.assign(init=[0, 1])
    assert "no run shares" in run_analysis(training_time, data(apart)).iloc[0]["reason"]
    bare = trials.drop(columns="train_seconds")
    assert "not recorded" in run_analysis(training_time, data(bare)).iloc[0]["reason"]
