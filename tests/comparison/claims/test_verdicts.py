"""Verdicts claim no more than their numbers show."""

from pathlib import Path

import pandas as pd
import pytest
from reseed.comparison.claims.build import build_verdict
from reseed.comparison.claims.formatting import (
    add_unit,
    count_interval_decimals,
    format_number,
    format_p,
    format_share,
)
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import decide_pair_outcome

ROOT = Path(__file__).parents[3]
ROW = {
    "design": "splits",
    "model_a": "A",
    "model_b": "B",
    "metric": "accuracy",
    "greater_is_better": True,
    "unit": "points",
    "factor": 100.0,
    "n": 10,
    "n_a": 10,
    "n_b": 10,
    "min_runs": 5,
    "left_out": 0,
    "difference": 0.008,
    "low": 0.002,
    "high": 0.014,
    "level": 0.95,
    "p": 0.002,
    "p_adjusted": 0.01,
    "pairs": 6,
    "instability": 0.04,
    "alpha": 0.05,
    "test": "corrected resampled t test",
    "friedman_p": float("nan"),
}


NAN = float("nan")
#: Differences that no test shows, and that are shown to be small.
OPEN = {"low": -0.002, "high": 0.01, "difference": 0.004, "p_adjusted": 0.2}
CLOSE = {"low": -0.003, "high": 0.004, "difference": 0.0005, "p_adjusted": 0.8, "rope": 0.01}
FEW = {"n": 3, "p_adjusted": NAN}
FLAT = {"low": 0.008, "high": 0.008, "p_adjusted": 0.0, "design": "seeds"}
LOSS = {"unit": "", "factor": 1.0, "metric": "mse", "greater_is_better": False}
WELCH = {"design": "unpaired", "test": "Welch's t test", "n_b": 8}
RANKS = {"design": "datasets", "n": 7, "mean_a": 1.2, "mean_b": 2.5, "difference": 1.3,
         "test": "sign-flip test of ranks", "missing": "", "pairs": 3}  # fmt: skip
TWO = {
    "design": "datasets", "test": "sign-flip test", "n": 8, "wins": 7, "losses": 0,
    "missing": "", "low": NAN, "high": NAN, "pairs": 1, "p_adjusted": 0.016,
    "difference": 0.012, "p_least": 0.0078,
}  # fmt: skip
ITEMS = {"model_a": "A", "model_b": "B", "dataset": "", "metric": "auc", "factor": 100.0,
         "greater_is_better": True, "unit": "points", "difference": 0.02, "low": 0.01,
         "high": 0.03, "level": 0.95, "p_adjusted": 0.001, "pairs": 1, "alpha": 0.05,
         "method": "t", "shared_seeds": True, "level_seed": 3, "level_prompt": 0,
         "level_cluster": 0, "level_item": 500, "design": "items"}  # fmt: skip
CASES = {
    "a difference": {},
    "a loss without unit, one pair": LOSS | {"pairs": 1},
    "not shown, which is no equality": OPEN,
    "the interval leaves zero out, the adjusted p does not": {"p_adjusted": 0.08},
    "seeds alone, shown": {"design": "seeds", "p_adjusted": 0.01},
    "seeds alone, not shown": {"design": "seeds", "p_adjusted": 0.5},
    "unpaired, shown": WELCH | {"p_adjusted": 0.01},
    "unpaired, not shown": WELCH | {"p_adjusted": 0.5},
    "too few runs": FEW,
    "too few runs: one": {"n": 1},
    "too few runs: none": {"n": 0},
    "too few runs, no difference": FEW | {"difference": 0.0},
    "too few runs, no interval's digits": {"n": 3, "difference": 0.003, "factor": 1, "high": 9,
                                           "low": -9},
    "no variation": FLAT,
    "no variation, no difference": {"low": 0.0, "high": 0.0, "difference": 0.0},
    "different splits": {"design": "different splits"},
    "a run left out": {"left_out": 1},
    "runs left out as they failed": {"left_out": 3, "failed": 3},
    "failed runs alone": {"failed": 3},
    "many left out": {"left_out": 7, "p_adjusted": 0.9},
    "ranks, shown": RANKS | {"p_adjusted": 0.001},
    "ranks, not shown": RANKS | {"p_adjusted": 0.2},
    "bounds near zero do not read as zero": {"low": 0.0004, "high": 0.016, "difference": 0.0082},
    "tiny scores": LOSS | {"difference": 1.11e-13, "low": 7.1e-14, "high": 1.51e-13},
    "tiny interval": LOSS | {"difference": 0.0, "low": -2e-12, "high": 2e-12, "p_adjusted": 1.0},
    "huge scores": LOSS | {"difference": 1.11e9, "low": 7.1e8, "high": 1.51e9},
    "digits of the interval": {"low": 0.022, "high": 0.099, "difference": 0.0605},
    "equivalent": CLOSE | {"equivalence_p_holm": 0.02},
    "shown, but small": {"low": 0.001, "high": 0.005, "difference": 0.003, "rope": 0.01,
                         "equivalence_p_holm": 0.001},
    "detectable where not shown": OPEN | {"detectable": 0.0123, "target_power": 0.8},
    "detectable where shown": {"detectable": 0.0123, "target_power": 0.8},
    "ties": {"instability": 0.4, "ties": 0.4},
    "folds": {"scheme": "kfold-10x1", "test_train_ratio": 1 / 9},
    "an interval cut at its upper end": {"largest_difference": 0.014},
    "an interval cut at its lower end": OPEN | {"low": -0.1, "largest_difference": 0.1},
    "an interval that is not cut": {"largest_difference": 1.0},
    "spreads over seeds differ": {"spread_p": 0.05},
    "spreads over seeds, p above the level": {"spread_p": 0.051},
    "shown by one correction": {"conservative_p_holm": 0.06},
    "Dunnett's interval": {"dunnett_p": 0.02, "dunnett_low": 0.001, "dunnett_high": 0.015},
    "two models over datasets": TWO,
    "two ties over datasets": TWO | {"wins": 6},
    "two models over datasets, not shown": TWO | {"p_adjusted": 0.3, "missing": "d1, d2"},
    "too few datasets": TWO | {"n": 3, "wins": 2, "losses": 1, "p_adjusted": NAN},
    "the least p of so few datasets": TWO | {"n": 5, "wins": 5, "p_adjusted": 0.0625,
                                             "p_least": 0.0625},
    "items of three seeds": ITEMS,
    "items of two seeds": ITEMS | {"level_seed": 2},
}  # fmt: skip


def say(**changes):
    return build_verdict(PairRow.of(ROW | changes)).sentence()


@pytest.mark.parametrize("name", CASES)
def test_what_a_verdict_says(name, snapshot):
    assert say(**CASES[name]) == snapshot


@pytest.mark.parametrize("name", [n for n in CASES if "not shown" in n or n == "equivalent"])
def test_what_is_not_shown_beats_nothing(name):
    assert "beats" not in say(**CASES[name])


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"p_adjusted": 0.05}, "difference"),
        ({"p_adjusted": 0.0501}, "no difference shown"),
        ({"p_adjusted": 0.03, "alpha": 0.01}, "no difference shown"),
        (CLOSE | {"equivalence_p_holm": 0.02}, "equivalent"),
        (CLOSE | {"equivalence_p_holm": 0.06}, "no difference shown"),
        (CLOSE | {"equivalence_p_holm": NAN}, "no difference shown"),
    ],
)
def test_the_level_decides_with_its_boundary(changes, outcome):
    assert decide_pair_outcome(PairRow.of(ROW | changes)) == outcome


def test_skewed_differences_limit_the_sign_flip_test():
    """The rates are those of the published simulations."""
    rates = pd.read_csv(ROOT / "docs/methods/simulations/designs.csv")
    skewed = rates[(rates["method"] == "sign flips") & (rates["label"] == "skewed differences")]
    is_two = skewed["case"].str.startswith("2 models")
    text = say(**TWO | {"n": 10})
    assert f"in {100 * skewed.loc[is_two, 'false_claims'].max():.0f} % of" in text
    assert f"up to {100 * skewed.loc[~is_two, 'false_claims'].max():.0f} %" in text
    for other in ({"n": 9}, {"n": 10, "p_adjusted": 0.3}, {"n": 10, "test": "sign test"}):
        assert "symmetric" not in say(**TWO | other)


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
