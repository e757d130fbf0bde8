"""McNemar, DeLong and the swap test against brute force, libraries and simulated nulls."""

from itertools import product

import numpy as np
import pytest
from reseed.stats.two_models import delong, mcnemar, placements, swap_test
from scipy import stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar


def test_mcnemar_equals_statsmodels_exact_test():
    rng = np.random.default_rng(0)
    a, b = rng.random((20, 60)) < 0.8, rng.random((20, 60)) < 0.7
    result = mcnemar(a, b)
    for i in range(20):
        table = [[np.sum(a[i] == x) for x in (0, 1)], [0, 0]]
        table = [[np.sum((a[i] == x) & (b[i] == y)) for y in (0, 1)] for x in (0, 1)]
        assert result.exact_p[i] == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue)
        assert result.only_a[i] == table[1][0]


def test_mcnemars_mid_p_halves_the_observed_point():
    """Brute force: outcomes rarer than the observed one, plus half of equally likely ones."""
    for fewer, more in [(0, 4), (1, 6), (3, 9), (5, 5)]:
        a = np.r_[np.ones(more), np.zeros(fewer)]
        k = np.arange(fewer + more + 1)
        distance, pmf = np.abs(k - (fewer + more) / 2), stats.binom.pmf(k, fewer + more, 0.5)
        seen = abs(more - (fewer + more) / 2)
        expected = pmf[distance > seen].sum() + 0.5 * pmf[distance == seen].sum()
        if fewer == more:
            expected = 1.0
        assert mcnemar(a, 1 - a).mid_p == pytest.approx(expected)
    assert mcnemar(np.ones(5), np.ones(5)).mid_p == 1


def test_mid_p_is_at_most_1():
    p = [mcnemar(np.repeat([1, 0], n), np.repeat([0, 1], n)).mid_p for n in range(1, 400)]
    assert max(p) == 1  # rounding would exceed it
    assert min(p) == pytest.approx(1)


def test_mcnemar_keeps_its_level():
    rng = np.random.default_rng(1)
    right = rng.random((2, 4000, 100)) < 0.8
    result = mcnemar(*right)
    assert (result.exact_p <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.0475 / 4000)
    assert (result.mid_p <= 0.05).mean() == pytest.approx(0.05, abs=0.015)


def tied_scores(rng, items=40, seeds=1):
    y = rng.integers(0, 2, items)
    return y, np.round(y + rng.normal(0, 1.2, (seeds, items)), 1)


def test_placements_equal_counted_pairs():
    y, scores = tied_scores(np.random.default_rng(2))
    auc, below, above = placements(y, scores[0])
    pos, neg = scores[0][y == 1], scores[0][y == 0]
    wins = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
    np.testing.assert_allclose(below, wins.mean(axis=1))
    np.testing.assert_allclose(above, wins.mean(axis=0))
    assert auc == pytest.approx(roc_auc_score(y, scores[0]))


def test_delongs_variance_is_the_jackknife_over_each_class():
    """Leave-one-out AUC of scikit-learn: (m−1)/m · Σ(θ₋ᵢ − θ̄)² is S₁₀/m exactly."""
    y, scores = tied_scores(np.random.default_rng(3), seeds=2)
    a, b = scores

    def difference(keep):
        return roc_auc_score(y[keep], a[keep]) - roc_auc_score(y[keep], b[keep])

    variance, items = 0.0, np.arange(y.size)
    for label in (0, 1):
        left_out = [difference(items != i) for i in items[y == label]]
        m = len(left_out)
        variance += (m - 1) / m * np.sum((left_out - np.mean(left_out)) ** 2)
    result = delong(y, a, b)
    assert result.se == pytest.approx(np.sqrt(variance))
    assert result.difference == pytest.approx(difference(items >= 0))
    z = result.difference / result.se
    assert result.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    half = stats.norm.isf(0.05) * np.sqrt(variance)
    ninety = delong(y, a, b, level=0.9)
    assert ninety.low == pytest.approx(result.difference - half)
    assert ninety.high == pytest.approx(result.difference + half)
    batch = delong(y, np.stack([a, b]), np.stack([b, b]))
    assert batch.se[0] == pytest.approx(result.se)
    assert batch.p_value[1] == 1


def test_delong_without_variance_detects_unequal_areas():
    y = np.repeat([0, 1], 50)
    perfect, constant = y * 1.0, np.zeros(100)
    result = delong(y, np.stack([perfect, constant]), np.stack([constant, constant]))
    np.testing.assert_array_equal(result.se, 0)
    np.testing.assert_array_equal(result.difference, [0.5, 0])
    np.testing.assert_array_equal(result.p_value, [0, 1])
    assert delong(y, constant, perfect).p_value == 0
    np.testing.assert_array_equal(result.low, result.high)


def test_delong_keeps_its_level():
    rng = np.random.default_rng(4)
    p = []
    for _ in range(400):
        y = rng.integers(0, 2, 150)
        common = y + rng.normal(0, 1, 150)
        p.append(delong(y, *(common + rng.normal(0, 0.7, (2, 150)))).p_value)
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.035)


def test_swap_test_equals_enumerated_sign_patterns():
    d = np.array([0.5, 1.0, -0.25, 0.75, 0.0, 0.3, 0.2])
    signs = np.array(list(product((-1, 1), repeat=d.size)))
    exact = np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-12)
    result = swap_test(d, np.zeros(7), 40_000, rng=np.random.default_rng(5))
    assert result == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 40_000))
    assert swap_test(d, d, rng=np.random.default_rng(0)) == 1


def test_two_items_of_each_class_suffice_for_delong():
    # The first model orders all four pairs correctly, the second two of them.
    result = delong([1, 1, 0, 0], [3, 4, 1, 2], [1, 4, 2, 3])
    assert (result.auc_a, result.auc_b) == (1, 0.5)
    # The components of positives differ by 1 and 0, those of negatives by 1/2 and 1/2.
    assert result.se == pytest.approx(np.sqrt(0.5 / 2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mcnemar([0, 2], [1, 0]), "0 and 1 only"),
        (lambda: placements([1, 1], [0.1, 0.2]), "both present"),
        (lambda: placements([1, 0], [0.1]), "2 items, scores 1"),
        (lambda: placements([0, 1, 2], [0.1, 0.2, 0.3]), "labels 0 and 1"),
        (lambda: swap_test([1.0], [0.0], 0, rng=np.random.default_rng(0)), "n_swaps"),
        (lambda: delong([1, 0, 0], [1, 2, 3], [1, 2, 3]), "two items of each class"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_swap_p_value_counts_the_observed_arrangement():
    rng = np.random.default_rng(0)
    assert swap_test([1.0, 0.0], [0.0, 0.0], 10, rng=rng) == 1  # one item: every swap is extreme
    clear = swap_test(np.ones(60), np.zeros(60), 10, rng=rng)
    assert clear == 1 / 11


def test_rounding_of_large_scores_ties_the_swaps():
    """The second difference is the rounding of a score of 1e9: both sums of signs are tied."""
    a, b = np.array([1e9 + 0.3, 1e9 + 1.5e-7]), np.full(2, 1e9)
    assert 0 < (a - b)[1] < 1e-6
    assert swap_test(a, b, 50, rng=np.random.default_rng(0)) == 1
