"""The interval of a mean of log SD ratios, against closed forms and simulations."""

import numpy as np
import pytest
from reseed.stats.spread_contrasts import (
    SeedGroup,
    mean_ratio_groups,
    seeds_needed,
    spread_contrast,
)
from scipy import stats


def test_the_value_is_the_sum_of_logarithms_of_sds():
    scores = np.random.default_rng(0).normal(size=(12, 3)) * [1e-6, 1.0, 1e6]
    found = spread_contrast([SeedGroup(scores, np.array([0.5, -1.0, 0.5]))])
    sds = scores.std(axis=0, ddof=1)
    assert found.value == pytest.approx(0.5 * np.log(sds[0] * sds[2]) - np.log(sds[1]))


def test_the_jackknife_is_that_of_leaving_out_each_seed():
    scores = np.random.default_rng(1).exponential(size=(9, 2))
    weights = np.array([1.0, -1.0])
    left = [np.log(np.delete(scores, k, axis=0).std(axis=0, ddof=1)) @ weights for k in range(9)]
    jackknife = 8 / 9 * ((left - np.mean(left)) ** 2).sum()
    bias = 8 * (np.log(scores.std(axis=0, ddof=1)) @ weights - np.mean(left))
    found = spread_contrast([SeedGroup(scores, weights)])
    assert found.standard_error**2 >= jackknife + bias**2 - 1e-12
    half = stats.t.isf(0.025, found.df) * found.standard_error
    assert found.high - found.value == pytest.approx(half)


@pytest.mark.parametrize(("models", "n"), [(1, 6), (4, 10)])
def test_intervals_cover_a_ratio_of_one(models, n):
    rng, hits = np.random.default_rng(models), []
    for _ in range(400):
        shared = rng.standard_normal((n, 1))
        split = 0.8 * shared + 0.6 * rng.standard_normal((n, models))
        seed = rng.standard_normal((n, models))
        cells = [("d", "data", range(n), x) for x in split.T]
        cells += [("d", "model", range(n), x) for x in seed.T]
        found = spread_contrast(mean_ratio_groups(cells, [(i, models + i) for i in range(models)]))
        hits.append(found.low <= 0 <= found.high)
    assert 0.92 <= np.mean(hits) <= 1


def test_the_seeds_named_decide_in_80_percent():
    rng = np.random.default_rng(3)
    scores = rng.standard_normal((200, 2))
    scores /= scores.std(axis=0, ddof=1)
    n = seeds_needed([SeedGroup(scores[:50] * [1.5, 1.0], np.array([1.0, -1.0]))], 0.0)
    pilot = spread_contrast([SeedGroup(scores[:50] * [1.5, 1.0], np.array([1.0, -1.0]))])
    true = np.exp(pilot.value)
    decided = []
    for _ in range(400):
        draw = rng.standard_normal((n, 2)) * [true, 1.0]
        decided.append(spread_contrast([SeedGroup(draw, np.array([1.0, -1.0]))]).low > 0)
    assert 0.7 <= np.mean(decided) <= 0.95


def test_what_has_no_spread_is_refused():
    with pytest.raises(ValueError, match="SD is 0"):
        spread_contrast([SeedGroup(np.ones((6, 1)), np.array([1.0]))])
    with pytest.raises(ValueError, match="at least 4"):
        spread_contrast([SeedGroup(np.arange(3.0)[:, None], np.array([1.0]))])
    with pytest.raises(ValueError, match="at least one group"):
        spread_contrast([])
