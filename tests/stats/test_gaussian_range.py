"""Gaussian ranges: simulated samples in blocks, intervals, and SciPy's bootstrap of quartiles."""

import numpy as np
import pytest
from reseed.stats import gaussian_range
from reseed.stats.gaussian_range import (
    _studentised,
    expected_gaussian_range,
    range_against_gaussian,
)
from scipy import stats


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
