"""Intervals that agree with Holm's procedure: brute force over regions, limits, coverage."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reseed.stats.comparison import holm
from reseed.stats.simultaneous import holm_in_both_directions, intervals_of_holm
from scipy import stats
from scipy.optimize import brentq

ALPHA = 0.05
upper_quantile = cache(stats.norm.isf)


def normal_intervals(z, alpha=ALPHA):
    z = np.asarray(z, dtype=float)
    adjusted = holm_in_both_directions(2 * stats.norm.sf(np.abs(z)))
    quantile = lambda tail: np.full(z.size, upper_quantile(tail))  # noqa: E731
    return adjusted, *intervals_of_holm(z, np.ones(z.size), adjusted, quantile, alpha)


def test_adjusted_p_are_those_of_holm_over_both_directions():
    z = np.array([3.1, -2.4, 0.3, 2.2, -5.0])
    one_sided = np.concatenate([stats.norm.sf(z), stats.norm.cdf(z)])
    both = holm(one_sided).reshape(2, 5).min(axis=0)
    # The opposite hypotheses are last in order, so they change no p-value below 1/2.
    np.testing.assert_allclose(holm_in_both_directions(2 * stats.norm.sf(np.abs(z))), both)


def test_two_p_values_by_hand():
    assert holm_in_both_directions([0.04, 0.01]).tolist() == pytest.approx([0.06, 0.02])
    assert holm_in_both_directions([0.01]).tolist() == [0.01]
    assert holm_in_both_directions([0.4, 0.9]).tolist() == pytest.approx([0.8, 1.0])


@given(st.lists(st.floats(-6, 6), min_size=1, max_size=8), st.sampled_from([0.01, 0.05, 0.2]))
def test_an_interval_excludes_zero_exactly_if_holm_rejects(z, alpha):
    adjusted, low, high = normal_intervals(z, alpha)
    np.testing.assert_array_equal((low >= 0) | (high <= 0), adjusted <= alpha)
    assert np.all((low <= z) & (z <= high))


def test_one_difference_has_its_ordinary_interval():
    _, low, high = normal_intervals([2.5])
    assert (low[0], high[0]) == pytest.approx((2.5 - 1.959964, 2.5 + 1.959964))


def test_ends_by_hand_for_two_differences():
    _, low, high = normal_intervals([-4.0, 0.5])
    far = stats.norm.isf(0.05 / 3)
    assert (low.tolist(), high.tolist()) == (
        pytest.approx([-4 - far, 0.5 - far]),
        pytest.approx([0.0, 0.5 + far]),
    )
    _, low, high = normal_intervals([-4.0, 5.0])
    far, near = stats.norm.isf([0.05 / 3, 0.05 / 6])
    assert low.tolist() == pytest.approx([-4 - far, 5 - near])
    assert high.tolist() == pytest.approx([-4 + near, 5 + far])


def accepts(theta, z):
    """Whether the acceptance region of true differences `theta` has the estimates `z`."""
    is_zero, m = theta == 0, len(theta)
    limit = upper_quantile(ALPHA / (m + max(int(is_zero.sum()), 1)))
    inside = np.abs(z) <= limit
    distance = np.sign(theta) * (z - theta)
    known = distance >= -limit
    if not is_zero.any():
        known &= distance <= upper_quantile(ALPHA / (m * (m + 1)))
    return bool(np.where(is_zero, inside, known).all())


@pytest.mark.parametrize("z", [(0.4, -0.9), (2.05, 0.3), (2.3, -2.2), (-3.5, 2.0), (1.8, 3.0)])
def test_intervals_enclose_the_confidence_region(z):
    """Regions by the set of true differences that are 0 are inverted on a grid."""
    z = np.array(z)
    _, low, high = normal_intervals(z)
    grid = np.linspace(-7, 7, 141)
    inside = np.array([t for t in product(grid, grid) if accepts(np.array(t), z)])
    step = grid[1] - grid[0]
    assert np.all(inside.min(axis=0) >= low - 1e-9)
    assert np.all(inside.max(axis=0) <= high + 1e-9)
    # They are the smallest such intervals, but for the far ends of differences not rejected.
    rejected = (low >= 0) | (high <= 0)
    assert np.all((inside.max(axis=0) >= high - 1.001 * step)[rejected])
    assert np.all((inside.min(axis=0) <= low + 1.001 * step)[rejected])


CASES = [(0, 0, 0), (9, 0, 0), (9, 9, 0), (9, -9, 9), (4.6, 0, 0), (2.2, -2.2, 2.2), (9, 2.2, 0)]


@pytest.mark.nightly
@pytest.mark.parametrize("truth", CASES, ids=str)
@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_all_differences_are_covered_together(truth, rho):
    runs, rng = 4000, np.random.default_rng(0)
    common = rng.normal(size=(runs, 1))
    noise = np.sqrt(rho) * common + np.sqrt(1 - rho) * rng.normal(size=(runs, 3))
    covered = np.empty(runs, dtype=bool)
    for k, z in enumerate(np.array(truth) + noise):
        adjusted, low, high = normal_intervals(z)
        inside = (low <= truth) & (truth <= high)
        # 0 is outside an interval that ends there.
        covered[k] = np.all(inside & ((adjusted > ALPHA) | (np.array(truth) != 0)))
    assert covered.mean() > 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)


def test_finite_ends_do_not_fit_holm_over_two_sided_hypotheses():
    """One huge difference and one of 0: Holm alone errs in 5 %, so no α is left for far ends."""
    far = brentq(lambda x: 2 * stats.norm.sf(x) - ALPHA, 0, 5)
    assert 2 * stats.norm.sf(far) == pytest.approx(ALPHA)
    p = 2 * stats.norm.sf([30.0, far + 1e-9])
    assert holm(p)[1] <= ALPHA < holm_in_both_directions(p)[1]


@pytest.mark.parametrize("bad", [[0.1, np.nan], [1.2], [-0.1]])
def test_bad_p_values_are_refused(bad):
    with pytest.raises(ValueError, match=r"p.values"):
        holm_in_both_directions(bad)
