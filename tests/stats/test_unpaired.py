"""Tests of two samples and of means with SDs: against SciPy, enumeration and closed forms."""

from itertools import combinations

import numpy as np
import pytest
from reseed.stats.unpaired import (
    _max_t_tail,
    compare_unpaired,
    compare_with_baseline,
    equal_spread_p,
    welch_of_means,
)
from scipy import stats


def test_welch_of_means_equals_scipy_on_samples():
    rng = np.random.default_rng(0)
    pairs = [(rng.normal(0, 2, n), rng.normal(1, 1, m)) for n, m in ((4, 5), (9, 3))]
    known = [[(x.mean(), x.std(ddof=1), x.size) for x in pair] for pair in pairs]
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = np.moveaxis(known, 0, -1)
    result = welch_of_means(mean_a, sd_a, n_a, mean_b, sd_b, n_b, level=0.9)
    for i, pair in enumerate(pairs):
        theirs = stats.ttest_ind(*pair, equal_var=False)
        assert (result.p[i], result.df[i]) == pytest.approx((theirs.pvalue, theirs.df))
        interval = theirs.confidence_interval(0.9)
        assert (result.low[i], result.high[i]) == pytest.approx((interval.low, interval.high))


def test_two_constant_samples_have_pooled_degrees_of_freedom():
    result = welch_of_means(1.0, 0.0, 4, 2.0, 0.0, 3)
    assert (result.df[0], result.p[0], result.low[0], result.high[0]) == (5, 0, -1, -1)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sd_a": [0.1, -0.1]}, "SD is below 0"),
        ({"sd_b": [-0.1, 0.1]}, "SD is below 0"),
        ({"n_a": [5, 1]}, "fewer than two"),
        ({"n_b": [1, 5]}, "fewer than two"),
    ],
)
def test_one_invalid_sample_is_refused(changed, words):
    conditional = {"mean_a": 1, "sd_a": 0.1, "n_a": 5, "mean_b": 1, "sd_b": 0.1, "n_b": 5} | changed
    with pytest.raises(ValueError, match=words):
        welch_of_means(**conditional)


def test_equal_spreads_equal_scipys_levene_of_medians():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1, (4, 6)), rng.normal(0, 3, (4, 9))
    p = equal_spread_p(a, b)
    for i in range(4):
        assert p[i] == pytest.approx(stats.levene(a[i], b[i], center="median").pvalue)
    np.testing.assert_allclose(equal_spread_p(1e-200 * a, 1e-200 * b), p)
    assert equal_spread_p(np.ones(3), np.ones(4)) == 1
    assert equal_spread_p(np.ones(3), [1.0, 2.0, 4.0]) < 1
    with pytest.raises(ValueError, match="at least 3"):
        equal_spread_p([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.nightly
def test_dunnetts_intervals_cover_together():
    """Three models equal to the baseline: any false claim in 5 %, as intervals and p-values."""
    rng, claims, n = np.random.default_rng(3), 0, 250
    for _ in range(n):
        baseline, *samples = rng.normal(0, 1, (4, 6))
        test = compare_with_baseline(samples, baseline)
        claims += (test.p_value <= 0.05).any()
        covers = (test.low <= 0) & (test.high >= 0)
        assert ((test.p_value > 0.05) == covers).all()
    assert claims / n == pytest.approx(0.05, abs=4 * np.sqrt(0.0475 / n))


def test_dunnetts_test_is_scipys_in_the_unit_of_the_scores():
    rng = np.random.default_rng(4)
    samples, baseline = [rng.normal(1, 1, 5), rng.normal(0, 1, 8)], rng.normal(0, 1, 6)
    # Dunnett's table: 3 models and 20 degrees of freedom, two-sided 5 %: 2.54.
    table = _max_t_tail(2.54, np.full(3, np.sqrt(0.5)), 20)
    assert table == pytest.approx(0.05, abs=5e-4)
    theirs = stats.dunnett(*samples, control=baseline)
    ends = theirs.confidence_interval(0.9)
    test = compare_with_baseline(samples, baseline, 0.9)
    assert test.p_value == pytest.approx(theirs.pvalue, abs=1e-3)
    assert test.difference == pytest.approx([x.mean() - baseline.mean() for x in samples])
    assert test.low == pytest.approx(ends.low, abs=0.02)
    small = compare_with_baseline([1e-9 * x for x in samples], 1e-9 * baseline, 0.9)
    assert small.high == pytest.approx(1e-9 * test.high)
    one = compare_with_baseline(samples[:1], baseline)
    pooled = stats.ttest_ind(samples[0], baseline)
    assert one.p_value[0] == pytest.approx(pooled.pvalue, abs=1e-5)
    assert one.high[0] == pytest.approx(pooled.confidence_interval().high, rel=1e-4)
    with pytest.raises(ValueError, match="no sample has any spread"):
        compare_with_baseline([np.ones(3)], np.ones(3))


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_samples_have_scipys_welch_and_mann_whitney_tests(shape):
    rng = np.random.default_rng(9)
    a, b = rng.normal(0.5, 2, (*shape, 7)), rng.normal(0, 1, (*shape, 5))
    result = compare_unpaired(a, b, level=0.9)
    assert (result.n_a, result.n_b, result.level) == (7, 5, 0.9)
    for place in np.ndindex(shape):
        x, y = a[place], b[place]
        welch, ranks = stats.ttest_ind(x, y, equal_var=False), stats.mannwhitneyu(x, y)
        interval = welch.confidence_interval(0.9)
        assert result.mean_difference[place] == pytest.approx(x.mean() - y.mean())
        assert (result.welch_p[place], result.df[place]) == pytest.approx((welch.pvalue, welch.df))
        ends = result.low[place], result.high[place]
        assert ends == pytest.approx((interval.low, interval.high))
        assert result.scale[place] == pytest.approx(result.mean_difference[place] / welch.statistic)
        assert result.mann_whitney_p[place] == pytest.approx(ranks.pvalue)
        greater = (x[:, None] > y).mean() + (x[:, None] == y).mean() / 2
        assert result.superiority[place] == pytest.approx(greater)


def test_rank_sums_with_ties_equal_the_enumeration():
    rng = np.random.default_rng(10)
    a, b = rng.integers(0, 3, (6, 4)), rng.integers(0, 3, (6, 5))
    found = compare_unpaired(a, b).mann_whitney_p
    for x, y, p in zip(a, b, found, strict=True):
        ranks = stats.rankdata(np.r_[x, y])
        sums = np.array([sum(chosen) for chosen in combinations(ranks, 4)])
        observed = ranks[:4].sum()
        tails = (sums >= observed).mean(), (sums <= observed).mean()
        assert p == pytest.approx(min(1, 2 * min(tails)))


@pytest.mark.parametrize("shift", [-0.3, 0.0, 0.4])
def test_ends_of_superiority_solve_newcombes_equation(shift):
    """Newcombe (2006), method 5, with N* = (m + n)/2 − 1."""
    rng = np.random.default_rng(11)
    a, b = rng.normal(shift, 1, 8), rng.normal(0, 1, 6)
    result = compare_unpaired(a, b)
    for t in (result.superiority_low, result.superiority_high):
        factor = 1 + 6 * (1 - t) / (2 - t) + 6 * t / (1 + t)
        z = (result.superiority - t) / np.sqrt(t * (1 - t) * factor / (8 * 6))
        assert abs(z) == pytest.approx(stats.norm.isf(0.025))
    assert result.superiority_low < result.superiority < result.superiority_high


def test_samples_apart_have_an_interval_up_to_one():
    result = compare_unpaired([3.0, 4.0], [1.0, 2.0])
    assert (result.superiority, result.superiority_high) == (1, 1)
    assert 0 < result.superiority_low < 1
    other = compare_unpaired([1.0, 2.0], [3.0, 4.0])
    assert (other.superiority, other.superiority_low) == (0, 0)
    assert other.superiority_high == pytest.approx(1 - result.superiority_low)


def test_constant_samples_have_points_as_intervals():
    for a, b, p in (([2.0, 2.0], [1.0, 1.0, 1.0], 0), ([1.0, 1.0], [1.0, 1.0, 1.0], 1)):
        result = compare_unpaired(a, b)
        assert (result.low, result.high) == (a[0] - b[0], a[0] - b[0])
        assert (result.welch_p, result.df) == (p, 3)
    assert result.mann_whitney_p == 1


def test_two_runs_of_each_model_are_enough():
    result = welch_of_means(1.0, 0.5, 2, 0.0, 0.5, 2)
    assert result.df[0] == pytest.approx(2)
    assert result.scale[0] == pytest.approx(0.5)
    for a, b in (([1.0], [1.0, 2.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(ValueError, match="needs at least 2"):
            compare_unpaired(a, b)
    with pytest.raises(ValueError, match="the same leading axes"):
        compare_unpaired(np.ones((2, 3)), np.ones((3, 3)))


def test_unpaired_rows_equal_single_calls():
    rng = np.random.default_rng(37)
    a, b = rng.normal(size=(3, 7)), rng.normal(size=(3, 6))
    b[1, 0] = a[1, 0]  # a tie: this row alone is enumerated
    every = stats.PermutationMethod(n_resamples=10_000)
    result = compare_unpaired(a, b)
    for i in range(3):
        one = compare_unpaired(a[i], b[i])
        exact = stats.mannwhitneyu(a[i], b[i], method=every)
        assert result.mann_whitney_p[i] == pytest.approx(exact.pvalue)
        assert result.welch_p[i] == pytest.approx(one.welch_p)
        assert result.superiority_low[i] == pytest.approx(one.superiority_low)


def test_unpaired_agrees_with_scipy_and_brute_force():
    rng = np.random.default_rng(11)
    a, b = np.round(rng.normal(0.5, 1, 30), 1), np.round(rng.normal(0, 2, 20), 1)
    result = compare_unpaired(a, b)
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert result.welch_p == pytest.approx(welch.pvalue)
    assert (result.low, result.high) == pytest.approx(tuple(welch.confidence_interval()))
    brute = ((a[:, None] > b).sum() + 0.5 * (a[:, None] == b).sum()) / 600
    assert result.superiority == pytest.approx(brute)
    assert result.superiority_low < brute < result.superiority_high
    reverse = compare_unpaired(b, a)
    assert reverse.superiority_low == pytest.approx(1 - result.superiority_high)
    assert reverse.mann_whitney_p == pytest.approx(result.mann_whitney_p)


@pytest.mark.nightly
@pytest.mark.parametrize("delta", [0.0, 1.0, 2.5])
def test_interval_of_superiority_covers(delta):
    rng, n_sim = np.random.default_rng(12), 500
    truth = stats.norm.cdf(delta / np.sqrt(2))
    covered = 0
    for _ in range(n_sim):
        result = compare_unpaired(rng.normal(delta, 1, 15), rng.normal(0, 1, 10))
        covered += result.superiority_low <= truth <= result.superiority_high
    assert covered / n_sim > 0.95 - 4 * np.sqrt(0.0475 / n_sim)


def test_unpaired_edge_cases():
    apart = compare_unpaired([2.0, 3.0, 4.0], [0.0, 1.0])
    assert (apart.superiority, apart.superiority_high) == (1, 1)
    assert 0 < apart.superiority_low < 1
    tied = compare_unpaired([0.1] * 4, [0.1] * 3)
    assert (tied.welch_p, tied.mann_whitney_p, tied.superiority) == (1, 1, 0.5)
    assert (tied.low, tied.high) == (0, 0)
    constant = compare_unpaired([1.0, 1.0], [2.0, 2.0])
    assert (constant.welch_p, constant.mean_difference) == (0, -1)
    for bad in ([1.0], [], [1.0, np.nan]):
        with pytest.raises(ValueError, match=r"at least 2|NaN"):
            compare_unpaired(bad, [1.0, 2.0])
