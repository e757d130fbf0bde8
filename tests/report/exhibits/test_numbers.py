"""Numbers as sentences read them: nothing from 3 to 3, no median of one, no 1 of the 1 others."""

import math

import pytest
from reseed.report.rendering.numbers import (
    NONE,
    decimals,
    from_to,
    gaps,
    percent,
    rounded_percent,
    two_digits,
)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([3, 12, 5], "3 to 12"),
        ([7, 7], "7"),
        ([1200], "1,200"),
        ([2, math.nan, None, 4], "2 to 4"),
        ([math.nan], NONE),
        ([], NONE),
    ],
)
def test_a_range_whose_ends_read_the_same_is_one_number(values, text):
    assert from_to(values) == text


def test_it_is_the_text_that_decides():
    assert from_to([0.331, 0.334], percent) == "33 %"
    assert from_to([0.331, 0.349], percent, to="–") == "33 %–35 %"


@pytest.mark.parametrize(
    ("share", "places", "text"),
    [
        (0.0, 0, "0 %"),
        (0.002, 0, "below 1 %"),
        (0.002, 1, "0.2 %"),
        (0.0004, 1, "below 0.1 %"),
        (0.9985, 0, "over 99 %"),
        (0.9996, 1, "over 99.9 %"),
        (0.9909, 0, "99 %"),
        (0.0091, 0, "1 %"),
        (1.0, 1, "100.0 %"),
        (math.nan, 0, NONE),
    ],
)
def test_never_and_always_are_said_of_nothing_else(share, places, text):
    assert percent(share, places) == text


def test_only_shares_in_ranges_are_rounded_to_never_or_always():
    assert from_to([0.0, 0.5, 0.996], rounded_percent) == "0 % to 100 %"
    assert from_to([0.0, 0.002], rounded_percent) == "below 1 %"
    assert from_to([0.999, 1.0], rounded_percent) == "over 99 %"
    assert from_to([0.0, 0.0], rounded_percent) == "0 %"


def test_decimals_follow_spreads_or_separate_the_values():
    assert decimals([0.0123, math.nan], otherwise=[0.5]) == 3
    assert decimals([0.0, math.nan], 2, 1, otherwise=gaps([0.949, 0.934, 0.934, 0.851])) == 3
    assert decimals([], 2, 1, otherwise=gaps([0.0412])) == 3
    assert decimals([], 2, 1, otherwise=gaps([])) == 1


def test_two_digits_keep_a_final_zero():
    assert [two_digits(value) for value in (0.1, 0.062, 9.96)] == ["0.10", "0.062", "10"]
    assert [two_digits(value) for value in (0, -0.3, 199.6, 2934)] == ["0", "−0.30", "200", "2,934"]
