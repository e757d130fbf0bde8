"""Interval of a share: against the equations that define it; coverage, also for subsets."""

import itertools

import numpy as np
import pytest
from reseed.stats.shares import share_interval, share_of_subsets_interval, wilson_interval
from scipy import stats
from statsmodels.stats.proportion import proportion_confint


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize(("count", "n"), [(3, 10), (1, 7), (45, 50), (6, 12)])
def test_ends_leave_half_the_error_on_each_side(count, n, level):
    low, high = share_interval(count, n, level)
    assert stats.binom.sf(count - 1, n, low) == pytest.approx((1 - level) / 2)
    assert stats.binom.cdf(count, n, high) == pytest.approx((1 - level) / 2)


def test_no_case_and_all_cases_have_closed_forms():
    low, high = share_interval(0, 20)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert share_interval(20, 20) == pytest.approx((0.025 ** (1 / 20), 1))
    assert share_interval(0, 1) == pytest.approx((0, 0.975))


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5])
def test_coverage_is_at_least_the_level(share):
    n = 25
    covered = 0.0
    for count in range(n + 1):
        low, high = share_interval(count, n)
        covered += stats.binom.pmf(count, n, share) * (low <= share <= high)
    assert 0.95 <= covered <= 1


def test_bad_counts_and_levels_are_refused():
    for count, n in ((3, 2), (-1, 2), (0, 0)):
        with pytest.raises(ValueError, match=r"(must be an integer|must not be greater)"):
            share_interval(count, n)
    with pytest.raises(ValueError, match="level"):
        share_interval(1, 2, 1.0)


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize(("count", "n"), [(0, 8), (3, 10), (45, 50), (8, 8)])
def test_score_interval_is_that_of_statsmodels(count, n, level):
    expected = proportion_confint(count, n, 1 - level, method="wilson")
    assert wilson_interval(count / n, n, level) == pytest.approx(expected)
    with pytest.raises(ValueError, match="no share of cases"):
        wilson_interval(1 + count / n + 1e-9, n, level)


def test_all_subsets_of_one_case_are_independent_cases():
    low, high, n = share_of_subsets_interval(0.7, 1, 10, 10)
    assert n == 10
    assert (low, high) == pytest.approx(share_interval(7, 10))


def test_disjoint_subsets_count_once():
    """All subsets of a third of the pool are worth three independent ones, the pool itself one."""
    assert share_of_subsets_interval(0.5, 3, 9, 84)[2] == pytest.approx(3)
    assert share_of_subsets_interval(1, 9, 9, 1) == pytest.approx((0.025, 1, 1))
    assert share_of_subsets_interval(0, 9, 9, 1) == pytest.approx((0, 0.975, 1))


@pytest.mark.parametrize("drawn", [7, 83, 84])
def test_drawn_subsets_add_their_own_variance(drawn):
    """k/N + (1 − k/N)/B of one case's variance; without the last term for all 84 subsets."""
    variance = 1 / 3 + (2 / 3 / drawn if drawn < 84 else 0)
    low, high, n = share_of_subsets_interval(0.4, 3, 9, drawn, level=0.9)
    assert n == pytest.approx(1 / variance)
    # The beta distributions of Clopper and Pearson, with a count that is not an integer.
    assert stats.beta.cdf(low, 0.4 * n, 0.6 * n + 1) == pytest.approx(0.05)
    assert stats.beta.sf(high, 0.4 * n + 1, 0.6 * n) == pytest.approx(0.05)


def pools(n, count, seed):
    """Share of subsets of 3 of n cases with a mean above 0.3: of all, and of 100 random ones."""
    rng = np.random.default_rng(seed)
    every = np.array(list(itertools.combinations(range(n), 3)))
    for _ in range(count):
        cases = rng.normal(size=n)
        hits = cases[every].mean(axis=1) > 0.3
        yield hits.mean(), hits[rng.integers(len(every), size=100)].mean()


def test_variance_of_a_share_of_subsets_is_within_its_bound():
    true = stats.norm.sf(0.3 * np.sqrt(3))
    every, some = np.array(list(pools(12, 1_500, 1))).T
    for shares, subsets in ((every, 220), (some, 100)):
        n = share_of_subsets_interval(0.5, 3, 12, subsets)[2]
        assert shares.var() < 1.1 * true * (1 - true) / n
        assert shares.var() > 3 * true * (1 - true) / subsets  # as if they were independent


@pytest.mark.nightly
def test_interval_of_subsets_covers_the_true_share():
    """1,000 pools of 12 cases; as if the 100 subsets were independent, far fewer are covered."""
    true = stats.norm.sf(0.3 * np.sqrt(3))
    covered = np.zeros(2)
    for _, share in pools(12, 1_000, 2):
        low, high, _ = share_of_subsets_interval(share, 3, 12, 100)
        naive = share_interval(round(100 * share), 100)
        covered += low <= true <= high, naive[0] <= true <= naive[1]
    assert covered[0] >= 950
    assert covered[1] < 750


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((1.2, 1, 3, 3), "share must lie"),
        ((0.5, 4, 3, 3), "cannot be drawn"),
        ((0.5, 1, 3, 0), "cannot be drawn"),
    ],
)
def test_bad_subsets_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        share_of_subsets_interval(*given)
