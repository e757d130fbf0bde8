"""Skewed runs and items: the test allows for them, and the verdict says so."""

import numpy as np
import pandas as pd
import pytest
import reseed
from scipy import stats


def list_runs(a, b, own=False):
    return pd.DataFrame([
        {"model": model, "seed": f"{model}{k}" if own else k, "split": 0, "accuracy": score}
        for model, scores in (("a", a), ("b", b))
        for k, score in enumerate(scores)
    ])  # fmt: skip


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_collapsed_run_is_said(rng):
    a = rng.normal(0.8, 0.01, 20)
    a[3] = 0.4
    found = reseed.compare(list_runs(a, rng.normal(0.75, 0.01, 20)))
    (row,) = found.verdicts.to_dict("records")
    assert (row["outcome"], row["reason"]) == ("undecided", "a few runs far from the others")
    assert "(a few runs far from the others)" in found.answer[0]
    assert found.shown.rows[1].verdict == "undecided: a few runs far from the others"
    assert "a few runs far from the others" in found.to_html()


def test_gaussian_runs_say_nothing_of_it(rng):
    found = reseed.compare(list_runs(rng.normal(0.8, 0.01, 20), rng.normal(0.75, 0.01, 20)))
    (row,) = found.verdicts.to_dict("records")
    assert row["reason"] == ""
    assert found.shown.rows[1].verdict == "worse"


def test_a_difference_that_skewness_explains_is_withheld():
    tail = np.r_[np.full(18, 0.05) + np.linspace(-0.001, 0.001, 18), -0.08, -0.12]
    found = reseed.compare(list_runs(0.8 + tail, np.full(20, 0.8)))
    (row,) = found.verdicts.to_dict("records")
    assert stats.ttest_1samp(tail, 0).pvalue <= 0.05 < row["p"]
    assert row["low"] < 0 < row["high"]
    assert row["outcome"] == "undecided"


def test_runs_of_their_own_allow_for_skewness_too(rng):
    skewed = 0.7 - 0.01 * rng.exponential(size=40)
    found = reseed.compare(list_runs(skewed[:6] + 0.05, skewed, own=True), seeds="own")
    pairs = found.statistics("pairs").iloc[0]
    plain = stats.ttest_ind(skewed[:6] + 0.05, skewed, equal_var=False).pvalue
    assert pairs["p"] >= plain * (1 - 1e-9)
    assert pairs["outcome"] == "better"
    assert pairs["instability"] == 0


def test_items_far_from_the_others(rng):
    loss = rng.normal(1, 0.1, 30)
    loss[4] = 9.0
    table = pd.DataFrame({
        "model": ["a"] * 30 + ["b"] * 30,
        "item": [*range(30)] * 2,
        "loss": [*loss, *rng.normal(2, 0.1, 30)],
    })  # fmt: skip
    found = reseed.compare(table)
    (row,) = found.verdicts.to_dict("records")
    assert row["reason"] == "a few items far from the others"
    assert row["difference"] < 0  # a has the lower loss
