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


def test_power_by_simulation():
    rng = np.random.default_rng(1)
    planned = planning.seeds_for_difference(1.0, 1.3, 0.8)
    x = rng.normal(1.0, 1.3, size=(8000, planned))
    result = stats.ttest_1samp(x, 0, axis=1).pvalue < 0.05
    mc_se = np.sqrt(0.8 * 0.2 / 8000)
    assert result.mean() == pytest.approx(planning.power(1.0, 1.3, planned), abs=4 * mc_se)
    assert np.isfinite(planning.power(np.array(20.0), 1.0, np.arange(2, 200))).all()


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


def test_pilot_sd_and_its_assurance():
    pilot = np.random.default_rng(2).normal(size=(4000, 8))
    assert planning.pilot_sd(pilot[0]) == pytest.approx(pilot[0].std(ddof=1))
    upper = np.array([planning.pilot_sd(p, 0.8) for p in pilot])
    assert (upper >= 1).mean() == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / 4000))


# --- seeds x folds ------------------------------------------------------------------------------


def simulate_grid(rng, repeats, var_seed, var_fold, var_residual, a, b, mean):
    y = mean + rng.normal(0, var_seed**0.5, (repeats, a, 1))
    return (y + rng.normal(0, var_fold**0.5, (repeats, 1, b))
            + rng.normal(0, var_residual**0.5, (repeats, a, b)))  # fmt: skip


def test_grid_degrees_of_freedom_match_estimated_variance():
    """Satterthwaite: 2 E[V]² / Var[V] of the variance estimated from simulated grids."""
    components, (a, b), n_sim = (0.6, 1.2, 2.0), (5, 4), 60_000
    rng = np.random.default_rng(21)
    y = rng.normal(0, components[0] ** 0.5, (n_sim, a, 1))
    y = y + rng.normal(0, components[1] ** 0.5, (n_sim, 1, b))
    y = y + rng.normal(0, components[2] ** 0.5, (n_sim, a, b))
    rows, columns, mean = y.mean(axis=2), y.mean(axis=1), y.mean(axis=(1, 2))
    by_seed = b * rows.var(axis=1, ddof=1)
    by_fold = a * columns.var(axis=1, ddof=1)
    rest = y - rows[:, :, None] - columns[:, None] + mean[:, None, None]
    residual = (rest**2).sum(axis=(1, 2)) / ((a - 1) * (b - 1))
    estimated = (by_seed + by_fold - residual) / (a * b)
    se, df = planning.grid_standard_error(*components, a, b)
    assert se**2 == pytest.approx(estimated.mean(), rel=0.02)
    assert df == pytest.approx(2 * estimated.mean() ** 2 / estimated.var(), rel=0.04)


def test_grid_degrees_of_freedom_in_exact_cases():
    """A single mean square has exact degrees of freedom; pure noise gives v, v and −v."""
    a, b = 6, 4
    assert planning.grid_standard_error(2.0, 0, 0, a, b)[1] == pytest.approx(a - 1)
    assert planning.grid_standard_error(0, 2.0, 0, a, b)[1] == pytest.approx(b - 1)
    noise = planning.grid_standard_error(0, 0, 2.0, a, b)[1]
    assert noise == pytest.approx(1 / (1 / 5 + 1 / 3 + 1 / 15))
    # Mean squares 3 + 4·1 = 7, 3 + 3·2 = 9 and 3 of three seeds and four folds.
    error, df = planning.grid_standard_error(1, 2, 3, 3, 4)
    assert error == pytest.approx(np.sqrt(13 / 12))
    assert df == pytest.approx(13**2 / (7**2 / 2 + 9**2 / 3 + 3**2 / 6))


@pytest.mark.parametrize(("df", "alpha"), [(4, 0.05), (9, 0.05 / 21), (200, 0.01)])
def test_detectable_effect_has_its_power(df, alpha):
    effect = planning.detectable_effect(df, 0.8, alpha)
    # statsmodels' paired power at n = df + 1, whose effect is in SD of the differences.
    result = TTestPower().power(effect / np.sqrt(df + 1), df + 1, alpha)
    assert result == pytest.approx(0.8, abs=1e-6)
    assert planning.detectable_effect([df, 2 * df], 0.8, alpha).shape == (2,)
    with pytest.raises(ValueError, match="target_power"):
        planning.detectable_effect(df, 0.01, 0.05)


def test_grid_standard_error_and_power_by_simulation():
    rng = np.random.default_rng(3)
    components, a, b, repeats = (1.0, 0.6, 2.0), 9, 7, 6000
    se, df = planning.grid_standard_error(*components, a, b)
    y = simulate_grid(rng, repeats, *components, a, b, mean=1.6)
    means = y.mean((1, 2))
    assert means.std() == pytest.approx(se, rel=4 / np.sqrt(2 * repeats))
    # Test each grid with its ANOVA estimates of standard error and degrees of freedom.
    rows, columns = y.mean(2), y.mean(1)
    ms_a, ms_b = b * rows.var(1, ddof=1), a * columns.var(1, ddof=1)
    residual = y - rows[:, :, None] - columns[:, None] + means[:, None, None]
    ms_e = (residual**2).sum((1, 2)) / ((a - 1) * (b - 1))
    t = means / np.sqrt(np.maximum(ms_a + ms_b - ms_e, ms_e) / (a * b))
    expected = planning.t_power(1.6 / se, df, 0.05)
    result = np.abs(t) > stats.t.isf(0.025, df)
    assert result.mean() == pytest.approx(expected, abs=0.03)  # Satterthwaite is approximate
    assert 0.5 < expected < 0.95


def test_grid_reduces_to_the_one_way_plan_without_fold_variance():
    se, df = planning.grid_standard_error(4.0, 0.0, 0.0, 10, 6)
    assert se == pytest.approx(2 / np.sqrt(10))
    assert df == pytest.approx(9)


def test_plan_grid_is_the_cheapest():
    for target in ({"half_width": 1.0}, {"difference": 1.4}):
        plan = planning.plan_grid(0.3, 0.8, 1.5, max_seeds=25, max_folds=20, **target)
        best = None
        for a in range(2, 26):
            for b in range(2, 21):
                se, df = planning.grid_standard_error(0.3, 0.8, 1.5, a, b)
                if "half_width" in target:
                    good = stats.t.isf(0.025, df) * se <= 1.0
                else:
                    good = planning.t_power(1.4 / se, df, 0.05) >= 0.8
                if good and (best is None or (a * b, b) < best[:2]):
                    best = (a * b, b, a)
        assert (plan.n_seeds * plan.n_folds, plan.n_folds, plan.n_seeds) == best
        assert plan.value.shape == (24, 19)
    with pytest.raises(ValueError, match=r"out of reach.*best is"):
        planning.plan_grid(0.3, 0.8, 1.5, half_width=1e-3, max_seeds=10, max_folds=10)


# --- ensemble size ------------------------------------------------------------------------------


def test_ensemble_size_rule():
    levels = [np.r_[np.zeros(7), np.ones(3)], np.zeros(10), np.r_[np.zeros(9), 1], np.zeros(10)]
    result = planning.ensemble_size([3, 5, 10, 20], levels, 0.01, 100, share=0.95)
    assert result.size == 20  # 5 passes, but 10 does not
    np.testing.assert_allclose(result.share, [0.7, 1, 0.9, 1])
    assert planning.ensemble_size([3, 5, 10, 20], levels, 0.01, 100, share=0.9).size == 5
    assert planning.ensemble_size([3], levels[:1], 0.01, 100).size is None
    np.testing.assert_allclose(1 / result.n, [k / 100 + (1 - k / 100) / 10 for k in (3, 5, 10, 20)])


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
    (lambda: planning.plan_grid(1, 1, 1), "either"),
    (lambda: planning.plan_grid(-1, 1, 1, half_width=1), "components"),
    (lambda: planning.grid_standard_error(1, 1, 1, 1, 5), "two seeds"),
    (lambda: planning.grid_standard_error(1, 1, 1, [5, 1], 5), "two seeds"),
    (lambda: planning.grid_standard_error(1, 1, 1, 5, [1, 5]), "two folds"),
    (lambda: planning.ensemble_size([5, 3], [[0.0], [0.0]], 0.1, 9), "ascending"),
    (lambda: planning.ensemble_size([3], [[np.nan]], 0.1, 9), "NaN"),
    (lambda: planning.ensemble_size([3], [[0.1]], 0.1, 9, share=0), "share"),
])  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


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


def test_edges_of_valid_plans():
    for df in (0.5, 1.0):
        t = planning.detectable_effect(df, 0.8)
        assert planning.t_power(t, df, 0.05) == pytest.approx(0.8, abs=1e-6)
    with pytest.raises(ValueError, match="df must be positive"):
        planning.detectable_effect(0.0)
    with pytest.raises(ValueError, match="target_power must exceed alpha"):
        planning.detectable_effect(5, 0.05, 0.05)
    se, df = planning.grid_standard_error(0.0, 0.5, 0.0, 2, 2)
    assert (se, df) == (pytest.approx(0.5), pytest.approx(1))  # one mean square of two folds
    for bad in ((0.0, 0.0, 0.0), (1.0, -0.1, 1.0), (np.nan, 1.0, 1.0)):
        with pytest.raises(ValueError, match="components"):
            planning.grid_standard_error(*bad, 5, 5)
    with pytest.raises(ValueError, match="either"):
        planning.plan_grid(1, 1, 1, half_width=1.0, difference=1.0)
    with pytest.raises(ValueError, match="share"):
        planning.ensemble_size([3], [[0.1]], 0.1, 9, share=1.5)
    with pytest.raises(ValueError, match="ascending"):
        planning.ensemble_size([3, 3], [[0.1], [0.1]], 0.1, 9)
    # Consecutive sizes are ascending.
    assert planning.ensemble_size([3, 4], [[0.0], [0.0]], 0.1, 9).size == 3
