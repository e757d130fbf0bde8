"""Interval of a share: against the equations that define it, and its coverage."""

import pytest
from reseed.stats.shares import share_interval, wilson_interval
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
