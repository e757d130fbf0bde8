"""Student's t for a variance in parts, against SciPy and simulation."""

import numpy as np
import pytest
from reseed.stats.weighted_t import equivalent_df, upper_quantile, upper_tail
from scipy import stats


def test_equal_degrees_of_freedom_give_student_t():
    for tail in (0.5, 0.1, 0.025, 1e-12):
        quantile = stats.t.isf(tail, 7)
        for parts in ([(2.0, 7)], [(0.5, 7), (3.0, 7)], [(0.0, 1), (3.0, 7)]):
            assert upper_quantile(tail, parts) == pytest.approx(quantile, abs=1e-12)
            assert upper_tail(quantile, parts) == pytest.approx(tail)


def test_tail_inverts_the_quantile_on_both_sides():
    parts = [(0.3, 1), (0.2, 4), (1.0, 500)]
    for tail in (0.5, 0.2, 0.005, 1e-9, 1e-40):
        assert upper_tail(upper_quantile(tail, parts), parts) == pytest.approx(tail)
    assert upper_tail(-2.0, parts) == pytest.approx(1 - upper_tail(2.0, parts))
    assert 0 < upper_tail(1e90, parts) < 1e-49
    for df in np.random.default_rng(1).uniform(1, 12, 500):
        for t in (1e-9, 0.5, 40.0, 1e30):
            assert 0 < upper_tail(t, [(0.3, df), (1.0, 500)]) <= 0.5


@pytest.mark.parametrize("ratio", [0.2, 1, 5, 20])
def test_intervals_cover_where_satterthwaite_fails(ratio):
    """A part with one degree of freedom and a part of known variance 1."""
    rng, n = np.random.default_rng(0), 4000
    first = ratio * rng.chisquare(1, n)
    error = np.sqrt(1 + ratio) * rng.standard_normal(n)
    half = [upper_quantile(0.025, [(a, 1), (1.0, 1e6)]) * np.sqrt(a + 1) for a in first]
    satterthwaite = stats.t.isf(0.025, (first + 1) ** 2 / first**2) * np.sqrt(first + 1)
    covered = (np.abs(error) <= half).mean()
    assert covered >= 0.925
    assert covered >= (np.abs(error) <= satterthwaite).mean() + (0.02 if ratio > 1 else 0)


def test_parts_without_variance_are_ignored():
    """Whatever their degrees of freedom: those of one seed are 0."""
    for parts in ([(1.0, 5), (0.0, 0)], [(0.0, 0), (2.0, 5)]):
        assert upper_quantile(0.025, parts) == pytest.approx(stats.t.isf(0.025, 5))
        assert upper_tail(2.0, parts) == pytest.approx(stats.t.sf(2.0, 5))


def test_tails_of_several_parts_end_at_their_smallest_value():
    parts = [(1.0, 40), (1.0, 90)]
    end = upper_quantile(1e-50, parts)
    assert upper_tail(end, parts) == upper_tail(2 * end, parts) == 1e-50
    assert upper_tail(-2 * end, parts) == 1


def test_equivalent_degrees_of_freedom_have_the_same_quantile():
    parts = [(0.3, 4), (0.7, 30)]
    df = equivalent_df(0.025, parts)
    assert 4 < df < 30
    assert stats.t.isf(0.025, df) == pytest.approx(upper_quantile(0.025, parts))
    assert equivalent_df(0.025, [(0.0, 2), (1.0, 9)]) == 9
    assert equivalent_df(0.025, [(0.0, 2)]) == np.inf
