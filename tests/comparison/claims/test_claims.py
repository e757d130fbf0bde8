"""A claim that says more than its rows support cannot be constructed."""

import dataclasses
import math

import pandas as pd
import pytest
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim, ClaimError, check_drawn
from reseed.comparison.claims.estimates import Estimate, Sample, Test

ROWS = pd.DataFrame(
    {
        "ratio": [2.0, 3.0, 5.0],
        "metric": "auc",
        "sd": [0.01, 0.02, 0.03],
        "mean": 0.9,
        "n": [12, 12, 24],
    }
)


def show(value):
    return f"{value:.1f}"


def claim(**changes):
    base = Claim(
        name="ratio",
        finding="splits move the score {ratio} times as much as seeds",
        headline="Splits move the score {middle} times as much",
        rows=ROWS,
        phrases={
            "ratio": phrases.pooled(ROWS, "ratio", show, noun="setting"),
            "middle": phrases.centre(ROWS, "ratio", show),
        },
        sample=Sample.of(ROWS, "n", "seed"),
        null="ratio 1",
    )
    return dataclasses.replace(base, **changes)


def test_sentence_states_centre_range_and_n():
    assert claim().text == (
        "Splits move the score 3.0 (median of 3 settings, 2.0 to 5.0) times as much as seeds"
        " (12 to 24 seeds each)."
    )
    assert claim().heading == "Splits move the score 3.0 times as much"
    assert claim().statistics == {"median"}


def test_numbers_outside_phrases_are_refused():
    with pytest.raises(ClaimError, match="70 is no phrase"):
        claim(finding="It costs 70 times a run")


def test_a_sentence_is_written_from_its_parts():
    subject = claim(subject="3 models", basis="one {ratio}", note="More of it.")
    assert subject.text == (
        "“3 models”: splits move the score 3.0 (median of 3 settings, 2.0 to 5.0) times as much as"
        " seeds (one 3.0 (median of 3 settings, 2.0 to 5.0), 12 to 24 seeds each). More of it."
    )
    joined = claim(finding="it is {ratio}", headline="").text
    assert joined == "It is 3.0 (median of 3 settings, 2.0 to 5.0; 12 to 24 seeds each)."
    assert claim(finding="of {n} few").text == "Of 12 to 24 seeds few."
    assert claim(finding="few", headline=True).heading == "Few"
    assert claim(headline=False).heading == ""
    of_one = {"rows": ROWS[:1], "sample": Sample.of(ROWS[:1], "n", "seed"), "phrases": {}}
    assert claim(finding="few", headline="", **of_one).text == "Few (12 seeds)."


def claim_of(estimates, **changes):
    return claim(finding="", phrases={}, statistic="SD ratio", estimates=estimates, **changes)


def test_estimates_are_listed_with_the_level_of_their_intervals():
    two = [
        Estimate("RF", 2.0, 1.5, 2.5, 0.95, (0, math.inf)),
        Estimate("XGB", 3.0, bounds=(0, math.inf)),
    ]
    found = claim_of(two, headline=True, show=show)
    assert found.text == (
        "The SD ratio is 2.0 [1.5, 2.5] for RF and 3.0 for XGB"
        " (95 % interval, 12 to 24 seeds each)."
    )
    assert found.heading == "SD ratio: 2.0 for RF and 3.0 for XGB"
    many = claim_of([two[0]] * 4 + [two[1]], headline="", show=show, noun="pair")
    assert many.text == "The SD ratio is 2.0 to 3.0 (5 pairs, 12 to 24 seeds each)."
    with pytest.raises(ClaimError, match="on several metrics have no extent"):
        claim_of(two * 3, rows=ROWS.assign(metric=["auc", "mse", "mse"]), headline="")


def test_pooling_other_rows_than_those_of_n_is_refused():
    with pytest.raises(ClaimError, match="pools 2 of 3 rows"):
        claim(phrases=claim().phrases | {"ratio": phrases.pooled(ROWS.iloc[:2], "ratio", show)})
    other = ROWS.set_axis([7, 8, 9])
    with pytest.raises(ClaimError, match="rows of no part of it"):
        claim(phrases=claim().phrases | {"ratio": phrases.pooled(other, "ratio", show)})


def test_unlike_metrics_are_not_pooled():
    mixed = ROWS.assign(metric=["auc", "mse", "mse"])
    with pytest.raises(ClaimError, match="unlike metrics cannot be pooled: auc, mse"):
        phrases.pooled(mixed, "ratio", show)
    with pytest.raises(ClaimError, match="without a column `metric`"):
        phrases.centre(ROWS.drop(columns="metric"), "ratio", show)


def test_unlike_metrics_are_pooled_apart():
    mixed = ROWS.assign(metric=["auc", "mse", "mse"])
    apart = phrases.pooled(mixed, "ratio", show, noun="pair", title=str.upper)
    assert apart.text == "2.0 (1 pair) for AUC and 4.0 (median of 2 pairs, 3.0 to 5.0) for MSE"
    assert (
        phrases.centre(mixed, "ratio", show, title=str.upper).text == "2.0 for AUC and 4.0 for MSE"
    )
    constant = mixed.assign(sd=[0.01, 0.02, 0.0])
    with pytest.raises(ClaimError, match="do not vary"):
        phrases.pooled(constant, "ratio", show, title=str.upper)


def test_a_sentence_begins_with_a_capital_unless_with_a_name():
    share = {"part": phrases.share(ROWS, ROWS["ratio"] > 0, "pair"), "model": phrases.name("xGB")}
    assert claim(finding="{part}", headline="", phrases=share).text.startswith("All 3 pairs")
    assert claim(finding="{model}", headline="", phrases=share).text.startswith("xGB")


def test_degenerate_rows_are_not_pooled():
    for column, value in (("sd", 1.2e-16), ("ratio", math.nan)):
        rows = ROWS.copy()
        rows.loc[0, column] = value
        with pytest.raises(ClaimError, match=r"do not vary|has no value"):
            phrases.pooled(rows, "ratio", show)
    small = ROWS.assign(mean=4e-14, sd=1e-15)
    assert not phrases.is_degenerate(small).any()


def test_a_non_rejection_is_not_worded_as_equality():
    test = Test("the draws are Gaussian", 0.61, power=0.12, alternative="t with 3 df")
    with pytest.raises(ClaimError, match="'same' states equality, which no test shows"):
        claim(finding="The range is the same as a Gaussian's", headline="", tests=[test])
    shown = claim(finding="No difference is shown", headline="", tests=[test])
    assert shown.limits == "p 0.61; power 12 % against t with 3 df"
    rejected = dataclasses.replace(test, p=0.01)  # shows that the draws are not Gaussian
    with pytest.raises(ClaimError, match="'same' states equality"):
        claim(finding="The order is the same", headline="", tests=[rejected])


def test_an_interval_outside_the_possible_range_is_refused():
    with pytest.raises(ClaimError, match=r"1\.2 is outside 0 to 1"):
        Estimate("RF", 0.9, 0.7, 1.2, 0.95, bounds=(0, 1))
    with pytest.raises(ClaimError, match="outside its interval"):
        Estimate("RF", 0.6, 0.7, 0.9, 0.95, (0, 1))
    cut = Estimate.truncated("RF", 0.9, (0.7, 1.2), 0.95, (0.0, 1.0))
    assert (cut.low, cut.high) == (0.7, 1.0)
    assert not Estimate.truncated("RF", 0.9, (0.7, math.inf), 0.95, (0.0, 1.0)).has_interval
    Estimate("RF", 0.1, 0.1 + 1e-17, 0.1 - 1e-17, bounds=(0, 1))  # a rounding error


def test_n_of_zero_is_refused():
    with pytest.raises(ClaimError, match="n is missing or 0"):
        Sample.of(ROWS.assign(n=[12, 0, 3]), "n", "seed")
    with pytest.raises(ClaimError, match="without rows"):
        claim(rows=ROWS.iloc[:0])


def test_the_figure_draws_the_centre_that_its_claims_state():
    check_drawn([claim()], frozenset({"median"}))
    check_drawn([claim()], frozenset())
    with pytest.raises(ClaimError, match="states the median; the figure draws the mean"):
        check_drawn([claim()], frozenset({"mean"}))


def test_phrases_of_counts_and_single_rows():
    assert phrases.share(ROWS, ROWS["ratio"] > 2, "pair").text == "2 of the 3 pairs"
    assert phrases.share(ROWS, ROWS["ratio"] > 9, "pair").text == "none of the 3 pairs"
    assert phrases.share(ROWS.iloc[:1], ROWS["ratio"].iloc[:1] > 0, "pair").text == "the only pair"
    assert phrases.extent(ROWS, "ratio", show).text == "2.0 to 5.0"
    each = phrases.each(ROWS, "ratio", show, "abc")
    assert each.text == "2.0 for a, 3.0 for b and 5.0 for c"
    assert phrases.listed(ROWS, "ratio", show, "abc") == each
    many = pd.concat([ROWS, ROWS], ignore_index=True)
    assert phrases.listed(many, "ratio", show, "abcdef").text == "2.0 to 5.0 (6 arms)"
    with pytest.raises(ClaimError, match="from 3 rows"):
        phrases.single(ROWS, "ratio", show)
