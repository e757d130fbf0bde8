"""The table of designs: its choices, and whether the documentation is made from it."""

import importlib
import sys
from itertools import product
from pathlib import Path
from typing import get_args, get_type_hints

import pandas as pd
import pytest
from reseed.analyses.shared.pairing import Design
from reseed.verdicts.designs import (
    ITEM_COUNTS,
    ITEM_MODEL,
    LOG_FLIPS,
    MEANS,
    METHODS,
    ONE_TEST_SET,
    POOLED,
    RANK_FLIPS,
    SEEDS,
    SEEDS_AND_ITEMS,
    SIGN,
    SIGN_FLIPS,
    SPLITS,
    UNPAIRED,
    DesignFacts,
    choose_method,
    match_seeds,
)

ROOT = Path(__file__).parents[3]
_FLAGS = [name for name in get_type_hints(DesignFacts) if name != "varied"]


@pytest.fixture
def make_designs(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "tools"))
    sys.modules.pop("make_designs", None)
    return importlib.import_module("make_designs")


@pytest.mark.parametrize(
    ("facts", "method"),
    [
        (DesignFacts("splits", shares_seeds=False), SPLITS),
        (DesignFacts("seeds", shares_seeds=True, has_items=True), SEEDS_AND_ITEMS),
        (DesignFacts("seeds", shares_seeds=False, has_items=True), SEEDS_AND_ITEMS),
        (DesignFacts("seeds", shares_seeds=True, has_items=False), SEEDS),
        (DesignFacts("seeds", shares_seeds=False, has_items=False), UNPAIRED),
        (DesignFacts("seeds", has_runs=False), MEANS),
        (DesignFacts("items", counts_items=True), ITEM_COUNTS),
        (DesignFacts("items", counts_items=False), ITEM_MODEL),
        (DesignFacts("datasets", has_one_share=True, are_few=True), POOLED),
        (DesignFacts("datasets", ranks_models=True, has_one_share=True), SIGN_FLIPS),
        (DesignFacts("datasets", ranks_models=False, has_one_share=True), SIGN_FLIPS),
        (DesignFacts("datasets", ranks_models=True, has_one_share=False), RANK_FLIPS),
        (DesignFacts("datasets", ranks_models=False, has_one_loss=True), LOG_FLIPS),
        (DesignFacts("datasets", ranks_models=False, has_one_loss=False), SIGN),
    ],
)
def test_facts_select_the_test(facts, method):
    assert choose_method(facts) is method


def test_every_design_has_a_test_and_every_row_a_design():
    kinds = get_args(get_type_hints(DesignFacts)["varied"])
    values = product(kinds, *([None, False, True] for _ in _FLAGS))
    chosen = {choose_method(DesignFacts(*one)).name for one in values}
    assert chosen == {method.name for method in METHODS}


@pytest.mark.parametrize(
    ("common", "runs_a", "runs_b", "expected"),
    [(4, 5, 5, True), (3, 5, 5, False), (8, 10, 8, True), (8, 8, 11, False), (2, 20, 4, False)],
)
def test_seeds_are_shared_from_four_in_five(common, runs_a, runs_b, expected):
    a, b = range(runs_a), range(runs_a - common, runs_a - common + runs_b)
    match = match_seeds(a, b)
    assert match.is_shared is match_seeds(b, a).is_shared is expected
    assert [*map(len, match.rows)] == ([common] * 2 if expected else [len(a), len(b)])
    assert not match_seeds(a, b, own=True).is_shared


def test_every_design_that_pairs_can_have_is_in_the_table():
    known = {method.design for method in METHODS}
    assert set(get_args(Design)) - known == {"different splits"}
    assert ONE_TEST_SET == ("seeds", "unpaired")


def test_the_documentation_has_the_table_of_the_code(make_designs):
    page = make_designs.PAGE.read_text(encoding="utf-8")
    assert f"\n{make_designs.make_table()}\n" in page
    assert make_designs.with_table(page) == page


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_row_has_measured_false_claims(make_designs, method):
    rows = pd.concat(make_designs.select_measured(method).values())
    assert (rows["simulations"] >= 100).all()
    expected = (rows["false_claims"] * (1 - rows["false_claims"]) / rows["simulations"]) ** 0.5
    assert rows["se"].to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-4)


def test_measured_rates_of_default_tests_stay_near_the_level(make_designs):
    """Beyond it are claims about new items by seeds alone, and tails that samples do not show."""
    rows = pd.read_csv(make_designs.SIMULATIONS / "designs.csv", keep_default_na=False)
    beyond = [
        "new items", "skewed differences", "skewed losses", "skewed scores", "rare collapses",
        "seeds that drew the split, where nothing is asked",
    ]  # fmt: skip
    known = rows["label"].isin(beyond)
    assert rows.loc[~known, "false_claims"].max() <= 0.065
