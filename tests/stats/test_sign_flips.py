"""Sign-flip tests: against enumeration in a loop, SciPy, and known error rates."""

from itertools import product

import numpy as np
import pytest
from reseed.stats.sign_flips import flip_equivalence_p, flip_signs
from scipy import stats


def _rng(seed=0):
    return np.random.default_rng(seed)


def _enumerate(d):
    """p-values of each pair alone and step-down; NaN counts as 0."""
    d = np.nan_to_num(d)
    signs = np.array(list(product((1, -1), repeat=d.shape[1])))
    t = (signs @ d.T) ** 2 / (d**2).sum(axis=1)
    limit = t[0] * (1 - 1e-9)
    order, adjusted, least = np.argsort(-t[0], kind="stable"), np.empty(len(d)), 0.0
    for step, pair in enumerate(order):
        largest = t[:, order[step:]].max(axis=1)
        adjusted[pair] = least = max(least, np.mean(largest >= limit[pair]))
    return (t >= limit).mean(axis=0), adjusted


@pytest.mark.parametrize("shift", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("gaps", [False, True])
def test_p_values_are_those_of_all_patterns(shift, gaps):
    d = _rng(1).normal(shift, 1, (5, 8))
    d[1] = np.round(d[1])  # ties, and patterns that cancel
    if gaps:
        d[0, :3], d[2, 7] = np.nan, np.nan
    found = flip_signs(d, rng=_rng())
    alone, adjusted = _enumerate(d)
    assert found.p_value == pytest.approx(alone)
    assert found.p_adjusted == pytest.approx(adjusted)
    assert found.p_least.tolist() == [2 / 2**n for n in np.isfinite(d).sum(axis=1)]
    assert len(found.largest) == 2**8


def test_two_models_equal_the_t_statistic_and_the_sign_test():
    d = _rng(2).normal(0.5, 1, 9)
    signs = np.array(list(product((1, -1), repeat=9)))
    t = np.abs(stats.ttest_1samp(signs * d, 0, axis=1).statistic)
    assert flip_signs([d], rng=_rng()).p_value == pytest.approx(np.mean(t >= t[0] * (1 - 1e-9)))
    for wins, ties in ((9, 0), (7, 0), (6, 2)):
        one = np.repeat([1.0, 0.0, -1.0], (wins, ties, 9 - wins - ties))
        p = flip_signs([one], rng=_rng()).p_value
        assert p == pytest.approx(stats.binomtest(wins, 9 - ties).pvalue)


def test_random_patterns_approach_all_and_hold_the_observed_one():
    d = _rng(3).normal(0.4, 1, (3, 12))
    every, some = flip_signs(d, rng=_rng()), flip_signs(d, 2000, rng=_rng(1))
    assert len(every.largest) == 2**12
    assert len(some.largest) == 2000
    assert some.p_adjusted == pytest.approx(every.p_adjusted, abs=0.03)
    far = flip_signs(10 + d, 500, rng=_rng(1))
    assert far.p_value == pytest.approx(np.full(3, 1 / 500))
    assert far.largest[-1] == pytest.approx(12, rel=0.01)  # at most the number of datasets
    assert far.p_least == pytest.approx(np.full(3, 1 / 500))


def test_default_number_of_patterns_falls_with_the_pairs():
    d = _rng(4).normal(size=(2500, 20))
    assert [len(flip_signs(d[:n], rng=_rng()).largest) for n in (1, 1000, 2500)] == [
        10_000, 10_000, 4000,
    ]  # fmt: skip


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_units_and_equal_models(scale):
    d = _rng(5).normal(0.5, 1, (2, 8))
    p = flip_signs(d, rng=_rng()).p_adjusted
    assert flip_signs(d * scale, rng=_rng()).p_adjusted == pytest.approx(p)
    assert flip_signs(np.zeros((2, 8)), rng=_rng()).p_adjusted.tolist() == [1, 1]


def test_false_claims_stay_at_the_level():
    """Ten correlated pairs of five equal models on eight datasets, unequal spreads, t₃."""
    rng = _rng(6)
    i, j = np.triu_indices(5, 1)
    x = rng.standard_t(3, (500, 8, 5)) * np.linspace(0.5, 2, 5)
    p = [flip_signs((one[:, i] - one[:, j]).T, rng=rng).p_adjusted.min() for one in x]
    assert 0.02 < np.mean(np.array(p) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 500)


@pytest.mark.parametrize("scale", [1.0, 1e-200])
def test_equivalence_is_two_one_sided_tests(scale):
    d = _rng(7).normal(0.002, 0.01, 9)
    signs = np.array(list(product((1, -1), repeat=9)))
    sides = [np.mean(signs @ m >= m.sum() - 1e-12) for m in (0.01 + d, 0.01 - d)]
    assert flip_equivalence_p(d * scale, 0.01 * scale, rng=_rng()) == pytest.approx(max(sides))
    assert flip_equivalence_p(d + 1, 0.01, rng=_rng()) > 0.99


def test_equivalence_at_the_edge_of_the_region():
    rng = _rng(8)
    p = [flip_equivalence_p(d, 0.5, rng=rng) for d in rng.normal(0.5, 0.3, (400, 8))]
    assert np.mean(np.array(p) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: flip_signs([0.1, 0.2], rng=_rng()), "2 axes"),
        (lambda: flip_signs([[0.1, np.inf]], rng=_rng()), "infinite"),
        (lambda: flip_signs([[0.1, 0.2]], 99, rng=_rng()), "n_draws must be at least 100"),
        (lambda: flip_equivalence_p([0.1], 0.0, rng=_rng()), "rope"),
        (lambda: flip_equivalence_p([0.1, np.nan], 1.0, rng=_rng()), "NaN"),
    ],
)
def test_bad_differences_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
