"""Curves of different lengths against plain loops, survival functions and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reseed.stats.curves import convergence_time, curve_band, summarise_reach, time_to_reach
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight
from statsmodels.stats.proportion import proportion_confint

RAGGED = np.array([[0.1, 0.4, 0.6, np.nan], [0.2, 0.3, np.nan, np.nan], [0.3, 0.5, 0.7, 0.9]])


def test_bands_equal_a_plain_loop():
    drop, carry, cut = (curve_band(RAGGED, ended) for ended in ("drop", "carry", "cut"))
    columns = [[v for v in RAGGED[:, e] if not np.isnan(v)] for e in range(4)]
    assert list(drop.n) == [3, 3, 2, 1]
    np.testing.assert_allclose(drop.mean, [np.mean(c) for c in columns])
    np.testing.assert_allclose(drop.sd[:3], [np.std(c, ddof=1) for c in columns[:3]])
    assert np.isnan(drop.sd[3])
    np.testing.assert_allclose(drop.max, [max(c) for c in columns])
    np.testing.assert_allclose(carry.mean[3], np.mean([0.6, 0.3, 0.9]))
    assert list(carry.n) == [3] * 4
    assert len(cut.mean) == 2
    np.testing.assert_allclose(cut.min, drop.min[:2])


def test_time_to_reach_is_the_first_epoch_or_never():
    assert list(time_to_reach(RAGGED, 0.5)) == [3, np.inf, 2]
    assert list(time_to_reach(-RAGGED, -0.5, greater_is_better=False)) == [3, np.inf, 2]
    assert list(time_to_reach(RAGGED, 0.1)) == [1, 1, 1]


def test_median_is_kaplan_meier_with_one_budget():
    rng = np.random.default_rng(0)
    t = rng.geometric(0.1, 41).astype(float)
    budget = 12
    seen = np.where(t <= budget, t, np.inf)
    result = summarise_reach(seen, np.full(41, budget))
    other = SurvfuncRight(np.minimum(t, budget), t <= budget)
    assert result.median == other.quantile(0.5)
    assert result.share == pytest.approx((t <= budget).mean())


@pytest.mark.parametrize(("n", "successes", "level"), [(6, 6, 0.95), (15, 9, 0.95), (30, 0, 0.9)])
def test_intervals_of_share_and_median_are_exact(n, successes, level):
    times = np.r_[np.arange(1.0, successes + 1), np.full(n - successes, np.inf)]
    result = summarise_reach(times, np.full(n, 99), level)
    share = proportion_confint(successes, n, 1 - level, method="beta")
    assert (result.share_low, result.share_high) == pytest.approx(share)
    # The k-th smallest and largest contain the median with 1 − 2 P(B < k); k is the largest.
    k = max(k for k in range(1, n) if 2 * stats.binom.cdf(k - 1, n, 0.5) <= 1 - level)
    assert result.median_low == times[k - 1]
    assert result.median_high == times[n - k]
    assert (result.n, result.level) == (n, level)


def test_restarts_equal_simulated_restarts():
    rng = np.random.default_rng(2)
    times, lengths = np.array([3, np.inf, 5, np.inf]), np.array([10, 4, 10, 8])
    result = summarise_reach(times, lengths)
    costs = []
    for _ in range(20_000):
        spent = 0.0
        while True:
            i = rng.integers(4)
            if np.isfinite(times[i]):
                spent += times[i]
                break
            spent += lengths[i]
        costs.append(spent)
    assert result.restarts == pytest.approx(np.mean(costs), rel=0.03)
    assert summarise_reach([np.inf], [3]).restarts == np.inf


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0, 0.5))
def test_convergence_equals_a_backward_search(values, tolerance):
    at = convergence_time(np.array([values + [np.nan] * 3]), tolerance)[0]
    inside = [abs(v - values[-1]) <= tolerance * (1 + 1e-12) for v in values]
    expected = next(e for e in range(1, len(values) + 1) if all(inside[e - 1 :]))
    assert at == expected


def test_values_at_the_tolerance_count_as_inside():
    curves = [[0.1 + 0.2, 0.3, 0.0]]  # 0.1 + 0.2 is above 0.3 by one rounding error
    assert convergence_time(np.array(curves), 0.3)[0] == 1
    assert convergence_time(np.array([[0.3 + 1e-9, 0.0]]), 0.3)[0] == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: curve_band([[np.nan, 1.0]]), "up to its last"),
        (lambda: curve_band([[1.0, np.nan, 2.0]]), "up to its last"),
        (lambda: curve_band([[1.0, np.inf]]), "infinite"),
        (lambda: curve_band(RAGGED, "stop"), "'drop', 'carry' or 'cut'"),
        (lambda: summarise_reach([0.0], [1.0]), "from 1"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_one_run_of_one_epoch_is_a_curve():
    band = curve_band([[0.5]])
    assert (band.n.tolist(), band.mean.tolist(), band.min.tolist()) == ([1], [0.5], [0.5])
    assert np.isnan(band.sd[0])
    assert convergence_time([[0.5]], 0.0).tolist() == [1]
    for empty in (np.empty((0, 3)), np.ones(3)):
        with pytest.raises(ValueError, match="must be"):
            curve_band(empty)
