"""What verdicts say of skewed runs: the p-value that decides, the condition and the sentence."""

import math
from dataclasses import replace

import pytest
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import label_pair_outcome
from reseed.comparison.claims.skewed import (
    decisive_p,
    describe_skew,
    is_skewed,
    qualify_skewed,
)

ROW = PairRow(**{
    "model_a": "A", "outcome": "difference", "skewness": -0.4, "better_unit": "run",
    "better_share": 0.75, "better_n": 20.0, "better_low": 0.51, "better_high": 0.91, "level": 0.95,
    "p_adjusted": 0.01, "skew_p_adjusted": 0.03, "alpha": 0.05,
})  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "p"),
    [
        ({}, 0.03),
        ({"skew_p_adjusted": 0.002}, 0.01),
        ({"skew_p_adjusted": math.nan}, 0.01),
        ({"skewness": 0.0}, 0.01),
        ({"skewness": math.nan}, 0.01),
        ({"skewness": 0.5}, 0.03),
    ],
)
def test_the_larger_p_decides_where_runs_are_skewed(changes, p):
    row = replace(ROW, **changes)
    assert decisive_p(row) == p
    assert is_skewed(row) == (abs(row.skewness) > 0)
    assert is_skewed(PairRow()) is False
    assert decisive_p(PairRow(p_adjusted=0.2)) == 0.2


def test_outcomes_of_means_carry_the_condition():
    condition = "with a few runs far from the others"
    for outcome in ("difference", "no difference shown"):
        assert qualify_skewed(ROW, outcome) == condition
        assert qualify_skewed(replace(ROW, skewness=0.0), outcome) == ""
    for outcome in ("equivalent", "too few runs"):
        assert qualify_skewed(ROW, outcome) == ""
    assert label_pair_outcome(ROW) == f"difference, {condition}"
    assert label_pair_outcome(replace(ROW, skewness=0.0)) == "difference"
    assert qualify_skewed(replace(ROW, better_unit="item"), "difference").startswith(
        "with a few items"
    )


_FIRST = "A few {0}s lie far from the others, where a test of means errs more often"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, _FIRST.format("run") + ": allowing for it, p is 0.03. A is better in 15 of 20 runs "
         "(95 % interval of that share, for any distribution: 51 % to 91 %)."),
        ({"skew_p_adjusted": 0.01}, _FIRST.format("run") + ". A is better in 15 of 20 runs (95 % "
         "interval of that share, for any distribution: 51 % to 91 %)."),
        ({"better_unit": "item", "skew_p_adjusted": 0.001}, _FIRST.format("item") + ". A is better "
         "on 15 of 20 items (95 % interval of that share, for any distribution: 51 % to 91 %)."),
        ({"better_n": math.nan, "level": 0.9, "skew_p_adjusted": 0.001}, _FIRST.format("run") +
         ". A is better in 75 % of pairs of runs (90 % interval of that share: 51 % to 91 %)."),
        ({"better_low": 0.75, "better_high": 0.75, "skew_p_adjusted": 0.001}, _FIRST.format("run") +
         ". A is better in 15 of 20 runs (95 % interval of that share, for any distribution: 75 % "
         "to 75 %)."),
        ({"better_low": math.nan}, _FIRST.format("run") + ": allowing for it, p is 0.03."),
        ({"skewness": 0.0}, ""),
    ],
)  # fmt: skip
def test_the_sentence_offers_the_share_of_better_runs(changes, text):
    assert describe_skew(replace(ROW, **changes)) == text
