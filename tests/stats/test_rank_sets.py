"""Rank sets: against enumerated signs, known truth by simulation, and simple cases."""

from itertools import combinations, product

import numpy as np
import pytest
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.rank_sets import (
    TaskScores,
    _cluster_df,
    _Summary,
    levels_to_separate,
    rank_on_tasks,
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


def test_runs_and_items_on_these_tasks():
    """Known truth: equal models, 3 runs × 100 items; ignoring the runs claims far more often."""
    rng = _rng(7)
    wrong, one_run = [], []
    for _ in range(300):
        easy = rng.normal(size=100)
        values = [easy + rng.normal(0, 0.4, (3, 1)) + rng.normal(size=(3, 100)) for _ in range(5)]
        wrong.append(rank_on_tasks([TaskScores(values)], n_draws=300, rng=rng).is_better.any())
        means = [one.mean(axis=0, keepdims=True) for one in values]
        one_run.append(rank_on_tasks([TaskScores(means)], n_draws=300, rng=rng).is_better.any())
    assert np.mean(wrong) < 0.085
    assert np.mean(one_run) > 0.5


def test_runs_without_items_have_standard_errors_of_welch():
    rng = _rng(8)
    runs = [rng.normal(size=(4, 1)) for _ in range(3)]
    sets = rank_on_tasks([TaskScores(runs)], rng=rng)
    expected = np.sqrt(sum(one.var(ddof=1) / 4 for one in runs[:2]))
    assert sets.se[0, 1] == pytest.approx(expected)


def test_tasks_count_equally():
    rng = _rng(9)
    tasks = [TaskScores([rng.normal(mean, 1, (2, n)) for mean in (0, 1)]) for n in (10, 500)]
    sets = rank_on_tasks(tasks, rng=rng)
    assert sets.mean[1] == pytest.approx(np.mean([task.values[1].mean() for task in tasks]))


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
    with pytest.raises(ValueError, match="two runs or more"):
        rank_on_tasks([TaskScores([np.ones((1, 1)), np.ones((2, 1))])], rng=_rng())
    with pytest.raises(ValueError, match="same items"):
        rank_on_tasks([TaskScores([np.ones((2, 3)), np.ones((2, 4))])], rng=_rng())
    two, three = (TaskScores(list(_rng().random((k, 2, 6)))) for k in (2, 3))
    for tasks in ([two, three], [TaskScores([_rng().random((2, 6))])]):
        with pytest.raises(ValueError, match="the same two or more models"):
            rank_on_tasks(tasks, rng=_rng())


def test_degrees_of_clusters_are_those_of_satterthwaite():
    """Over tasks with sums of squares q and d degrees of freedom: (Σq)² / Σ(q²/d)."""

    def part(items, df):
        zeros = np.zeros(2)
        return _Summary(zeros, zeros, zeros, zeros, np.ones(2), items, df)

    one, other = part(np.array([[1.0, 2.0]]), 4.0), part(np.array([[3.0, 1.0]]), 9.0)
    assert _cluster_df([one]) == pytest.approx(4)
    assert _cluster_df([one, other]) == pytest.approx((5 + 10) ** 2 / (5**2 / 4 + 10**2 / 9))
    # Tasks without clusters add to the variance, with no limit of their own.
    assert _cluster_df([one, part(np.array([[2.0, 0.0]]), None)]) == pytest.approx(9**2 / (25 / 4))
    assert _cluster_df([part(np.array([[2.0, 0.0]]), None)]) is None
    assert _cluster_df([part(np.zeros((1, 2)), 4.0)]) == 1
    assert _cluster_df([part(np.array([[1.0, 0.0]]), 0.5)]) == 1


#: SDs of runs, of model × item, and of run × item of `_crossed`.
_SDS = (0.1, 0.3, 1.0)


def _crossed(rng, runs, items, difference):
    """Two models with known variances: runs × items, crossed."""
    sd_run, sd_item, sd_rest = _SDS
    easy = rng.normal(size=items)
    values = [
        easy
        + mean
        + rng.normal(0, sd_run, (runs, 1))
        + rng.normal(0, sd_item, items)
        + rng.normal(0, sd_rest, (runs, items))
        for mean in (difference, 0.0)
    ]
    return TaskScores(values)


def _pilot(difference):
    """60 runs × 2,000 items whose observed difference is exact: estimates close to the truth."""
    task = _crossed(_rng(11), 60, 2000, 0.0)
    shift = difference - (task.values[0].mean() - task.values[1].mean())
    return rank_on_tasks([TaskScores([task.values[0] + shift, task.values[1]])], rng=_rng(12))


def test_squared_error_divides_into_runs_and_items():
    """Closed form of the parts for known variances; estimates within 20 %."""
    sets = _pilot(0.1)
    run, item, rest = (sd**2 for sd in _SDS)
    by_runs = 2 * (run / 60 + rest / (60 * 2000))
    by_items = 2 * (item / 2000 + rest / (60 * 2000))
    assert sets.by_runs[0, 1] == pytest.approx(by_runs, rel=0.2)
    assert sets.by_items[0, 1] == pytest.approx(by_items, rel=0.2)
    both = 2 * rest / (60 * 2000)
    assert sets.se[0, 1] ** 2 == pytest.approx(by_runs + by_items - both, rel=0.2)


@pytest.mark.parametrize("source", ["runs", "items"])
def test_number_of_runs_or_items_that_separates_neighbours(source):
    """With so many of one source, the other unchanged, the difference is found in 80 %."""
    difference = 0.075 if source == "runs" else 0.066
    numbers = [60, 2000]
    sets = _pilot(difference)
    part = sets.by_runs if source == "runs" else sets.by_items
    position = ["runs", "items"].index(source)
    needed = levels_to_separate(sets, numbers[position], part=part)
    run, item, rest = (sd**2 for sd in _SDS)
    largest = (difference / (sets.critical + stats.norm.ppf(0.8))) ** 2 / 2
    expected = {
        "runs": (run + rest / 2000) / (largest - item / 2000),
        "items": (item + rest / 60) / (largest - run / 60),
    }[source]
    assert needed[0] == pytest.approx(expected, rel=0.2)
    numbers[position] = int(needed[0])
    rng = _rng(13)
    found = [
        rank_on_tasks([_crossed(rng, *numbers, difference)], n_draws=200, rng=rng)
        for _ in range(100)
    ]
    assert 0.68 < np.mean([one.is_better[0, 1] for one in found]) < 0.95


def test_no_number_of_one_source_makes_up_for_the_other():
    """The runs alone give a standard error of 0.018: no number of items finds 0.03."""
    sets = _pilot(0.03)
    assert levels_to_separate(sets, 2000, part=sets.by_items)[0] == np.inf
    runs = levels_to_separate(sets, 60, part=sets.by_runs)[0]
    assert 60 < runs < np.inf
    closer = _pilot(0.01)
    assert levels_to_separate(closer, 60, part=closer.by_runs)[0] == np.inf


@pytest.mark.parametrize("level", [0.95, 0.7])
def test_critical_value_is_that_of_all_signs(level):
    """3 models on 8 tasks: the largest t of three pairs, by SciPy for each of 256 patterns."""
    scores = _rng(15).normal(size=(3, 8)) * [[1.0], [2], [0.5]]
    pairs = np.array([scores[i] - scores[j] for i, j in combinations(range(3), 2)])
    signs = np.array(list(product((-1, 1), repeat=8)))
    t = np.abs(stats.ttest_1samp(signs[:, None] * pairs, 0, axis=2).statistic).max(axis=1)
    sets = rank_over_tasks(scores, level, n_draws=256, rng=_rng())
    assert sets.critical == pytest.approx(np.sort(t)[int(np.ceil(level * 257)) - 1])
    assert sets.mean == pytest.approx(scores.mean(axis=1))
    assert sets.rank.tolist() == stats.rankdata(-scores.mean(axis=1)).tolist()
    drawn = rank_over_tasks(scores, level, n_draws=255, rng=_rng())
    assert np.abs(t - drawn.critical).min() < 1e-9  # random patterns are some of them
    np.testing.assert_allclose(drawn.se, sets.se)


@pytest.mark.parametrize("items", [1, 30])
def test_squared_errors_are_means_over_tasks(items):
    """Of one task as in the crossed comparison; of runs alone as in Welch's test."""
    rng = _rng(16)
    tasks = [[sd * rng.normal(size=(s, 1)) + rng.normal(size=(s, items)) for s, sd in runs]
             for runs in (((3, 1.0), (4, 2.0)), ((5, 0.5), (2, 1.0)))]  # fmt: skip
    expected = []
    for a, b in tasks:
        if items == 1:
            expected.append(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
        else:
            test = item_difference(a, b, [Factor("seed", False)])
            expected.append(test.se**2)
    sets = rank_on_tasks([TaskScores(values) for values in tasks], rng=rng)
    assert sets.se[0, 1] ** 2 == pytest.approx(sum(expected) / 4)
    difference = np.mean([a.mean() - b.mean() for a, b in tasks])
    assert sets.difference[0, 1] == pytest.approx(difference)


def test_critical_value_of_few_runs_is_that_of_simulated_runs():
    """Two tasks of 3 and 4 runs: Gaussian differences over simulated chi-squared variances."""
    rng = _rng(17)
    tasks = [TaskScores([sd * rng.normal(size=(n, 1)) for n in (3, 4)]) for sd in (1.0, 2.0)]
    sets = rank_on_tasks(tasks, n_draws=40_000, rng=_rng(18))
    parts = np.array([[one.var(ddof=1) / len(one) for one in task.values] for task in tasks]) / 4
    df = parts.sum(axis=0) ** 2 / (parts**2 / [2, 3]).sum(axis=0)  # Satterthwaite, by model
    variance = parts.sum(axis=0)
    drawn = (rng.chisquare(df, (400_000, 2)) / df) @ variance
    t = np.abs(rng.normal(size=400_000)) * np.sqrt(variance.sum() / drawn)
    assert sets.critical == pytest.approx(np.quantile(t, 0.95), rel=0.03)


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
