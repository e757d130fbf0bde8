"""Hierarchical model against published eight schools, a Gibbs sampler and a grid; coverage."""

import numpy as np
import pytest
from reseed.stats.hierarchical import hierarchical_effect, t_standard_error
from scipy import stats

SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
ERRORS = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])


def test_eight_schools_match_published_quantiles():
    """Gelman et al., BDA3, table 5.3: quantiles of each school, from 200 draws."""
    result = hierarchical_effect(SCHOOLS, ERRORS)
    median = [10, 8, 7, 8, 5, 6, 10, 8]
    low, high = [-2, -5, -11, -7, -9, -7, -1, -6], [31, 23, 19, 21, 18, 28, 26, 33]
    np.testing.assert_allclose(result.effects, median, atol=1.6)
    np.testing.assert_allclose(result.effects_low, low, atol=4)
    assert np.abs(result.effects_high - high).mean() < 4
    assert result.mean == pytest.approx(8, abs=0.4)


def gibbs(d, s, draws, rng):
    """Sample the same model: μ | ·, δ | ·, and τ² | δ inverse gamma for a uniform τ."""
    mu, tau2, kept = d.mean(), d.var() + 1e-3, []
    for i in range(draws):
        v = 1 / (1 / s**2 + 1 / tau2)
        delta = rng.normal(v * (d / s**2 + mu / tau2), np.sqrt(v))
        mu = rng.normal(delta.mean(), np.sqrt(tau2 / d.size))
        tau2 = ((delta - mu) ** 2).sum() / rng.chisquare(d.size - 1)
        if i > 500:
            kept.append((mu, np.sqrt(tau2), rng.normal(mu, np.sqrt(tau2)), delta[0]))
    return np.array(kept)


def test_posterior_matches_a_gibbs_sampler():
    rng = np.random.default_rng(0)
    d, s = rng.normal(0.5, 1, 8), rng.uniform(0.3, 0.6, 8)
    draws = gibbs(d, s, 15_000, rng)
    result = hierarchical_effect(d, s, rope=0.2)
    expected = np.quantile(draws, [0.025, 0.5, 0.975], axis=0)
    np.testing.assert_allclose([result.low, result.mean, result.high], expected[:, 0], atol=0.06)
    np.testing.assert_allclose([result.tau_low, result.tau], expected[:2, 1], atol=0.06)
    np.testing.assert_allclose([result.new_low, result.new_high], expected[[0, 2], 2], atol=0.25)
    np.testing.assert_allclose(result.effects[0], expected[1, 3], atol=0.05)
    assert result.mean_shares.above == pytest.approx((draws[:, 0] > 0.2).mean(), abs=0.02)
    new = [(draws[:, 2] < -0.2).mean(), (draws[:, 2] > 0.2).mean()]
    assert [result.new_shares.below, result.new_shares.above] == pytest.approx(new, abs=0.02)


def test_posterior_matches_a_grid_over_mu_and_tau():
    d, s = np.array([0.1, 0.3, 0.2, 0.6]), np.array([0.1, 0.2, 0.15, 0.1])
    mu, tau = np.linspace(-3, 4, 701), np.linspace(0.001, 20, 2500)
    density = np.zeros((tau.size, mu.size))
    for one, error in zip(d, s, strict=True):
        density += stats.norm.logpdf(one, mu, np.sqrt(error**2 + tau[:, None] ** 2))
    density = np.exp(density - density.max())
    marginal = density.sum(axis=0) / density.sum()
    result = hierarchical_effect(d, s)
    expected = np.interp([0.025, 0.5, 0.975], np.cumsum(marginal), mu)
    # A small part of the heavy tail of four datasets lies beyond ±3.
    np.testing.assert_allclose([result.low, result.mean, result.high], expected, atol=0.03)


def test_results_scale_with_unit_and_sign():
    d, s = np.array([0.1, 0.3, 0.2, 0.6]), np.full(4, 0.1)
    one, ten = hierarchical_effect(d, s, 0.1), hierarchical_effect(-10 * d, 10 * s, 1.0)
    assert ten.mean == pytest.approx(-10 * one.mean)
    assert ten.mean_shares.below == pytest.approx(one.mean_shares.above)
    total = one.new_shares
    assert total.below + total.equivalent + total.above == pytest.approx(1)


def test_interval_covers_the_mean_effect():
    rng, hits = np.random.default_rng(1), 0
    for _ in range(120):
        s = rng.uniform(0.2, 0.6, 8)
        result = hierarchical_effect(rng.normal(rng.normal(1, 0.5, 8), s), s)
        hits += result.low <= 1 <= result.high
    assert 0.89 <= hits / 120 <= 1  # measured .96


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="3 datasets"):
        hierarchical_effect([1, 2], [1, 1])
    with pytest.raises(ValueError, match="positive"):
        hierarchical_effect([1, 2, 3], [1, 0, 1])
    with pytest.raises(ValueError, match="2 degrees"):
        t_standard_error(1.0, 2)
    assert t_standard_error(2.0, 10) == pytest.approx(2 * stats.t.std(10))


@pytest.mark.parametrize("large", [1.0, 1e4])
def test_one_imprecise_dataset_does_not_narrow_the_rest(large):
    d, s = np.array([0.0203, 0.0197, 0.02]), np.array([0.001, 0.001, large])
    tau = np.geomspace(1e-9, 1e12, 200_001)  # dense on every scale
    variance = s**2 + tau[:, None] ** 2
    precision = (1 / variance).sum(axis=1)
    mu = (d / variance).sum(axis=1) / precision
    log_p = np.log(tau) - 0.5 * (np.log(precision) + np.log(variance).sum(axis=1))
    log_p -= 0.5 * ((d - mu[:, None]) ** 2 / variance).sum(axis=1)
    weight = np.exp(log_p - log_p.max())
    result = hierarchical_effect(d, s)
    for end, probability in ((result.low, 0.025), (result.high, 0.975)):
        below = stats.norm.cdf((end - mu) * np.sqrt(precision)) @ weight / weight.sum()
        assert below == pytest.approx(probability, abs=2e-4)


def test_quantiles_of_the_sd_between_datasets_by_quadrature():
    """The posterior of τ is integrated over μ and τ on a plain grid."""
    d, s = np.array([0.1, 0.9, -0.6, 1.4, 0.3]), np.array([0.2, 0.3, 0.25, 0.2, 0.4])
    tau, mu = np.linspace(1e-4, 30, 20_001), np.linspace(-40, 40, 801)
    density = np.zeros_like(tau)
    for start in range(0, tau.size, 5000):
        part = tau[start : start + 5000, None]
        log = sum(
            stats.norm.logpdf(one, mu, np.hypot(error, part))
            for one, error in zip(d, s, strict=True)
        )
        density[start : start + 5000] = np.exp(log).sum(axis=1)
    total = np.cumsum(density) / density.sum()
    result = hierarchical_effect(d, s)
    expected = np.interp([0.025, 0.5, 0.975], total, tau)
    found = (result.tau_low, result.tau, result.tau_high)
    np.testing.assert_allclose(found, expected, rtol=2e-3)


def test_posterior_equals_conjugate_normals_over_a_grid():
    """Given τ, (μ, δ) is normal with a matrix of precisions; τ is weighted by contrasts of d."""
    d, s = np.array([0.1, 0.9, -0.6, 1.4, 0.3]), np.array([0.2, 0.3, 0.25, 0.2, 0.4])
    q, tau = d.size, np.linspace(0.005, 30, 6000)
    contrasts = np.eye(q)[1:] - np.eye(q)[0]
    weight, mean, sd = np.zeros(tau.size), np.zeros((tau.size, q + 1)), np.zeros((tau.size, q + 1))
    for i, one in enumerate(tau):
        covariance = contrasts @ np.diag(s**2 + one**2) @ contrasts.T
        weight[i] = stats.multivariate_normal.pdf(contrasts @ d, np.zeros(q - 1), covariance)
        precision = np.diag(np.r_[q / one**2, 1 / s**2 + 1 / one**2])
        precision[0, 1:] = precision[1:, 0] = -1 / one**2
        inverse = np.linalg.inv(precision)
        mean[i], sd[i] = inverse @ np.r_[0, d / s**2], np.sqrt(np.diag(inverse))
    weight /= weight.sum()

    def below(x, mean, sd):
        return weight @ stats.norm.cdf((x - mean) / sd)

    level, rope = 0.8, 0.25
    result = hierarchical_effect(d, s, rope, level)
    ends = (result.low, 0.1), (result.mean, 0.5), (result.high, 0.9)
    for end, probability in ends:
        assert below(end, mean[:, 0], sd[:, 0]) == pytest.approx(probability, abs=2e-3)
    for k in range(q):
        three = result.effects_low[k], result.effects[k], result.effects_high[k]
        found = [below(end, mean[:, k + 1], sd[:, k + 1]) for end in three]
        assert found == pytest.approx([0.1, 0.5, 0.9], abs=2e-3)
    new_sd = np.hypot(sd[:, 0], tau)
    found = [below(end, mean[:, 0], new_sd) for end in (result.new_low, result.new_high)]
    assert found == pytest.approx([0.1, 0.9], abs=2e-3)
    for shares, own in ((result.mean_shares, sd[:, 0]), (result.new_shares, new_sd)):
        low, high = below(-rope, mean[:, 0], own), below(rope, mean[:, 0], own)
        found = shares.below, shares.equivalent, shares.above
        assert found == pytest.approx((low, high - low, 1 - high), abs=2e-3)


def test_smallest_degrees_of_a_t_distribution():
    assert t_standard_error(0.5, 2.5) == pytest.approx(0.5 * stats.t.std(2.5))
    for scale, df in ((0.0, 5), (-1.0, 5), (1.0, 2.0)):
        with pytest.raises(ValueError, match="degrees of freedom"):
            t_standard_error(scale, df)
