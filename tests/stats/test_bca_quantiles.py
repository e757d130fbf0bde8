"""Ends of BCa intervals from given replicates: against NumPy's quantiles at Efron's levels."""

import numpy as np
import pytest
from reseed.stats.comparison import _bca_quantiles, bca_mean_interval
from scipy import stats


@pytest.mark.parametrize("acceleration", [0.0, 0.05, -0.1])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_ends_are_quantiles_at_the_levels_of_efron(acceleration, level):
    """Efron (1987): Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), z₀ from the share of replicates below 0."""
    boot = np.random.default_rng(0).normal(0.1, 1, (3, 40)).astype(np.float32)
    found = _bca_quantiles(boot.copy(), np.full(3, acceleration), level)
    for row, ends in zip(boot.astype(np.float64), found.T, strict=True):
        z0 = stats.norm.ppf((row < 0).mean())
        for tail, end in zip(((1 - level) / 2, (1 + level) / 2), ends, strict=True):
            z = z0 + stats.norm.ppf(tail)
            share = stats.norm.cdf(z0 + z / (1 - acceleration * z))
            assert end == pytest.approx(np.quantile(row, share))


def test_replicates_equal_to_the_statistic_count_one_half():
    boot = np.array([[-2.0, -1.0, 0.0, 0.0, 1.0, 2.0]], dtype=np.float32)
    low, high = _bca_quantiles(boot.copy(), np.zeros(1), 0.5)[:, 0]
    # Half of the replicates are below, so there is no bias correction.
    assert (low, high) == pytest.approx(tuple(np.quantile(boot, [0.25, 0.75])))


@pytest.mark.parametrize("sign", [1, -1])
def test_replicates_on_one_side_give_finite_ends(sign):
    boot = (sign * np.arange(1.0, 11)[None]).astype(np.float32)
    ends = _bca_quantiles(boot.copy(), np.zeros(1), 0.95)[:, 0]
    z0 = stats.norm.ppf(0.05)  # clipped at half a replicate of ten
    shares = stats.norm.cdf(2 * z0 * sign + stats.norm.ppf([0.025, 0.975]))
    np.testing.assert_allclose(ends, np.quantile(boot[0], shares))


def test_two_values_have_an_interval_between_them():
    low, high = bca_mean_interval([1.0, 2.0], rng=np.random.default_rng(5))
    assert 1 <= low < 1.5 < high <= 2
