"""The table of designs is that of the documentation, and names the tests that verdicts use."""

from pathlib import Path
from typing import get_args

from reseed.analyses.shared.pairing import Design
from reseed.claims.designs import METHODS, ONE_TEST_SET, decision_table, find_method

METHODS_PAGE = Path(__file__).parents[2] / "docs" / "methods" / "comparing.md"


def test_the_documentation_has_the_table_of_the_code():
    assert f"\n{decision_table()}\n" in METHODS_PAGE.read_text("utf-8")


def test_every_design_that_pairs_can_have_is_in_the_table():
    known = {method.design for method in METHODS}
    assert set(get_args(Design)) - known == {"different splits"}
    assert ONE_TEST_SET == ("seeds", "unpaired")
    assert find_method("datasets") is find_method("different splits") is None
