"""Partial rank correlation: by the precision matrix, SciPy, and simulation."""

import numpy as np
import pytest
from reseed.stats.association import partial_rank_correlation
from scipy import stats


def test_without_controls_it_is_spearmans():
    x, y = np.random.default_rng(0).normal(size=(2, 40))
    y = np.round(x + y, 1)
    found, other = partial_rank_correlation(x, y), stats.spearmanr(x, y)
    assert found.r == pytest.approx(other.statistic)
    assert found.p_value == pytest.approx(other.pvalue)


def test_partial_correlation_uses_inverse_score_correlations():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(60, 2))
    x, y = z @ [1, -0.5] + rng.normal(size=60), z @ [0.3, 1] + rng.normal(size=60)
    scores = [stats.norm.ppf(stats.rankdata(c) / 61) for c in (x, y, *z.T)]
    precision = np.linalg.inv(np.corrcoef(scores))
    expected = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    found = partial_rank_correlation(x, y, z)
    assert found.r == pytest.approx(expected)
    t = expected * np.sqrt(56 / (1 - expected**2))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), 56))
    assert found.low < expected < found.high


def test_the_interval_covers_and_common_causes_are_taken_out():
    """Whatever the scale each is told on: the exponential changes no rank."""
    rng, hits, raw = np.random.default_rng(2), 0, []
    for _ in range(600):
        causes = rng.normal(size=(50, 3))
        x, y = causes.sum(axis=1) + rng.normal(size=(2, 50))
        found = partial_rank_correlation(np.exp(x), y, np.exp(causes))
        hits += found.low <= 0 <= found.high
        raw.append(partial_rank_correlation(x, y).r)
    assert hits / 600 == pytest.approx(0.95, abs=0.035)
    assert np.mean(raw) > 0.6


def test_what_a_control_repeats_has_no_correlation_left():
    x, y = np.random.default_rng(3).normal(size=(2, 20))
    assert np.isnan(partial_rank_correlation(x, y, np.exp(x)[:, None]).r)
    assert np.isnan(partial_rank_correlation(np.zeros(20), y).r)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="too few"):
        partial_rank_correlation(np.arange(6), np.arange(6), np.ones((6, 2)))
    with pytest.raises(ValueError, match="same number of rows"):
        partial_rank_correlation(np.arange(6), np.arange(7))
