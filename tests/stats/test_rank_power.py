"""Smallest detectable differences, against simulations that use the tests themselves."""

import math

import numpy as np
import pytest
from reseed.stats.many_datasets import rank_within
from reseed.stats.rank_power import _rank, _sign_power, _smallest, _t_squared, detectable_shift
from reseed.stats.sign_flips import flip_signs
from scipy import stats


@pytest.mark.parametrize(
    ("n", "models", "of_ranks"),
    [(8, 2, False), (20, 2, True), (14, 4, False), (14, 4, True), (20, 6, False)],
)
def test_power_of_sign_flips_is_80_percent(n, models, of_ranks):
    """The tests themselves on 200 tables; the critical value is an approximation."""
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((200, n, models)) / math.sqrt(2)
    scores[:, :, 0] += detectable_shift(n, models, of_ranks=of_ranks)
    i, j = np.triu_indices(models, 1)
    values = [rank_within(-one) if of_ranks else one for one in scores]
    p = [flip_signs((one[:, i] - one[:, j]).T, 1000, rng=rng).p_adjusted[0] for one in values]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.8, abs=0.1)


def test_too_few_datasets_find_nothing():
    assert detectable_shift(5) == math.inf  # the least p is 1/16
    assert detectable_shift(5, alpha=0.0625) < 5
    assert detectable_shift(5, of_ranks=True) == detectable_shift(5, 5) == math.inf
    assert detectable_shift(6, 3, of_ranks=True) == math.inf
    assert detectable_shift(6, 3) < 3


def test_statistic_orders_as_that_of_t():
    x = np.random.default_rng(7).normal(size=(30, 6, 3))
    i, j = np.triu_indices(3, 1)
    t = stats.ttest_1samp(x[:, :, i] - x[:, :, j], 0, axis=1).statistic
    assert _t_squared(x, i, j) == pytest.approx(6 * t**2 / (t**2 + 5))
    assert _rank(np.array([[3.0, 1.0, 2.0]])).tolist() == [[3, 1, 2]]
    assert _t_squared(np.ones((1, 4, 2)), np.array([0]), np.array([1])) == 0


def test_power_of_the_sign_test_by_hand():
    """8 datasets and p <= 0.1: at least 7 wins, as 2 P(B >= 7) = 18/256."""
    for shift in (0.0, 0.7):
        p = stats.norm.cdf(shift)
        assert _sign_power(8, shift, 0.1) == pytest.approx(8 * p**7 * (1 - p) + p**8)
    assert _sign_power(8, 0.3, 18 / 256) == _sign_power(8, 0.3, 0.1)
    assert _sign_power(4, 0.3, 0.1) == 0


def test_smallest_shift_is_the_root_of_the_power():
    assert _smallest(lambda shift: shift / 40, 0.5) == pytest.approx(20, abs=0.004)
    assert _smallest(lambda shift: shift / 40, 0.5) >= 20
    assert _smallest(lambda shift: float(shift >= 49), 0.8) == pytest.approx(49, abs=0.004)
    assert _smallest(lambda shift: shift / 100, 0.51) == math.inf
