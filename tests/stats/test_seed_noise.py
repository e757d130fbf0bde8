"""Seed noise on an infinite test set: identities, known truth, coverage, missing intervals."""

import numpy as np
import pytest
from reseed.stats.seed_noise import distribution_wise_sd, seed_and_test_noise
from reseed.stats.spread import variance_limits
from reseed.stats.variance import crossed_variance
from scipy import stats


def _runs(rng, runs, items, seed_sd):
    """Simulate correctness with a seed effect and conditionally independent items."""
    base = np.linspace(-1, 3, items)
    return rng.random((runs, items)) < stats.norm.cdf(base + seed_sd * rng.normal(size=(runs, 1)))


def test_distribution_wise_variance_is_mean_item_covariance():
    c = _runs(np.random.default_rng(6), 40, 25, 0.5)
    cov = np.cov(c.T.astype(float))
    off_diagonal = (cov.sum() - np.trace(cov)) / (25 * 24)
    result = distribution_wise_sd(c)
    assert result.variance == pytest.approx(off_diagonal)
    assert result.sd == pytest.approx(np.sqrt(off_diagonal))


def test_distribution_wise_formula_of_jordan_for_many_runs():
    c = _runs(np.random.default_rng(7), 3000, 30, 0.3)
    p, n = c.mean(axis=0), 30
    printed = n / (n - 1) * (c.mean(axis=1).var() - (p * (1 - p)).sum() / n**2)
    assert distribution_wise_sd(c).variance == pytest.approx(printed, rel=1e-3)


def test_noise_components_equal_the_crossed_model():
    c = _runs(np.random.default_rng(8), 30, 200, 0.4)
    split = seed_and_test_noise(c)
    anova = crossed_variance(c.astype(float), ("seed", "item"), rng=np.random.default_rng(0))
    assert split.seed_variance == pytest.approx(anova["seed"].raw)
    assert split.item_variance == pytest.approx(anova["residual"].raw / 200)
    assert split.observed_variance == pytest.approx(c.mean(axis=1).var(ddof=1))
    fresh = anova["seed"].raw + (anova["item"].raw + anova["residual"].raw) / 200
    assert split.fresh_test_variance == pytest.approx(fresh)
    share = anova["seed"].raw / c.mean(axis=1).var(ddof=1)
    assert split.seed_share == pytest.approx(share)
    assert 0 < share < 1
    assert (split.runs, split.items, split.mean) == (30, 200, pytest.approx(c.mean()))


def test_independent_errors_have_no_seed_variance():
    rng = np.random.default_rng(9)
    n_sim, n = 150, 300
    base = np.linspace(-1, 3, n)
    u, weight = np.polynomial.hermite_e.hermegauss(60)
    conditional = stats.norm.cdf(
        base + 0.2 * u[:, None]
    )  # truth by quadrature over the quality of a run
    weight = weight / weight.sum()
    centred = conditional - weight @ conditional
    total = weight @ centred.mean(axis=1) ** 2
    own = weight @ (centred**2).sum(axis=1) / n**2
    truth = (total - own) * n / (n - 1)
    result = [distribution_wise_sd(_runs(rng, 60, n, 0.2)) for _ in range(n_sim)]
    variance = np.array([g.variance for g in result])
    assert abs(variance.mean() - truth) < 4 * variance.std() / np.sqrt(n_sim)
    covered = np.mean([g.sd_low**2 <= truth <= g.sd_high**2 for g in result])
    assert covered > 0.95 - 4 * np.sqrt(0.0475 / n_sim)
    none = np.array([seed_and_test_noise(_runs(rng, 60, n, 0.0)).seed_variance for _ in range(200)])
    assert abs(none.mean()) < 4 * none.std() / np.sqrt(200)


def test_interval_combines_run_and_item_parts():
    """Leave out each item in turn, with covariances by NumPy."""
    rng, items = np.random.default_rng(12), 60
    a = rng.normal(size=(7, items)) * rng.uniform(0.5, 3, items) + rng.normal(0, 1, (7, 1))

    def covariance(x):
        cov = np.cov(x.T)
        return (cov.sum() - np.trace(cov)) / (len(cov) * (len(cov) - 1))

    without = [covariance(np.delete(a, i, axis=1)) for i in range(items)]
    noise = stats.norm.isf(0.025) * np.sqrt((items - 1) * np.var(without))
    scores, seed = a.mean(axis=1), covariance(a)
    low, high = variance_limits(scores)
    observed = scores.var(ddof=1)
    result = distribution_wise_sd(a)
    assert result.sd_low**2 == pytest.approx(max(0, seed - np.hypot(observed - low, noise)))
    assert result.sd_high**2 == pytest.approx(seed + np.hypot(high - observed, noise))


def losses(rng, runs, items, weight=0.3):
    """Simulate squared errors with three seed directions and different item weights.

    The mean over items of the seed's part is known, so the truth is: see `true_sd`.
    """
    error, slope = rng.standard_t(4, (1, items)) * 0.5 + 0.3, rng.normal(0.2, 0.6, (3, items))
    return (error + weight * rng.normal(size=(runs, 3)) @ slope) ** 2


def true_sd(weight=0.3):
    """Return the SD over d ~ N(0, I₃) of E[(e + w d·g)²].

    E[(e + w d·g)²] = const + 2w E[e] d·m + w² (s² |d|² + (d·m)²).
    """
    d = np.random.default_rng(0).normal(size=(2_000_000, 3))
    along = 0.2 * d.sum(axis=1)
    return np.std(2 * weight * 0.3 * along + weight**2 * (0.36 * (d**2).sum(axis=1) + along**2))


@pytest.fixture(scope="module")
def truth():
    return true_sd()


@pytest.mark.parametrize(("runs", "items"), [(6, 300), (50, 300)])
def test_interval_covers_for_losses_of_unequal_items(truth, runs, items):
    """A homoscedastic Gaussian model has coverage 0.5 here at 50 runs."""
    rng, n_sim = np.random.default_rng(runs), 250
    result = [distribution_wise_sd(losses(rng, runs, items)) for _ in range(n_sim)]
    covered = np.mean([g.sd_low <= truth <= g.sd_high for g in result])
    assert covered > 0.95 - 4 * np.sqrt(0.0475 / n_sim)


@pytest.mark.parametrize("runs", [5, 6, 10])
def test_interval_covers_for_accuracy_with_few_runs(runs):
    rng, n_sim, items = np.random.default_rng(100 + runs), 300, 300
    base = np.linspace(-1, 3, items)
    u, weight = np.polynomial.hermite_e.hermegauss(60)
    accuracy = stats.norm.cdf(base + 0.2 * u[:, None]).mean(axis=1)
    weight = weight / weight.sum()
    truth = np.sqrt(weight @ (accuracy - weight @ accuracy) ** 2)
    result = [distribution_wise_sd(_runs(rng, runs, items, 0.2)) for _ in range(n_sim)]
    covered = np.mean([g.sd_low <= truth <= g.sd_high for g in result])
    assert covered > 0.95 - 4 * np.sqrt(0.0475 / n_sim)


def test_unreliable_intervals_are_omitted():
    rng = np.random.default_rng(12)
    few = distribution_wise_sd(_runs(rng, 4, 300, 0.2))
    assert np.isnan([few.sd_low, few.sd_high]).all()
    assert "5 runs" in few.reason
    assert "50 test items" in distribution_wise_sd(_runs(rng, 10, 40, 0.2)).reason
    same = np.tile(rng.random(100) > 0.5, (6, 1))
    result = distribution_wise_sd(same)
    assert (result.variance, result.sd) == (0, 0)
    assert np.isnan([result.sd_low, result.sd_high]).all()
    assert "no variation" in result.reason
    assert np.isnan(seed_and_test_noise(same).seed_share)


def test_scores_of_any_size():
    x = losses(np.random.default_rng(13), 8, 60)
    base = distribution_wise_sd(x)
    for size in (1e-140, 1e140):
        result = distribution_wise_sd(x * size)
        assert (result.sd / size, result.sd_high / size) == pytest.approx((base.sd, base.sd_high))


def test_edge_cases():
    with pytest.raises(ValueError, match="items must be at least 3"):
        distribution_wise_sd([[1, 0], [1, 1], [0, 1]])
    assert seed_and_test_noise([[1, 0], [1, 1]]).observed_variance == 0.125
    for bad in ([[1, 0]], [[1], [0]], [1, 0, 1]):
        with pytest.raises(ValueError, match=r"runs|needs at least|axes"):
            seed_and_test_noise(bad)
