import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from reseed.stats.mean_squares import _mls_interval
from reseed.stats.variance import crossed_variance, crossed_variance_unbalanced
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec
from statsmodels.stats.anova import anova_lm


def _rng():
    return np.random.default_rng(0)


def _grid(rng, m, d, r=None, a=1.0, b=1.0, ab=0.0, e=1.0):
    shape = (m, d, r or 1)
    y = rng.normal(0, a, (m, 1, 1)) + rng.normal(0, b, (1, d, 1)) + rng.normal(0, ab, (m, d, 1))
    y = y + rng.normal(0, e, shape)
    return y if r else y[:, :, 0]


def _long(y):
    i, j = np.indices(y.shape[:2])
    return i.ravel(), j.ravel()


def test_mean_squares_agree_with_statsmodels_anova():
    y = _grid(np.random.default_rng(1), 4, 6, 3, ab=0.7)
    i, j, _ = np.indices(y.shape)
    frame = pd.DataFrame({"y": y.ravel(), "i": i.ravel(), "j": j.ravel()})
    table = anova_lm(sm.OLS.from_formula("y ~ C(i) * C(j)", frame).fit())
    ms = (table["sum_sq"] / table["df"]).to_numpy()
    result = crossed_variance(y, rng=_rng())
    expected = [(ms[0] - ms[2]) / 18, (ms[1] - ms[2]) / 12, (ms[2] - ms[3]) / 3, ms[3]]
    np.testing.assert_allclose([c.raw for c in result.components], expected, rtol=1e-9)
    assert result["interaction"].p_value == pytest.approx(table["PR(>F)"].iloc[2])


def test_unbalanced_estimates_agree_with_statsmodels_mixedlm():
    rng = np.random.default_rng(2)
    y = _grid(rng, 8, 9, a=1.5, b=1.0)
    keep = rng.random(y.shape) > 0.25
    i, j = np.nonzero(keep)
    result = crossed_variance_unbalanced(y[keep], i, j, rng=_rng())
    z = [(c[:, None] == np.unique(c)).astype(float) for c in (i, j)]
    names = [[[f"{k}{n}" for n in range(x.shape[1])]] for k, x in zip("ab", z, strict=True)]
    spec = VCSpec(["a", "b"], names, [[x] for x in z])
    fit = MixedLM(y[keep], np.ones((i.size, 1)), np.zeros(i.size, int), exog_vc=spec).fit(reml=True)
    theirs = [*fit.vcomp, fit.scale]
    np.testing.assert_allclose([c.variance for c in result.components], theirs, rtol=3e-4)
    assert result.mean == pytest.approx(fit.fe_params[0], abs=1e-4)


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.6), (0.2, 1.0), (30.0, 0.5)])
def test_balanced_closed_form_equals_reml(a, b):
    y = _grid(np.random.default_rng(4), 8, 9, a=a, b=b)
    closed = crossed_variance(y, rng=_rng())
    assert min(c.raw for c in closed.components) > 0
    reml = crossed_variance_unbalanced(y.ravel(), *_long(y), rng=_rng())
    for c, r in zip(closed.components, reml.components, strict=True):
        assert r.variance == pytest.approx(c.variance, rel=1e-5)
    assert reml.mean == pytest.approx(closed.mean)
    for c, r in zip(closed.components, reml.components, strict=True):
        assert (r.low, r.high) == (pytest.approx(c.low, rel=1e-4), pytest.approx(c.high, rel=1e-4))
        assert r.p_value == pytest.approx(c.p_value, rel=1e-6, nan_ok=True)
        assert r.share_high == pytest.approx(c.share_high, rel=1e-4)


def test_unbalanced_f_test_agrees_with_statsmodels_type_two():
    rng = np.random.default_rng(3)
    y = _grid(rng, 5, 6, a=0.5, b=0.3)
    keep = rng.random(y.shape) > 0.25
    i, j = np.nonzero(keep)
    frame = pd.DataFrame({"y": y[keep], "i": i, "j": j})
    table = anova_lm(sm.OLS.from_formula("y ~ C(i) + C(j)", frame).fit(), typ=2)
    result = crossed_variance_unbalanced(y[keep], i, j, rng=_rng())
    np.testing.assert_allclose(
        [result["model_seed"].p_value, result["data_seed"].p_value], table["PR(>F)"].iloc[:2]
    )


@pytest.mark.parametrize(
    ("shape", "sd"),
    [((10, 10), (0.3, 1.0, 0.0, 1.0)), ((5, 6), (1.0, 2.0, 0.0, 1.0)), ((6, 6, 3), (1, 1, 0.5, 1))],
)
def test_estimators_are_unbiased_and_intervals_cover(shape, sd):
    rng = np.random.default_rng(4)
    n_sim = 400
    a, b, ab, e = sd
    truth = np.array([a * a, b * b, ab * ab, e * e] if len(shape) == 3 else [a * a, b * b, e * e])
    raw, covered, shares = [], [], []
    for _ in range(n_sim):
        result = crossed_variance(_grid(rng, *shape, a=a, b=b, ab=ab, e=e), n_draws=500, rng=rng)
        raw.append([c.raw for c in result.components])
        covered.append(
            [c.low <= t <= c.high for c, t in zip(result.components, truth, strict=True)]
        )
        shares.append([
            c.share_low <= t <= c.share_high
            for c, t in zip(result.components, truth / truth.sum(), strict=True)
        ])  # fmt: skip
    se = np.std(raw, axis=0) / np.sqrt(n_sim)
    assert np.all(np.abs(np.mean(raw, axis=0) - truth) < 4 * se)
    tolerance = 4 * np.sqrt(0.95 * 0.05 / n_sim)  # 0.044
    assert np.all(np.mean(covered, axis=0) > 0.95 - tolerance)
    assert np.all(np.mean(shares, axis=0) > 0.95 - tolerance)


def test_factor_without_effect_is_truncated_at_zero():
    # The data seed has no effect beyond the residual: its moment estimate is negative.
    y = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])  # equal column means
    result = crossed_variance(y, rng=_rng())
    for name in ("model_seed", "data_seed"):
        assert result[name].raw < 0
        assert (result[name].variance, result[name].share, result[name].low) == (0, 0, 0)
    assert result["residual"].share == 1


def test_purely_additive_and_constant_grids_are_defined():
    y = np.arange(4.0)[:, None] + 10 * np.arange(3.0)
    result = crossed_variance(y, rng=_rng())
    assert result["model_seed"].raw == pytest.approx(np.var(np.arange(4), ddof=1))
    assert result["data_seed"].raw == pytest.approx(100)
    assert result["residual"].variance == pytest.approx(0, abs=1e-20)
    constant = crossed_variance(np.full((3, 3), 0.1), rng=_rng())
    assert (constant.total, constant.mean) == (0, pytest.approx(0.1))
    assert np.isnan(constant["model_seed"].share)


@pytest.mark.nightly
def test_missing_cells_recover_true_components():
    rng = np.random.default_rng(5)
    truth, n_sim = np.array([1.0, 0.25, 1.0]), 60
    estimates, covered = [], []
    for _ in range(n_sim):
        y = _grid(rng, 10, 12, a=1.0, b=0.5)
        keep = rng.random(y.shape) > 0.2
        i, j = np.nonzero(keep)
        result = crossed_variance_unbalanced(y[keep], i, j, n_draws=50, rng=rng).components
        estimates.append([c.variance for c in result])
        covered.append([c.low <= t <= c.high for c, t in zip(result, truth, strict=True)])
    se = np.std(estimates, axis=0) / np.sqrt(n_sim)
    assert np.all(np.abs(np.mean(estimates, axis=0) - truth) < 4 * se)
    assert np.all(np.mean(covered, axis=0) > 0.95 - 4 * np.sqrt(0.0475 / n_sim))


def test_reml_can_estimate_zero_components():
    y = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])
    result = crossed_variance_unbalanced(y.ravel(), *_long(y), rng=_rng())
    assert result["model_seed"].variance == 0
    assert result["model_seed"].low == 0
    assert result["model_seed"].high > 0
    # If both factors are 0, the residual is the sample variance.
    assert result["residual"].variance == pytest.approx(y.var(ddof=1))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros((1, 4)), "at least 2"),
        (np.zeros((2, 2, 1)), "at least 2"),
        (np.zeros(4), "at least 2"),
        (np.array([[1, np.nan], [1, 2.0]]), "NaN"),
        (np.zeros((0, 2)), "needs at least"),
    ],
)
def test_crossed_variance_refuses_bad_input(y, message):
    with pytest.raises(ValueError, match=message):
        crossed_variance(y, rng=_rng())


@pytest.mark.parametrize(
    ("y", "first", "second", "message"),
    [
        ([1, 2, 3, 4.0], [0, 0, 1], [0, 1, 0, 1], "same length"),
        ([1, 2, 3, 4.0], [0, 0, 0, 0], [0, 1, 0, 1], "2 levels"),
        ([1, 1, 1, 1.0], [0, 0, 1, 1], [0, 1, 0, 1], "all scores are equal"),
        ([1, 2, 5, 6.5], [0, 0, 1, 1], [7, 7, 9, 9], "labels coincide"),
        ([1, 2, 11, 12.0], [0, 0, 1, 1], [0, 1, 0, 1], "exactly additive"),
        ([1, 2, 3, np.nan], [0, 0, 1, 1], [0, 1, 0, 1], "NaN"),
    ],
)
def test_unbalanced_variance_refuses_bad_input(y, first, second, message):
    with pytest.raises(ValueError, match=message):
        crossed_variance_unbalanced(y, first, second, rng=_rng())


@pytest.mark.parametrize(("s1", "n1", "s2", "n2"), [(5.0, 4, 1.0, 12), (1.3, 9, 1.0, 81)])
def test_modified_large_sample_interval_matches_its_formula(s1, n1, s2, n2):
    """Formula for gauge studies (Burdick, Borror & Montgomery 2003): F with infinite df.

    And where its constants make it exact: the lower end is 0 where the F test is at its level, and
    with nothing below (s2 = 0) both ends are those of χ².
    """
    a, big = 0.025, 1e12
    g1, g2 = (1 - 1 / stats.f.ppf(1 - a, n, big) for n in (n1, n2))
    h1, h2 = (1 / stats.f.ppf(a, n, big) - 1 for n in (n1, n2))
    f, f2 = stats.f.ppf(1 - a, n1, n2), stats.f.ppf(a, n1, n2)
    g12 = ((f - 1) ** 2 - g1**2 * f**2 - h2**2) / f
    h12 = ((1 - f2) ** 2 - h1**2 * f2**2 - g2**2) / f2
    low = s1 - s2 - np.sqrt(g1**2 * s1**2 + h2**2 * s2**2 + g12 * s1 * s2)
    high = s1 - s2 + np.sqrt(h1**2 * s1**2 + g2**2 * s2**2 + h12 * s1 * s2)
    result = _mls_interval(s1, n1, s2, n2, 3.0, 0.95)
    assert result == pytest.approx((max(0, low / 3), high / 3), rel=1e-6)
    assert _mls_interval(f * s2, n1, s2, n2, 1.0, 0.95)[0] == pytest.approx(0, abs=1e-7)
    assert _mls_interval(f * s2 * 1.01, n1, s2, n2, 1.0, 0.95)[0] > 0
    alone = _mls_interval(s1, n1, 0.0, n2, 1.0, 0.95)
    assert alone == pytest.approx(tuple(s1 * n1 / stats.chi2.ppf([1 - a, a], n1)))


def test_many_levels_of_either_factor():
    rng = np.random.default_rng(12)
    y = _grid(rng, 400, 3, a=1.0, b=0.5)
    keep = rng.random(y.shape) > 0.05
    i, j = np.nonzero(keep)
    one = crossed_variance_unbalanced(y[keep], i, j, n_draws=50, rng=_rng())
    other = crossed_variance_unbalanced(y[keep], j, i, n_draws=50, rng=_rng())
    first, second, residual = one.components
    for a, b in ((first, other.components[1]), (second, other.components[0])):
        assert (a.variance, a.low, a.high) == pytest.approx((b.variance, b.low, b.high), rel=1e-4)
        assert a.p_value == pytest.approx(b.p_value)
    # 400 levels: SE of the variance 1 is about √(2/400)·1.4; residual √(2/740)
    assert first.variance == pytest.approx(1, abs=0.4)
    assert residual.variance == pytest.approx(1, abs=0.21)
