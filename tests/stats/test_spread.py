from dataclasses import fields

import numpy as np
import pytest
from reseed.stats.gaussian_range import (
    _tail_p,
    expected_gaussian_range,
    range_against_gaussian,
    tail_power,
)
from reseed.stats.spread import (
    Spread,
    median_interval,
    next_difference_limit,
    next_median_interval,
    range_content,
    ratio_limits,
    sd_ratio,
    spread,
    spread_intervals,
    variance_limits,
)
from scipy import integrate, stats


def test_spread_matches_the_definitions_by_hand():
    s = spread([1.0, 2.0, 4.0, 9.0])
    assert (s.n, s.median, s.min, s.max, s.range, s.mean) == (4, 3.0, 1.0, 9.0, 8.0, 4.0)
    # type 7 quartiles: positions 0.75 and 2.25 between the order statistics
    assert s.iqr == pytest.approx((4 + 0.25 * 5) - (1 + 0.75 * 1))
    assert s.relative_variation == pytest.approx(8 / 3)
    assert s.sd == pytest.approx(np.sqrt((9 + 4 + 0 + 25) / 3))


def test_spread_along_an_axis_equals_row_by_row():
    x = np.random.default_rng(0).normal(size=(3, 7, 5))
    stacked = spread(x, axis=1)
    for f in fields(Spread)[1:]:
        assert getattr(stacked, f.name).shape == (3, 5)
        assert getattr(stacked, f.name)[2, 4] == getattr(spread(x[2, :, 4]), f.name)


def test_degenerate_samples_have_defined_results():
    one = spread([0.5])
    assert (one.n, one.range, one.iqr, one.median) == (1, 0.0, 0.0, 0.5)
    assert np.isnan(one.sd)
    tied = spread([0.5] * 6)
    assert (tied.range, tied.iqr, tied.relative_variation) == (0.0, 0.0, 0.0)
    inexact = spread([0.1] * 7)  # the sum of seven times 0.1 is not 0.7
    assert (inexact.mean, inexact.sd) == (0.1, 0.0)
    assert np.isnan(spread([-1.0, 0.0, 1.0]).relative_variation)


@pytest.mark.parametrize("bad", [[], [1.0, np.nan], [1.0, np.inf]])
def test_empty_or_nan_is_refused(bad):
    with pytest.raises(ValueError, match=r"needs at least|NaN or infinite"):
        spread(bad)
    with pytest.raises(ValueError, match=r"needs at least|NaN or infinite"):
        range_against_gaussian(bad)


def test_expected_range_against_closed_forms_and_facts():
    result = expected_gaussian_range([1, 2, 3, 50, 500, 10_000])
    # n=2: 2/√π, n=3: 3/√π (David & Nagaraja 2003); the rest as published to the digits shown
    exact = [0, 2 / np.sqrt(np.pi), 3 / np.sqrt(np.pi)]
    np.testing.assert_allclose(result[:3], exact, atol=1e-12)
    np.testing.assert_allclose(result[3:], [4.498, 6.073, 7.703], atol=6e-4)


@pytest.mark.parametrize("n", [7, 1234, 10**8])
def test_expected_range_matches_order_statistic_quadrature(n):
    # independent formula: 2 E[max], E[max] = ∫ x n φ(x) Φ(x)^(n−1) dx
    def density(x):
        return x * n * np.exp(stats.norm.logpdf(x) + (n - 1) * stats.norm.logcdf(x))

    value, _ = integrate.quad(density, -12, 12, points=[2, 4, 6], epsabs=1e-12, limit=400)
    assert expected_gaussian_range(n) == pytest.approx(2 * value, rel=1e-9)


@pytest.mark.parametrize("bad", [0, 2.5, [3, -1], [], np.inf, np.nan])
def test_expected_range_refuses_invalid_sample_sizes(bad):
    with pytest.raises(ValueError, match="sample sizes"):
        expected_gaussian_range(bad)


def test_gaussian_range_has_uniform_p_and_unbiased_ratio():
    rng = np.random.default_rng(5)
    n_samples = 300
    result = [
        range_against_gaussian(rng.normal(3, 2, 40), n_sim=400, seed=i) for i in range(n_samples)
    ]
    # SD of R/s at n=40 is 0.5, so the mean of 300 has SE 0.03 of an expected 4.3
    assert np.mean([g.ratio for g in result]) == pytest.approx(
        1, abs=4 * 0.5 / 4.3 / n_samples**0.5
    )
    for attribute in ("p_value", "p_larger"):
        share = np.mean([getattr(g, attribute) <= 0.1 for g in result])
        assert abs(share - 0.1) < 4 * np.sqrt(0.09 / n_samples)
    as_gaussian = np.mean([g.normality.tail == "as Gaussian" for g in result])
    assert abs(as_gaussian - 0.95) < 4 * np.sqrt(0.0475 / n_samples)


@pytest.mark.parametrize(
    ("draw", "tail", "wider"),
    [
        (lambda rng, n: rng.standard_t(3, n), "heavier", True),
        (lambda rng, n: rng.uniform(size=n), "lighter", False),
    ],
)
@pytest.mark.parametrize(("n", "test"), [(500, "Shapiro-Wilk"), (6000, "Anderson-Darling")])
def test_tail_is_classified(draw, tail, wider, n, test):
    rng = np.random.default_rng(2)
    result = range_against_gaussian(draw(rng, n), n_sim=400)
    assert (result.normality.tail, result.normality.test) == (tail, test)
    assert result.normality.p_value < 0.01
    assert (result.p_larger < 0.01) == wider
    assert (result.ratio > 1) == wider
    assert result.p_value < 0.02


@pytest.mark.parametrize("bad", [[0.1] * 10, [1.0, 2.0, 3.0]])
def test_constant_or_tiny_samples_are_refused(bad):
    with pytest.raises(ValueError, match=r"all 10 values are equal|at least 4"):
        range_against_gaussian(bad)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_next_difference_is_a_range_of_two(n):
    expected = stats.studentized_range.ppf(0.9, 2, n - 1)
    assert next_difference_limit(2.0, n, 0.9) == pytest.approx(2 * expected, rel=1e-6)


def test_range_content_holds_in_simulation():
    rng = np.random.default_rng(3)
    n, n_sim = 20, 20_000
    u = rng.uniform(size=(n_sim, n))
    content = np.ptp(u, axis=1)  # of a uniform: exactly the share of seeds inside
    result = range_content(n, 0.9)
    assert content.mean() == pytest.approx(result.expected, abs=4 * content.std() / n_sim**0.5)
    assert abs((content >= result.lower).mean() - 0.9) < 4 * np.sqrt(0.09 / n_sim)
    with pytest.raises(ValueError, match="n must be at least 2"):
        range_content(1)


@pytest.mark.parametrize("n", [6, 12, 50])
def test_intervals_of_location_and_scale_cover(n):
    rng = np.random.default_rng(n)
    n_sim = 400
    result = [spread_intervals(rng.normal(1, 2, n), n_boot=200, rng=rng) for _ in range(n_sim)]
    truth = {"mean": 1, "median": 1, "sd": 2} | ({"iqr": 4 * stats.norm.ppf(0.75)} if n > 9 else {})
    for name, value in truth.items():
        covered = np.mean([getattr(g.low, name) <= value <= getattr(g.high, name) for g in result])
        # Within 0.02 of the level plus four Monte Carlo SE; the median is conservative.
        assert covered > 0.93 - 4 * np.sqrt(0.0475 / n_sim), name


def test_small_samples_have_no_interval():
    rng = np.random.default_rng(3)
    for n, there in ((4, ""), (5, "sd"), (6, "sd median"), (10, "sd median iqr")):
        low = spread_intervals(rng.normal(size=n), n_boot=50, rng=rng).low
        for name in ("sd", "median", "iqr"):
            assert np.isfinite(getattr(low, name)) == (name in there.split()), (n, name)
        assert np.isnan([low.range, low.relative_variation, low.min, low.max]).all()


def test_heavy_tail_sd_interval_beats_plain_chi_square():
    rng, n, n_sim = np.random.default_rng(5), 30, 1500
    x = rng.laplace(size=(n_sim, n))
    limits = np.array([variance_limits(row) for row in x])
    plain = x.var(axis=1, ddof=1)[:, None] * (n - 1) / stats.chi2.isf([0.025, 0.975], n - 1)
    ours, theirs = (((v[:, 0] <= 2) & (v[:, 1] >= 2)).mean() for v in (limits, plain))
    assert theirs < 0.85 < 0.88 < ours


def test_variance_limits_without_excess_kurtosis_are_standard():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])  # excess kurtosis −1.2
    expected = 4 * x.var(ddof=1) / stats.chi2.isf([0.025, 0.975], 4)
    assert variance_limits(x) == pytest.approx(tuple(expected))
    assert variance_limits([3.0, 3.0]) == (0, 0)


@pytest.mark.parametrize(("n", "level"), [(6, 0.95), (17, 0.9), (50, 0.95), (50, 0.99)])
def test_interval_of_the_median_has_its_known_coverage(n, level):
    low, high = median_interval(np.arange(1.0, n + 1), level)
    # Between the k-th smallest and k-th largest with probability 1 − 2 P(B < k), B ~ Bin(n, 1/2).
    k = int(low)
    assert high == n + 1 - k
    assert 1 - 2 * stats.binom.cdf(k - 1, n, 0.5) >= level
    assert 1 - 2 * stats.binom.cdf(k, n, 0.5) < level
    assert np.isnan(median_interval(np.arange(5.0))).all()


@pytest.mark.parametrize("n", [9, 19, 39, 199])
def test_interval_with_exact_requested_coverage_is_returned(n):
    # One new value lies outside the extremes of n with probability 2 / (n + 1).
    x = np.arange(1.0, n + 1)
    assert next_median_interval(x, 1, 1 - 2 / (n + 1)) == (1, n)
    assert next_median_interval(x, 1, round(1 - 2 / (n + 1), 3)) == (1, n)
    assert np.isnan(next_median_interval(x, 1, 1 - 1.9 / (n + 1))).all()
    # The median lies outside them with probability 2 / 2ⁿ.
    few = x[: min(n, 12)]
    exact = 1 - 2.0 ** (1 - few.size)
    assert median_interval(few, exact) == (1, few.size)
    assert np.isnan(median_interval(few, (1 + exact) / 2)).all()


@pytest.mark.parametrize(("n", "d2", "c4"), [(4, 2.059, 0.9213), (10, 3.078, 0.9727)])
def test_expected_range_in_sds_matches_control_charts(n, d2, c4):
    result = range_against_gaussian(np.arange(float(n)), n_sim=20)
    assert result.expected == pytest.approx(d2 / c4, abs=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: spread_intervals([1.0], rng=r), "at least 2"),
        (lambda r: spread_intervals([1.0, 2.0], level=95, rng=r), "level must lie"),
        (lambda r: spread_intervals([1.0, 2.0], n_boot=0, rng=r), "n_boot must be"),
        (lambda r: range_against_gaussian([1, 2, 3, 5.0], n_sim=0), "n_sim must be"),
        (lambda r: range_content(5, 0.0), "level must lie"),
    ],
)
def test_bad_settings_are_reported(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))


@pytest.mark.parametrize(("n", "n_next"), [(50, 50), (50, 10), (10, 50), (51, 49), (6, 1)])
def test_median_of_new_seeds_is_covered(n, n_next):
    """Coverage is at least the level; the interval of the true median covers far less."""
    rng = np.random.default_rng(n)
    held = []
    for _ in range(500):
        low, high = next_median_interval(rng.exponential(size=n), n_next, 0.9)
        held.append(low <= np.median(rng.exponential(size=n_next)) <= high)
    if n == 6:  # 5/7 lie between the extremes of six
        assert np.isnan(low)
        return
    assert np.mean(held) > 0.9 - 3 * np.sqrt(0.09 / 500)
    assert np.mean(held) < 0.98


def test_interval_for_many_new_seeds_is_the_medians():
    x = np.random.default_rng(0).normal(size=40)
    assert next_median_interval(x, 10**5) == median_interval(x)


def test_power_is_the_share_of_rejected_heavy_tailed_samples():
    """Each sample of t is tested by itself; with infinite degrees of freedom the power is alpha."""
    rng = np.random.default_rng(5)
    found = [range_against_gaussian(x, n_sim=1000) for x in rng.standard_t(3, (400, 30))]
    wide = np.mean([test.p_larger < 0.05 for test in found])
    heavy = np.mean([test.normality.tail == "heavier" for test in found])
    power = tail_power(30)
    assert power.range == pytest.approx(wide, abs=0.07)
    assert power.tail == pytest.approx(heavy, abs=0.07)
    null = tail_power(30, df=np.inf)
    assert null.range == pytest.approx(0.05, abs=0.015)
    assert null.tail == pytest.approx(0.025, abs=0.012)
    assert tail_power(300).range > 0.99


@pytest.mark.parametrize("n", [4, 10, 50])
def test_kurtosis_is_scipys_and_its_error_is_exact(n):
    """Var(G2) = 24 n (n − 1)² / ((n − 3)(n − 2)(n + 3)(n + 5)) (Fisher 1930)."""
    x = np.random.default_rng(7).normal(size=n)
    normality = range_against_gaussian(x, n_sim=50).normality
    assert normality.excess_kurtosis == pytest.approx(stats.kurtosis(x, bias=False))
    variance = 24 * n * (n - 1) ** 2 / ((n - 3) * (n - 2) * (n + 3) * (n + 5))
    assert normality.excess_kurtosis_se == pytest.approx(np.sqrt(variance))


def test_monte_carlo_p_values_count_ties_and_the_sample():
    null = np.arange(1.0, 10)
    assert _tail_p(null, 8.0) == (3 / 10, 2 * 3 / 10)
    assert _tail_p(null, 2.0) == (9 / 10, 2 * 3 / 10)
    assert _tail_p(null, 5.0) == (6 / 10, 1)
    assert _tail_p(null, 8 + 1e-10) == _tail_p(null, 8 - 1e-10) == _tail_p(null, 8.0)
    assert _tail_p(null, 10.0)[1] == 2 / 10


def test_interval_of_the_range_ratio_inverts_the_test():
    rng = np.random.default_rng(6)
    found = [range_against_gaussian(x, n_sim=1000) for x in rng.normal(0, 1, (300, 12))]
    outside = np.array([not test.low <= 1 <= test.high for test in found])
    rejected = [test.p_value < 0.05 for test in found]
    assert np.mean(outside == rejected) > 0.98  # Monte Carlo p-values count the sample itself
    assert np.mean(outside) == pytest.approx(0.05, abs=0.03)


def test_sd_ratio_is_the_f_test_for_light_tails():
    """Kurtosis below a Gaussian's: the degrees of freedom are n − 1."""
    a, b = np.linspace(0, 1, 12), np.linspace(0, 3, 20)
    found = sd_ratio(a, b)
    f = a.var(ddof=1) / b.var(ddof=1)
    assert found.ratio == pytest.approx(np.sqrt(f))
    assert found.p_value == pytest.approx(2 * stats.f.cdf(f, 11, 19))
    low, high = f / stats.f.ppf(0.975, 11, 19), f / stats.f.ppf(0.025, 11, 19)
    assert (found.low, found.high) == pytest.approx(tuple(np.sqrt([low, high])))
    other = sd_ratio(b, a)
    assert (other.low, other.high) == pytest.approx((1 / found.high, 1 / found.low))


def test_sd_ratio_covers_and_finds_its_detectable_ratio():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(2, 400, 24))
    found = [sd_ratio(a, b) for a, b in zip(x, y, strict=True)]
    assert np.mean([r.low <= 1 <= r.high for r in found]) > 0.92
    ratio = sd_ratio(np.linspace(0, 1, 24), np.linspace(0, 1, 24)).detectable
    p = [sd_ratio(ratio * a, b).p_value for a, b in zip(x, y, strict=True)]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.78, abs=0.06)


@pytest.mark.parametrize(
    "bad", [[1.0] * 9, [0.0] * 9, [1, 2, 3, 4.0], [1, 2, 3, 4, np.nan], [0.1 + 0.2, 0.3] * 4]
)
def test_sd_ratio_refuses_samples_without_a_spread(bad):
    with pytest.raises(ValueError, match=r"equal|at least|finite|NaN"):
        sd_ratio(bad, np.arange(9.0))


@pytest.mark.parametrize(("n", "m", "excess"), [(6, 6, 1.07), (6, 50, 1.02), (50, 50, 1.005)])
def test_ratio_limits_are_close_to_those_of_the_f_test(n, m, excess):
    """Gaussian samples: coverage of 94 to 97 %, and little wider than the F interval."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((2000, size)).std(axis=1, ddof=1) for size in (n, m))
    limits = [np.sqrt((k - 1) / stats.chi2.isf([0.025, 0.975], k - 1)) for k in (n, m)]
    ends = [
        ratio_limits((x, *(x * limits[0])), (y, *(y * limits[1])))
        for x, y in zip(a, b, strict=True)
    ]
    low, high = np.transpose(ends)
    assert 0.94 <= np.mean((low <= 1) & (high >= 1)) <= 0.97
    exact = np.sqrt(stats.f.isf(0.025, n - 1, m - 1) / stats.f.isf(0.975, n - 1, m - 1))
    ratios = high / low / exact
    assert 0.99 <= ratios.min() <= ratios.max() <= excess
    assert np.isnan(ratio_limits((1.0, np.nan, 2.0), (1.0, 0.5, 2.0))).all()


def test_interval_of_the_iqr_is_scipys_bootstrap():
    x = np.random.default_rng(8).normal(size=60)
    found = spread_intervals(x, level=0.9, n_boot=8000, rng=np.random.default_rng(9))
    other = stats.bootstrap(
        (x,), stats.iqr, n_resamples=8000, confidence_level=0.9, method="percentile",
        rng=np.random.default_rng(10),
    ).confidence_interval  # fmt: skip
    assert (found.low.iqr, found.high.iqr) == pytest.approx(tuple(other), rel=0.03)
