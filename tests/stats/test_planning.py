import numpy as np
import pytest
from reseed.stats import planning
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

# --- seeds for a width or a difference ----------------------------------------------------------


@pytest.mark.parametrize("paired", [True, False])
def test_power_against_statsmodels(paired):
    other = TTestPower() if paired else TTestIndPower()
    for effect, n in ((0.2, 30), (0.5, 10), (1.5, 5), (-0.8, 20)):
        expected = other.power(abs(effect), n, 0.05)
        result = planning.power(2 * effect, 2.0, n, 0.05, paired)
        assert result == pytest.approx(expected, abs=1e-6)
    planned = planning.seeds_for_difference(0.5, 1.0, 0.8, 0.05, paired)
    assert planned == int(np.ceil(other.solve_power(0.5, alpha=0.05, power=0.8)))
    assert planning.power(0.5, 1.0, planned - 1, 0.05, paired) < 0.8


def test_power_of_welchs_test_with_unequal_spreads():
    rng = np.random.default_rng(3)
    n = planning.seeds_for_difference(1.5, 1.0, paired=False, sd_b=0.1)
    a, b = rng.normal(0, 1, (40_000, n)), rng.normal(1.5, 0.1, (40_000, n))
    found = (stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue <= 0.05).mean()
    promised = float(planning.power(1.5, 1.0, n, paired=False, sd_b=0.1))
    assert promised >= 0.8
    assert found == pytest.approx(promised, abs=0.01)
    same = planning.power(0.5, 2.0, 9, paired=False, sd_b=2.0)
    assert same == planning.power(0.5, 2.0, 9, paired=False)
    with pytest.raises(ValueError, match="sd_b"):
        planning.power(0.5, 2.0, 9, sd_b=1.0)


# --- seeds x folds ------------------------------------------------------------------------------


@pytest.mark.parametrize(("df", "alpha"), [(4, 0.05), (9, 0.05 / 21), (200, 0.01)])
def test_detectable_effect_has_its_power(df, alpha):
    effect = planning.detectable_effect(df, 0.8, alpha)
    # statsmodels' paired power at n = df + 1, whose effect is in SD of the differences.
    result = TTestPower().power(effect / np.sqrt(df + 1), df + 1, alpha)
    assert result == pytest.approx(0.8, abs=1e-6)
    assert planning.detectable_effect([df, 2 * df], 0.8, alpha).shape == (2,)
    with pytest.raises(ValueError, match="target_power"):
        planning.detectable_effect(df, 0.01, 0.05)


def test_sd_and_number_of_seeds_broadcast():
    sd, n = np.array([1.0, 2.0, 3.0]), np.array([4, 9, 16])
    powers = planning.power(1.0, sd, n)
    for i in range(3):
        assert powers[i] == planning.power(1.0, sd[i], n[i])
    with pytest.raises(ValueError, match="sd must be"):
        planning.power(1.0, [1.0, 0.0, 1.0], n)


@pytest.mark.parametrize("paired", [True, False])
def test_number_of_seeds_by_trying_all(paired):
    test = TTestPower() if paired else TTestIndPower()
    for effect in (30.0, 6.0, 2.0, 1.1, 0.8):
        tried = range(2, 60)
        expected = next(n for n in tried if test.power(effect, n, 0.05) >= 0.8)
        assert planning.seeds_for_difference(effect, 1.0, paired=paired) == expected


def test_upper_limit_of_a_pilot_sd_has_a_closed_form():
    for pilot in ([1.0, 2.0], [1.0, 2.0, 4.0, 8.0]):
        df, sd = len(pilot) - 1, np.std(pilot, ddof=1)
        assert planning.pilot_sd(pilot) == pytest.approx(sd)
        upper = sd * np.sqrt(df / stats.chi2.ppf(0.1, df))
        assert planning.pilot_sd(pilot, 0.9) == pytest.approx(upper)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: planning.pilot_sd([1.0]), "at least 2"),
    (lambda: planning.pilot_sd([]), "at least 2"),
    (lambda: planning.pilot_sd([1.0, np.nan]), "NaN"),
    (lambda: planning.pilot_sd([1.0, 1.0]), "equal"),
    (lambda: planning.pilot_sd([1.0, 2.0], 1.0), "assurance"),
    (lambda: planning.power(1.0, 0.0, 5), "sd must be"),
    (lambda: planning.power(1.0, 1.0, 1), "n must be"),
    (lambda: planning.power(np.nan, 1.0, 5), "difference"),
    (lambda: planning.seeds_for_difference(0.0, 1.0), "difference"),
    (lambda: planning.seeds_for_difference(1e-9, 1.0), "relax"),
    (lambda: planning.seeds_for_difference(1.0, 1.0, target_power=1.0), "power"),
])  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_edges_of_valid_plans():
    for df in (0.5, 1.0):
        t = planning.detectable_effect(df, 0.8)
        assert planning.t_power(t, df, 0.05) == pytest.approx(0.8, abs=1e-6)
    with pytest.raises(ValueError, match="df must be positive"):
        planning.detectable_effect(0.0)
    with pytest.raises(ValueError, match="target_power must exceed alpha"):
        planning.detectable_effect(5, 0.05, 0.05)
