"""Every verdict says what its numbers carry and no more."""

import pytest
from reseed.verdicts import number, outcome, p_text, share_text, verdict

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
    "p_holm": 0.01,
    "pairs": 6,
    "instability": 0.04,
    "alpha": 0.05,
    "test": "corrected resampled t test",
    "friedman_p": float("nan"),
}


def say(**changes):
    return verdict(ROW | changes)


def test_difference():
    assert say() == (
        "A beats B: difference 0.8 points (accuracy), 95 % interval 0.2 to 1.4, Holm-adjusted "
        "p 0.01, order flips in 4 % of single runs. Corrected resampled t test, paired over 10 "
        "splits."
    )


def test_loss_without_unit_and_single_pair():
    text = say(unit="", factor=1.0, metric="mse", greater_is_better=False, pairs=1)
    assert "difference 0.008 (mse, lower is better), 95 % interval 0.002 to 0.014, p 0.01," in text


def test_no_difference_is_not_equality():
    text = say(low=-0.002, high=0.01, difference=0.004, p_holm=0.2)
    assert text.startswith("No difference shown between A and B: difference 0.4 points")
    assert "interval −0.2 to 1.0," in text
    assert "This does not show that they are equal." in text
    assert "beats" not in text


def test_interval_without_zero_but_not_significant_after_adjustment():
    text = say(p_holm=0.08)
    assert text.startswith("No difference shown")
    assert "0.2 to 1.4 for this pair alone" in text


def test_the_level_decides_with_its_boundary():
    assert outcome(ROW | {"p_holm": 0.05}) == "difference"
    assert outcome(ROW | {"p_holm": 0.0501}) == "no difference shown"
    assert outcome(ROW | {"p_holm": 0.03, "alpha": 0.01}) == "no difference shown"


@pytest.mark.parametrize("design", ["seeds", "unpaired"])
@pytest.mark.parametrize("p_holm", [0.01, 0.5])
def test_seeds_alone_speak_for_one_split(design, p_holm):
    text = say(design=design, p_holm=p_holm, test="Welch's t test", n_b=8)
    assert " on this one split: " in text
    assert "the data never varied" in text
    shared = "10 and 8 runs whose model seeds are not shared"
    assert (shared in text) == (design == "unpaired")


def test_too_few_runs():
    text = say(n=3, p_holm=float("nan"))
    assert text == (
        "Too few runs to tell A from B: difference 0.8 points (accuracy) over 3 splits; a verdict "
        "needs at least 5."
    )
    assert "over 1 split;" in say(n=1)
    assert "no finished run" in say(n=0)
    assert "difference 0.003 " in say(n=3, difference=0.003, factor=1, high=9, low=-9)


def test_no_variation():
    text = say(low=0.008, high=0.008, p_holm=0.0, design="seeds")
    assert text.startswith("No verdict on A and B on this one split: every run gives the same")
    assert "Vary the data split." in text
    assert "same score" in say(low=0.0, high=0.0, difference=0.0)


def test_different_splits():
    text = say(design="different splits")
    assert text.startswith("A and B cannot be compared")
    assert "same splits" in text


def test_left_out_runs_are_said():
    assert say(left_out=1).endswith("1 run without a counterpart left out.")
    assert say(left_out=7, p_holm=0.9).endswith("7 runs without a counterpart left out.")


def test_over_datasets_needs_friedman_too():
    ranks = {"design": "datasets", "n": 7, "mean_a": 1.2, "mean_b": 2.5, "difference": 1.3}
    assert say(**ranks, friedman_p=0.001).startswith("A ranks better than B: average rank 1.20")
    text = say(**ranks, friedman_p=0.2)
    assert text.startswith("No difference shown between A and B over datasets")
    assert "equal" in text


def test_bounds_near_zero_do_not_read_as_zero():
    assert "0.04 to 1.60" in say(low=0.0004, high=0.016, difference=0.0082)


def test_numbers():
    assert (number(-0.04, 1), number(-1.25, 1)) == ("0.0", "−1.2")
    assert [p_text(p) for p in (0.0001, 0.0123, 0.0498, 0.096, 0.5, 1.0)] == [
        "below 0.001", "0.012", "0.0498", "0.096", "0.50", "1.00",
    ]  # fmt: skip
    assert [share_text(s) for s in (0, 0.004, 0.5, 0.995, 1)] == [
        "0 %", "below 1 %", "50 %", "over 99 %", "100 %",
    ]  # fmt: skip
