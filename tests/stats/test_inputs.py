"""Validation of arguments, and independence of results from the size of scores."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from papers.banerjee import ensembles
from papers.protocol import signed_rank
from reseed.stats import bootstrap, comparison, planning, ranking, variance
from reseed.stats.gaussian_range import range_against_gaussian
from reseed.stats.inputs import (
    as_finite,
    as_labels,
    as_real,
    check_at_least,
    check_probability,
    rescale,
)
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.spread import spread
from reseed.stats.variance import crossed_variance, crossed_variance_unbalanced


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2"], "real numbers"),
        ([b"1", b"2"], "real numbers"),
        (np.array(["1", 2.0], dtype=object), "real numbers, it holds '1'"),
        ([1 + 2j, 3], "real numbers"),
        (np.array(["2026-01-01"], dtype="datetime64[D]"), "real numbers"),
        (np.array([1], dtype="timedelta64[s]"), "real numbers"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "1 masked"),
        ([1.0, None], "1 missing"),
        (pd.array([1, None], dtype="Int64"), "NaN|real numbers"),
        ([Decimal("0.1")], "real numbers"),
        ([10**400], "too large"),
        ([1.0, np.nan], "NaN or infinite"),
        ([1.0, np.inf], "NaN or infinite"),
        ([], "needs at least"),
        (1.0, "needs at least"),
    ],
)
def test_values_that_are_not_scores_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        as_finite(values, "scores")


def test_wrong_number_of_axes_is_reported():
    with pytest.raises(ValueError, match="scores must have 2 axes"):
        as_finite([1.0], "scores", ndim=2)


def test_real_numbers_of_any_kind_become_float64():
    for values in ([1, 2], [True, False], np.array([1, 2], dtype=object), np.float32([1, 2]),
                   np.ma.masked_array([1, 2]), pd.Series([1, 2])):  # fmt: skip
        result = as_finite(values)
        assert (type(result), result.dtype) == (np.ndarray, np.float64)
    assert np.isnan(as_real([1.0, np.nan])[1])


def test_labels_are_numbers_or_text():
    assert list(as_labels(["a", "b"], "y")) == ["a", "b"]
    assert list(as_labels(np.array(["a", "b"], dtype=object), "y")) == ["a", "b"]
    assert list(as_labels([0, 1], "y")) == [0, 1]
    for bad, message in (
        (np.array(["a", np.nan], dtype=object), "mixes"),
        (np.array([1.0, np.nan], dtype=object), "NaN"),
        (np.array([1, None], dtype=object), "missing"),
        (np.ma.masked_array([0, 1], [True, False]), "masked"),
    ):
        with pytest.raises(ValueError, match=message):
            as_labels(bad, "y")


MASKED = np.ma.masked_array([[0.1, 0.2, 0.4, 0.3], [0.3, 0.2, 0.1, 0.5]], False)
MASKED[0, 0] = np.ma.masked


@pytest.mark.parametrize(
    "call",
    [
        lambda x: spread(x),
        lambda x: comparison.differences(x[0], x[1]),
        lambda x: comparison.nadeau_bengio(x, 0.2),
        lambda x: signed_rank.wilcoxon_p(x),
        lambda x: comparison.holm(x),
        lambda x: ranking.instability(x),
        lambda x: variance.crossed_variance(x, rng=np.random.default_rng(0)),
        lambda x: planning.pilot_sd(x[0]),
        lambda x: bootstrap.percentile_interval(x),
        lambda x: bootstrap.test_set_bootstrap("mse", x[0], x[1], rng=np.random.default_rng(0)),
        lambda x: ensembles.pairwise_churn((x > 0.2).astype(int)),
    ],
)
def test_masked_values_are_refused_everywhere(call):
    with pytest.raises(ValueError, match="masked"):
        call(MASKED)


def test_integers_do_not_overflow_in_the_test_set_bootstrap():
    y, predicted = np.int32([0, 100_000]), np.int32([70_000, 30_000])
    result = bootstrap.test_set_bootstrap("mse", y, predicted, 20, rng=np.random.default_rng(0))
    assert result.estimate == 70_000.0**2
    small = bootstrap.test_set_bootstrap(
        "mae", np.uint8([0, 250]), np.uint8([1, 251]), 20, rng=np.random.default_rng(0)
    )
    assert small.estimate == 1


@pytest.mark.parametrize(
    ("y", "predicted", "message"),
    [
        (["0", "1"], [0, 1], "text"),
        (np.array(["0", "1"], dtype=object), [0, 1], "text"),
        (np.array([0, np.nan], dtype=object), [0, 1], "NaN"),
        (np.array(["a", None], dtype=object), ["a", "b"], "mixes|missing"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(y, predicted, message):
    with pytest.raises(ValueError, match=message):
        bootstrap.test_set_bootstrap("accuracy", y, predicted, rng=np.random.default_rng(0))


@pytest.mark.parametrize("size", [1e-250, 1e-170, 1e160, 1e250])
def test_variance_tests_do_not_depend_on_size(size):
    rng = np.random.default_rng(1)
    y = rng.normal(size=(5, 1)) + rng.normal(size=6) + rng.normal(size=(5, 6))
    base = crossed_variance(y, rng=np.random.default_rng(0))
    result = crossed_variance(y * size, rng=np.random.default_rng(0))
    for name in ("model_seed", "data_seed"):
        assert result[name].p_value == pytest.approx(base[name].p_value)
        assert result[name].share == pytest.approx(base[name].share)
    rows, columns = np.indices(y.shape).reshape(2, -1)
    reml = [
        crossed_variance_unbalanced(
            y.ravel()[:-2] * s, rows[:-2], columns[:-2], rng=np.random.default_rng(0)
        )
        for s in (1.0, size)
    ]
    assert reml[1]["data_seed"].p_value == pytest.approx(reml[0]["data_seed"].p_value)


@pytest.mark.parametrize("size", [1e-250, 1e200])
def test_spread_tests_do_not_depend_on_size(size):
    x = np.random.default_rng(2).normal(10, 1, 30)
    assert spread(x * size).sd / size == pytest.approx(spread(x).sd)
    result, base = (range_against_gaussian(s * x, n_sim=200) for s in (size, 1))
    assert (result.p_value, result.ratio) == pytest.approx((base.p_value, base.ratio))


X = np.random.default_rng(3).normal(0.4, 1, 240)
OF_ANY_SIZE = {
    "crossed": lambda u: (
        f := item_difference(*(u * X.reshape(2, 4, 30)), [Factor("seed", False)]),
        f.p_value, f.low / u, f.high / u, f.se / u, f.factor_share, f.one_sided_p(0.5 * u),
    ),
    "crossed, equal": lambda u: (
        f := item_difference(*[np.full((2, 3), 3 * u)] * 2, [Factor("seed", True)]),
        f.p_value, f.low / u, f.high / u,
    ),
}  # fmt: skip


@pytest.mark.parametrize("size", [1e-250, 1e-170, 1e160, 1e250])
@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_results_do_not_depend_on_the_size_of_scores(name, size):
    result, base = (np.array(OF_ANY_SIZE[name](u)[1:]) for u in (size, 1.0))
    np.testing.assert_allclose(result, base, rtol=1e-9)


def test_scales_of_extreme_and_zero_scores():
    """A power of two whose inverse is a float64 number too; zeros have the unit 1."""
    for x, power in ((5e-324, -1000), (1e308, 1000), (3.0, 2), (0.5, 0), (0.75, 0)):
        scaled, unit = rescale(np.array([x, -x / 2, 0.0]))
        assert unit == 2.0**power
        assert scaled[0] * unit == x
    rows, units = rescale(np.array([[0.0, 0.0], [4.0, -1.0]]), axis=1)
    np.testing.assert_array_equal(units, [[1.0], [8.0]])
    np.testing.assert_array_equal(rows, [[0, 0], [0.5, -0.125]])


def test_edges_of_probabilities_and_sizes():
    check_probability(level=0.001, alpha=0.999)
    for value in (0.0, 1.0, 1.5, -0.5, np.nan):
        with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
            check_probability(level=value)
    check_at_least(0, n=0)
    with pytest.raises(ValueError, match="n must be at least 0"):
        check_at_least(0, n=np.nan)
    assert as_finite([0.5]).tolist() == [0.5]
    assert as_finite([[0.5]], ndim=2).tolist() == [[0.5]]
    with pytest.raises(ValueError, match="at least 3"):
        as_finite([[1.0, 2.0]] * 3, min_size=3)
