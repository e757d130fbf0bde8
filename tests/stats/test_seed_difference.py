"""Difference over seeds: against SciPy's paired and Welch's t tests, and hand values."""

import numpy as np
import pytest
from reseed.stats.seed_difference import seed_difference
from scipy import stats

A = np.array([0.81, 0.84, 0.79, 0.86, 0.83])
B = np.array([0.78, 0.83, 0.80, 0.81, 0.79])


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_shared_seeds_give_the_paired_t_interval(level):
    result, other = seed_difference(A, B, shared_seeds=True, level=level), stats.ttest_rel(A, B)
    interval = other.confidence_interval(level)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high))
    assert result.difference == pytest.approx(0.024)
    assert (result.df, result.levels) == (4, {"seed": 5})
    assert result.se == pytest.approx(result.difference / other.statistic)


@pytest.mark.parametrize("b", [B, B[:3], np.array([0.7, 0.9])])
def test_own_seeds_give_welchs_interval(b):
    result = seed_difference(A, b, shared_seeds=False)
    other = stats.ttest_ind(A, b, equal_var=False)
    interval = other.confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high))
    assert result.df == pytest.approx(other.df)
    assert result.levels == {"seed": b.size}


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("bound", [0.0, 0.03, -0.01])
@pytest.mark.parametrize(("greater", "alternative"), [(True, "greater"), (False, "less")])
def test_one_sided_p_values_are_those_of_scipy(shared, bound, greater, alternative):
    result = seed_difference(A, B, shared_seeds=shared)
    if shared:
        other = stats.ttest_rel(A - bound, B, alternative=alternative)
    else:
        other = stats.ttest_ind(A - bound, B, equal_var=False, alternative=alternative)
    assert result.one_sided_p(bound, greater=greater) == pytest.approx(other.pvalue)


@pytest.mark.parametrize("shared", [True, False])
def test_equal_runs_show_nothing_about_new_seeds(shared):
    result = seed_difference([0.5, 0.5, 0.5], [0.25, 0.25, 0.25], shared_seeds=shared)
    assert (result.low, result.difference, result.high) == (0.25, 0.25, 0.25)
    assert result.se == 0
    assert result.df == (2 if shared else 1)
    assert result.one_sided_p(0) == result.one_sided_p(1, greater=False) == 1


def test_two_seeds_suffice_and_one_is_refused():
    result = seed_difference([0.1, 0.3], [0.1, 0.2], shared_seeds=True)
    # t with 1 degree of freedom is a Cauchy distribution: tan(0.475 π) = 12.706.
    half = np.tan(0.475 * np.pi) * 0.05
    assert (result.low, result.high) == pytest.approx((0.05 - half, 0.05 + half))
    with pytest.raises(ValueError, match="a needs at least 2"):
        seed_difference([0.1], [0.1, 0.2], shared_seeds=False)
    with pytest.raises(ValueError, match="b needs at least 2"):
        seed_difference([0.1, 0.2], [0.1], shared_seeds=False)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="differ in number: 5 and 3"):
        seed_difference(A, B[:3], shared_seeds=True)
    with pytest.raises(ValueError, match="level"):
        seed_difference(A, B, shared_seeds=True, level=1.0)
    with pytest.raises(ValueError, match="a must have 1 axes"):
        seed_difference([A, A], B, shared_seeds=False)
    with pytest.raises(ValueError, match="b must have 1 axes"):
        seed_difference(A, [B, B], shared_seeds=False)
