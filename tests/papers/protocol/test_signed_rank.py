"""Signed-rank test: against enumeration in a loop and SciPy, at every change of the method."""

from itertools import product

import numpy as np
import pytest
from papers.protocol.signed_rank import rank_sum_p, wilcoxon_p
from scipy import stats


def enumerate_p(d):
    """Share of sign patterns with a rank sum as extreme, in a loop."""
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    observed = ranks[d > 0].sum()
    sums = np.array([np.dot(ranks, signs) for signs in product((0, 1), repeat=d.size)])
    upper, lower = (sums >= observed).mean(), (sums <= observed).mean()
    return min(1.0, 2 * min(upper, lower))


def test_balanced_differences_have_a_p_of_one():
    assert wilcoxon_p(np.array([1.0, -1.0])) == 1
    assert wilcoxon_p(np.array([3.0, -1.0, -2.0])) == 1
    assert wilcoxon_p(np.zeros(4)) == 1


@pytest.mark.parametrize(("n", "method"), [(13, "exact"), (14, "exact"), (50, "exact"),
                                           (51, "asymptotic")])  # fmt: skip
def test_distinct_differences_have_scipys_p(n, method):
    d = np.random.default_rng(n).normal(0.2, 1, n)
    other = stats.wilcoxon(d, method=method)
    assert wilcoxon_p(d) == pytest.approx(other.pvalue, rel=1e-9)


def test_ties_are_exact_up_to_13_differences():
    d = np.array([2, 2, -1, 3, 3, 3, -2, 1, 4, 4, 5, 5, -1.0])
    assert wilcoxon_p(d) == pytest.approx(enumerate_p(d), rel=1e-12)
    more = np.append(d, 5.0)
    other = stats.wilcoxon(more, method="asymptotic").pvalue
    assert wilcoxon_p(more) == pytest.approx(other)


def test_rows_with_different_numbers_of_zeros_are_separate():
    d = np.array([[1.0, 0, 2, 0], [1.0, -2, 3, 4], [0.0, 0, 0, 0]])
    expected = [wilcoxon_p(row[row != 0]) if row.any() else 1 for row in d]
    np.testing.assert_array_equal(wilcoxon_p(d), expected)


def test_more_rows_than_one_block():
    d = np.random.default_rng(0).integers(-3, 4, (600, 5)) + 0.5
    whole = wilcoxon_p(d)
    np.testing.assert_array_equal(whole, [wilcoxon_p(row) for row in d])


def test_rank_sums_count_ties_on_both_sides():
    null = np.array([0.0, 1, 1.5, 2, 3])
    assert rank_sum_p(null, np.array([2.0])) == pytest.approx(0.8)
    assert rank_sum_p(null, np.array([1.5])) == 1
    assert rank_sum_p(null, np.array([2.0 + 1e-9])) == pytest.approx(0.8)
