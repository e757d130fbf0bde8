"""Ranges of subsets by enumeration, Gaussian ranges by SciPy, percentiles by counting."""

from itertools import combinations

import numpy as np
import pytest
from reseed.stats.extremes import expected_subset_range, score_percentile
from reseed.stats.gaussian_range import expected_gaussian_range, gaussian_range_interval
from scipy import stats
from statsmodels.stats.proportion import proportion_confint


def test_subset_ranges_by_enumeration():
    x = np.array([0.3, 0.1, 0.9, 0.45, 0.45, 0.8])
    for k in range(2, 7):
        expected = np.mean([np.ptp(x[list(c)]) for c in combinations(range(6), k)])
        assert expected_subset_range(x, k) == pytest.approx(expected)
    assert expected_subset_range(x, [2, 6])[1] == pytest.approx(np.ptp(x))


def test_subset_ranges_are_unbiased_for_new_seeds():
    x = np.random.default_rng(0).normal(size=(400, 60))
    result = [expected_subset_range(row, 10) for row in x]
    se = np.std(result, ddof=1) / 20
    assert np.mean(result) == pytest.approx(float(expected_gaussian_range(10)), abs=4 * se)


def test_subset_ranges_of_ten_thousand_seeds():
    x = np.random.default_rng(1).normal(size=10_000)
    result = expected_subset_range(x, np.array([2, 50, 500, 10_000]))
    np.testing.assert_allclose(result[:3], expected_gaussian_range([2, 50, 500]), rtol=0.03)
    assert result[3] == pytest.approx(np.ptp(x))


@pytest.mark.parametrize("n", [2, 5, 50])
@pytest.mark.parametrize("df", [1, 4, 49, np.inf])
def test_gaussian_interval_equals_studentised_range(n, df):
    expected = stats.studentized_range.ppf([0.025, 0.975], n, df)
    assert gaussian_range_interval(n, df=df) == pytest.approx(tuple(expected), rel=3e-5)


def test_gaussian_interval_of_many_holds_the_expected_range():
    low, high = gaussian_range_interval(10_000)
    assert low < 7.703 < high


def test_score_percentile_equals_counting():
    seeds = np.array([0.5, 0.6, 0.6, 0.7, 0.8])
    result = score_percentile(0.6, seeds)
    assert result.share == pytest.approx((1 + 2 / 2) / 5)
    assert result.low == pytest.approx(proportion_confint(1, 5, method="beta")[0])
    assert result.high == pytest.approx(proportion_confint(3, 5, method="beta")[1])
    assert score_percentile(-0.6, -seeds, greater_is_better=False).share == result.share
    top = score_percentile(0.9, seeds)
    assert (top.share, top.high, top.best_of) == (1, 1, np.inf)
    assert top.sds == pytest.approx((0.9 - seeds.mean()) / seeds.std(ddof=1))
    loss = score_percentile(-0.9, -seeds, greater_is_better=False)
    assert (loss.share, loss.high, loss.sds) == (1, 1, pytest.approx(top.sds))
    for same in ([0.1] * 3, [0.3] * 10):  # means that differ from 0.1 and 0.3 in the last digit
        assert np.isnan(score_percentile(0.7, same).sds)


def test_best_of_k_seeds_beats_its_expected_share():
    """The mean share of seeds that the best of k beats is k/(k+1)."""
    rng = np.random.default_rng(2)
    population = np.sort(rng.normal(size=20_000))
    for k in (1, 4, 9):
        shares = [score_percentile(rng.normal(size=k).max(), population).share for _ in range(100)]
        assert np.mean(shares) == pytest.approx(k / (k + 1), abs=0.1)
    exact = score_percentile(np.quantile(population, 0.9), population)
    assert exact.best_of == pytest.approx(9, abs=1)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="from 2 to"):
        expected_subset_range([1.0, 2.0], 3)
    with pytest.raises(ValueError, match="finite"):
        score_percentile(np.nan, [1.0])


@pytest.mark.parametrize(("worse", "best_of"), [(0, 1), (4, 1), (5, 1), (6, 2), (8, 4), (9, 9)])
def test_best_of_is_the_smallest_number_of_seeds(worse, best_of):
    """k seeds beat on average k/(k + 1) of all seeds; with rank 0 one seed is enough."""
    seeds = np.r_[np.zeros(worse), np.ones(10 - worse) * 2]
    assert score_percentile(1.0, seeds).best_of == best_of
    k = next(k for k in range(1, 20) if k / (k + 1) >= worse / 10)
    assert k == best_of


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_intervals_have_the_requested_level(level):
    expected = stats.studentized_range.ppf([(1 - level) / 2, (1 + level) / 2], 7, np.inf)
    assert gaussian_range_interval(7, level) == pytest.approx(tuple(expected), rel=3e-5)
    result = score_percentile(0.6, [0.5, 0.6, 0.6, 0.7, 0.8], level=level)
    low, high = (proportion_confint(k, 5, 1 - level, method="beta") for k in (1, 3))
    assert (result.low, result.high) == pytest.approx((low[0], high[1]))
    none = score_percentile(0.1, [0.5, 0.6])
    assert (none.share, none.low, none.n) == (0, 0, 2)
    assert none.high == pytest.approx(proportion_confint(0, 2, method="beta")[1])
