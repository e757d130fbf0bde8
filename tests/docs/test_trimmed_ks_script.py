"""The short script of α̂ and the library give the same numbers, from the same draws."""

import numpy as np
import pytest
import trimmed_ks
from papers.banerjee.alpha_hat import bootstrap_alpha_hat
from papers.banerjee.representatives import half_threshold, split_ks_distance

RNG = np.random.default_rng(1)
#: Logit gaps of 24 models of 400 items, some of them clipped.
WIDE = RNG.normal(size=(24, 400)) * RNG.uniform(4, 14, (24, 1)) + RNG.normal(size=(24, 1)) * 3
GAPS = np.clip(WIDE, -15, 15)


@pytest.mark.parametrize("pool", [GAPS[:12], None], ids=["a pool", "all others"])
def test_alpha_hat_of_the_script_is_that_of_the_library(pool):
    draws = [np.random.default_rng(2) for _ in range(2)]
    delta = half_threshold(400)
    assert trimmed_ks.threshold(200) == pytest.approx(delta)
    expected = bootstrap_alpha_hat(GAPS[12:], pool, rng=draws[0], n_bootstrap=10, delta=delta)
    found = trimmed_ks.alpha_hat(GAPS[12:], pool, 10, draws[1])
    assert found == pytest.approx(expected.mean, abs=2e-3)
    assert found.max() > 0.3
    assert found.min() == 0


def test_ks_distance_of_the_script_is_that_of_the_library():
    draws = [np.random.default_rng(2) for _ in range(2)]
    expected = split_ks_distance(GAPS[12:], GAPS[:12], 5, rng=draws[0])
    found = trimmed_ks.ks_distance(GAPS[12:], GAPS[:12], draws[1], 5)
    assert found == pytest.approx(expected, abs=1e-9)
