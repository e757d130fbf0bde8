"""Rank sets: against enumerated signs, known truth by simulation, and simple cases."""

from itertools import combinations, product

import numpy as np
import pytest
from reseed.stats.rank_sets import (
    levels_to_separate,
    rank_over_tasks,
    skewness_of_differences,
)
from scipy import stats


def _rng(seed=0):
    return np.random.default_rng(seed)


def test_two_models_equal_the_enumerated_sign_test():
    """All 2⁸ signs of the differences, with the t statistic recomputed for each."""
    rng = _rng(1)
    for shift in (0.2, 0.6, 1.0, 2.0):
        d = rng.normal(shift, 1, 8)
        signs = np.array(list(product((-1, 1), repeat=8)))
        t = np.abs(stats.ttest_1samp(signs * d, 0, axis=1).statistic)
        observed = abs(stats.ttest_1samp(d, 0).statistic)
        p = np.mean(t >= observed * (1 - 1e-9))
        sets = rank_over_tasks([d, np.zeros(8)], n_draws=1000, rng=rng)
        assert (sets.low[1] == 2) == (p <= 0.05 and d.mean() > 0)
        assert sets.se[0, 1] == pytest.approx(d.std(ddof=1) / np.sqrt(8))


def test_rank_counts_the_models_shown_better():
    scores = np.array([[3.0], [2.0], [0.0]]) + _rng(2).normal(0, 0.1, (3, 12))
    sets = rank_over_tasks(scores, rng=_rng())
    assert sets.rank.tolist() == sets.low.tolist() == sets.high.tolist() == [1, 2, 3]
    assert sets.is_better.sum() == 3


def test_step_down_adds_to_a_single_step():
    """Once models that are far apart are rejected, the critical value of the others is smaller."""
    rng = _rng(3)
    better = 0
    for _ in range(60):
        scores = rng.normal(size=(12, 20)) + np.repeat([0, 8], 6)[:, None]
        scores[0] += 1.1
        sets = rank_over_tasks(scores, n_draws=400, rng=rng)
        t = np.abs(sets.difference) / np.where(sets.se > 0, sets.se, np.inf)
        single = (t > sets.critical).sum() / 2
        assert sets.is_better.sum() >= single
        better += sets.is_better.sum() > single
    assert better > 0


def test_five_tasks_never_show_a_difference():
    """The smallest p of 2⁵ sign patterns is 2/32 = 0.0625."""
    scores = np.array([[9.0], [0.0]]) + _rng(4).normal(0, 0.1, (2, 5))
    sets = rank_over_tasks(scores, rng=_rng())
    assert sets.low.tolist() == [1, 1]
    assert sets.high.tolist() == [2, 2]


@pytest.mark.nightly
def test_all_rank_sets_hold_at_once_on_new_tasks():
    """8 equal models, unequal spreads: some wrong rank set in 5 % (unadjusted t tests: 60 %)."""
    rng = _rng(5)
    wrong, unadjusted = [], []
    for _ in range(400):
        scores = rng.normal(size=(8, 12)) * np.linspace(0.5, 2, 8)[:, None] + rng.normal(size=12)
        sets = rank_over_tasks(scores, n_draws=400, rng=rng)
        wrong.append(sets.is_better.any())
        pairs = [stats.ttest_rel(scores[i], scores[j]).pvalue for i, j in combinations(range(8), 2)]
        unadjusted.append(min(pairs) <= 0.05)
    assert np.mean(wrong) < 0.085
    assert np.mean(unadjusted) > 0.4


def test_a_ladder_of_models_is_ranked_with_power():
    rng = _rng(6)
    truth = np.arange(6)
    for _ in range(30):
        sets = rank_over_tasks(truth[:, None] + 0.3 * rng.normal(size=(6, 20)), rng=rng)
        assert np.all((sets.low <= 6 - truth) & (6 - truth <= sets.high))
        assert np.mean(sets.high - sets.low) < 0.5


def test_number_of_tasks_that_separates_neighbours():
    """With so many tasks the test finds a difference as large as the observed one in 80 %."""
    rng = _rng(10)
    pilot = rng.normal(0, 1, (2, 15))
    pilot += np.array([[0.5], [0]]) - pilot.mean(axis=1, keepdims=True)
    sets = rank_over_tasks(pilot, rng=rng)
    needed = levels_to_separate(sets, 15)
    assert np.isnan(needed[1])
    sd = np.std(pilot[0] - pilot[1], ddof=1)
    found = [
        rank_over_tasks([rng.normal(0.5, sd, int(needed[0])), np.zeros(int(needed[0]))],
                        n_draws=200, rng=rng).is_better.any()
        for _ in range(300)
    ]  # fmt: skip
    assert 0.72 < np.mean(found) < 0.92


def test_skewness_equals_that_of_scipy():
    """One pair against SciPy; the noise against simulated Gaussian numbers."""
    rng = _rng(14)
    scores = rng.exponential(size=(2, 25))
    skewness, noise = skewness_of_differences(scores)
    assert skewness == pytest.approx(stats.skew(scores[0] - scores[1]), rel=1e-9)
    simulated = stats.skew(rng.normal(size=(4000, 25)), axis=1).std()
    assert noise == pytest.approx(simulated, rel=0.05)
    assert skewness_of_differences(np.ones((3, 8)))[0] == 0
    assert skewness_of_differences([[1.0, 3.0], [2.0, 9.0]]) == (pytest.approx(0), 0)


def test_equal_scores_share_ranks():
    sets = rank_over_tasks(np.ones((3, 8)), rng=_rng())
    assert sets.rank.tolist() == [1, 1, 1]
    assert (sets.low.tolist(), sets.high.tolist()) == ([1, 1, 1], [3, 3, 3])
    assert np.isnan(levels_to_separate(sets, 8)).all()


def test_invalid_scores_are_refused():
    with pytest.raises(ValueError, match="models must be at least 2"):
        rank_over_tasks(np.ones((1, 5)), rng=_rng())
    with pytest.raises(ValueError, match="NaN"):
        rank_over_tasks([[1.0, np.nan], [1.0, 2.0]], rng=_rng())


@pytest.mark.parametrize("level", [0.95, 0.7])
def test_critical_value_is_that_of_all_signs(level):
    """3 models on 8 tasks: the largest t of three pairs, by SciPy for each of 256 patterns."""
    scores = _rng(15).normal(size=(3, 8)) * [[1.0], [2], [0.5]]
    pairs = np.array([scores[i] - scores[j] for i, j in combinations(range(3), 2)])
    signs = np.array(list(product((-1, 1), repeat=8)))
    t = np.abs(stats.ttest_1samp(signs[:, None] * pairs, 0, axis=2).statistic).max(axis=1)
    sets = rank_over_tasks(scores, level, n_draws=256, rng=_rng())
    assert sets.critical[0, 1] == pytest.approx(np.sort(t)[int(np.ceil(level * 257)) - 1])
    assert sets.mean == pytest.approx(scores.mean(axis=1))
    assert sets.rank.tolist() == stats.rankdata(-scores.mean(axis=1)).tolist()
    drawn = rank_over_tasks(scores, level, n_draws=255, rng=_rng())
    assert np.abs(t - drawn.critical[0, 1]).min() < 1e-9  # random patterns are some of them
    np.testing.assert_allclose(drawn.se, sets.se)


def test_skewness_of_several_pairs_is_a_mean():
    """Each difference is that of the model of greater SD; pairs that do not differ are left out."""
    scores = _rng(19).exponential(size=(4, 30)) * np.array([[1.0], [4], [2], [3]])
    scores[3] = scores[0] + 1
    order = [1, 2, 0, 3]
    expected = [
        stats.skew(scores[i] - scores[j])
        for i, j in combinations(order, 2)
        if {i, j} != {0, 3}
    ]  # fmt: skip
    assert skewness_of_differences(scores)[0] == pytest.approx(np.mean(expected))
