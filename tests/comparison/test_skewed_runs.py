"""Skewed runs and items in verdicts, headlines and tables of numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.skewed import decisive_p, describe_skew


def list_runs(a, b, own=False):
    return pd.DataFrame([
        {"model": model, "seed": f"{model}{k}" if own else k, "split": 0, "accuracy": score}
        for model, scores in (("a", a), ("b", b))
        for k, score in enumerate(scores)
    ])  # fmt: skip


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_collapsed_run_is_said_and_the_share_offered(rng):
    a = rng.normal(0.8, 0.01, 20)
    a[3] = 0.4
    found = reseed.compare(list_runs(a, rng.normal(0.75, 0.01, 20)))
    assert "; with a few runs far from the others not significantly different" in found.answer[0]
    (row,) = found.verdicts.to_dict("records")
    assert row["outcome"] == "no difference shown"
    assert row["skewness"] < 0
    assert row["skew_p_adjusted"] > row["p_adjusted"]
    assert (row["better_share"], row["better_high"]) == (0.95, pytest.approx(0.9987, abs=1e-4))
    said = "A few runs lie far from the others, where a test of means errs more often: allowing"
    assert said in row["verdict"]
    assert "a is better in 19 of 20 runs (95 % interval of that share, for any" in row["verdict"]
    assert "between a and b, with a few runs far from the others, on exactly" in row["verdict"]
    assert found.shown.rows[0].cells["Outcome"].endswith("with a few runs far from the others")
    assert "with a few runs far from the others" in found.to_html()


def test_gaussian_runs_say_nothing_of_it(rng):
    found = reseed.compare(list_runs(rng.normal(0.8, 0.01, 20), rng.normal(0.75, 0.01, 20)))
    (row,) = found.verdicts.to_dict("records")
    assert row["skewness"] == 0
    assert row["skew_p_adjusted"] == row["p_adjusted"]
    assert "far from the others" not in row["verdict"]
    assert found.shown.rows[0].cells["Outcome"] == "difference"


def test_a_difference_that_skewness_explains_is_withheld():
    tail = np.r_[np.full(18, 0.05) + np.linspace(-0.001, 0.001, 18), -0.08, -0.12]
    found = reseed.compare(list_runs(0.8 + tail, np.full(20, 0.8)))
    (row,) = found.verdicts.to_dict("records")
    assert row["p_adjusted"] <= 0.05 < row["skew_p_adjusted"]
    assert row["outcome"] == "no difference shown"


def test_runs_of_their_own_need_the_rank_test_too(rng):
    skewed = 0.7 - 0.01 * rng.exponential(size=40)
    found = reseed.compare(list_runs(skewed[:6] + 0.05, skewed, own=True), seeds="own")
    pairs = found.statistics("pairs").iloc[0]
    assert pairs["skew_p"] == max(pairs["p"], pairs["rank_p"])
    assert pairs["better_share"] == pairs["superiority"] == 1
    assert pairs["outcome"] == "difference"
    assert "a is better in 100 % of pairs of runs (95 % interval of that" in pairs["verdict"]


def test_items_far_from_the_others(rng):
    loss = rng.normal(1, 0.1, 30)
    loss[4] = 9.0
    table = pd.DataFrame({
        "model": ["a"] * 30 + ["b"] * 30,
        "item": [*range(30)] * 2,
        "loss": [*loss, *rng.normal(2, 0.1, 30)],
    })  # fmt: skip
    found = reseed.compare_items(table)
    (row,) = found.verdicts.to_dict("records")
    assert row["skew_p_adjusted"] > row["p_adjusted"]
    assert "with a few items far from the others" in found.shown.rows[0].cells["Outcome"]
    assert "a is better on 29 of 30 items" in row["verdict"]


def test_the_correction_decides_only_where_a_tail_is_seen():
    row = PairRow(p_adjusted=0.01, skew_p_adjusted=0.2)
    assert decisive_p(row) == decisive_p(replace(row, skewness=0.0)) == 0.01
    assert decisive_p(replace(row, skewness=-0.5)) == 0.2
    assert describe_skew(row) == ""
