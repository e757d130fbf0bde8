import numpy as np
import pandas as pd
import pytest
import scikit_posthocs as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from reseed.stats.many_datasets import cliques, compare_over_datasets
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm


def _scores(seed=0, n=12, k=5):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(n, k)) + np.linspace(1, 0, k), 1)  # some ties


def test_agrees_with_scipy_and_scikit_posthocs():
    s = _scores()
    result = compare_over_datasets(s)
    chi2, p = stats.friedmanchisquare(*s.T)
    assert (result.friedman_chi2, result.friedman_p) == (pytest.approx(chi2), pytest.approx(p))
    np.testing.assert_allclose(
        result.nemenyi_p, sp.posthoc_nemenyi_friedman(s).to_numpy(), atol=1e-6
    )


def test_critical_differences_of_demsars_table():
    # Demšar 2006, table 5(a): q at 0.05 for 3, 4, 5 and 10 models
    for k, q in [(3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)]:
        s = np.random.default_rng(k).normal(size=(14, k))
        expected = q * np.sqrt(k * (k + 1) / (6 * 14))
        assert compare_over_datasets(s).critical_difference == pytest.approx(expected, rel=3e-4)


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
    result = compare_over_datasets(auc)
    np.testing.assert_allclose(result.average_ranks, [3.143, 2.0, 2.893, 1.964], atol=6e-4)
    # The printed χ² of 9.28 has no tie correction, so that of SciPy is removed.
    ranks = stats.rankdata(-auc, axis=1)
    ties = sum((np.unique(r, return_counts=True)[1] ** 3).sum() - 4 for r in ranks)
    assert result.friedman_chi2 * (1 - ties / (14 * 60)) == pytest.approx(9.28, abs=6e-3)
    assert result.critical_difference == pytest.approx(1.25, abs=5e-3)


def test_iman_davenport_is_two_way_anova_of_the_ranks():
    """F, its degrees of freedom and p by ANOVA of the ranks, with ties (Conover 1999)."""
    s = _scores(3, 9, 4)
    ranks = stats.rankdata(-s, axis=1)
    dataset, model = np.indices(s.shape).reshape(2, -1)
    frame = pd.DataFrame({"rank": ranks.ravel(), "dataset": dataset, "model": model})
    table = anova_lm(ols("rank ~ C(dataset) + C(model)", frame).fit())
    result = compare_over_datasets(s)
    assert result.iman_davenport_f == pytest.approx(table.loc["C(model)", "F"])
    assert result.iman_davenport_p == pytest.approx(table.loc["C(model)", "PR(>F)"])
    # 14 datasets and 4 models whose χ² is 9.28: F = 3.69 with 3 and 39 degrees of freedom,
    # critical value 2.85 (Demšar 2006, sec. 3.2.2).
    assert pytest.approx(3.69, abs=5e-3) == 13 * 9.28 / (14 * 3 - 9.28)
    assert stats.f.sf(2.85, 3, 39) == pytest.approx(0.05, abs=5e-4)


def test_friedmans_test_of_two_datasets_by_hand():
    """Ranks (1, 2, 3) and (1, 3, 2): χ² is 3 of at most 4, so F = 3 with 2 and 2 degrees."""
    result = compare_over_datasets([[3.0, 2, 1], [3.0, 1, 2]])
    assert result.friedman_chi2 == pytest.approx(3)
    assert result.iman_davenport_f == pytest.approx(3)
    assert result.iman_davenport_p == pytest.approx(1 / 4)  # 1/(1 + F)
    same = compare_over_datasets([[3.0, 2, 1], [3.0, 2, 1]])
    assert (same.friedman_chi2, same.iman_davenport_p) == (pytest.approx(4), 0)
    assert same.iman_davenport_f == np.inf


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


def test_all_tied_datasets_are_defined():
    result = compare_over_datasets(np.full((4, 3), 0.7))
    assert (result.friedman_chi2, result.friedman_p, result.iman_davenport_p) == (0, 1, 1)
    np.testing.assert_array_equal(result.average_ranks, [2, 2, 2])
    assert result.cliques == ((0, 1, 2),)
    assert result.nemenyi_p == pytest.approx(np.ones((3, 3)))


def test_unanimous_order_is_the_largest_statistic():
    result = compare_over_datasets(np.tile([0.9, 0.8, 0.7], (6, 1)))
    assert result.friedman_chi2 == pytest.approx(12)  # N(k−1)
    assert (result.iman_davenport_f, result.iman_davenport_p) == (np.inf, 0)
    np.testing.assert_array_equal(result.average_ranks, [1, 2, 3])


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.floats(0.1, 10), st.floats(-5, 5))
def test_only_ranks_within_a_dataset_matter(seed, scale, shift):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 6, (6, 4)).astype(float)
    base = compare_over_datasets(s)
    moved = compare_over_datasets(scale * s + shift * rng.normal(size=(6, 1)).round(3))
    order = rng.permutation(4)
    permuted = compare_over_datasets(s[rng.permutation(6)][:, order])
    losses = compare_over_datasets(-s, greater_is_better=False)
    for other in (moved, losses):
        assert other.friedman_p == pytest.approx(base.friedman_p)
        np.testing.assert_allclose(other.nemenyi_p, base.nemenyi_p)
    np.testing.assert_allclose(permuted.average_ranks, base.average_ranks[order])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.ones((1, 3)), "2 datasets"),
        (np.ones((5, 2)), "at least 3"),
        (np.empty((0, 3)), "at least 3"),
        ([[1, 2, np.nan], [1, 2, 3]], "NaN"),
    ],
)
def test_bad_tables_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        compare_over_datasets(scores)


def test_diverged_model_does_not_tie_other_models():
    scores = np.array([[0.1, 0.2, 1e15], [0.3, 0.4, 1e15]])
    result = compare_over_datasets(scores, greater_is_better=False)
    np.testing.assert_array_equal(result.average_ranks, [1, 2, 3])


def test_ties_lost_by_summation_order_are_restored():
    a, b = (0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3)
    assert a != b
    result = compare_over_datasets([[a, b, 0.5]] * 4)
    np.testing.assert_array_equal(result.average_ranks, [1.5, 1.5, 3])
    with pytest.raises(ValueError, match="alpha must lie"):
        compare_over_datasets(np.ones((4, 3)), alpha=5)


def test_a_difference_of_the_critical_one_is_significant():
    """Ranks 1, 2, 3: at a critical difference of 2 the outer models are not in one group."""
    groups = cliques(np.array([1.0, 2.0, 3.0]), 2.0)
    assert sorted(map(sorted, groups)) == [[0, 1], [1, 2]]
    assert sorted(map(sorted, cliques(np.array([1.0, 2.0, 3.0]), 2.001))) == [[0, 1, 2]]
