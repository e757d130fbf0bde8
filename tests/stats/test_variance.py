import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from reseed.stats.variance import (
    crossed_variance,
    crossed_variance_unbalanced,
    distribution_wise_sd,
    seed_and_test_noise,
)
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
    got = crossed_variance(y, rng=_rng())
    expected = [(ms[0] - ms[2]) / 18, (ms[1] - ms[2]) / 12, (ms[2] - ms[3]) / 3, ms[3]]
    np.testing.assert_allclose([c.raw for c in got.components], expected, rtol=1e-9)
    assert got["interaction"].p_value == pytest.approx(table["PR(>F)"].iloc[2])


def test_unbalanced_estimates_agree_with_statsmodels_mixedlm():
    rng = np.random.default_rng(2)
    y = _grid(rng, 8, 9, a=1.5, b=1.0)
    keep = rng.random(y.shape) > 0.25
    i, j = np.nonzero(keep)
    got = crossed_variance_unbalanced(y[keep], i, j, rng=_rng())
    z = [(c[:, None] == np.unique(c)).astype(float) for c in (i, j)]
    names = [[[f"{k}{n}" for n in range(x.shape[1])]] for k, x in zip("ab", z, strict=True)]
    spec = VCSpec(["a", "b"], names, [[x] for x in z])
    fit = MixedLM(y[keep], np.ones((i.size, 1)), np.zeros(i.size, int), exog_vc=spec).fit(reml=True)
    theirs = [*fit.vcomp, fit.scale]
    np.testing.assert_allclose([c.variance for c in got.components], theirs, rtol=3e-4)
    assert got.mean == pytest.approx(fit.fe_params[0], abs=1e-4)


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


def test_unbalanced_f_test_agrees_with_statsmodels_type_two_anova():
    rng = np.random.default_rng(3)
    y = _grid(rng, 5, 6, a=0.5, b=0.3)
    keep = rng.random(y.shape) > 0.25
    i, j = np.nonzero(keep)
    frame = pd.DataFrame({"y": y[keep], "i": i, "j": j})
    table = anova_lm(sm.OLS.from_formula("y ~ C(i) + C(j)", frame).fit(), typ=2)
    got = crossed_variance_unbalanced(y[keep], i, j, rng=_rng())
    np.testing.assert_allclose(
        [got["model_seed"].p_value, got["data_seed"].p_value], table["PR(>F)"].iloc[:2]
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
        got = crossed_variance(_grid(rng, *shape, a=a, b=b, ab=ab, e=e), n_draws=500, rng=rng)
        raw.append([c.raw for c in got.components])
        covered.append([c.low <= t <= c.high for c, t in zip(got.components, truth, strict=True)])
        shares.append([
            c.share_low <= t <= c.share_high
            for c, t in zip(got.components, truth / truth.sum(), strict=True)
        ])  # fmt: skip
    se = np.std(raw, axis=0) / np.sqrt(n_sim)
    assert np.all(np.abs(np.mean(raw, axis=0) - truth) < 4 * se)
    slack = 4 * np.sqrt(0.95 * 0.05 / n_sim)  # 0.044
    assert np.all(np.mean(covered, axis=0) > 0.95 - slack)
    assert np.all(np.mean(shares, axis=0) > 0.95 - slack)


def test_truncation_and_share_when_a_factor_does_nothing():
    # data seed exactly without effect beyond residual: its moment estimate is negative
    y = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])  # equal column means
    got = crossed_variance(y, rng=_rng())
    for name in ("model_seed", "data_seed"):
        assert got[name].raw < 0
        assert (got[name].variance, got[name].share, got[name].low) == (0, 0, 0)
    assert got["residual"].share == 1


def test_purely_additive_and_constant_grids_are_defined():
    y = np.arange(4.0)[:, None] + 10 * np.arange(3.0)
    got = crossed_variance(y, rng=_rng())
    assert got["model_seed"].raw == pytest.approx(np.var(np.arange(4), ddof=1))
    assert got["data_seed"].raw == pytest.approx(100)
    assert got["residual"].variance == pytest.approx(0, abs=1e-20)
    constant = crossed_variance(np.full((3, 3), 0.1), rng=_rng())
    assert (constant.total, constant.mean) == (0, pytest.approx(0.1))
    assert np.isnan(constant["model_seed"].share)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.1, 10), st.floats(-10, 10))
def test_permutation_scale_shift_and_transpose(seed, scale, shift):
    rng = np.random.default_rng(seed)
    y = _grid(rng, 4, 5)
    base = crossed_variance(y, n_draws=50, rng=_rng())
    moved = scale * y[rng.permutation(4)][:, rng.permutation(5)] + shift
    got = crossed_variance(moved, n_draws=50, rng=_rng())
    flipped = crossed_variance(y.T, ("data_seed", "model_seed"), n_draws=50, rng=_rng())
    for c in base.components:
        assert got[c.name].raw == pytest.approx(scale**2 * c.raw, rel=1e-6, abs=1e-9)
        assert got[c.name].share == pytest.approx(c.share, abs=1e-9)
        assert flipped[c.name].raw == pytest.approx(c.raw)
        assert flipped[c.name].high == pytest.approx(c.high)


def test_missing_cells_recover_the_truth():
    rng = np.random.default_rng(5)
    truth, n_sim = np.array([1.0, 0.25, 1.0]), 60
    estimates, covered = [], []
    for _ in range(n_sim):
        y = _grid(rng, 10, 12, a=1.0, b=0.5)
        keep = rng.random(y.shape) > 0.2
        i, j = np.nonzero(keep)
        got = crossed_variance_unbalanced(y[keep], i, j, n_draws=50, rng=rng).components
        estimates.append([c.variance for c in got])
        covered.append([c.low <= t <= c.high for c, t in zip(got, truth, strict=True)])
    se = np.std(estimates, axis=0) / np.sqrt(n_sim)
    assert np.all(np.abs(np.mean(estimates, axis=0) - truth) < 4 * se)
    assert np.all(np.mean(covered, axis=0) > 0.95 - 4 * np.sqrt(0.0475 / n_sim))


def test_reml_boundary_is_an_answer():
    y = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]])
    got = crossed_variance_unbalanced(y.ravel(), *_long(y), rng=_rng())
    assert got["model_seed"].variance == 0
    assert got["model_seed"].low == 0
    assert got["model_seed"].high > 0
    # with both factors at 0 the residual is the plain sample variance
    assert got["residual"].variance == pytest.approx(y.var(ddof=1))


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
def test_crossed_variance_refuses(y, message):
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
def test_unbalanced_refuses(y, first, second, message):
    with pytest.raises(ValueError, match=message):
        crossed_variance_unbalanced(y, first, second, rng=_rng())


def _runs(rng, runs, items, seed_sd):
    """Correctness with a real seed effect; items independent given the run."""
    base = np.linspace(-1, 3, items)
    return rng.random((runs, items)) < stats.norm.cdf(base + seed_sd * rng.normal(size=(runs, 1)))


def test_distribution_wise_variance_is_the_mean_covariance_of_distinct_items():
    c = _runs(np.random.default_rng(6), 40, 25, 0.5)
    cov = np.cov(c.T.astype(float))
    off_diagonal = (cov.sum() - np.trace(cov)) / (25 * 24)
    got = distribution_wise_sd(c, n_boot=50, rng=_rng())
    assert got.variance == pytest.approx(off_diagonal)
    assert got.sd == pytest.approx(np.sqrt(off_diagonal))


def test_distribution_wise_formula_as_printed_by_jordan_for_many_runs():
    c = _runs(np.random.default_rng(7), 3000, 30, 0.3)
    p, n = c.mean(axis=0), 30
    printed = n / (n - 1) * (c.mean(axis=1).var() - (p * (1 - p)).sum() / n**2)
    assert distribution_wise_sd(c, n_boot=20, rng=_rng()).variance == pytest.approx(
        printed, rel=1e-3
    )


def test_noise_split_is_the_crossed_model_and_adds_up():
    c = _runs(np.random.default_rng(8), 30, 200, 0.4)
    split = seed_and_test_noise(c)
    anova = crossed_variance(c.astype(float), ("seed", "item"), rng=_rng())
    assert split.seed_variance == pytest.approx(anova["seed"].raw)
    assert split.item_variance == pytest.approx(anova["residual"].raw / 200)
    assert split.observed_variance == pytest.approx(c.mean(axis=1).var(ddof=1))
    fresh = anova["seed"].raw + (anova["item"].raw + anova["residual"].raw) / 200
    assert split.fresh_test_variance == pytest.approx(fresh)


def test_independent_errors_show_no_seed_effect_and_intervals_cover():
    rng = np.random.default_rng(9)
    n_sim, n = 150, 300
    base = np.linspace(-1, 3, n)
    u, weight = np.polynomial.hermite_e.hermegauss(60)
    given = stats.norm.cdf(base + 0.2 * u[:, None])  # truth by quadrature over the run's quality
    weight = weight / weight.sum()
    centred = given - weight @ given
    total = weight @ centred.mean(axis=1) ** 2
    own = weight @ (centred**2).sum(axis=1) / n**2
    truth = (total - own) * n / (n - 1)
    got = [distribution_wise_sd(_runs(rng, 60, n, 0.2), n_boot=400, rng=rng) for _ in range(n_sim)]
    variance = np.array([g.variance for g in got])
    assert abs(variance.mean() - truth) < 4 * variance.std() / np.sqrt(n_sim)
    covered = np.mean([g.sd_low**2 <= truth <= g.sd_high**2 for g in got])
    assert covered > 0.95 - 0.03 - 4 * np.sqrt(0.0475 / n_sim)  # BCa is a little short at 60 runs
    none = np.array([seed_and_test_noise(_runs(rng, 60, n, 0.0)).seed_variance for _ in range(200)])
    assert abs(none.mean()) < 4 * none.std() / np.sqrt(200)


def test_interval_allows_for_the_sample_of_items():
    """Items that answer the seed very differently: runs alone would cover 0.5 of the time."""
    rng, n_sim, runs, items, seed_sd = np.random.default_rng(11), 200, 100, 50, 0.3
    many = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    base, slope = np.meshgrid(1 + 1.2 * many[::4], 1 + 2 * many)
    u, weight = np.polynomial.hermite_e.hermegauss(40)
    accuracy = np.array([stats.norm.cdf(base + slope * seed_sd * t).mean() for t in u])
    weight = weight / weight.sum()
    truth = np.sqrt(weight @ (accuracy - weight @ accuracy) ** 2)
    covered = 0
    for _ in range(n_sim):
        latent = rng.normal(1, 1.2, items) + rng.normal(1, 2, items) * rng.normal(
            0, seed_sd, (runs, 1)
        )
        correct = rng.random(latent.shape) < stats.norm.cdf(latent)
        got = distribution_wise_sd(correct, n_boot=200, rng=rng)
        covered += got.sd_low <= truth <= got.sd_high
    assert covered / n_sim > 0.95 - 4 * np.sqrt(0.0475 / n_sim)


def test_many_levels_of_one_factor_in_either_place():
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


def test_correctness_edge_cases():
    same = np.tile(np.array([True, False, True]), (5, 1))
    got = distribution_wise_sd(same, n_boot=20, rng=_rng())
    assert (got.variance, got.sd, got.sd_high) == (0, 0, 0)
    assert np.isnan(seed_and_test_noise(same).seed_share)
    with pytest.raises(ValueError, match="3 runs"):
        distribution_wise_sd([[1, 0], [1, 1]], rng=_rng())
    with pytest.raises(ValueError, match="items must be at least 3"):
        distribution_wise_sd([[1, 0], [1, 1], [0, 1]], rng=_rng())
    assert seed_and_test_noise([[1, 0], [1, 1]]).observed_variance == 0.125
    for bad in ([[1, 0]], [[1], [0]], [[0.5, 1], [0, 1]], [1, 0, 1]):
        with pytest.raises(ValueError, match=r"runs|needs at least|booleans|axes"):
            seed_and_test_noise(bad)
