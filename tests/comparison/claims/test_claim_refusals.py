"""What a claim refuses: n of other rows, parts without words, equality, numbers in disguise."""

import math

import pandas as pd
import pytest
from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim, ClaimError
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample, Test

ROWS = pd.DataFrame(
    {
        "ratio": [2.0, 3.0, 5.0],
        "metric": "auc",
        "sd": [0.01, 0.02, 0.03],
        "mean": 0.9,
        "n": [12, 12, 24],
        "dataset": ["magic", "magic", "digits"],
    }
)


def show(value):
    return f"{value:.1f}"


def claim(finding="{n}", rows=ROWS, sample=None, **changes):
    names = changes.pop("phrases", {})
    if changes.get("tests"):
        changes = {"null": "Gaussian draws"} | changes
    return Claim("c", finding, rows, names, sample or Sample.of(rows, "n", "seed"), **changes)


@pytest.mark.parametrize(
    "sample",
    [
        Sample(500, 500, "seed"),
        Sample(12, 24, "seed"),
        Sample.of(ROWS.assign(n=500), "n", "seed"),
        Sample.of(ROWS.iloc[:2], "n", "seed"),
        Sample.of(ROWS.assign(runs=24), "runs", "run"),
    ],
    ids=["made up", "without rows", "other values", "fewer rows", "a column of no row"],
)
def test_an_n_of_other_rows_is_refused(sample):
    with pytest.raises(ClaimError, match=r"not the n of its rows|have no n"):
        claim(sample=sample)


@pytest.mark.parametrize(
    "phrase",
    [
        phrases.share(ROWS.iloc[:2], ROWS["ratio"].iloc[:2] > 0, "pair"),
        phrases.extent(ROWS.iloc[:2], "ratio", show),
        phrases.count(ROWS.iloc[:2], "pair"),
        phrases.tally(ROWS.iloc[:2], ["RF on 2"]),
    ],
    ids=["share", "extent", "count", "tally"],
)
def test_a_part_of_the_rows_needs_words(phrase):
    with pytest.raises(ClaimError, match="of 2 of 3 rows: name them by `of`"):
        claim("Ratio {x}", phrases={"x": phrase})


def test_the_words_of_a_part_stand_in_the_sentence():
    part = phrases.extent(ROWS.iloc[:2], "ratio", show, of="on Magic")
    one = claim("On Magic the ratio is {x}", phrases={"x": part})
    assert one.text == "On Magic the ratio is 2.0 to 3.0 (12 to 24 seeds each)."
    with pytest.raises(ClaimError, match="does not name as 'on Magic'"):
        claim("The ratio is {x}", phrases={"x": part})
    with pytest.raises(ClaimError, match="does not name as 'on Magic'"):
        claim("On Magic: {x}", phrases={"x": part}, headline="Ratio {x}")


def test_two_rows_with_one_label_are_refused():
    with pytest.raises(ClaimError, match="share an index label"):
        claim(rows=pd.concat([ROWS, ROWS]))


EQUALITY = [
    "The seeds are as far apart as Gaussian draws",
    "The ranges do not differ",
    "The spread is similar to a Gaussian's",
    "The seed has no effect",
    "The order is unchanged",
    "The spread matches that of Gaussian draws",
    "The two are comparable",
    "The distribution is Gaussian",
    "Ranges are no wider than Gaussian draws",
    "The orders agree",
    "There is no difference between the models",
]
LOW_POWER = Test("the draws are Gaussian", 0.61, power=0.12, alternative="t with 3 df")


@pytest.mark.parametrize("sentence", EQUALITY)
@pytest.mark.parametrize(
    "tests",
    [[], [LOW_POWER], [LOW_POWER, Test("the draws are Gaussian", 0.001)]],
    ids=["no test", "one", "one of several rejects"],
)
def test_equality_without_a_test_of_it_is_refused(sentence, tests):
    with pytest.raises(ClaimError, match="states equality, which no test shows"):
        claim(sentence, tests=tests)
    with pytest.raises(ClaimError, match="states equality"):
        claim("{n}", headline=sentence, tests=tests)


@pytest.mark.parametrize(
    "sentence",
    [
        "A range beyond a Gaussian's is shown in none of the arms",
        "No difference is shown",
        "Splits move the score several times as much as seeds",
        "The interval is for as many seeds as were run",
        "At equal numbers of seeds one range is larger",
    ],
)
def test_sentences_that_state_no_equality_are_accepted(sentence):
    assert claim(sentence, tests=[LOW_POWER]).text.startswith(sentence)


def test_equality_that_was_counted_is_accepted_without_a_null():
    text = "Bitwise equal outputs"
    assert claim(text, equality="counted").text == "Bitwise equal outputs (12 to 24 seeds each)."
    with pytest.raises(ClaimError, match="counted has no null hypothesis"):
        claim(text, equality="counted", tests=[LOW_POWER])


def test_words_of_a_title_state_no_equality():
    title = phrases.name("Same-size net, like ours")
    assert claim("{x}", phrases={"x": title}).text.startswith("Same-size net")


@pytest.mark.parametrize(
    ("title", "printed"),
    [
        ("70", "“70”"),
        ("3 models", "“3 models”"),
        ("20 %", "“20 %”"),
        ("Four of them", "“Four of them”"),
        ("ResNet-50", "ResNet-50"),
        ("3-layer CNN", "3-layer CNN"),
        ("20 Newsgroups", "20 Newsgroups"),
        ("F1", "F1"),
        ("", ""),
    ],
)
def test_a_title_never_reads_as_a_count(title, printed):
    assert phrases.name(title).text == printed


@pytest.mark.parametrize("words", ["in four of them", "twice", "a dozen"])
def test_numbers_as_words_are_refused(words):
    with pytest.raises(ClaimError, match="is no phrase"):
        claim(f"It holds {words}")


def test_an_extent_is_of_one_metric_that_varies():
    mixed = ROWS.assign(metric=["auc", "mse", "mse"])
    with pytest.raises(ClaimError, match="unlike metrics cannot be pooled: auc, mse"):
        phrases.extent(mixed, "ratio", show)
    with pytest.raises(ClaimError, match="without a column `metric`"):
        phrases.extent(ROWS.drop(columns="metric"), "ratio", show)
    with pytest.raises(ClaimError, match="do not vary"):
        phrases.extent(ROWS.assign(sd=[0.0, 0.01, 0.02]), "ratio", show)
    apart = phrases.extent(mixed, "ratio", show, title=str.upper)
    assert apart.text == "2.0 for AUC and 3.0 to 5.0 for MSE"
    counts = phrases.extent(mixed, "n", "{:.0f}".format, is_comparable=True)
    assert counts.text == "12 to 24"


def test_a_number_needs_its_rows():
    with pytest.raises(ClaimError, match="is a median of 0 rows"):
        phrases.Phrase("70", "median")
    with pytest.raises(ClaimError, match="is a name of 2 rows"):
        phrases.Phrase("RF", "name", (0, 1))


def test_counts_of_groups_and_of_values():
    holds = ROWS["ratio"] > 2
    assert phrases.share(ROWS, holds, "dataset", per="dataset").text == "1 of the 2 datasets"
    assert phrases.distinct(ROWS, "dataset", "dataset").text == "2 datasets"


def test_an_estimate_needs_its_bounds():
    with pytest.raises(ClaimError, match="needs the bounds of its possible values"):
        Estimate("RF", 0.9, 0.7, 1.2, 0.95)


def test_estimates_and_tests_need_a_null():
    measured = Estimate("RF", 0.9, 0.7, 1.0, 0.95, (0, 1))
    for changes in ({"estimates": [measured]}, {"tests": [LOW_POWER], "null": ""}):
        with pytest.raises(ClaimError, match="Set `null`"):
            claim(**changes)
    assert claim(estimates=[measured], null=NO_NULL).record()["null"] == NO_NULL


@pytest.mark.parametrize(
    ("estimates", "widths"),
    [
        ([Estimate("a", 0.5, 0.4, 0.6, 0.95, (0, 1))], "intervals of ±0.10"),
        ([Estimate("a", 0.5, 0.4, 0.6, 0.95, (0, 1)).in_points()], "intervals of ±10 points"),
        (
            [Estimate("a", 2.0, 1.0, 4.0, 0.95, (0, math.inf)), Estimate("b", 2, bounds=(0, 9))],
            "intervals by a factor of 2.00 each way; 1 without one",
        ),
        ([Estimate("a", 0.5, bounds=(0, 1))], "no interval, so the precision is not known"),
        ([], ""),
    ],
)
def test_a_record_states_how_wide_the_intervals_are(estimates, widths):
    record = claim(estimates=estimates, null=NO_NULL).record()
    assert (record["widths"], record["limits"]) == (widths, "")


def test_widths_in_unlike_units_are_not_pooled():
    mixed = ROWS.assign(metric=["auc", "mse", "mse"])
    measured = Estimate("a", 0.5, 0.4, 0.6, 0.95, (0, 1))
    one = claim(rows=mixed, estimates=[measured], null=NO_NULL)
    assert one.widths == "intervals in the units of several metrics"
