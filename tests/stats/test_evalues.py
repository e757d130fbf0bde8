"""e-values by enumeration of signs, bounds by a plain loop, guarantees by simulation."""

from itertools import product

import numpy as np
import pytest
from reseed.stats.evalues import bounded_confidence_sequence, symmetry_e_process
from reseed.stats.sequential import mean_confidence_sequence


def test_the_e_value_has_mean_one_over_all_signs():
    """Exactly: under the null the signs of given absolute values are fair coins."""
    size = np.array([0.3, 1.2, 0.1, 0.7, 5.0])
    signs = np.array(list(product((-1, 1), repeat=5)))
    found = symmetry_e_process(signs * size)
    np.testing.assert_allclose(found.mean(axis=0), 1)
    assert (found[:, 0] == found[0, 0]).all()  # both ways are bet on alike


def test_it_grows_by_two_at_most_and_not_without_a_difference():
    found = symmetry_e_process(np.ones(12))
    assert (found[1:] / found[:-1] <= 2).all()
    assert found[4] < 20 <= found[8]
    np.testing.assert_allclose(symmetry_e_process(np.zeros(4)), 1)
    np.testing.assert_allclose(symmetry_e_process(1e-200 * np.ones(3)), found[:3])


@pytest.mark.parametrize("shape", ["cauchy", "two points"])
def test_symmetric_differences_of_any_tail_keep_the_level(shape):
    rng, n = np.random.default_rng(0), 2000
    x = rng.standard_cauchy((n, 150))
    if shape == "two points":
        x = rng.choice([-1.0, 1.0], (n, 150))
    ever = symmetry_e_process(x).max(axis=1) >= 20
    assert ever.mean() <= 0.05 + 3 * np.sqrt(0.0475 / n)


def test_bounds_by_a_loop():
    x, alpha = np.random.default_rng(1).beta(2, 5, 40), 0.1
    found = bounded_confidence_sequence(x, alpha=alpha)
    mean, variance, weights, weighted, cost = 0.5, 0.25, 0.0, 0.0, 0.0
    low, high, total, squares = 0.0, 1.0, 0.5, 0.25
    for t, value in enumerate(x, 1):
        bet = min(np.sqrt(2 * np.log(2 / alpha) / (variance * t * np.log(t + 1))), 0.5)
        cost += (value - mean) ** 2 * (-np.log(1 - bet) - bet)
        weights, weighted = weights + bet, weighted + bet * value
        half = (np.log(2 / alpha) + cost) / weights
        low, high = max(low, weighted / weights - half), min(high, weighted / weights + half)
        assert (found.low[t - 1], found.high[t - 1]) == pytest.approx((low, high))
        total += value
        mean = total / (t + 1)
        squares += (value - mean) ** 2
        variance = squares / (t + 1)
    assert found.mean[-1] == pytest.approx(x.mean())


def test_bounded_sequence_covers_where_gaussian_does_not():
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
    with pytest.raises(ValueError, match="less than high"):
        bounded_confidence_sequence([0.5], 1, 0)
