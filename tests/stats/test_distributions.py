"""Fast distributions and ranks have the same bits as those of SciPy."""

import numpy as np
import pytest
from reseed.stats import distributions
from scipy import stats

Q = np.r_[0, 1e-300, 1e-12, 0.001, np.linspace(0.01, 0.99, 37), 1 - 1e-12, 1]
X = np.r_[-np.inf, -40, np.linspace(-9, 9, 61), 40, np.inf]
DF = np.array([[1.0], [1.5], [2], [7], [29.3], [1000], [1e9]])


@pytest.mark.parametrize("name", ["cdf", "sf", "ppf", "isf", "logcdf"])
def test_normal(name):
    x = Q if name in ("ppf", "isf") else X
    np.testing.assert_array_equal(
        getattr(distributions.norm, name)(x), getattr(stats.norm, name)(x)
    )


@pytest.mark.parametrize("name", ["cdf", "sf", "ppf", "isf"])
def test_student(name):
    x = Q if name in ("ppf", "isf") else X
    np.testing.assert_array_equal(
        getattr(distributions.t, name)(x, DF), getattr(stats.t, name)(x, DF)
    )


@pytest.mark.parametrize("name", ["cdf", "sf", "ppf", "isf"])
def test_fisher(name):
    x = Q if name in ("ppf", "isf") else X[X >= 0]
    np.testing.assert_array_equal(
        getattr(distributions.f, name)(x, 3.0, DF), getattr(stats.f, name)(x, 3.0, DF)
    )


@pytest.mark.parametrize("name", ["sf", "ppf", "isf"])
def test_chi_squared(name):
    x = X[X >= 0] if name == "sf" else Q
    np.testing.assert_array_equal(
        getattr(distributions.chi2, name)(x, DF), getattr(stats.chi2, name)(x, DF)
    )


def test_noncentral_f():
    x = np.linspace(0.1, 30, 40)
    for df in (1, 4, 30, 500):
        # Without an effect SciPy's `ncf.sf` is wrong by 1; its central F is right.
        central = distributions.ncf.sf(x, 1, df, 0.0)
        np.testing.assert_allclose(central, stats.f.sf(x, 1, df), rtol=0, atol=2e-13)
        for nc in (0.5, 4, 100, 400):
            found = distributions.ncf.sf(x, 1, df, nc)
            np.testing.assert_allclose(found, stats.ncf.sf(x, 1, df, nc), rtol=0, atol=2e-13)


@pytest.mark.parametrize("shape", [(1,), (12,), (5, 9), (3, 4, 6), (0,), (2, 1)])
def test_ranks(shape):
    rng = np.random.default_rng(0)
    for values in (rng.integers(0, 4, shape), rng.normal(size=shape).round(1)):
        np.testing.assert_array_equal(distributions.rankdata(values), stats.rankdata(values))
        for axis in range(-1, len(shape)):
            np.testing.assert_array_equal(
                distributions.rankdata(values, axis=axis), stats.rankdata(values, axis=axis)
            )


def test_other_names_are_those_of_scipy():
    assert distributions.wilcoxon is stats.wilcoxon
    with pytest.raises(AttributeError):
        _ = distributions.no_such_test
