import numpy as np
import pytest
from reseed.stats.many_datasets import cliques, critical_difference, rank_within


@pytest.mark.parametrize(("k", "q"), [(3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_critical_differences_of_demsars_table(k, q):
    """Demšar 2006, table 5(a): q at 0.05."""
    expected = q * np.sqrt(k * (k + 1) / (6 * 14))
    assert critical_difference(14, k) == pytest.approx(expected, rel=3e-4)


def test_demsars_example_of_four_classifiers():
    # Demšar 2006, table 6: average ranks 3.143, 2.000, 2.893, 1.964 over 14 data sets
    # (voting is printed as 0.975 twice but ranked 2 and 3, because of digits not printed)
    auc = np.array([
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ])  # fmt: skip
    np.testing.assert_allclose(rank_within(auc).mean(axis=0), [3.143, 2.0, 2.893, 1.964], atol=6e-4)
    assert critical_difference(14, 4) == pytest.approx(1.25, abs=5e-3)


def test_cliques_by_brute_force():
    rng = np.random.default_rng(1)
    for _ in range(200):
        ranks = np.round(rng.uniform(1, 8, rng.integers(2, 8)), 1)
        cd = float(rng.uniform(0.3, 4)) + 0.05123
        order = sorted(range(ranks.size), key=lambda m: (ranks[m], m))
        runs = [
            set(order[i:j])
            for i in range(ranks.size)
            for j in range(i + 2, ranks.size + 1)
            if ranks[order[j - 1]] - ranks[order[i]] < cd
        ]
        maximal = [r for r in runs if not any(r < other for other in runs)]
        result = cliques(ranks, cd)
        assert [set(c) for c in result] == maximal


def test_diverged_model_does_not_tie_other_models():
    scores = np.array([[0.1, 0.2, 1e15], [0.3, 0.4, 1e15]])
    np.testing.assert_array_equal(rank_within(-scores).mean(axis=0), [1, 2, 3])


def test_ties_lost_by_summation_order_are_restored():
    a, b = (0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3)
    assert a != b
    np.testing.assert_array_equal(rank_within([[a, b, 0.5]])[0], [1.5, 1.5, 3])


def test_a_difference_of_the_critical_one_is_significant():
    """Ranks 1, 2, 3: at a critical difference of 2 the outer models are not in one group."""
    groups = cliques(np.array([1.0, 2.0, 3.0]), 2.0)
    assert sorted(map(sorted, groups)) == [[0, 1], [1, 2]]
    assert sorted(map(sorted, cliques(np.array([1.0, 2.0, 3.0]), 2.001))) == [[0, 1, 2]]
