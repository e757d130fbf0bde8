"""Cells that people write: thousands, units, marks, signs; and what is no number."""

import pandas as pd
import pytest
import reseed
from reseed.readers.cells import (
    GRADES,
    MISSING,
    read_percentages,
    read_written,
)


@pytest.mark.parametrize(
    ("cells", "numbers", "left_out"),
    [
        (["12,684.3", "1,200", "980"], ["12684.3", "1200", "980"], "signs between thousands"),
        (["1'270.5", "9"], ["1270.5", "9"], "signs between thousands"),
        (["20.1ms", "19 ms"], ["20.1", "19"], "unit ms"),
        (["**0.91**", "0.9*", "0.8†"], ["0.91", "0.9", "0.8"], "marks"),
        (["\u22120.5", ".25", "1e-3"], ["-0.5", ".25", "1e-3"], ""),
    ],
)
def test_numbers_as_they_are_written(cells, numbers, left_out):
    assert read_written(cells) == (numbers, left_out)


@pytest.mark.parametrize(
    "cells",
    [["12,684"], ["20 ms", "2 s"], ["20 ms", "2"], ["0,91", "0.9"], ["a1"], ["1.2.3"], ["<0.01"],
     ["1,23.4"]],
)  # fmt: skip
def test_texts_that_may_mean_two_numbers_are_none(cells):
    assert read_written(cells) is None


def test_percentages_are_shares_unless_the_heading_says_it():
    assert read_percentages(["91.2 %", "5%"], are_shares=True) == ["91.2e-2", "5e-2"]
    assert read_percentages(["91.2 %", "5%"], are_shares=False) == ["91.2", "5"]
    assert read_percentages(["91.2 %", "5"], are_shares=True) is None


@pytest.mark.parametrize("cell", ["n/a", "\u2014", "?", "NaN", "None"])
def test_spellings_of_a_missing_score(cell):
    assert cell.lower() in MISSING
    table = pd.DataFrame({"model": ["a", "b"] * 6, "seed": [i // 2 for i in range(12)]})
    scores = [f"0.{80 + i}" for i in range(12)]
    found = reseed.compare(table.assign(accuracy=[cell, *scores[1:]]))
    assert "1 failed and left out" in str(found)


def test_a_note_says_what_was_left_out():
    table = pd.DataFrame({"model": ["a", "b"] * 6, "seed": [i // 2 for i in range(12)]})
    found = reseed.compare(table.assign(rmse=[f"1,{200 + i}.5" for i in range(12)]))
    assert "Column 'rmse' was read without signs between thousands." in str(found)


def test_grades_and_texts_that_are_nearly_numbers():
    assert GRADES == {"C": 1, "I": 0, "P": 0.5, "N": 0}  # as Inspect's value_to_float


def test_percentages_with_a_decimal_comma(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{m};{s};{80 + s},{n} %" for n, m in enumerate("ab") for s in range(6)]
    path.write_text("\n".join(["model;seed;accuracy", *rows]))
    assert "0.825" in str(reseed.compare(path))
