"""E-values against enumeration, bounds against a plain loop, guarantees by simulation."""

from itertools import product

import numpy as np
import pytest
from reseed.stats.evalues import bounded_confidence_sequence, symmetry_e_process
from reseed.stats.sequential import mean_confidence_sequence


def test_e_value_has_mean_one_over_all_signs():
    """Under the null the signs are independent and fair, given the absolute values."""
    size = np.array([0.3, 1.2, 0.1, 0.7, 5.0])
    signs = np.array(list(product((-1, 1), repeat=5)))
    result = symmetry_e_process(signs * size)
    np.testing.assert_allclose(result.mean(axis=0), 1)
    assert (result[:, 0] == result[0, 0]).all()  # both signs have equal bets


def test_e_value_at_most_doubles():
    result = symmetry_e_process(np.ones(12))
    assert (result[1:] / result[:-1] <= 2).all()
    assert result[4] < 20 <= result[8]
    np.testing.assert_allclose(symmetry_e_process(np.zeros(4)), 1)
    np.testing.assert_allclose(symmetry_e_process(1e-200 * np.ones(3)), result[:3])


@pytest.mark.parametrize("shape", ["cauchy", "two points"])
def test_symmetric_heavy_tails_keep_the_level(shape):
    rng, n = np.random.default_rng(0), 2000
    x = rng.standard_cauchy((n, 150))
    if shape == "two points":
        x = rng.choice([-1.0, 1.0], (n, 150))
    ever = symmetry_e_process(x).max(axis=1) >= 20
    assert ever.mean() <= 0.05 + 3 * np.sqrt(0.0475 / n)


@pytest.mark.parametrize(("shape", "n"), [((2, 5), 200), ((0.2, 0.3), 300)])
def test_bounded_sequence_equals_a_plain_loop(shape, n):
    # Of scores with a large variance, bets are below the cap of 0.5 from 30 values on.
    x, alpha = np.random.default_rng(1).beta(*shape, n), 0.1
    result = bounded_confidence_sequence(x, alpha=alpha)
    mean, variance, weights, weighted, cost = 0.5, 0.25, 0.0, 0.0, 0.0
    low, high, total, squares = 0.0, 1.0, 0.5, 0.25
    for t, value in enumerate(x, 1):
        bet = min(np.sqrt(2 * np.log(2 / alpha) / (variance * t * np.log(t + 1))), 0.5)
        cost += (value - mean) ** 2 * (-np.log(1 - bet) - bet)
        weights, weighted = weights + bet, weighted + bet * value
        half = (np.log(2 / alpha) + cost) / weights
        low, high = max(low, weighted / weights - half), min(high, weighted / weights + half)
        assert (result.low[t - 1], result.high[t - 1]) == pytest.approx((low, high))
        total += value
        mean = total / (t + 1)
        squares += (value - mean) ** 2
        variance = squares / (t + 1)
    assert result.mean[-1] == pytest.approx(x.mean())


def test_bounded_sequence_covers_where_gaussian_fails():
    rng, n = np.random.default_rng(2), 400
    skewed, mean = rng.beta(0.1, 2, (n, 200)), 0.1 / 2.1
    sequences = bounded_confidence_sequence(skewed), mean_confidence_sequence(skewed)
    missed = [((s.low > mean) | (s.high < mean)).any(axis=1).mean() for s in sequences]
    assert missed[0] <= 0.05 + 3 * np.sqrt(0.0475 / n)
    assert missed[1] > 0.15


def test_other_bounds_shift_and_scale():
    x = np.random.default_rng(3).random(20)
    plain, wide = bounded_confidence_sequence(x), bounded_confidence_sequence(4 * x - 1, -1, 3)
    np.testing.assert_allclose(wide.low, 4 * plain.low - 1)
    np.testing.assert_allclose(wide.high, 4 * plain.high - 1)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="outside"):
        bounded_confidence_sequence([0.5, 1.2])
    for low, high in ((1, 0), (0.5, 0.5)):
        with pytest.raises(ValueError, match="less than high"):
            bounded_confidence_sequence([0.5], low, high)


def test_scores_at_the_bounds_are_accepted():
    np.testing.assert_array_equal(bounded_confidence_sequence([0.0, 1.0]).mean, [0, 0.5])


def test_bets_are_quarter_half_one_and_two():
    expected = 1 + np.mean(np.tanh([0.25, 0.5, 1, 2]) ** 2)  # products of 1 ± tanh(bet)
    assert symmetry_e_process([3.0, 3.0])[1] == pytest.approx(expected)
    other = np.mean([np.cosh(3 * u) / np.cosh(u) ** 3 for u in (0.25, 0.5, 1, 2)])
    assert symmetry_e_process([3.0, 3.0, 3.0])[2] == pytest.approx(other)


def test_sequences_of_a_batch_are_those_of_each_row():
    x = np.random.default_rng(4).beta(2, 3, (3, 25))
    batch = bounded_confidence_sequence(x)
    for row, low, high in zip(x, batch.low, batch.high, strict=True):
        alone = bounded_confidence_sequence(row)
        np.testing.assert_allclose(low, alone.low)
        np.testing.assert_allclose(high, alone.high)
