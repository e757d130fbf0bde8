"""Verdicts claim no more than their numbers show."""

import pytest
from reseed.verdicts.decide import decide, label_outcome
from reseed.verdicts.formatting import (
    add_unit,
    count_interval_decimals,
    format_number,
    format_p,
    format_share,
)
from reseed.verdicts.pair import Pair, PairTest

NAN = float("nan")
OF_TEST = {*PairTest._fields}
RUNS = {
    "design": "splits", "model_a": "A", "model_b": "B", "metric": "accuracy", "unit": "points",
    "factor": 100.0, "n": 10, "least": 5, "difference": 0.008, "low": 0.002, "high": 0.014,
    "p_adjusted": 0.01, "pairs": 6, "alpha": 0.05,
}  # fmt: skip
OPEN = {"low": -0.002, "high": 0.01, "difference": 0.004, "p_adjusted": 0.2}
CLOSE = {"low": -0.003, "high": 0.004, "difference": 0.0005, "p_adjusted": 0.8, "rope": 0.005}
UNTESTED = {"low": NAN, "high": NAN, "p_adjusted": NAN}
DATASETS = {"design": "datasets", "n": 8, "least": 6, "low": NAN, "high": NAN}
ITEMS = {"design": "items", "least": 1, "items": 50, "clusters": 0}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, ("better", "")),
        ({"low": 0.0}, ("undecided", "")),
        (OPEN, ("undecided", "")),
        (OPEN | {"skewness": 0.4, "tail": "run"},
         ("undecided", "a few runs far from the others")),
        (CLOSE, ("equal", "")),
        (CLOSE | {"rope": 0.004}, ("undecided", "")),
        (CLOSE | {"low": 0.0001}, ("better", "")),  # a shown difference is one, however small
        (UNTESTED, ("not tested", "no variation")),
        (UNTESTED | {"n": 4}, ("not tested", "too few runs")),
        (UNTESTED | {"n": 0}, ("not tested", "too few runs")),
        (UNTESTED | {"design": "different splits"}, ("not tested", "no split in common")),
        (DATASETS, ("better", "")),
        (DATASETS | {"p_adjusted": 0.0501}, ("undecided", "")),
        (DATASETS | {"p_adjusted": 0.3, "equivalence_p": 0.04}, ("equal", "")),
        (DATASETS | {"p_adjusted": 0.3, "p_least": 0.06},
         ("undecided", "too few datasets for any p so small")),
        (DATASETS | {"n": 5, "p_adjusted": NAN}, ("not tested", "too few datasets")),
        (ITEMS, ("better", "")),
        (UNTESTED | ITEMS | {"items": 1}, ("not tested", "too few items")),
        (ITEMS | {"clusters": 2}, ("not tested", "too few clusters")),
        (ITEMS | {"clusters": 3}, ("better", "")),
    ],
)  # fmt: skip
def test_the_rule(changes, verdict):
    given = RUNS | changes
    tested = PairTest(**{name: given.pop(name) for name in OF_TEST & {*given}})
    assert decide(Pair(**given, tested=tested)) == verdict


def test_words_are_of_the_model_that_is_asked_about():
    runs = {name: value for name, value in RUNS.items() if name not in OF_TEST}
    row = Pair(**runs | {"outcome": "better"})
    assert [label_outcome(row, model) for model in ("", "A", "B")] == ["better", "better", "worse"]
    few = Pair(**runs | {"outcome": "not tested", "reason": "too few runs"})
    assert label_outcome(few, "B") == "not tested: too few runs"
    equal = Pair(**runs | {"outcome": "equal", "rope": 0.01})
    assert label_outcome(equal) == "equal within ±1 point"


def test_numbers():
    assert (format_number(-0.04, 1), format_number(-1.25, 1)) == ("0.0", "−1.2")
    assert [format_p(p) for p in (0.05004, 0.049996, 0.05)] == ["0.05004", "0.049996", "0.05"]
    assert [format_p(p) for p in (0.0001, 0.0123, 0.0498, 0.096, 0.5, 1.0)] == [
        "below 0.001", "0.012", "0.0498", "0.096", "0.50", "1.00",
    ]  # fmt: skip
    assert add_unit("−1", "points") == "−1 point"
    assert add_unit("1.0", "points") == "1.0 points"
    assert [format_share(s) for s in (0, 0.004, 0.5, 0.995, 1)] == [
        "0 %", "below 1 %", "50 %", "over 99 %", "100 %",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "places"),
    [
        (1.0, 1.4, 2),  # half-width 0.20
        (10.0, 14.0, 1),  # 2.0
        (-300.0, 900.0, 0),
        (0.0, 0.4, 2),  # an end that is 0 needs no digits
        (0.004, 2.0, 3),  # one that is not may not be printed as 0
        (1.0, 1.0, 2),
        (float("nan"), 1.0, 2),
    ],
)
def test_interval_shows_two_digits_of_its_half_width(low, high, places):
    assert count_interval_decimals(low, high) == places
