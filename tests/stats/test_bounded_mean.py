"""Bound of a bounded mean: the exact binomial test, spacings drawn at random, simulated level."""

import numpy as np
import pytest
from reseed.stats.bounded_mean import bounded_mean_limit, bounded_mean_p
from scipy import stats


@pytest.mark.parametrize(
    ("items", "lost", "margin"),
    [(60, 0, 0.05), (60, 1, 0.05), (3, 0, 0.01), (1, 0, 0.3), (2, 1, 0.9), (20_000, 100, 0.006)],
)
def test_of_shares_it_is_the_exact_binomial_test(items, lost, margin):
    values = -1.0 * (np.arange(items) < lost)
    p = bounded_mean_p(values, -margin, least=-1)
    assert p == pytest.approx(stats.binom.cdf(lost, items, margin), rel=1e-6)
    limit = bounded_mean_limit(values, 0.05, least=-1)
    assert limit == pytest.approx(-stats.beta.ppf(0.95, lost + 1, items - lost), abs=1e-5)


@pytest.mark.parametrize("units", [2, 5, 30, 400])
def test_it_weighs_by_random_spacings(units):
    rng = np.random.default_rng(units)
    values = rng.normal(size=units).clip(-3, 3)
    bound = values.mean() - 1 / np.sqrt(units)
    weights = rng.dirichlet(np.ones(units + 1), 40_000)
    drawn = (weights @ np.append(values, -3) <= bound).mean()
    assert bounded_mean_p(values, bound, least=-3) == pytest.approx(drawn, abs=0.01)


def test_sizes_weigh_the_units_and_the_worst_has_the_largest():
    rng = np.random.default_rng(3)
    values, sizes = np.array([0.2, -0.1, 0.4]), np.array([1.0, 5.0, 2.0])
    spacings = rng.exponential(size=(100_000, 4))
    sums = spacings @ np.append(sizes * (values + 0.3), 5 * (-1 + 0.3))
    p = bounded_mean_p(values, -0.3, least=-1, sizes=sizes)
    assert p == pytest.approx((sums <= 0).mean(), abs=0.01)


@pytest.mark.parametrize(("items", "rate", "loss"), [(20, 0.05, 1.0), (60, 0.02, 0.5)])
def test_its_level_is_kept_where_t_tests_pass(items, rate, loss):
    """Rare losses: of 1,000 samples, at most 5 % exclude the true mean (SE .007)."""
    rng = np.random.default_rng(items)
    values = -loss * (rng.random((1000, items)) < rate)
    wrong = [bounded_mean_p(one, -loss * rate, least=-1) <= 0.05 for one in values]
    assert np.mean(wrong) <= 0.07


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="smallest possible"):
        bounded_mean_p([0.0, -2.0], -0.1, least=-1)
    with pytest.raises(ValueError, match="sizes"):
        bounded_mean_p([0.0, -0.2], -0.1, least=-1, sizes=[1.0, 0.0])
