"""Smallest detectable differences, against simulations that use the tests themselves."""

import math
from itertools import product

import numpy as np
import pytest
from reseed.stats.hierarchical import detectable_mean, hierarchical_effect
from reseed.stats.many_datasets import compare_over_datasets, compare_two_models
from reseed.stats.rank_power import (
    _least_rank_sum,
    _nemenyi_power,
    _sign_power,
    _signed_rank_power,
    _smallest,
    detectable_shift,
)
from scipy import stats


@pytest.mark.nightly
@pytest.mark.parametrize(("test", "commensurable"), [("signed-rank", True), ("sign", False)])
@pytest.mark.parametrize("n", [8, 20])
def test_power_of_tests_of_two_models_is_80_percent(test, commensurable, n):
    d = detectable_shift(test, n) + np.random.default_rng(1).standard_normal((600, n))
    p = [compare_two_models(row, commensurable=commensurable).p_value for row in d]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.8, abs=0.06)


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "models"), [(14, 4), (30, 6)])
def test_power_of_nemenyis_test_is_80_percent(n, models):
    scores = np.random.default_rng(2).standard_normal((400, n, models)) / math.sqrt(2)
    scores[:, :, 0] += detectable_shift("Nemenyi", n, models)
    found = [compare_over_datasets(one) for one in scores]
    shown = [
        one.friedman_p < 0.05
        and one.average_ranks[1] - one.average_ranks[0] >= one.critical_difference
        for one in found
    ]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


def test_too_few_datasets_find_nothing():
    assert detectable_shift("signed-rank", 5) == math.inf  # its least p is 1/16
    assert detectable_shift("sign", 5) == math.inf
    assert detectable_shift("Nemenyi", 5, 5) == math.inf


@pytest.mark.nightly
def test_power_of_the_mean_over_datasets_is_80_percent():
    rng, n, tau = np.random.default_rng(6), 6, 1.0
    effects = rng.standard_normal((80, n)) * math.sqrt(1 + tau**2)
    found = [hierarchical_effect(d, np.ones(n)) for d in effects]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    # The interval moves with the effects, so the shift may be added to its end.
    shift = np.median(detectable_mean(low, high))
    assert np.mean(low + shift > 0) == pytest.approx(0.8, abs=0.12)


@pytest.mark.parametrize("greater_width", [0.0, 1.5])
def test_power_of_nemenyis_test_counts_friedmans(greater_width):
    """Among 300 tables: SciPy's Friedman test and the difference of SciPy's ranks."""
    noise, found = np.random.default_rng(7).normal(size=(300, 6, 4)), []
    for table in noise + np.array([1.0, 0, 0, 0]):
        ranks = stats.rankdata(table, axis=1).mean(axis=0)
        is_apart = ranks[0] - ranks[1] >= greater_width
        found.append(stats.friedmanchisquare(*table.T).pvalue < 0.1 and is_apart)
    others = stats.rankdata(noise[:, :, 1:], axis=2).sum(axis=1)
    assert _nemenyi_power(noise, others, 1.0, greater_width, 0.1) == pytest.approx(np.mean(found))
    assert 0.1 < np.mean(found) < 0.6


def test_power_of_the_sign_test_by_hand():
    """8 datasets and p <= 0.1: at least 7 wins, as 2 P(B >= 7) = 18/256."""
    for shift in (0.0, 0.7):
        p = stats.norm.cdf(shift)
        assert _sign_power(8, shift, 0.1) == pytest.approx(8 * p**7 * (1 - p) + p**8)
    assert _sign_power(8, 0.3, 18 / 256) == _sign_power(8, 0.3, 0.1)
    assert _sign_power(4, 0.3, 0.1) == 0


@pytest.mark.parametrize("n", [4, 5, 9])
def test_least_rank_sum_by_enumeration(n):
    signs = np.array(list(product((0, 1), repeat=n)))
    sums = signs @ np.arange(1, n + 1)
    for alpha in (0.01, 0.05, 2 / 2**n, 0.3):
        significant = [s for s in range(sums.max() + 1) if 2 * np.mean(sums >= s) <= alpha]
        assert _least_rank_sum(n, alpha) == (min(significant) if significant else math.inf)


def test_power_of_the_signed_rank_test_is_that_of_scipy():
    d = np.random.default_rng(8).normal(0.6, 1, (300, 7))
    p = stats.wilcoxon(d, axis=1, method="exact").pvalue
    is_won = np.median(d, axis=1) > 0
    found = _signed_rank_power(d - 0.6, 0.6, _least_rank_sum(7, 0.05))
    assert found == pytest.approx(np.mean((p <= 0.05) & is_won))


def test_smallest_shift_is_the_root_of_the_power():
    assert _smallest(lambda shift: shift / 40, 0.5) == pytest.approx(20, abs=0.004)
    assert _smallest(lambda shift: shift / 40, 0.5) >= 20
    assert _smallest(lambda shift: float(shift >= 49), 0.8) == pytest.approx(49, abs=0.004)
    assert _smallest(lambda shift: shift / 100, 0.51) == math.inf
