"""Violation ratio against integration and closed forms; level of the bound by simulation."""

import numpy as np
import pytest
from reseed.stats.stochastic_order import stochastic_order, violation_ratio
from scipy import integrate, stats


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_ratio_equals_a_fine_grid_of_quantiles(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1, 7), np.round(rng.normal(0, 2, 5), 1)
    u = (np.arange(7 * 5) + 0.5) / (7 * 5)  # a grid finer than the steps of both samples
    d = np.quantile(a, u, method="inverted_cdf") - np.quantile(b, u, method="inverted_cdf")
    expected = (d[d < 0] ** 2).sum() / (d**2).sum()
    assert 0 < expected < 1
    assert violation_ratio(a, b) == pytest.approx(expected)
    assert violation_ratio(b, a) == pytest.approx(1 - expected)
    np.testing.assert_allclose(violation_ratio(np.stack([a, a + 9]), b), [expected, 0])


def test_ratio_of_gaussians_equals_quadrature():
    """Quantile difference μ + (σ−1)z: the ratio is E[d²; d<0]/E[d²] over a standard normal."""
    mu, sigma = 0.2, 1.5

    def square(z):
        return (mu + (sigma - 1) * z) ** 2 * stats.norm.pdf(z)

    below = integrate.quad(square, -np.inf, -mu / (sigma - 1))[0]
    whole = mu**2 + (sigma - 1) ** 2
    rng = np.random.default_rng(1)
    result = violation_ratio(rng.normal(mu, sigma, 200_000), rng.normal(0, 1, 200_000))
    assert result == pytest.approx(below / whole, abs=0.02)


def test_dominance_and_equality():
    x = np.arange(5.0)
    assert violation_ratio(x + 1, x) == 0
    assert violation_ratio(x, x + 1) == 1
    assert violation_ratio(x, x) == 0.5
    result = stochastic_order(x + 10, x, rng=np.random.default_rng(0))
    assert (result.lower, result.upper, result.n_boot) == (0, 0, 1000)


def test_bounds_are_expanded_percentiles():
    a, b = np.random.default_rng(4).normal(0, 2, 12), np.random.default_rng(5).normal(size=9)
    result = stochastic_order(a, b, 0.8, 300, rng=np.random.default_rng(6))
    rng = np.random.default_rng(6)
    drawn = [rng.choice(x, (300, 9)) for x in (a, b)]
    share = stats.norm.cdf(stats.t.isf(0.2, 8) * np.sqrt(9 / 8))
    ends = np.quantile(violation_ratio(*drawn), [1 - share, share])
    assert 0 < ends[0] < ends[1] < 1
    assert (result.lower, result.upper) == pytest.approx(tuple(ends))


def test_bound_keeps_its_level_without_dominance():
    """Equal means and unequal SDs: the ratio is exactly 1/2, the boundary of dominance."""
    rng, claimed, n = np.random.default_rng(2), 0, 400
    for _ in range(n):
        result = stochastic_order(rng.normal(0, 2, 10), rng.normal(0, 1, 10), n_boot=200, rng=rng)
        claimed += result.upper < 0.5
    assert claimed / n <= 0.05 + 4 * np.sqrt(0.0475 / n)


def test_bootstrap_needs_two_resamples():
    a, b, rng = [1.0, 2.0], [0.0, 3.0], np.random.default_rng(0)
    assert stochastic_order(a, b, n_boot=2, rng=rng).n_boot == 2
    with pytest.raises(ValueError, match="n_boot must be at least 2"):
        stochastic_order(a, b, n_boot=1, rng=rng)


def test_unequal_numbers_of_runs_are_no_dominance():
    rng = np.random.default_rng(1)
    samples = [(rng.beta(1, 5, 50), rng.beta(1, 5, 5)) for _ in range(200)]
    claimed = [stochastic_order(a, b, n_boot=200, rng=rng).upper < 0.5 for a, b in samples]
    assert np.mean(claimed) <= 0.05  # nominal; 0.13 with resamples of the samples' own sizes
