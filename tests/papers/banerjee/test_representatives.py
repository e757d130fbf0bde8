"""Distances and held-out information against SciPy, the grid search and known truth."""

import numpy as np
import pytest
from papers.association import partial_rank_correlation
from papers.banerjee.alpha_hat import alpha_hat, alpha_hat_grid
from papers.banerjee.ks import algorithm_threshold, reference_function
from papers.banerjee.representatives import (
    MEASURES,
    half_threshold,
    heldout_information,
    round_up_to_grid,
    split_ks_distance,
)
from scipy import stats


def test_rounding_up_equals_a_search_over_the_grid():
    rng = np.random.default_rng(0)
    reference = reference_function(rng.normal(size=(5, 300)))
    for delta in (0.02, 0.05, 0.1):
        candidates = rng.normal(0.4, 1.2, (40, 300))
        exact = alpha_hat(candidates, reference, delta)
        np.testing.assert_allclose(
            round_up_to_grid(exact), alpha_hat_grid(candidates, reference, delta)
        )
    assert round_up_to_grid(0.0) == 0
    np.testing.assert_allclose(
        round_up_to_grid([0.025, 0.0251, 0.46, 1.0]), [0.025, 0.05, 0.5, 0.5]
    )


def test_threshold_equals_the_authors_from_458_items():
    assert half_threshold(8000) == pytest.approx(algorithm_threshold(4000))
    assert half_threshold(8000) == pytest.approx(0.0366, abs=1e-4)  # value in the authors' code
    assert half_threshold(600) > algorithm_threshold(300)
    assert 0.9 < half_threshold(16) < 1
    with pytest.raises(ValueError, match="15 test items are too few"):
        half_threshold(15)


def test_split_distance_equals_scipy_two_sample():
    rng = np.random.default_rng(1)
    x, pool = rng.normal(0.5, 1, (1, 400)), rng.normal(size=(1, 400))
    order = np.random.default_rng(2).permutation(400)
    result = split_ks_distance(x, pool, 1, rng=np.random.default_rng(2))
    expected = stats.ks_2samp(x[0, order[:200]], pool[0, order[200:]]).statistic
    assert result[0] == pytest.approx(expected, abs=1.01 / 200)  # the reference is interpolated


def test_split_distance_is_the_mean_over_splits():
    x, pool = np.random.default_rng(1).normal(0.2, 1, (2, 3, 40))
    rng = np.random.default_rng(3)
    single = [split_ks_distance(x, pool, 1, rng=rng) for _ in range(3)]
    mean = split_ks_distance(x, pool, 3, rng=np.random.default_rng(3))
    np.testing.assert_allclose(mean, np.mean(single, axis=0))


def models(rng, n=24, items=1600, odd=0.0):
    """Simulate models; `odd` adds noise that makes a model disagree with the others."""
    y = rng.integers(0, 2, items)
    # Most models are similar, so the distance to the average increases with `odd`.
    own = odd * np.maximum(0, np.linspace(-1, 1, n))[:, None]
    gaps = (2 * y - 1) * 1.5 + rng.normal(0, 1.5, items) + own * rng.normal(size=(n, items))
    gaps += 0.3 * rng.normal(size=(n, items))
    labels = (gaps > 0).astype(np.int64)
    return gaps, labels, labels == y, 1 / (1 + np.exp(-np.abs(gaps)))


def test_measures_predict_disagreement_on_other_half():
    rng = np.random.default_rng(3)
    halves = list(heldout_information(*models(rng, odd=3.0), n_halves=2, n_bootstrap=4, rng=rng))
    assert len(halves) == 2
    for half in halves:
        assert set(half) == {*MEASURES, "disagreement"}
        for name, sign in [("alpha_hat", 1), ("ks", 1), ("accuracy", -1), ("disagreement", 1)]:
            assert (sign * half[name][-4:]).mean() > (sign * half[name][:12]).max(), name
        assert partial_rank_correlation(half["churn"], half["disagreement"]).r > 0.7


def test_measures_of_each_half_by_hand():
    """The items are split again with the same numbers; churn is a share of a half."""
    gaps, labels, correct, confidence = models(np.random.default_rng(7), n=5, items=41)
    half = next(
        heldout_information(
            gaps, labels, correct, confidence, n_bootstrap=2, rng=np.random.default_rng(8)
        )
    )
    order = np.random.default_rng(8).permutation(41)
    first, second = order[:20], order[20:]
    np.testing.assert_allclose(half["accuracy"], correct[:, first].mean(axis=1))
    for name, items in (("churn", first), ("disagreement", second)):
        part = labels[:, items]
        others = [[(a != b).mean() for b in part] for a in part]
        np.testing.assert_allclose(half[name], np.sum(others, axis=1) / 4)
    for i, distance in enumerate(half["ks"]):
        others = np.delete(gaps[:, first], i, axis=0).ravel()
        assert distance == pytest.approx(stats.ks_2samp(gaps[i, first], others).statistic)


def test_exchangeable_models_show_no_correlation():
    rng, result = np.random.default_rng(4), []
    for _ in range(12):
        inputs = models(rng, n=20, items=400)
        half = next(heldout_information(*inputs, n_halves=1, n_bootstrap=2, rng=rng))
        result.append(partial_rank_correlation(half["ks"], half["disagreement"]).r)
    assert abs(np.mean(result)) < 4 * np.std(result, ddof=1) / np.sqrt(12)


def test_four_models_are_enough():
    inputs = models(np.random.default_rng(5), n=4, items=400)
    rng = np.random.default_rng(6)
    half = next(heldout_information(*inputs, n_halves=1, n_bootstrap=2, rng=rng))
    assert all(values.shape == (4,) for values in half.values())
    for n, items in ((3, 8), (4, 7)):
        few = models(np.random.default_rng(5), n=n, items=items)
        with pytest.raises(ValueError, match="at least 4 models and 8 items"):
            next(heldout_information(*few, rng=rng))


def test_few_models_are_refused():
    with pytest.raises(ValueError, match="4 models"):
        next(heldout_information(*models(np.random.default_rng(0), n=3), rng=None))
