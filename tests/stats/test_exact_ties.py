"""Scores in thousandths give the results of the same scores as integers, whose sums are exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papers.protocol.signed_rank import wilcoxon_p
from reseed.stats.comparison import differences, pair_differences
from reseed.stats.crossed_comparison import seed_permutation_test
from reseed.stats.ranking import instability
from reseed.stats.sign_flips import flip_equivalence_p, flip_signs
from reseed.stats.two_models import swap_test

SEEDS = st.integers(0, 10**6)


def thousandths(seed, shape, low=400, high=1000, step=1):
    """Draw integers whose means often tie."""
    return np.random.default_rng(seed).integers(low, high // step, shape) * step


@settings(max_examples=40)
@given(SEEDS)
def test_two_models_over_datasets(seed):
    scores = thousandths(seed, (2, 9))
    scores[1] = scores[0] - np.random.default_rng(seed + 1).integers(-6, 13, 9)
    # Each dataset has a separate difference.
    d = np.array([differences([a], [b])[0] for a, b in (scores / 1000).T])
    whole = (scores[0] - scores[1]).astype(float)
    rng = np.random.default_rng(0)
    assert flip_signs([d], rng=rng).p_value == pytest.approx(flip_signs([whole], rng=rng).p_value)
    found = flip_equivalence_p(d, 0.012, rng=rng)
    assert found == pytest.approx(flip_equivalence_p(whole, 12, rng=rng))


@settings(max_examples=40)
@given(SEEDS)
def test_model_orders_and_difference_ranks_are_exact(seed):
    scores = thousandths(seed, (4, 5), 80, 1000, 10)
    np.testing.assert_allclose(
        instability(scores / 1000, ties="half"), instability(scores, ties="half")
    )
    np.testing.assert_allclose(
        wilcoxon_p(pair_differences(scores / 1000)), wilcoxon_p(pair_differences(scores))
    )


def test_models_with_equal_means_are_not_ordered():
    scores = [[0.84, 0.83, 0.83, 0.93, 0.83], [0.83, 0.81, 0.81, 0.91, 0.90]]
    assert instability(scores, ties="half")[0, 1] == 0.5


@settings(max_examples=20)
@given(SEEDS, st.booleans())
def test_permutation_p_of_runs_is_exact(seed, shared):
    a, b = thousandths(seed, (2, 5), 9895, 9905)
    settled = {"shared_seeds": shared, "rng": np.random.default_rng(0)}
    result = seed_permutation_test(a / 10_000, b / 10_000, **settled)
    assert result == pytest.approx(seed_permutation_test(a, b, **settled))


def test_cancelling_swaps_are_counted_exactly():
    a = np.array([11, 3, 2, 12, 6, -4, 2, -1]) / 10
    b = np.array([7, 4, 7, 7, 1, 1, 1, 3]) / 10
    assert swap_test(a, b, 2_000, rng=np.random.default_rng(0)) == 1
