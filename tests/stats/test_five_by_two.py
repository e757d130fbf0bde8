"""The 5×2 tests against their formulas and by simulation; the difference that F detects."""

import numpy as np
import pytest
from reseed.stats.five_by_two import detectable_by_f, five_by_two
from scipy import stats


def test_combined_f_equals_its_formula():
    rng = np.random.default_rng(3)
    p = rng.normal(0.1, 1, (5, 2))
    numerator = denominator = 0.0
    for one, two in p:
        numerator += one**2 + two**2
        mean = (one + two) / 2
        denominator += (one - mean) ** 2 + (two - mean) ** 2
    result = five_by_two(p)
    assert result.f == pytest.approx(numerator / (2 * denominator))
    assert result.f_p == pytest.approx(1 - stats.f.cdf(numerator / (2 * denominator), 10, 5))
    assert result.t == pytest.approx(p[0, 0] / np.sqrt(denominator / 5))
    # F is the mean of Dietterich's t² over the ten choices of the first fold (Alpaydın).
    ten = p.ravel() ** 2 / (denominator / 5)
    assert result.f == pytest.approx(ten.mean())


def test_tests_are_conservative_on_gaussian_differences():
    """Both numerators depend on the variance in the denominator, so neither test is exact."""
    p = np.random.default_rng(4).normal(size=(20_000, 5, 2))
    result = five_by_two(p)
    for level in (0.01, 0.05):
        assert (result.f_p <= level).mean() <= level
        assert (result.t_p <= level).mean() <= level
    strong = five_by_two(p + 3)
    assert (strong.f_p <= 0.05).mean() > 0.8
    assert five_by_two(np.zeros((5, 2))).f_p == 1
    assert five_by_two(np.ones((5, 2))).f_p == 0
    with pytest.raises(ValueError, match="5 repeats"):
        five_by_two(np.ones((2, 5)))


def test_results_have_the_unit_of_the_scores():
    p = np.random.default_rng(6).normal(0.1, 1, (3, 5, 2))
    result, large = five_by_two(p), five_by_two(1e200 * p)
    np.testing.assert_allclose(result.mean_difference, p.mean(axis=(1, 2)))
    np.testing.assert_allclose(large.mean_difference, 1e200 * p.mean(axis=(1, 2)))
    np.testing.assert_allclose(large.f_p, result.f_p)
    # The variance of the two folds of a repeat, averaged over the repeats.
    sd = np.sqrt(p.var(axis=2, ddof=1).mean(axis=1))
    np.testing.assert_allclose(result.fold_sd, sd)
    np.testing.assert_allclose(large.fold_sd, 1e200 * sd)
    np.testing.assert_allclose(result.t_p, 2 * stats.t.cdf(-np.abs(result.t), 5))


def test_zero_first_difference_gives_t_of_zero():
    p = np.random.default_rng(7).normal(size=(5, 2))
    p[0, 0] = 0
    assert (five_by_two(p).t, five_by_two(p).t_p) == (0, 1)
    assert five_by_two(np.zeros((5, 2))).t_p == 1


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.1, 0.5), (0.05, 0.3)])
def test_detectable_difference_is_found_with_its_power(alpha, power):
    shift = detectable_by_f(alpha, power)
    draws = np.random.default_rng(8).normal(shift, 1, (100_000, 5, 2))
    found = (five_by_two(draws).f_p <= alpha).mean()
    assert found == pytest.approx(power, abs=4 * np.sqrt(power * (1 - power) / 100_000))


def test_detectable_difference_refuses_a_level_above_the_power():
    assert detectable_by_f(0.499) > 0
    for alpha, power in ((0.5, 0.8), (0.3, 0.3), (0.3, 0.2)):
        with pytest.raises(ValueError, match=r"alpha must be below 0\.5 and below the power"):
            detectable_by_f(alpha, power)
    with pytest.raises(ValueError, match="target_power"):
        detectable_by_f(0.05, 1.0)
