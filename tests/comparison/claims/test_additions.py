"""What an open verdict says to add."""

import math
from dataclasses import replace

import pytest
from reseed.comparison.claims.budget import list_additions
from reseed.comparison.claims.pair_row import PairRow
from reseed.stats.rank_power import detectable_shift

SPLITS = PairRow(**{
    "design": "splits", "n": 10, "n_a": 10, "n_b": 10, "test_train_ratio": 0.25, "alpha": 0.05,
    "pairs": 3, "target_power": 0.8, "detectable": 0.02, "factor": 100.0, "seed_share": 0.0,
})  # fmt: skip


def test_rows_help_most_where_splits_overlap():
    rows, splits = list_additions(SPLITS)
    assert (rows.source, splits.source) == ("rows", "splits")
    assert rows.detectable == pytest.approx(0.02 / math.sqrt(2))
    # Fewer than the standard errors say, because degrees of freedom are added.
    assert splits.detectable < 0.02 * math.sqrt((1 / 20 + 0.25) / 0.35)


def test_seeds_are_named_where_they_vary_within_splits():
    assert list_additions(replace(SPLITS, seed_share=0.8))[0].source == "seeds"


def test_seeds_and_items():
    row = replace(SPLITS, design="seeds and items", seed_share=0.1, item_share=0.8)
    items, seeds = list_additions(row)
    assert (items.source, seeds.source) == ("items", "seeds")
    assert items.detectable == pytest.approx(0.02 * math.sqrt(0.1 + 0.9 / 2))
    assert seeds.detectable == pytest.approx(0.02 * math.sqrt(0.8 + 0.2 / 2))
    assert list_additions(replace(row, item_share=math.nan)) == ()


@pytest.mark.parametrize("design", ["seeds", "unpaired"])
def test_seeds_alone(design):
    (seeds,) = list_additions(replace(SPLITS, design=design))
    assert seeds.source == "seeds"
    assert seeds.detectable < 0.02 / math.sqrt(2)


def test_nothing_is_said_without_a_detectable_difference():
    assert not list_additions(replace(SPLITS, detectable=math.nan))
    assert not list_additions(replace(SPLITS, design="datasets", detectable_sd=math.nan))


OVER = PairRow(design="datasets", n=10, alpha=0.05, pairs=3)


@pytest.mark.parametrize(
    ("test", "pairs", "models", "level"),
    [
        ("sign-flip test", 1, 2, 0.05),
        ("sign-flip test", 5, 4, 0.05),
        ("sign-flip test of ranks", 3, 3, 0.05),
        ("sign test", 3, 2, 0.05 / 3),
    ],
)
def test_twice_the_datasets(test, pairs, models, level):
    of_ranks = test != "sign-flip test"
    now, twice = (detectable_shift(n, models, of_ranks=of_ranks, alpha=level) for n in (10, 20))
    row = replace(OVER, test=test, detectable_sd=now, pairs=pairs)
    (added,) = list_additions(row)
    assert (added.source, added.detectable) == ("datasets", twice)
    assert twice < now
