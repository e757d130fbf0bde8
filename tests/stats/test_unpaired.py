"""Welch's test from means, SDs and sizes: results and refused input."""

import numpy as np
import pytest
from reseed.stats.unpaired import welch_of_means
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
