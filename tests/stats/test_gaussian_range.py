"""Gaussian ranges: simulated samples in blocks, intervals, and SciPy's bootstrap of quartiles."""

from itertools import combinations

import numpy as np
import pytest
from reseed.stats import gaussian_range
from reseed.stats.gaussian_range import (
    _anderson_darling,
    _studentised,
    expected_gaussian_range,
    expected_subset_range,
    gaussian_range_interval,
    range_against_gaussian,
    tail_power,
)
from scipy import stats
from statsmodels.stats.diagnostic import normal_ad


def test_samples_of_all_blocks_are_kept(monkeypatch):
    expected = np.random.default_rng(3).standard_normal((7, 5))
    ratio, kurtosis = _studentised(5, 7, 3)
    np.testing.assert_allclose(ratio, np.ptp(expected, axis=1) / expected.std(axis=1, ddof=1))
    np.testing.assert_allclose(kurtosis, stats.kurtosis(expected, axis=1, bias=False))
    monkeypatch.setattr(gaussian_range, "_CHUNK", 15)
    _studentised.cache_clear()
    in_blocks = _studentised(5, 7, 3)
    _studentised.cache_clear()
    np.testing.assert_allclose(in_blocks, (ratio, kurtosis))


@pytest.mark.parametrize("level", [0.9, 0.5])
def test_interval_of_the_ratio_divides_by_simulated_quantiles(level):
    x = np.random.default_rng(4).normal(size=9)
    result = range_against_gaussian(x, n_sim=500, seed=5, level=level)
    z = np.random.default_rng(5).standard_normal((500, 9))
    null = np.ptp(z, axis=1) / z.std(axis=1, ddof=1)
    observed = np.ptp(x) / x.std(ddof=1)
    ends = np.quantile(null, [(1 + level) / 2, (1 - level) / 2])
    assert (result.low, result.high) == pytest.approx(tuple(observed / ends))
    upper, lower = (1 + (null >= observed).sum()) / 501, (1 + (null <= observed).sum()) / 501
    assert result.p_larger == pytest.approx(upper)
    assert result.p_value == pytest.approx(min(1, 2 * min(upper, lower)))
    # The mean of the SD of a Gaussian sample is c₄; its table has 0.9693 at 9.
    assert result.expected == pytest.approx(float(expected_gaussian_range(9)) / 0.9693, rel=1e-4)


@pytest.mark.parametrize(("n", "test"), [(5000, "Shapiro-Wilk"), (5001, "Anderson-Darling")])
def test_shapiro_wilk_ends_at_5000_scores(n, test):
    x = np.random.default_rng(6).normal(size=n)
    assert range_against_gaussian(x, n_sim=2).normality.test == test


@pytest.mark.parametrize("n", [50, 5001])
@pytest.mark.parametrize("kind", ["normal", "uniform", "mixed", "heavy"])
def test_anderson_darling_agrees_with_statsmodels(n, kind):
    """Statistics from 0.2 to above 13 reach every branch of the approximation."""
    rng = np.random.default_rng(n)
    for _ in range(40):
        normal = rng.normal(size=n)
        x = {
            "normal": normal,
            "uniform": rng.uniform(size=n),
            "mixed": normal + rng.uniform(1, 3) * rng.integers(2, size=n),
            "heavy": np.clip(rng.standard_t(5, size=n), -7, 7),
        }[kind]
        z = (x - x.mean()) / x.std(ddof=1)
        # Theirs loses digits where 1 − Φ(z) is close to the rounding error.
        statistic, p = _anderson_darling(z)
        expected, expected_p = normal_ad(z)
        assert statistic == pytest.approx(expected, rel=1e-5)
        assert p == pytest.approx(expected_p, rel=1e-3, abs=1e-12)


def test_smallest_possible_p_at_alpha_names_the_tail():
    """39 samples: a kurtosis beyond all of them has p = 2/40."""
    x = np.r_[np.linspace(-1, 1, 29), 40]
    normality = range_against_gaussian(x, n_sim=39, alpha=0.05).normality
    assert (normality.excess_kurtosis_p, normality.tail) == (0.05, "heavier")
    assert range_against_gaussian(x, n_sim=38, alpha=0.05).normality.tail == "as Gaussian"


def test_power_at_infinite_degrees_of_freedom_is_the_level():
    null = tail_power(12, df=np.inf, alpha=0.4, n_sim=8000)
    assert (null.range, null.tail) == (pytest.approx(0.4, abs=0.03), pytest.approx(0.2, abs=0.025))
    assert (null.n, null.df, null.alpha) == (12, np.inf, 0.4)
    assert tail_power(12, df=0.5, n_sim=50).tail > 0.5
    with pytest.raises(ValueError, match="df must be positive"):
        tail_power(12, df=0.0)


def test_largest_and_smallest_sample_sizes():
    assert expected_gaussian_range(1) == pytest.approx(0, abs=1e-12)
    # The median of the largest of n is Φ⁻¹(2^(−1/n)); the mean exceeds it by 0.21/z, in order.
    z = stats.norm.isf(np.log(2) / 1e40)
    assert expected_gaussian_range(1e40) / 2 == pytest.approx(z + 0.211 / z, rel=1e-4)
    for n in (0.5, 1.5, 2e40):
        with pytest.raises(ValueError, match="sample sizes"):
            expected_gaussian_range(n)


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


def test_subsets_of_one_are_refused():
    with pytest.raises(ValueError, match="from 2 to"):
        expected_subset_range([1.0, 2.0], 3)
