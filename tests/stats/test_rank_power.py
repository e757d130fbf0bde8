"""Smallest detectable differences, against simulations that use the tests themselves."""

import math

import numpy as np
import pytest
from reseed.stats.five_by_two import detectable_by_f, five_by_two
from reseed.stats.hierarchical import detectable_mean, hierarchical_effect
from reseed.stats.many_datasets import compare_over_datasets, compare_two_models
from reseed.stats.rank_power import detectable_shift
from reseed.stats.stochastic_order import detectable_shift as detectable_order
from reseed.stats.stochastic_order import stochastic_order


@pytest.mark.parametrize(("test", "commensurable"), [("signed-rank", True), ("sign", False)])
@pytest.mark.parametrize("n", [8, 20])
def test_power_of_tests_of_two_models_is_80_percent(test, commensurable, n):
    d = detectable_shift(test, n) + np.random.default_rng(1).standard_normal((600, n))
    p = [compare_two_models(row, commensurable=commensurable).p_value for row in d]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.8, abs=0.06)


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


def test_power_of_the_f_test_is_80_percent():
    d = detectable_by_f(0.05) + np.random.default_rng(3).standard_normal((4000, 5, 2))
    assert np.mean(five_by_two(d).f_p <= 0.05) == pytest.approx(0.8, abs=0.03)
    with pytest.raises(ValueError, match="alpha must be below"):
        detectable_by_f(0.9)


def test_sd_of_a_fold_has_the_unit_of_the_score():
    d = np.random.default_rng(4).normal(0.01, 0.002, (3000, 5, 2))
    assert np.mean(five_by_two(d).fold_sd ** 2) == pytest.approx(0.002**2, rel=0.05)


def test_power_of_the_stochastic_order_is_80_percent():
    rng = np.random.default_rng(5)
    scores = rng.standard_normal((150, 2, 20))
    scores[:, 0] += detectable_order(20, 20)
    upper = [stochastic_order(a, b, n_boot=200, rng=rng).upper for a, b in scores]
    assert np.mean(np.array(upper) < 0.5) == pytest.approx(0.8, abs=0.1)


def test_power_of_the_mean_over_datasets_is_80_percent():
    rng, n, tau = np.random.default_rng(6), 6, 1.0
    effects = rng.standard_normal((80, n)) * math.sqrt(1 + tau**2)
    found = [hierarchical_effect(d, np.ones(n)) for d in effects]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    # The interval moves with the effects, so the shift may be added to its end.
    shift = np.median(detectable_mean(low, high))
    assert np.mean(low + shift > 0) == pytest.approx(0.8, abs=0.12)
