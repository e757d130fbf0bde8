"""Welch's test from means, SDs and sizes: results and refused input."""

import numpy as np
import pytest
from reseed.stats.unpaired import (
    _max_t_tail,
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


def test_dunnetts_intervals_cover_together():
    """Three models equal to the baseline: any false claim in 5 %, as intervals and p-values."""
    rng, claims, n = np.random.default_rng(3), 0, 400
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
