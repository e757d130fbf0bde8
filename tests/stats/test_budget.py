"""Errors of larger designs: against direct formulas, the item model and simulated designs."""

import numpy as np
import pytest
from reseed.stats.budget import (
    crossed_shares,
    detectable_factor,
    remaining_error,
    seed_share_of_splits,
    split_shares,
)
from reseed.stats.item_design import predict_design
from reseed.stats.item_model import Factor, item_difference
from statsmodels.stats.power import TTestPower


def test_more_splits_leave_the_part_of_the_rows():
    shares = split_shares(10, 0.25)
    assert remaining_error(shares, "splits") == pytest.approx(np.sqrt((1 / 20 + 0.25) / 0.35))
    assert remaining_error(shares, "rows") == pytest.approx(np.sqrt(0.5))
    assert remaining_error(shares, "splits", 1e12) == pytest.approx(np.sqrt(0.25 / 0.35))
    assert remaining_error(shares, "seeds") == 1


def test_seeds_within_splits_shrink_their_share():
    shares = split_shares(10, 0.25, seed_share=0.6)
    assert remaining_error(shares, "seeds") == pytest.approx(np.sqrt(0.4 + 0.3))


def test_seed_share_of_simulated_splits():
    rng = np.random.default_rng(0)
    d = rng.normal(0, 1, (4000, 1)) + rng.normal(0, 2, (4000, 5))  # 4/5 of 1 + 4/5
    assert seed_share_of_splits(d.ravel(), 4000) == pytest.approx(0.8 / 1.8, abs=0.03)
    assert seed_share_of_splits(d[:, 0], 4000) == 0
    assert seed_share_of_splits(rng.normal(size=(50, 3)).ravel(), 50) <= 1
    assert np.isnan(seed_share_of_splits(d.ravel()[:-1], 4000))
    assert np.isnan(seed_share_of_splits(np.ones(6), 3))
    assert np.isnan(seed_share_of_splits(np.ones(3), 1))


@pytest.mark.parametrize("source", ["seed", "item"])
def test_crossed_shares_equal_the_item_model(source):
    rng = np.random.default_rng(1)
    d = rng.normal(0, 0.4, (6, 1)) + rng.normal(size=200) + rng.normal(size=(6, 200))
    test = item_difference(d, 0 * d, [Factor("seed", True)])
    shares = crossed_shares(test.factor_share, test.item_variance / test.se**2)
    expected = predict_design(test, {source: 2}, 0.05).se / test.se
    assert remaining_error(shares, f"{source}s") == pytest.approx(expected)


def test_shares_without_variance_change_nothing():
    assert remaining_error(crossed_shares(0, 1), "seeds") == 1
    assert remaining_error({}, "seeds") == 1


def test_detectable_effect_falls_with_degrees_of_freedom():
    power = TTestPower()
    ends = [power.solve_power(nobs=n, power=0.8, alpha=0.05) * np.sqrt(n) for n in (5, 10)]
    assert detectable_factor(4, 9, 0.8, 0.05) == pytest.approx(ends[1] / ends[0], rel=1e-4)


def test_seed_share_of_few_splits_by_hand():
    """Split means 2 and 6 vary by 8, variances 2 and 8 within splits give 5/2 of it."""
    assert seed_share_of_splits(np.array([1.0, 3, 4, 8]), 2) == pytest.approx(2.5 / 8)
    nine = np.array([[1.0, 2, 6], [4, 4, 7], [0, 1, 2]])
    expected = np.mean([np.var(row, ddof=1) for row in nine]) / 3
    expected /= np.var([3, 5, 1], ddof=1)
    assert seed_share_of_splits(nine.ravel(), 3) == pytest.approx(expected)
    # All of the variance is within splits, or the split means are equal.
    assert seed_share_of_splits(np.array([1.0, 9, 2, 9]), 2) == 1
    assert np.isnan(seed_share_of_splits(np.array([1.0, 2, 2, 1]), 2))


def test_a_plain_number_of_levels_is_doubled():
    assert remaining_error({("seeds",): 3.0, ("items",): 1.0}, "seeds") == np.sqrt(2.5 / 4)
    assert remaining_error({("seeds",): 3.0, ("items",): 1.0}, "seeds", 3) == np.sqrt(2 / 4)
    shares = crossed_shares(0.2, 0.5)
    assert shares[("seeds", "items")] == pytest.approx(0.3)
    assert crossed_shares(0.7, 0.5)[("seeds", "items")] == 0
    assert sum(split_shares(8, 0.25, 0.3).values()) == pytest.approx(1 / 8 + 0.25)
