"""What an open verdict says to add."""

import math

import pytest
from reseed.claims.budget import describe_additions, list_additions

SPLITS = {
    "design": "splits", "n": 10, "n_a": 10, "n_b": 10, "test_train_ratio": 0.25, "alpha": 0.05,
    "pairs": 3, "target_power": 0.8, "detectable": 0.02, "factor": 100.0, "seed_share": 0.0,
}  # fmt: skip


def test_rows_help_most_where_splits_overlap():
    rows, splits = list_additions(SPLITS)
    assert (rows.source, splits.source) == ("rows", "splits")
    assert rows.detectable == pytest.approx(0.02 / math.sqrt(2))
    # Fewer than the standard errors say, because degrees of freedom are added.
    assert splits.detectable < 0.02 * math.sqrt((1 / 20 + 0.25) / 0.35)
    assert (
        describe_additions(SPLITS, 1)
        == "It would be 1.4 with twice the rows and 1.7 with twice the splits."
    )


def test_seeds_are_named_where_they_vary_within_splits():
    assert list_additions(SPLITS | {"seed_share": 0.8})[0].source == "seeds"


def test_seeds_and_items():
    row = SPLITS | {"design": "seeds and items", "seed_share": 0.1, "item_share": 0.8}
    items, seeds = list_additions(row)
    assert (items.source, seeds.source) == ("items", "seeds")
    assert items.detectable == pytest.approx(0.02 * math.sqrt(0.1 + 0.9 / 2))
    assert seeds.detectable == pytest.approx(0.02 * math.sqrt(0.8 + 0.2 / 2))
    assert list_additions(row | {"item_share": math.nan}) == ()


@pytest.mark.parametrize("design", ["seeds", "unpaired"])
def test_seeds_alone(design):
    (seeds,) = list_additions(SPLITS | {"design": design})
    assert seeds.source == "seeds"
    assert seeds.detectable < 0.02 / math.sqrt(2)


def test_nothing_is_said_without_a_detectable_difference():
    assert describe_additions(SPLITS | {"detectable": math.nan}, 1) == ""
    assert describe_additions(SPLITS | {"design": "datasets"}, 1) == ""
