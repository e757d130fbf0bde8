"""Confidence sequences against the Bayes factor, the t interval and simulated paths."""

import warnings

import numpy as np
import pytest
from reseed.stats import sequential
from scipy import stats


def test_boundary_inverts_the_bayes_factor():
    # The Bayes factor as an integral over the effect size: noncentral t density over central.
    for n, scale in ((6, 1.0), (15, 0.5), (40, 2.0)):
        t = float(sequential.t_boundary(n, 0.05, scale))
        effects = np.linspace(-8 * scale, 8 * scale, 4001)
        density = stats.nct.pdf(t, n - 1, effects * np.sqrt(n))
        weights = stats.norm.pdf(effects, 0, scale)
        factor = np.trapezoid(density * weights, effects) / stats.t.pdf(t, n - 1)
        assert factor == pytest.approx(20, rel=1e-3)


def test_crossing_probability_by_simulation():
    rng = np.random.default_rng(4)
    paths, n, alpha = 3000, 400, 0.1
    x = rng.normal(2.0, 3.0, size=(paths, n))
    sequence = sequential.mean_confidence_sequence(x, alpha)
    missed = ((sequence.low > 2) | (sequence.high < 2)).any(axis=1).mean()
    mc_se = np.sqrt(alpha * (1 - alpha) / paths)
    assert missed <= alpha + 3 * mc_se
    assert missed > 0.02  # not vacuous
    # The ordinary t interval after each value misses far more often.
    k = np.arange(1, n + 1)
    sd = np.sqrt((np.cumsum((x - 2) ** 2, 1) - k * (sequence.mean - 2) ** 2) / np.maximum(k - 1, 1))
    t = np.abs(sequence.mean - 2)[:, 5:] / (sd / np.sqrt(k))[:, 5:]
    peeked = (t > stats.t.isf(alpha / 2, k[5:] - 1)).any(axis=1).mean()
    assert peeked > 0.35


def test_sequence_by_hand_and_invariance():
    x = np.random.default_rng(5).normal(5, 2, size=60)
    sequence = sequential.mean_confidence_sequence(x)
    for n in (8, 60):
        half = sequential.t_boundary(n) * x[:n].std(ddof=1) / np.sqrt(n)
        assert sequence.mean[n - 1] == pytest.approx(x[:n].mean())
        assert sequence.high[n - 1] - sequence.mean[n - 1] == pytest.approx(half)
    moved = sequential.mean_confidence_sequence(1e6 + 3 * x)
    np.testing.assert_allclose(moved.low, 1e6 + 3 * sequence.low, rtol=1e-10)
    assert np.isinf(sequence.high[:3]).all()


def test_boundary_is_infinite_for_few_values():
    assert np.isinf(sequential.t_boundary([1, 2, 3])).all()
    assert np.isinf(sequential.t_boundary(1, 0.9, 100.0))
    assert np.isfinite(sequential.t_boundary([8, 60])).all()


def test_stopping_rules():
    rng = np.random.default_rng(6)
    x = rng.normal(1, 1, size=500)
    stop = sequential.stopping_point(x)
    assert stop.reason == "different from 0"
    assert stop.low > 0
    before = sequential.mean_confidence_sequence(x[: stop.n - 1])
    assert before.low[-1] < 0 < before.high[-1]
    same = sequential.stopping_point(rng.normal(0, 1, size=3000), rope=0.2)
    assert same.reason == "equivalent"
    precise = sequential.stopping_point(rng.normal(0, 1, size=3000), half_width=0.3)
    assert precise.reason == "precise enough"
    assert precise.high - precise.low <= 0.6
    assert sequential.stopping_point(x[:3]) == sequential.Stop(None, "continue", -np.inf, np.inf)


def test_stopping_rules_have_error_rate_alpha():
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(400):
        stop = sequential.stopping_point(rng.normal(0, 1, size=200), alpha=0.1, half_width=0.25)
        wrong += stop.reason == "different from 0"
    assert wrong / 400 <= 0.1 + 3 * np.sqrt(0.09 / 400)


def test_single_and_constant_values():
    one = sequential.mean_confidence_sequence([3.0])
    assert (one.low[0], one.mean[0], one.high[0]) == (-np.inf, 3.0, np.inf)
    constant = sequential.mean_confidence_sequence([*[0.1] * 10, 0.2])
    assert (constant.mean[:10] == 0.1).all()
    assert np.isinf(constant.high[:10]).all()  # the SD cannot be estimated
    assert np.isfinite(constant.high[10])
    assert sequential.stopping_point([0.1] * 50, half_width=1.0).n is None


def test_sequence_of_two_values_is_finite_for_large_alpha():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sequence = sequential.mean_confidence_sequence([1.0, 3.0], alpha=0.9)
    half = sequential.t_boundary(2, 0.9) * np.sqrt(2) / np.sqrt(2)  # SD and √n are √2
    assert np.isinf(sequence.high[0])
    np.testing.assert_allclose([sequence.low[1], sequence.high[1]], [2 - half, 2 + half])


@pytest.mark.parametrize("sign", [1, -1])
def test_equivalence_needs_an_interval_strictly_inside(sign):
    x = sign * np.array([-1.0, 3.0])
    sequence = sequential.mean_confidence_sequence(x, 0.9)
    rope = max(-sequence.low[-1], sequence.high[-1])
    assert sequential.stopping_point(x, 0.9, rope=rope).reason == "continue"
    wider = sequential.stopping_point(x, 0.9, rope=np.nextafter(rope, 9))
    assert (wider.n, wider.reason) == (2, "equivalent")


def test_a_width_that_is_just_met_is_precise_enough():
    x = np.array([-1.0, 3.0])
    sequence = sequential.mean_confidence_sequence(x, 0.9)
    half = (sequence.high[1] - sequence.low[1]) / 2
    stop = sequential.stopping_point(x, 0.9, half_width=half)
    assert (stop.n, stop.reason) == (2, "precise enough")


def test_rule_without_a_stop_returns_the_last_interval():
    x = np.random.default_rng(3).normal(0, 1, 30)
    sequence, stop = sequential.mean_confidence_sequence(x), sequential.stopping_point(x)
    assert (stop.n, stop.low, stop.high) == (None, sequence.low[-1], sequence.high[-1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sequential.mean_confidence_sequence([]), "at least 1"),
        (lambda: sequential.mean_confidence_sequence([np.nan]), "NaN"),
        (lambda: sequential.t_boundary(5, alpha=0), "alpha"),
        (lambda: sequential.t_boundary(5, scale=0), "scale"),
        (lambda: sequential.stopping_point([1.0], rope=-1), "rope"),
        (lambda: sequential.stopping_point([1.0], half_width=0), "half_width"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
