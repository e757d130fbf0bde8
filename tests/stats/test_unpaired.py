"""Tests of two samples and of means with SDs: against SciPy and closed forms."""

import numpy as np
import pytest
from reseed.stats.unpaired import superiority, welch, welch_of_means
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


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_samples_have_scipys_welch_test(shape):
    rng = np.random.default_rng(9)
    a, b = rng.normal(0.5, 2, (*shape, 7)), rng.normal(0, 1, (*shape, 5))
    result = welch(a, b, level=0.9)
    for place in np.ndindex(shape):
        theirs = stats.ttest_ind(a[place], b[place], equal_var=False)
        interval = theirs.confidence_interval(0.9)
        assert result.difference[place] == pytest.approx(a[place].mean() - b[place].mean())
        assert (result.p[place], result.df[place]) == pytest.approx((theirs.pvalue, theirs.df))
        ends = result.low[place], result.high[place]
        assert ends == pytest.approx((interval.low, interval.high))
        assert result.scale[place] == pytest.approx(result.difference[place] / theirs.statistic)


def test_superiority_equals_every_pair_of_runs():
    rng = np.random.default_rng(10)
    for _ in range(6):
        a, b = rng.integers(0, 3, 4).astype(float), rng.integers(0, 3, 5).astype(float)
        ties = (a[:, None] == b).mean()
        expected = (a[:, None] > b).mean() + ties / 2
        assert superiority(a, b) == pytest.approx((expected, ties))
        u = stats.mannwhitneyu(a, b).statistic
        assert superiority(a, b)[0] == pytest.approx(u / 20)


def test_constant_samples_have_points_as_intervals():
    for a, b, p in (([2.0, 2.0], [1.0, 1.0, 1.0], 0), ([1.0, 1.0], [1.0, 1.0, 1.0], 1)):
        result = welch(a, b)
        assert (result.low, result.high) == (a[0] - b[0], a[0] - b[0])
        assert (result.p, result.df) == (p, 3)


def test_two_runs_of_each_model_are_enough():
    result = welch_of_means(1.0, 0.5, 2, 0.0, 0.5, 2)
    assert result.df[0] == pytest.approx(2)
    assert result.scale[0] == pytest.approx(0.5)
    for bad in ([1.0], [], [1.0, np.nan]):
        with pytest.raises(ValueError, match=r"at least 2|NaN"):
            welch(bad, [1.0, 2.0])
        with pytest.raises(ValueError, match=r"at least 2|NaN"):
            welch([1.0, 2.0], bad)
    with pytest.raises(ValueError, match="the same leading axes"):
        welch(np.ones((2, 3)), np.ones((3, 3)))


@pytest.mark.parametrize("count", [3, 6, 7, 11])
def test_equal_scores_have_no_variance(count):
    assert welch([0.1] * count, [0.3] * count).scale == 0
    a, b = [-0.5, 0.5], [0.25, -0.25, 0.0]
    assert welch(a, b).p == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
