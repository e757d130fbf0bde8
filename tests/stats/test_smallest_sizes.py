"""Smallest accepted sizes of samples and numbers of draws; one less is refused by name."""

import numpy as np
import pytest
from papers.banerjee import calibration, ks, representatives
from reseed.stats import (
    bootstrap,
    comparison,
    crossed_comparison,
    gaussian_range,
    paired_proportions,
    pass_at_k,
    planning,
    selection,
    sign_flips,
    spread,
    two_models,
    variance,
)

X = np.array([0.61, 0.64, 0.58, 0.66, 0.63, 0.62])
LABELS = np.array([0, 1, 0, 1, 1, 0])


def rng():
    return np.random.default_rng(0)


#: Argument, smallest accepted value, call with that value.
SIZES = {
    "test_set_bootstrap": (
        "n_boot", 2, lambda k: bootstrap.test_set_bootstrap(
            "accuracy", LABELS, LABELS, n_boot=k, rng=rng())),
    "reliability_curve": (
        "n_bins", 1, lambda k: calibration.reliability_curve(X, LABELS, k)),
    "bca_mean_interval": (
        "n_boot", 2, lambda k: comparison.bca_mean_interval(X, n_boot=k, rng=rng())),
    "seed_item_bootstrap": (
        "n_boot", 2, lambda k: crossed_comparison.seed_item_bootstrap(
            "accuracy", LABELS, LABELS, LABELS, n_boot=k, shared_seeds=True, rng=rng())),
    "seed_permutation_test": (
        "n_permutations", 1, lambda k: crossed_comparison.seed_permutation_test(
            X, X + 1, shared_seeds=True, n_permutations=k, rng=rng())),
    "range_against_gaussian": (
        "n_sim", 2, lambda k: gaussian_range.range_against_gaussian(X, n_sim=k)),
    "tail_power": ("n_sim", 2, lambda k: gaussian_range.tail_power(5, n_sim=k)),
    "tail_power of seeds": ("n", 4, lambda k: gaussian_range.tail_power(k, n_sim=9)),
    "dkw_threshold": ("n", 1, lambda k: ks.dkw_threshold(k, 0.1)),
    "two_sample_threshold": ("m", 1, lambda k: ks.two_sample_threshold(5, k, 0.1)),
    "algorithm_threshold": ("n", 1, lambda k: ks.algorithm_threshold(k)),
    "score_interval": ("only_a", 0, lambda k: paired_proportions.score_interval(k, 2, 9)),
    "score_interval of items": ("n", 3, lambda k: paired_proportions.score_interval(1, 2, k)),
    "score_interval without discordant items": (
        "n", 1, lambda k: paired_proportions.score_interval(0, 0, k)),
    "pass_at_k": ("k", 1, lambda k: pass_at_k.pass_at_k([5], [2], k)),
    "power": ("n", 2, lambda k: planning.power(1.0, 1.0, k)),
    "flip_signs": ("n_draws", 100, lambda k: sign_flips.flip_signs([X], k, rng=rng())),
    "split_ks_distance": (
        "n_splits", 1, lambda k: representatives.split_ks_distance(
            np.stack([X, X[::-1]]), np.stack([X, X[::-1]]), n_splits=k, rng=rng())),
    "selection_optimism": (
        "n_halves", 2, lambda k: selection.selection_optimism(
            np.stack([X, X[::-1]]), n_halves=k, rng=rng())),
    "spread_intervals": ("n_boot", 2, lambda k: spread.spread_intervals(X, n_boot=k, rng=rng())),
    "next_median_interval": ("n_next", 1, lambda k: spread.next_median_interval(X, k)),
    "next_difference_limit": ("n", 2, lambda k: spread.next_difference_limit(1.0, k)),
    "range_content": ("n", 2, lambda k: spread.range_content(k)),
    "swap_test": ("n_swaps", 1, lambda k: two_models.swap_test(X, X + 1, k, rng=rng())),
    "crossed_variance": (
        "n_draws", 1, lambda k: variance.crossed_variance(
            X.reshape(2, 3), ("a", "b"), n_draws=k, rng=rng())),
    "gaussian_range_interval": ("n", 2, lambda k: gaussian_range.gaussian_range_interval(k)),
}  # fmt: skip


@pytest.mark.parametrize("function", SIZES)
def test_smallest_size_is_accepted_and_one_less_refused(function):
    name, smallest, call = SIZES[function]
    call(smallest)
    with pytest.raises(ValueError, match=rf"^{name} must be at least {smallest}"):
        call(smallest - 1)
