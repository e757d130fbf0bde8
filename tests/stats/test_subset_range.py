"""Ranges of subsets by enumeration, Gaussian ranges by SciPy."""

from itertools import combinations

import numpy as np
import pytest
from reseed.stats.gaussian_range import (
    expected_gaussian_range,
    expected_subset_range,
    gaussian_range_interval,
)
from scipy import stats


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


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="from 2 to"):
        expected_subset_range([1.0, 2.0], 3)
