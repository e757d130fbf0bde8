"""Tango's score test and interval: against brute-force likelihood, McNemar, coverage."""

import math

import numpy as np
import pytest
from reseed.stats.item_model import item_difference
from reseed.stats.paired_proportions import kept_interval, score_interval, score_p, score_statistic
from scipy.optimize import minimize_scalar
from scipy.stats import binomtest, multinomial, norm


@pytest.mark.parametrize(("only_a", "only_b", "n"), [(9, 4, 50), (0, 3, 20), (12, 0, 40)])
@pytest.mark.parametrize("delta", [-0.3, -0.05, 0.1, 0.4])
def test_variance_uses_the_constrained_likelihood(only_a, only_b, n, delta):
    """The rate of items that only B has right, maximised numerically."""

    def negative_likelihood(q):
        same = 1 - 2 * q - delta
        terms = ((only_a, q + delta), (only_b, q), (n - only_a - only_b, same))
        return -sum(count * math.log(max(p, 1e-300)) for count, p in terms if count)

    low, high = max(0, -delta), (1 - delta) / 2
    q = minimize_scalar(
        negative_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    ).x
    expected = (only_a - only_b - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))
    assert score_statistic(only_a, only_b, n, delta) == pytest.approx(expected, rel=1e-4)


def test_at_zero_it_is_the_statistic_of_mcnemar():
    assert score_statistic(15, 5, 100, 0) ** 2 == pytest.approx((15 - 5) ** 2 / 20)


@pytest.mark.parametrize("delta", [0.001, 0.05, 0.6])
def test_variance_without_a_discordant_item_is_binomial(delta):
    """The likelihood is largest if only A is ever right alone: a binomial variable with rate δ."""
    expected = -4 * delta / math.sqrt(4 * delta * (1 - delta))
    assert score_statistic(0, 0, 4, delta) == pytest.approx(expected)


def test_interval_ends_are_where_the_test_just_rejects():
    z = norm.ppf(0.975)
    for counts in ((9, 4, 50), (0, 0, 30), (30, 0, 30), (0, 5, 20), (1, 0, 2)):
        low, high = score_interval(*counts)
        if low > -1:
            assert score_statistic(*counts, low) == pytest.approx(z, rel=1e-6)
        if high < 1:
            assert score_statistic(*counts, high) == pytest.approx(-z, rel=1e-6)
        assert low <= (counts[0] - counts[1]) / counts[2] <= high


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("level", [0.3, 0.95])
def test_interval_holds_every_difference_that_is_not_rejected(n, level):
    grid = np.linspace(-1, 1, 1001)[1:-1]
    for only_a in range(n + 1):
        for only_b in range(n + 1 - only_a):
            found = np.array([score_statistic(only_a, only_b, n, delta) for delta in grid])
            inside = grid[np.abs(found) <= norm.ppf((1 + level) / 2)]
            low, high = score_interval(only_a, only_b, n, level)
            assert low >= -1
            assert high <= 1
            assert (inside[0], inside[-1]) == pytest.approx((low, high), abs=0.0021)


def test_no_discordant_item_leaves_an_interval():
    low, high = score_interval(0, 0, 50)
    assert low == pytest.approx(-high)
    assert high == pytest.approx(norm.ppf(0.975) ** 2 / (50 + norm.ppf(0.975) ** 2), rel=1e-6)


def test_coverage_where_the_normal_interval_fails():
    """30 items, 5 % discordant: the interval of the paired t covers too rarely."""
    rng = np.random.default_rng(0)
    p, n = (0.08, 0.02), 30
    covered, normal = [], []
    for _ in range(2000):
        b, c, _ = rng.multinomial(n, [*p, 1 - sum(p)])
        low, high = score_interval(b, c, n)
        covered.append(low <= 0.06 <= high)
        d = np.concatenate([np.ones(b), -np.ones(c), np.zeros(n - b - c)])
        half = norm.ppf(0.975) * d.std(ddof=1) / math.sqrt(n)
        normal.append(abs(d.mean() - 0.06) <= half)
    assert np.mean(covered) > 0.935
    assert np.mean(normal) < 0.92


def test_one_sided_tests_agree_with_the_interval_of_twice_alpha():
    for only_a, only_b, n in ((9, 4, 200), (3, 3, 100), (0, 1, 60)):
        a = np.repeat([1, 0, 1], [only_a, only_b, n - only_a - only_b])
        b = np.repeat([0, 1, 1], [only_a, only_b, n - only_a - only_b])
        low, high = score_interval(only_a, only_b, n, level=0.9)
        for bound in (-0.1, -0.05, -0.02):
            if only_a:
                assert (item_difference(a, b).one_sided_p(bound) < 0.05) == (bound < low)
            if only_b:
                p = item_difference(a, b).one_sided_p(-bound, greater=False)
                assert (p < 0.05) == (high < -bound)


def test_impossible_counts_are_refused():
    for counts in ((-1, 0, 5), (4, 4, 7), (0, 0, 0)):
        with pytest.raises(ValueError, match="must be at least"):
            score_interval(*counts)


@pytest.mark.parametrize(("n", "margin"), [(52, 0.05), (134, 0.02)])
@pytest.mark.parametrize("gains", [0.0, 0.005])
def test_score_p_holds_its_level_where_losses_are_rare(n, margin, gains):
    rate = 0.0  # of samples that pass a true loss of the margin, by enumeration
    for gained in range(5 if gains else 1):
        for lost in range(n - gained):
            if score_p(gained, lost, n, -margin) > 0.05:
                break
            counts = [gained, lost, n - gained - lost]
            rate += multinomial.pmf(counts, n, [gains, gains + margin, 1 - 2 * gains - margin])
            assert kept_interval(gained, lost, n, 0.9)[0] > -margin
            assert kept_interval(lost, gained, n, 0.9)[1] < margin
    assert 0 <= rate <= 0.05


@pytest.mark.parametrize(("only_b", "n"), [(0, 50), (2, 60), (9, 40)])
def test_without_a_gain_the_binomial_test_must_reject_too(only_b, n):
    low, high = score_interval(0, only_b, n)
    exact = binomtest(only_b, n).proportion_ci(0.95, "exact").high
    assert kept_interval(0, only_b, n, 0.95)[0] == pytest.approx(min(low, -exact))
    assert kept_interval(only_b, 0, n, 0.95)[1] == pytest.approx(max(-low, exact))
    if only_b:
        assert kept_interval(0, only_b, n, 0.95)[1] == high
