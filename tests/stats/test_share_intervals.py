"""Intervals of shares: by definition, and their coverage for subsets of one pool."""

import itertools

import numpy as np
import pytest
from reseed.stats.shares import share_interval, share_of_subsets_interval
from scipy import stats


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
