"""Skewness of means: what is seen, what is not, and the error of the corrected test."""

import numpy as np
import pytest
from reseed.stats.comparison import nadeau_bengio
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.skewness import (
    accepted_t,
    correct_t,
    skewed_p,
    skewness,
    skewness_of_difference,
    skewness_of_mean,
)
from reseed.stats.weighted_t import upper_tail
from scipy import stats

ONE_COLLAPSE = [*np.linspace(0.79, 0.81, 19), 0.4]


def test_skewness_is_that_of_scipy():
    x = np.random.default_rng(0).exponential(size=(3, 12))
    assert skewness(x) == pytest.approx(stats.skew(x, axis=1))
    assert skewness(1e300 * x) == pytest.approx(stats.skew(x, axis=1))
    assert skewness([2.0, 2.0, 2.0]) == 0


@pytest.mark.parametrize(
    ("values", "sign"),
    [
        (ONE_COLLAPSE, -1),
        (-np.array(ONE_COLLAPSE), 1),
        (stats.expon.ppf((np.arange(20) + 0.5) / 20), 1),
        (stats.norm.ppf((np.arange(20) + 0.5) / 20), 0),
        ([0.8, 0.81, 0.79, 0.8, 0.2], -1),  # five runs, one of which collapsed
        ([0.8, 0.81, 0.79, 0.8, 0.76], 0),
        ([0.8, 0.81, 0.79, 0.2], 0),  # four show nothing
        ([0.7, 0.8, 0.8, 0.9, 0.9, 0.8, 0.7, 0.8], 0),  # few distinct scores
        ([0.8] * 8, 0),
        (np.tile(stats.expon.ppf((np.arange(50) + 0.5) / 50), 40), 0),  # the mean is Gaussian
    ],
)
def test_a_tail_is_seen_where_it_matters(values, sign):
    assert np.sign(skewness_of_mean(values)) == sign


@pytest.mark.parametrize("n", [5, 6, 8, 12, 20, 50])
def test_gaussian_runs_are_seldom_called_skewed(n):
    x = np.random.default_rng(1).normal(size=(8000, n))
    assert (skewness_of_mean(x) != 0).mean() < 0.018
    assert (skewness_of_difference(x, x[::-1]) != 0).mean() < 0.024


def test_only_means_away_from_the_tail_are_corrected():
    assert correct_t(3.0, 0.5) == 3.0
    assert correct_t(-3.0, 0.0) == 3.0
    assert 0 < correct_t(-3.0, 0.4) < 3.0
    assert correct_t(-3.0, 0.4) == correct_t(3.0, -0.4)
    assert correct_t(-0.05, 0.6) == 0.0
    assert correct_t(-np.inf, 0.6) == np.inf
    hall = -3 + 0.4 * 9 / 3 + 0.16 * -27 / 27 + 0.4 / 6
    assert correct_t(-3.0, 0.4) == pytest.approx(-hall)


def test_exponential_differences_are_claimed_less_often():
    d = np.random.default_rng(2).exponential(size=(4000, 20)) - 1
    test = nadeau_bengio(d, 0)
    assert 0.07 < (test.p_value <= 0.05).mean() < 0.11
    assert (skewed_p(test.t, test.df, skewness_of_mean(d)) <= 0.05).mean() < 0.07


@pytest.mark.parametrize("skew", [-2.0, -0.3, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("critical", [0.5, 2.0, 4.0])
def test_accepted_values_are_those_that_the_test_keeps(skew, critical):
    least, greatest = accepted_t(critical, skew)
    t = np.linspace(-12, 12, 4001)
    kept = correct_t(t, skew) <= critical
    inside = (t >= least) & (t <= greatest)
    assert (kept == inside).all()
    assert accepted_t([1.0, 2.0], [0.0, 0.5])[0].shape == (2,)


def test_small_samples_take_the_skewness_of_large_ones():
    rng = np.random.default_rng(3)
    large, small = rng.exponential(size=200), rng.normal(size=5)
    assert skewness_of_difference(small, large) > 0
    assert skewness_of_difference(large, small) < 0
    assert skewness_of_difference(large, rng.exponential(size=200)) == 0


def test_items_name_the_source_of_a_tail():
    rng = np.random.default_rng(4)
    a = rng.normal(1, 0.3, size=(8, 40))
    test = item_difference(a, np.zeros_like(a), [Factor("seed", True)])
    assert test.tail is None
    plain = upper_tail(abs(test.difference / test.se), test.parts)
    assert test.p_value == pytest.approx(2 * plain)
    a[2] -= 8
    test = item_difference(a, np.zeros_like(a), [Factor("seed", True)])
    assert test.tail.unit == "run"
    assert test.tail.skewness < 0
    d = a.mean(axis=1)
    assert test.tail.differences / test.tail.differences[0] == pytest.approx(d / d[0])
    one = rng.normal(1, 0.3, size=40)
    one[3] = -20
    test = item_difference(one, np.zeros(40))
    assert (test.tail.unit, len(test.tail.differences)) == ("item", 40)
    plain = 2 * stats.t.sf(test.difference / test.se, 39)
    assert test.p_value > plain
    edge = test.interval(1 - test.p_value)
    assert min(map(abs, edge)) == pytest.approx(0, abs=1e-6)
    test = item_difference(one, np.zeros(40), clusters=np.arange(40) // 2)
    assert (test.tail.unit, len(test.tail.differences)) == ("cluster", 20)
    # On the side of the mean a tail makes the test claim too little.
    assert item_difference(np.zeros(40), np.abs(one)).tail is None


def test_seeds_of_their_own_are_skewed_apart():
    rng = np.random.default_rng(5)
    a, b = rng.normal(1, 0.3, size=(8, 40)), rng.normal(0, 0.3, size=(9, 40))
    b[2] -= 8
    test = item_difference(a, b, [Factor("seed", False)])
    assert test.tail.skewness > 0
    assert test.tail.unit == "item"


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
@pytest.mark.parametrize(("sizes", "spread"), [((12, 40), 3.0), ((40, 12), 1.0), ((30, 30), 5.0)])
def test_skewness_of_means_by_their_third_moments(scale, sizes, spread):
    """κ₃ of a mean is g₁σ³/n²; each sample has its own g₁ and σ, or both have common ones."""
    rng = np.random.default_rng(11)
    seen = 0
    for _ in range(20):
        a, b = (scale * rng.exponential(size=n) for n in sizes)
        a *= spread
        g, sd = [stats.skew(x) for x in (a, b)], [x.std() for x in (a, b)]
        n, m = sizes
        own = (g[0] * sd[0] ** 3 / n**2 - g[1] * sd[1] ** 3 / m**2) / (
            sd[0] ** 2 / n + sd[1] ** 2 / m
        ) ** 1.5
        common = (n * g[0] + m * g[1]) / (n + m) * (1 / n**2 - 1 / m**2) / (1 / n + 1 / m) ** 1.5
        found = float(skewness_of_difference(a, b))
        if found:
            seen += 1
            assert found == pytest.approx(max(own, common, key=abs), rel=1e-6)
        one = float(skewness_of_mean(a))
        if one:
            assert one == pytest.approx(g[0] * np.sqrt(n - 1) / (n - 2), rel=1e-6)
    assert seen > 3
