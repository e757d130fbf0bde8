"""Partial rank correlation against the precision matrix, SciPy, and simulation."""

import numpy as np
import pytest
from papers.association import partial_rank_correlation
from scipy import stats


def test_without_controls_it_equals_spearman():
    x, y = np.random.default_rng(0).normal(size=(2, 40))
    y = np.round(x + y, 1)
    result, other = partial_rank_correlation(x, y), stats.spearmanr(x, y)
    assert result.r == pytest.approx(other.statistic)
    assert result.p_value == pytest.approx(other.pvalue)


def test_partial_correlation_uses_inverse_score_correlations():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(60, 2))
    x, y = z @ [1, -0.5] + rng.normal(size=60), z @ [0.3, 1] + rng.normal(size=60)
    scores = [stats.norm.ppf(stats.rankdata(c) / 61) for c in (x, y, *z.T)]
    precision = np.linalg.inv(np.corrcoef(scores))
    expected = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    result = partial_rank_correlation(x, y, z)
    assert result.r == pytest.approx(expected)
    t = expected * np.sqrt(56 / (1 - expected**2))
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(t), 56))
    assert result.low < expected < result.high


def test_interval_covers_and_removes_common_causes():
    """Monotone transformations such as the exponential have no effect."""
    rng, hits, raw = np.random.default_rng(2), 0, []
    for _ in range(600):
        causes = rng.normal(size=(50, 3))
        x, y = causes.sum(axis=1) + rng.normal(size=(2, 50))
        result = partial_rank_correlation(np.exp(x), y, np.exp(causes))
        hits += result.low <= 0 <= result.high
        raw.append(partial_rank_correlation(x, y).r)
    assert hits / 600 == pytest.approx(0.95, abs=0.035)
    assert np.mean(raw) > 0.6


def test_variable_equal_to_a_control_gives_nan():
    x, y = np.random.default_rng(3).normal(size=(2, 20))
    assert np.isnan(partial_rank_correlation(x, y, np.exp(x)[:, None]).r)
    assert np.isnan(partial_rank_correlation(np.zeros(20), y).r)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="6 values are too few for 2 controls: at least 7 are"):
        partial_rank_correlation(np.arange(6), np.arange(6), np.ones((6, 2)))
    with pytest.raises(ValueError, match="same number of rows"):
        partial_rank_correlation(np.arange(6), np.arange(7))


@pytest.mark.parametrize("sign", [1, -1])
def test_perfect_order_has_an_interval_close_to_one(sign):
    """The interval ends inside (−1, 1), without infinite values on the way."""
    x = np.random.default_rng(4).normal(size=12)
    with np.errstate(all="raise"):
        result = partial_rank_correlation(x, sign * np.exp(x))
    assert result.r == pytest.approx(sign, abs=1e-12)
    ends = sorted([sign * result.low, sign * result.high])
    assert 1 - 1e-12 < ends[0] <= ends[1] <= 1
    assert 0 <= result.p_value < 1e-12


def test_correlations_stay_within_one_despite_rounding():
    rng = np.random.default_rng(5)
    for n in range(5, 200):
        x = rng.normal(size=n)
        assert abs(partial_rank_correlation(x, x).r) <= 1
        assert abs(partial_rank_correlation(x, -x).r) <= 1


def test_fewest_observations_are_accepted():
    rng = np.random.default_rng(6)
    for controls in (0, 1, 2):
        x, y, *z = rng.normal(size=(2 + controls, controls + 5))
        result = partial_rank_correlation(x, y, np.transpose(z) if controls else None)
        assert np.isfinite([result.low, result.high]).all()
        assert (result.n, result.controls, result.level) == (controls + 5, controls, 0.95)
        with pytest.raises(ValueError, match="too few"):
            partial_rank_correlation(x[1:], y[1:], np.transpose(z)[1:] if controls else None)


def test_interval_is_that_of_bonett_and_wright():
    x, y, z = np.random.default_rng(7).normal(size=(3, 30))
    for control, k in ((None, 0), (z[:, None], 1)):
        result = partial_rank_correlation(x, y, control, level=0.9)
        half = 1.6448536 * np.sqrt((1 + result.r**2 / 2) / (30 - k - 3))
        ends = np.tanh([np.arctanh(result.r) - half, np.arctanh(result.r) + half])
        assert (result.low, result.high) == pytest.approx(tuple(ends), abs=1e-7)


def test_constant_among_thousands_gives_nan():
    rng = np.random.default_rng(8)
    for n in (50, 3000):
        assert np.isnan(partial_rank_correlation(np.full(n, 0.1), rng.normal(size=n)).r)
        assert np.isnan(partial_rank_correlation(rng.normal(size=n), np.full(n, 0.1)).r)
