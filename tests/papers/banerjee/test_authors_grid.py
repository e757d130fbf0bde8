"""The authors' grid of trimming levels, and the boundary of the robust test."""

import numpy as np
import pytest
from papers.banerjee import ks
from papers.banerjee.alpha_hat import (
    AUTHORS_GRID,
    GRID_EXCEEDED,
    alpha_hat_grid,
    trimmed_ks_distance,
)


def test_authors_grid_matches_their_code():
    expected = [0, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
    assert list(AUTHORS_GRID) == pytest.approx(expected)
    assert GRID_EXCEEDED == 0.5


def test_robust_test_accepts_at_its_boundary():
    candidate, reference = np.arange(8.0), ks.reference_function(np.arange(8.0) + 2.5)
    distance = float(trimmed_ks_distance(candidate, reference, 0.1))
    assert distance > 0
    below = distance - 1e-9
    assert alpha_hat_grid(candidate, reference, distance) == 0.1
    assert alpha_hat_grid(candidate, reference, below) > 0.1


def test_distance_equal_to_the_threshold_is_accepted():
    """Moving k of n items above all others gives eCDFs at distance k / n."""
    for n in range(2, 60):
        reference = ks.reference_function(np.arange(n, dtype=float), interpolate=False)
        for moved in range(1, n):
            candidate = np.arange(n, dtype=float)
            candidate[:moved] += n
            assert alpha_hat_grid(candidate, reference, moved / n) == 0
            assert alpha_hat_grid(candidate, reference, (moved - 0.01) / n) > 0
