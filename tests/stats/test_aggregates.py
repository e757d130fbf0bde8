"""Aggregates against the published formulas and simulation."""

import numpy as np
import pytest
from reseed.stats import aggregates as agg
from scipy import stats

RNG = np.random.default_rng
FUNCTIONS = (agg.interquartile_mean, agg.mean, agg.median, agg.optimality_gap)


def equal(tasks=6, runs=10, seed=0):
    return RNG(seed).random((tasks, runs))


def test_published_definitions_on_equal_runs():
    """Compare with the definitions of rliable on scores (runs, tasks)."""
    matrix = equal(6, 10).T  # (runs, tasks)
    tasks = list(matrix.T)
    assert agg.interquartile_mean(tasks) == pytest.approx(
        stats.trim_mean(matrix, proportiontocut=0.25, axis=None)
    )
    assert agg.mean(tasks) == pytest.approx(np.mean(np.mean(matrix, axis=0)))
    assert agg.median(tasks) == pytest.approx(np.median(np.mean(matrix, axis=0)))
    gamma = 0.7
    assert agg.optimality_gap(tasks, gamma) == pytest.approx(
        gamma - np.mean(np.minimum(matrix, gamma))
    )
    tau = np.array([0.2, 0.5, 0.9])
    np.testing.assert_allclose(agg.run_profile(tasks, tau), [np.mean(matrix > t) for t in tau])
    np.testing.assert_allclose(
        agg.task_profile(tasks, tau), [np.mean(matrix.mean(axis=0) > t) for t in tau]
    )


def test_improvement_is_the_mean_mann_whitney():
    a, b = np.round(equal(5, 7, 1), 1), np.round(equal(5, 4, 2), 1)
    expected = [stats.mannwhitneyu(x, y).statistic / 28 for x, y in zip(a, b, strict=True)]
    assert agg.probability_of_improvement(list(a), list(b)) == pytest.approx(np.mean(expected))
    assert agg.probability_of_improvement(list(b), list(a)) == pytest.approx(1 - np.mean(expected))


def test_unequal_runs_give_tasks_equal_weight():
    """Repeating the runs of a task has no effect; with pooled runs it would."""
    tasks = list(equal(4, 8, 3))
    repeated = [np.repeat(tasks[0], 3), *tasks[1:]]
    for function in FUNCTIONS:
        assert function(repeated) == pytest.approx(function(tasks))
    three = agg.interquartile_mean([np.array([0.0, 1.0, 5.0])])
    assert three == pytest.approx((1 / 12 * 0 + 1 / 3 * 1 + 1 / 12 * 5) / 0.5)


def test_bootstrap_is_stratified_and_vectorised():
    tasks = [np.zeros(5), np.ones(3), np.full(4, 2.0)]
    result = agg.stratified_bootstrap(agg.mean, tasks, n_boot=50, rng=RNG(0))
    assert (result.low, result.value, result.high) == (1, 1, 1)
    x = equal(3, 6, 4)
    result = agg.stratified_bootstrap(agg.mean, list(x), n_boot=20_000, rng=RNG(1))
    se = np.sqrt((x.var(axis=1, ddof=1) / 6).sum()) / 3  # unbiased variances
    assert (result.high - result.low) / 2 == pytest.approx(1.96 * se, rel=0.03)
    for function in FUNCTIONS:
        batch = np.stack([x, x[:, ::-1]], axis=1)
        np.testing.assert_allclose(function(list(batch)), [function(list(x))] * 2)


def test_interval_covers_with_enough_runs():
    rng, truth, hits = RNG(5), 0.5, 0
    base = np.linspace(0.2, 0.8, 8)
    for _ in range(200):
        x = [b + 0.1 * rng.standard_normal(20) for b in base]
        result = agg.stratified_bootstrap(agg.mean, x, n_boot=200, rng=rng)
        hits += result.low <= truth <= result.high
    assert hits / 200 >= 0.88  # 0.93 measured


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="two runs of every task"):
        agg.stratified_bootstrap(agg.mean, [[0.1, 0.2], [0.3]], rng=RNG(0))
    with pytest.raises(ValueError, match="at least one task"):
        agg.stratified_bootstrap(agg.mean, [], rng=RNG(0))
    with pytest.raises(ValueError, match="NaN"):
        agg.stratified_bootstrap(agg.mean, [[0.1, np.nan]], rng=RNG(0))


def test_interval_covers_with_three_runs_of_many_tasks():
    rng, hits = RNG(6), 0
    base = np.linspace(0.2, 0.8, 26)
    for _ in range(200):
        x = [b + 0.1 * rng.standard_normal(3) for b in base]
        result = agg.stratified_bootstrap(agg.mean, x, n_boot=400, rng=rng)
        hits += result.low <= 0.5 <= result.high
    assert hits / 200 >= 0.91  # 0.95 measured; 0.85 without the expansion


def test_profiles_count_scores_above_a_level_only():
    tasks = [np.array([0.25, 0.5]), np.array([0.5, 0.5, 0.75])]
    levels = [0.25, 0.375, 0.5]
    np.testing.assert_allclose(agg.run_profile(tasks, levels), [3 / 4, 3 / 4, 1 / 6])
    # Task means are 0.375 and 0.58.
    np.testing.assert_allclose(agg.task_profile(tasks, levels), [1, 1 / 2, 1 / 2])
