"""Components of several crossed seeds against ANOVA and brute-force expectations."""

from dataclasses import astuple
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from reseed.stats.factorial_variance import _henderson, factorial_variance
from reseed.stats.mean_squares import f_test
from reseed.stats.variance import crossed_variance
from scipy import stats
from statsmodels.stats.anova import anova_lm

NAMES = ("init", "order", "data_seed")
EFFECTS = [e for size in range(3) for e in combinations(range(3), size + 1)]


def _rng():
    return np.random.default_rng(0)


def _grid(rng, shape, sds):
    """Simulate scores with an effect of SD `sds[e]` per set of axes; the last is the residual."""
    y = np.full(shape, 0.7)
    for effect, sd in zip(EFFECTS, sds, strict=True):
        y += rng.normal(0, sd, [n if i in effect else 1 for i, n in enumerate(shape)])
    return y


def _holes(shape):
    keep = np.random.default_rng(3).random(shape) > 0.2
    return np.where(keep, 0.0, np.nan)


def test_two_factors_equal_crossed_variance():
    y = np.random.default_rng(1).normal(size=(4, 6))
    result = factorial_variance(y, ("model_seed", "data_seed"), rng=_rng())
    expected = crossed_variance(y, rng=_rng())
    for mine, theirs in zip(result.components, expected.components, strict=True):
        assert mine.name == theirs.name
        np.testing.assert_allclose(astuple(mine)[1:], astuple(theirs)[1:], rtol=1e-9)


def test_mean_squares_agree_with_statsmodels_anova():
    y = _grid(np.random.default_rng(1), (3, 4, 5), [1, 0.5, 2, 0.5, 0.5, 0.5, 1])
    codes = np.indices(y.shape).reshape(3, -1)
    frame = pd.DataFrame({"y": y.ravel(), "a": codes[0], "b": codes[1], "c": codes[2]})
    fit = sm.OLS.from_formula("y ~ C(a) * C(b) + C(a) * C(c) + C(b) * C(c)", frame).fit()
    table = anova_lm(fit)
    ms = (table["sum_sq"] / table["df"]).rename(
        lambda name: name.replace("C(", "").replace(")", "")
    )
    rest = ms["Residual"]
    expected = {
        "init": (ms["a"] - ms["a:b"] - ms["a:c"] + rest) / 20,
        "order": (ms["b"] - ms["a:b"] - ms["b:c"] + rest) / 15,
        "data_seed": (ms["c"] - ms["a:c"] - ms["b:c"] + rest) / 12,
        "init:order": (ms["a:b"] - rest) / 5,
        "init:data_seed": (ms["a:c"] - rest) / 4,
        "order:data_seed": (ms["b:c"] - rest) / 3,
        "residual": rest,
    }
    result = factorial_variance(y, NAMES, rng=_rng())
    assert [c.name for c in result.components] == list(expected)
    for name, value in expected.items():
        assert result[name].raw == pytest.approx(value, rel=1e-9), name
    for name, line in (("init:order", "C(a):C(b)"), ("order:data_seed", "C(b):C(c)")):
        assert result[name].p_value == pytest.approx(table.loc[line, "PR(>F)"])


@pytest.mark.parametrize("holes", [False, True])
def test_estimates_are_unbiased(holes):
    """E y'Qy = tr(QV) by brute force: Q from the estimates of unit vectors and their sums."""
    mask = _holes((3, 3, 3)) if holes else np.zeros((2, 3, 3))
    assert np.isnan(mask).any() == holes
    cells = np.argwhere(~np.isnan(mask))

    def raw(*ones):
        y = mask.copy()
        for i in ones:
            y[tuple(cells[i])] += 1
        return np.array(
            [c.raw for c in factorial_variance(y, NAMES, n_draws=1, rng=_rng()).components]
        )

    n = len(cells)
    alone = [raw(i) for i in range(n)]
    q = np.zeros((len(EFFECTS), n, n))
    for i in range(n):
        q[:, i, i] = alone[i]
        for j in range(i):
            q[:, i, j] = q[:, j, i] = (raw(i, j) - alone[i] - alone[j]) / 2
    expected = np.zeros((len(EFFECTS), len(EFFECTS)))
    for column, effect in enumerate(EFFECTS):
        same = (cells[:, None, list(effect)] == cells[None, :, list(effect)]).all(axis=2)
        expected[:, column] = (q * same).sum(axis=(1, 2))
    np.testing.assert_allclose(expected, np.eye(len(EFFECTS)), atol=1e-9)
    np.testing.assert_allclose(q.sum(axis=(1, 2)), 0, atol=1e-9)  # independent of μ


def test_henderson_equals_anova_on_complete_data():
    y = np.random.default_rng(5).normal(size=(3, 4, 2))
    raw = [c.raw for c in factorial_variance(y, NAMES, rng=_rng()).components]
    np.testing.assert_allclose(_henderson(y, np.ones(y.shape, bool), EFFECTS), raw, rtol=1e-9)


def test_intervals_cover_known_components():
    rng, n_sim, shape = np.random.default_rng(7), 200, (6, 5, 6)
    sds = np.array([1.0, 0.5, 2.0, 0.7, 0.5, 0.0, 1.0])
    truth = sds**2
    raw, covered, shares = [], [], []
    for _ in range(n_sim):
        parts = factorial_variance(_grid(rng, shape, sds), NAMES, n_draws=400, rng=rng).components
        raw.append([c.raw for c in parts])
        covered.append([c.low <= t <= c.high for c, t in zip(parts, truth, strict=True)])
        wanted = zip(parts, truth / truth.sum(), strict=True)
        shares.append([c.share_low <= t <= c.share_high for c, t in wanted])
    se = np.std(raw, axis=0) / np.sqrt(n_sim)
    assert np.all(np.abs(np.mean(raw, axis=0) - truth) < 4 * se)
    tolerance = 4 * np.sqrt(0.95 * 0.05 / n_sim)  # 0.06
    assert np.all(np.mean(covered, axis=0) > 0.95 - tolerance)
    assert np.all(np.mean(shares, axis=0) > 0.95 - tolerance)


def test_approximate_test_keeps_its_level():
    rng, n_sim = np.random.default_rng(8), 300
    sds = [0.0, 0.5, 1.0, 0.6, 0.6, 0.5, 1.0]  # `init` has no main effect
    p = [
        factorial_variance(_grid(rng, (5, 5, 5), sds), NAMES, n_draws=1, rng=rng)["init"].p_value
        for _ in range(n_sim)
    ]
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.0475 / n_sim))


def test_order_of_axes_and_seeds_does_not_matter():
    y = np.random.default_rng(9).normal(size=(3, 4, 5))
    y[0, 1, 2] = np.nan
    result = factorial_variance(y, NAMES, rng=_rng())
    turned = np.transpose(2 * y[::-1] + 3, (2, 0, 1))
    other = factorial_variance(turned, ("data_seed", "init", "order"), rng=_rng())
    assert result.method == other.method == "henderson"
    for c in result.components:
        name = ":".join(
            sorted(c.name.split(":"), key=["data_seed", "init", "order", "residual"].index)
        )
        assert other[name].raw == pytest.approx(4 * c.raw)
        assert other[name].share == pytest.approx(c.share)
        assert np.isnan(c.low)
        assert np.isnan(c.p_value)
    assert result.n == 59


def test_constant_grid_has_no_variance():
    result = factorial_variance(np.full((2, 3, 2), 0.1), NAMES, rng=_rng())
    assert (result.total, result.mean) == (0, pytest.approx(0.1))
    assert np.isnan(result["init"].share)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros((2, 2)), "named axes"),
        (np.zeros((2, 1, 3)), "at least 2"),
        (np.full((2, 2, 2), np.inf), "infinite"),
        (np.where(np.indices((2, 2, 2))[0] == 0, np.nan, 1.0), "no score at all"),
        (np.where(np.indices((2, 2, 2)).sum(axis=0) % 2, np.nan, 1.0), "cannot be separated"),
    ],
)
def test_grids_without_estimates_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        factorial_variance(y, NAMES, rng=_rng())


def test_f_test_without_variance():
    assert np.isnan(f_test((0.0, 3), (0.0, 4)))
    assert f_test((2.0, 3), (0.0, 4)) == 0
    assert f_test((0.0, 3), (2.0, 4)) == 1
    assert f_test((6.0, 3), (2.0, 4)) == pytest.approx(stats.f.sf(3, 3, 4))
