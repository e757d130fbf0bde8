"""Averages over settings, against closed forms."""

import math

import numpy as np
import pytest
from reseed.verdicts.averages import AverageOfEnds, MeanLogRatio, interval_at
from reseed.verdicts.settings import Setting
from scipy import stats

RATIO = (0.0, math.inf)


def test_an_interval_at_another_level_is_that_of_its_method():
    low, high = stats.binomtest(7, 30).proportion_ci(method="wilson")
    share = Setting("s", 7 / 30, low, high, 0.95, (0, 1))
    wanted = stats.binomtest(7, 30).proportion_ci(0.99, method="wilson")
    assert interval_at(share, 0.99) == pytest.approx(tuple(wanted))
    z = stats.norm.isf([0.025, 0.005])
    ratio = Setting("r", 2.0, 2 * math.exp(-0.3), 2 * math.exp(0.3), 0.95, RATIO)
    half = 0.3 * z[1] / z[0]
    assert interval_at(ratio, 0.99) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))


def test_the_size_that_is_needed_has_the_power_that_is_stated():
    """Gaussian logarithms with the standard error 1/√n: at the size named, 80 % are decided."""
    estimate = Setting("r", 1.4, 1.4 * math.exp(-0.8), 1.4 * math.exp(0.8), 0.95, RATIO)
    n = AverageOfEnds([estimate]).needed([0], 1.0, 20)
    error = 0.8 / stats.norm.isf(0.025) * math.sqrt(20 / n)
    assert stats.norm.sf(stats.norm.isf(0.025) - math.log(1.4) / error) == pytest.approx(
        0.8, abs=0.01
    )


def test_the_mean_ratio_is_the_geometric_mean_of_the_ratios():
    rng, seeds = np.random.default_rng(0), range(20)
    scores = rng.normal(size=(4, 20)) * np.array([[3.0], [1.0], [0.5], [2.0]])
    cells = [("d", "model", seeds, one) for one in scores]
    average = MeanLogRatio(cells, [(0, 1), (2, 3)])
    sds = scores.std(axis=1, ddof=1)
    expected = math.sqrt(sds[0] / sds[1] * sds[2] / sds[3])
    value, low, high = average.interval([0, 1], 0.95)
    assert value == pytest.approx(expected)
    assert low < value < high
    assert average.interval([0], 0.95)[0] == pytest.approx(sds[0] / sds[1])
