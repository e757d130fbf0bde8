"""Verdicts claim no more than their numbers show."""

from pathlib import Path

import pandas as pd
import pytest
from reseed.comparison.claims.build import build_verdict
from reseed.comparison.claims.formatting import (
    count_interval_decimals,
    format_number,
    format_p,
    format_share,
)
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


def say(**changes):
    return build_verdict(ROW | changes).sentence()


def test_difference():
    assert say() == (
        "A beats B: difference 0.80 points (accuracy), 95 % interval 0.20 to 1.40, p (Holm, "
        "both directions) 0.01, order flips in 4 % of single runs. Corrected resampled t test, "
        "paired over 10 splits."
    )


def test_loss_without_unit_and_single_pair():
    text = say(unit="", factor=1.0, metric="mse", greater_is_better=False, pairs=1)
    assert (
        "difference 0.0080 (mse, lower is better), 95 % interval 0.0020 to 0.0140, p 0.01," in text
    )


def test_no_difference_is_not_equality():
    text = say(low=-0.002, high=0.01, difference=0.004, p_adjusted=0.2)
    assert text.startswith("No difference shown between A and B: difference 0.40 points")
    assert "interval −0.20 to 1.00," in text
    assert "This does not show that they are equal." in text
    assert "beats" not in text


def test_interval_excludes_zero_but_not_significant_adjusted():
    text = say(p_adjusted=0.08)
    assert text.startswith("No difference shown")
    assert "0.20 to 1.40 for this pair alone" in text


def test_the_level_decides_with_its_boundary():
    assert decide_pair_outcome(ROW | {"p_adjusted": 0.05}) == "difference"
    assert decide_pair_outcome(ROW | {"p_adjusted": 0.0501}) == "no difference shown"
    assert decide_pair_outcome(ROW | {"p_adjusted": 0.03, "alpha": 0.01}) == "no difference shown"


@pytest.mark.parametrize("design", ["seeds", "unpaired"])
@pytest.mark.parametrize("p_adjusted", [0.01, 0.5])
def test_seeds_alone_have_the_scope_of_one_split(design, p_adjusted):
    text = say(design=design, p_adjusted=p_adjusted, test="Welch's t test", n_b=8)
    assert " on exactly this test set, which did not vary: " in text
    assert "the data never varied" in text
    shared = "10 and 8 runs, not paired, as the models share too few seeds"
    assert (shared in text) == (design == "unpaired")


def test_too_few_runs():
    text = say(n=3, p_adjusted=float("nan"))
    assert text == (
        "Too few runs to tell A from B: difference 0.80 points (accuracy) over 3 splits; a verdict "
        "needs at least 5."
    )
    assert "over 1 split;" in say(n=1)
    assert "A from B: difference 0 points" in say(n=3, difference=0.0, p_adjusted=float("nan"))
    assert "no finished run" in say(n=0)
    assert "difference 0.0030 " in say(n=3, difference=0.003, factor=1, high=9, low=-9)


def test_no_variation():
    text = say(low=0.008, high=0.008, p_adjusted=0.0, design="seeds")
    scope = "on exactly this test set, which did not vary"
    assert text.startswith(f"No verdict on A and B {scope}: every run gives the same")
    assert "Vary the data split." in text
    assert "same score" in say(low=0.0, high=0.0, difference=0.0)


def test_different_splits():
    text = say(design="different splits")
    assert text.startswith("A and B cannot be compared")
    assert "same splits" in text


def test_left_out_runs_are_noted():
    assert say(left_out=1).endswith("1 run without a counterpart left out.")
    assert say(left_out=3, failed=3).endswith(
        "3 runs without a counterpart left out (3 failed). Failures may select: if runs that would "
        "score low fail, means are too good."
    )
    assert "Failures may select" in say(failed=3)
    assert say(left_out=7, p_adjusted=0.9).endswith("7 runs without a counterpart left out.")


def test_ranks_over_datasets():
    ranks = {"design": "datasets", "n": 7, "mean_a": 1.2, "mean_b": 2.5, "difference": 1.3,
             "test": "sign-flip test of ranks", "missing": "", "pairs": 3}  # fmt: skip
    assert say(**ranks, p_adjusted=0.001).startswith(
        "A ranks better than B: average rank 1.20 against 2.50 over 7 datasets, sign-flip test of "
        "ranks, p 0.001 (for all pairs at once); order flips on "
    )
    text = say(**ranks, p_adjusted=0.2)
    assert text.startswith("No difference shown between A and B over datasets")
    assert "equal" in text


def test_bounds_near_zero_do_not_read_as_zero():
    assert "0.04 to 1.60" in say(low=0.0004, high=0.016, difference=0.0082)


def test_numbers():
    assert (format_number(-0.04, 1), format_number(-1.25, 1)) == ("0.0", "−1.2")
    assert [format_p(p) for p in (0.05004, 0.049996, 0.05)] == ["0.05004", "0.049996", "0.05"]
    assert [format_p(p) for p in (0.0001, 0.0123, 0.0498, 0.096, 0.5, 1.0)] == [
        "below 0.001", "0.012", "0.0498", "0.096", "0.50", "1.00",
    ]  # fmt: skip
    assert [format_share(s) for s in (0, 0.004, 0.5, 0.995, 1)] == [
        "0 %", "below 1 %", "50 %", "over 99 %", "100 %",
    ]  # fmt: skip


def test_scores_of_any_size_are_formatted():
    tiny = {"unit": "", "factor": 1.0, "metric": "mse", "greater_is_better": False}
    text = say(**tiny, difference=1.11e-13, low=7.1e-14, high=1.51e-13)
    assert "difference 1.11e−13 (mse, lower is better), 95 % interval 7.1e−14 to 1.51e−13," in text
    text = say(**tiny, difference=0.0, low=-2e-12, high=2e-12, p_adjusted=1.0)
    assert "difference 0.00000000 (mse" in text
    assert "interval −2.0e−12 to 2.0e−12," in text
    text = say(**tiny, difference=1.11e9, low=7.1e8, high=1.51e9)
    assert "difference 1110000000 (mse" in text


def test_rounding_keeps_the_digits_of_the_interval():
    text = say(low=0.022, high=0.099, difference=0.0605)
    assert "difference 6.0 points (accuracy), 95 % interval 2.2 to 9.9," in text


def test_equivalent_states_its_region():
    close = {"low": -0.003, "high": 0.004, "difference": 0.0005, "p_adjusted": 0.8, "rope": 0.01}
    assert decide_pair_outcome(ROW | close | {"equivalence_p_holm": 0.02}) == "equivalent"
    text = say(**close, equivalence_p_holm=0.02)
    assert text.startswith("A and B are equivalent within ±1 points: difference 0.05 points")
    assert "Two one-sided tests: Holm-adjusted p 0.02." in text
    assert "beats" not in text
    assert decide_pair_outcome(ROW | close | {"equivalence_p_holm": 0.06}) == "no difference shown"
    assert (
        decide_pair_outcome(ROW | close | {"equivalence_p_holm": float("nan")})
        == "no difference shown"
    )


def test_a_difference_that_is_shown_may_be_small():
    text = say(low=0.001, high=0.005, difference=0.003, rope=0.01, equivalence_p_holm=0.001)
    assert text.startswith("A beats B")
    assert "smaller than ±1 points, the region of practical equivalence" in text


def test_inconclusive_verdict_states_the_detectable_difference():
    text = say(low=-0.002, high=0.01, difference=0.004, p_adjusted=0.2, detectable=0.0123,
               target_power=0.8)  # fmt: skip
    assert "A true difference of 1.23 points would be found in 80 %." in text
    assert "would be found" not in say(detectable=0.0123, target_power=0.8)


def test_ties_are_stated():
    text = say(instability=0.4, ties=0.4)
    assert (
        "order flips in 40 % of single runs (40 % won, 40 % tied, 20 % reversed; a tie counts half)"
    ) in text


def test_folds_state_the_ratio_of_test_rows():
    text = say(scheme="kfold-10x1", test_train_ratio=1 / 9)
    assert "paired over 10 splits, test rows 0.111 of the training rows." in text


TWO = ROW | {
    "design": "datasets", "test": "sign-flip test", "n": 8, "wins": 7, "losses": 0,
    "missing": "", "low": float("nan"), "high": float("nan"), "pairs": 1, "p_adjusted": 0.016,
    "difference": 0.012, "p_least": 0.0078,
}  # fmt: skip


def test_two_models_over_datasets():
    assert build_verdict(TWO).sentence() == (
        "A beats B over datasets: A is ahead on 7 of 8 datasets, 1 tie, mean difference 1.2 "
        "points (accuracy), sign-flip test, p 0.016."
    )
    text = build_verdict(TWO | {"p_adjusted": 0.3, "missing": "d1, d2"}).sentence()
    assert text.startswith("No difference shown between A and B over datasets: A is ahead on 7 of")
    assert text.endswith("Left out, as not both have comparable runs: d1, d2.")


def test_skewed_differences_limit_the_sign_flip_test():
    """The rates are those of the published simulations."""
    rates = pd.read_csv(ROOT / "docs/methods/simulations/designs.csv")
    skewed = rates[(rates["method"] == "sign flips") & (rates["label"] == "skewed differences")]
    is_two = skewed["case"].str.startswith("2 models")
    text = build_verdict(TWO | {"n": 10}).sentence()
    assert f"in {100 * skewed.loc[is_two, 'false_claims'].max():.0f} % of" in text
    assert f"up to {100 * skewed.loc[~is_two, 'false_claims'].max():.0f} %" in text
    for other in ({"n": 9}, {"n": 10, "p_adjusted": 0.3}, {"n": 10, "test": "sign test"}):
        assert "symmetric" not in build_verdict(TWO | other).sentence()


def test_few_datasets_have_no_test():
    text = build_verdict(
        TWO | {"n": 3, "wins": 2, "losses": 1, "p_adjusted": float("nan")}
    ).sentence()
    assert text == (
        "Too few datasets to tell A from B beyond them: A is ahead on 2 of 3 datasets; at least "
        "5 are needed."
    )
    floor = build_verdict(
        TWO | {"n": 5, "wins": 5, "p_adjusted": 0.0625, "p_least": 0.0625}
    ).sentence()
    assert "No outcome of 5 datasets gives this test a p below 0.062." in floor


def test_two_runs_of_a_model_give_a_warning():
    row = {"model_a": "A", "model_b": "B", "dataset": "", "metric": "auc", "factor": 100.0,
           "greater_is_better": True, "unit": "points", "difference": 0.02, "low": 0.01,
           "high": 0.03, "level": 0.95, "p_adjusted": 0.001, "pairs": 1, "alpha": 0.05,
           "method": "t", "shared_seeds": True, "level_seed": 3, "level_prompt": 0,
           "level_cluster": 0, "level_item": 500, "design": "items"}  # fmt: skip
    said = "Two seeds hardly show the spread over seeds: a third would narrow the interval."
    assert said not in build_verdict(row).sentence()
    assert said in build_verdict(row | {"level_seed": 2}).sentence()


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
