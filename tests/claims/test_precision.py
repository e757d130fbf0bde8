"""Power of judged statements, against simulations with known true values."""

import math
import re

import numpy as np
import pytest
from reseed.claims.claim import Estimate
from reseed.claims.precision import describe, find_decided
from reseed.core.statement import Statement
from scipy import stats

RATIO, SHARE, CORRELATION = (0, math.inf), (0, 1), (-1, 1)


def wilson_interval(count, n):
    interval = stats.binomtest(int(count), n).proportion_ci(method="wilson")
    return interval.low, interval.high


def decided(statement, estimate, direction, inside=True):
    """The true value from which a statement is decided; it lies in this direction of the end."""
    found, value = find_decided(statement, estimate, inside)
    assert found == direction
    return value


@pytest.mark.parametrize(("above", "count", "n"), [(0.05, 24, 400), (0.5, 11, 20), (0.9, 0, 300)])
def test_power_of_a_share_is_that_of_wilsons_interval(above, count, n):
    low, high = wilson_interval(count, n)
    estimate = Estimate("a", count / n, low, high, 0.95, SHARE)
    true = decided(Statement("More.", "x", above=above), estimate, 1)
    counts = np.arange(n + 1)
    decides = np.array([wilson_interval(k, n)[0] > above for k in counts])
    power = stats.binom.pmf(counts, n, true)[decides].sum()
    assert power == pytest.approx(0.8, abs=0.08)  # a count is discrete


def test_power_of_a_correlation_is_that_of_fishers_z():
    rng, n = np.random.default_rng(0), 50
    half = stats.norm.isf(0.025) / math.sqrt(n - 3)
    estimate = Estimate("a", 0.2, math.tanh(math.atanh(0.2) - half),
                        math.tanh(math.atanh(0.2) + half), 0.95, CORRELATION)  # fmt: skip
    true = decided(Statement("Some.", "x", above=0), estimate, 1)
    x, e = rng.normal(size=(2, 4000, n))
    y = true * x + math.sqrt(1 - true**2) * e
    r = np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)])
    assert np.mean(np.arctanh(r) - half > 0) == pytest.approx(0.8, abs=0.03)


def test_range_with_two_ends_has_the_power_at_the_nearer_end():
    """SDs of 40 and 40 seeds, and whether their ratio is within 0.5 and 2."""
    rng, n = np.random.default_rng(0), 40
    half = math.sqrt(stats.f.isf(0.025, n - 1, n - 1))
    both = Statement("About.", "x", above=0.5, below=2)
    for value, side in ((0.7, 1), (1.6, -1)):
        estimate = Estimate("a", value, value / half, value * half, 0.95, RATIO)
        true = decided(both, estimate, side)
        ratios = true * np.sqrt(rng.chisquare(n - 1, 20_000) / rng.chisquare(n - 1, 20_000))
        held = ratios / half > 0.5 if side > 0 else ratios * half < 2
        assert np.mean(held) == pytest.approx(0.8, abs=0.03)
        outside = decided(both, estimate, -side, inside=False)
        assert outside < 0.5 if side > 0 else outside > 2
    wide = Estimate("a", 1.2, 0.2, 7.2, 0.95, RATIO)
    assert "range is too narrow" in describe(both, [wide], "cannot tell")
    ends = [Estimate("a", v, v / half, v * half, 0.95, RATIO) for v in (0.7, 1.6)]
    assert re.fullmatch(
        r"power of about 80 % for a true value above [\d.]+ or below [\d.]+",
        describe(both, ends, "held"),
    )


@pytest.mark.parametrize(
    ("estimate", "reason"),
    [
        (Estimate("share", 0.5, bounds=SHARE), "no interval was computed"),
        (Estimate("bound", 0.02, 0.02, 1.0, 0.95, SHARE), "ends at a limit"),
        (Estimate("count", 10.0, 10.0, 10.0, 1.0, (1, math.inf)), "counted, without"),
        (Estimate("few", 0.5, *wilson_interval(2, 4), 0.95, SHARE), "no possible value"),
    ],
)
def test_reason_stands_where_there_is_no_power(estimate, reason):
    above = Statement("More.", "x", above=0.7)
    assert reason in describe(above, [estimate], "cannot tell")


def test_claim_without_estimates_has_no_interval():
    assert "no interval" in describe(Statement("More.", "x", above=1), [], "cannot tell")
