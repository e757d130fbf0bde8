import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papers.banerjee import ks
from papers.banerjee.alpha_hat import (
    AUTHORS_GRID,
    alpha_hat,
    alpha_hat_grid,
    bootstrap_alpha_hat,
    trimmed_ks_distance,
)
from papers.banerjee.logit_gaps import clip_logit_gap
from scipy.optimize import linprog
from scipy.stats import ecdf, ks_1samp, ks_2samp
from trimming import loop_alpha_hat, loop_distance

ALPHAS = (0.0, 0.07, 0.3, 0.6)


def random_case(rng, ties: bool):
    """Draw a candidate and (models, items) reference samples, with or without many ties."""
    n, models = rng.integers(1, 25), rng.integers(1, 4)
    if ties:
        return rng.integers(0, 7, size=n) * 1.0, rng.integers(1, 8, size=(models, n)) * 1.0
    return rng.normal(0.4, 1.3, size=n), rng.normal(size=(models, n))


def independent_limits(pool, x, interpolate):
    """Return F(x-), F(x) of the reference by counting, with lines between pooled values."""
    below, upto, n = (pool < x).sum(), (pool <= x).sum(), pool.size
    if not interpolate:
        return below / n, upto / n
    if below == upto:  # a line from the top of one value to the first step of the next
        if below in (0, n):
            return below / n, below / n
        z, after = pool[pool < x].max(), pool[pool > x].min()
        height = (below + (x - z) / (after - z)) / n
        return height, height
    return (below + 1) / n if below else 0.0, upto / n


def constraints(candidate, pool, interpolate):
    """Return (A, F) such that A w - F is the CDF difference at every point and left limit."""
    rows, values = [], []
    for x in np.unique(np.concatenate([candidate, pool.ravel()])):
        left, right = independent_limits(pool, x, interpolate)
        rows += [candidate < x, candidate <= x]
        values += [left, right]
    return np.array(rows, dtype=float), np.array(values)


def lp_distance(candidate, pool, alpha, interpolate):
    a, f = constraints(candidate, pool, interpolate)
    n, one = candidate.size, np.ones((len(a), 1))
    result = linprog(
        np.r_[np.zeros(n), 1],
        A_ub=np.vstack([np.hstack([a, -one]), np.hstack([-a, -one])]),
        b_ub=np.r_[f, -f],
        A_eq=[np.r_[np.ones(n), 0]],
        b_eq=[1],
        bounds=[(0, 1 / (n * (1 - alpha)))] * n + [(0, None)],
        method="highs",
    )
    return result.fun


def lp_alpha_hat(candidate, pool, delta, interpolate):
    a, f = constraints(candidate, pool, interpolate)
    n, zero = candidate.size, np.zeros((len(a), 1))
    result = linprog(
        np.r_[np.zeros(n), 1],
        A_ub=np.vstack([np.hstack([a, zero]), np.hstack([-a, zero]),
                        np.hstack([np.eye(n), -np.ones((n, 1))])]),
        b_ub=np.r_[f + delta, delta - f, np.zeros(n)],
        A_eq=[np.r_[np.ones(n), 0]],
        b_eq=[1],
        bounds=[(0, None)] * (n + 1),
        method="highs",
    )  # fmt: skip
    return 1.0 if result.status == 2 else 1 - 1 / (n * result.fun)


@pytest.mark.parametrize(
    ("ties", "interpolate"), [(True, False), (True, True), (False, False), (False, True)]
)
def test_distance_and_alpha_hat_equal_linear_program(ties, interpolate):
    rng = np.random.default_rng(1)
    levels = []
    for _ in range(80):
        candidate, pool = random_case(rng, ties)
        reference = ks.reference_function(pool, interpolate)
        alpha, delta = rng.choice(ALPHAS), rng.uniform(0.02, 0.4)
        expected = lp_distance(candidate, pool, alpha, interpolate)
        assert trimmed_ks_distance(candidate, reference, alpha) == pytest.approx(expected, abs=1e-7)
        level = alpha_hat(candidate, reference, delta)
        expected = lp_alpha_hat(candidate, pool, delta, interpolate)
        assert level == pytest.approx(expected, abs=1e-6)
        levels.append(float(level))
    interior = [a for a in levels if 0 < a < 1]
    assert len(interior) > 5  # not only the two ends
    assert 1.0 in levels


def test_equals_the_published_loop():
    rng = np.random.default_rng(2)
    for _ in range(25):
        n = rng.integers(2, 80)
        reference = ks.reference_function(rng.normal(size=(3, n)))
        candidate = rng.normal(rng.uniform(-0.5, 0.5), 1.2, size=n)
        candidate = np.maximum(candidate, reference.points[0])  # continuous part of the reference
        candidate[candidate == reference.points[0]] += 1e-9
        for alpha in ALPHAS:
            expected = loop_distance(candidate, reference, alpha)
            result = trimmed_ks_distance(candidate, reference, alpha)
            assert result == pytest.approx(expected, abs=1e-12)
        delta = rng.uniform(0.05, 0.3)
        on_grid = alpha_hat_grid(candidate, reference, delta)
        assert on_grid == loop_alpha_hat(candidate, reference, delta)


def test_grid_rounds_the_exact_value_up():
    rng = np.random.default_rng(3)
    for _ in range(50):
        reference = ks.reference_function(rng.normal(size=(4, 200)))
        candidate = rng.normal(rng.uniform(0, 1.2), 1.1, size=200)
        exact = float(alpha_hat(candidate, reference, 0.1))
        expected = min((a for a in AUTHORS_GRID if a >= exact), default=0.5)
        assert alpha_hat_grid(candidate, reference, 0.1) == expected


def test_known_contamination():
    # A share a far outside may retain mass delta, so 1 - alpha = (1 - a) / (1 - delta).
    n, a, delta = 20_000, 0.2, 0.05
    body = (np.arange(int(n * (1 - a))) + 0.5) / int(n * (1 - a))
    candidate = np.r_[body, np.full(int(n * a), 9.0)]
    reference = ks.reference_function((np.arange(n) + 0.5) / n)
    expected = 1 - (1 - a) / (1 - delta)
    assert alpha_hat(candidate, reference, delta) == pytest.approx(expected, abs=2 / n)


samples = st.lists(st.integers(-20, 20), min_size=1, max_size=30)


@settings(max_examples=80)
@given(samples, samples, st.randoms(use_true_random=False), st.integers(-50, 50),
       st.sampled_from([0.25, 1.0, 8.0]), st.booleans())  # fmt: skip
def test_invariance_and_monotonicity(candidate, pool, random, shift, scale, interpolate):
    candidate, pool = np.array(candidate, float), np.array(pool, float)
    reference = ks.reference_function(pool, interpolate)
    deltas = (0.0, 0.1, 0.25, 0.5)
    levels = [float(alpha_hat(candidate, reference, d)) for d in deltas]
    assert all(0 <= a <= 1 for a in levels)
    assert levels == sorted(levels, reverse=True)
    alphas = np.linspace(0, 0.95, 12)
    distances = [float(trimmed_ks_distance(candidate, reference, a)) for a in alphas]
    assert all(b <= a + 1e-12 for a, b in pairwise(distances))
    for delta, level in zip(deltas, levels, strict=True):
        if level < 1:
            assert trimmed_ks_distance(candidate, reference, level) <= delta + 1e-9
        if level > 1e-6:
            assert trimmed_ks_distance(candidate, reference, level - 1e-6) > delta
    shuffled = candidate.tolist()
    random.shuffle(shuffled)
    moved = ks.reference_function(pool * scale + shift, interpolate)
    for delta, level in zip(deltas, levels, strict=True):
        assert alpha_hat(shuffled, reference, delta) == level
        changed = alpha_hat(candidate * scale + shift, moved, delta)
        assert changed == pytest.approx(level, abs=1e-9)


def test_ks_distance_against_scipy():
    rng = np.random.default_rng(6)
    for size in (1, 7, 60):
        x, y = rng.integers(0, 9, size), rng.integers(2, 11, size)
        distance = trimmed_ks_distance(x, ks.reference_function(y, interpolate=False), 0.0)
        assert distance == pytest.approx(ks_2samp(x, y).statistic)
    x, y = rng.normal(size=50), rng.normal(size=400)
    reference = ks.reference_function(y)
    distance = trimmed_ks_distance(x, reference, 0.0)
    assert distance == pytest.approx(ks_1samp(x, reference).statistic)


def test_reference_function_is_the_mean_of_the_ecdfs():
    rng = np.random.default_rng(7)
    models, grid = rng.integers(0, 5, size=(6, 30)), np.linspace(-1, 6, 40)
    mean = np.mean([ecdf(m).cdf.evaluate(grid) for m in models], axis=0)
    np.testing.assert_allclose(ks.reference_function(models, False)(grid), mean)
    z = np.unique(models).astype(float)
    np.testing.assert_allclose(ks.reference_function(models)(z), np.mean(
        [ecdf(m).cdf.evaluate(z) for m in models], axis=0))  # fmt: skip
    line = ks.reference_function([0.0, 1.0, 3.0, 3.0])
    np.testing.assert_allclose(line([-1, 0, 0.5, 2, 3, 9]), [0, 0.25, 0.375, 0.625, 1, 1])
    np.testing.assert_allclose(line.limits([0.0, 3.0])[0], [0, 0.75])  # atoms keep their jump
    assert float(line(2.0)) == 0.625


def exact_two_sample_tail(n: int, k: int) -> float:
    """P(sup |F_n - G_n| >= k / n), Gnedenko & Korolyuk (1951)."""
    terms = ((-1) ** (i - 1) * math.comb(2 * n, n + i * k) for i in range(1, n // k + 1))
    return 2 * sum(terms) / math.comb(2 * n, n)


def test_wei_dudley_constants_against_the_exact_distribution():
    def needed(n):
        return max(exact_two_sample_tail(n, k) * math.exp(k * k / n) for k in range(1, n + 1))

    for n in (1, 2, 3, 4, 5, 20, 100, 300):
        assert needed(n) <= ks.wei_dudley_constant(n) + 1e-9
    assert needed(3) > 2.16863  # why n < 4 needs e
    assert needed(4) == pytest.approx(2.16863, abs=1e-4)
    assert (ks.wei_dudley_constant(3), ks.wei_dudley_constant(4)) == (math.e, 2.16863)
    # C = 2 first holds at n = 458
    assert ks.wei_dudley_constant(457) > ks.wei_dudley_constant(458) == 2
    ks_near = range(15, 120)
    assert max(exact_two_sample_tail(457, k) * math.exp(k * k / 457) for k in ks_near) > 2
    assert max(exact_two_sample_tail(458, k) * math.exp(k * k / 458) for k in ks_near) <= 2


def test_two_sample_threshold_controls_the_exact_error():
    for n in (5, 50, 600):
        for epsilon in (0.01, 0.1):
            k = math.floor(ks.two_sample_threshold(n, n, epsilon) * n + 1e-9) + 1
            tail = exact_two_sample_tail(n, k) if k <= n else 0.0
            assert tail <= epsilon
    assert ks.two_sample_threshold(600, 600, 0.1) < ks.two_sample_threshold(600, 601, 0.1)
    by_halves = sum(math.sqrt(math.log(2 / 0.05) / (2 * size)) for size in (600, 601))
    assert ks.two_sample_threshold(600, 601, 0.1) == pytest.approx(by_halves)


def test_threshold_values():
    assert ks.algorithm_threshold(4000) == pytest.approx(0.0366, abs=5e-5)  # published code
    assert ks.dkw_threshold(1000, 0.05) == pytest.approx(math.sqrt(math.log(40) / 2000))


def test_one_sample_threshold_by_simulation():
    rng = np.random.default_rng(8)
    n, repeats, epsilon = 400, 2000, 0.2
    u = np.sort(rng.random((repeats, n)), axis=1)
    k = np.arange(n)
    distance = np.maximum((u - k / n).max(1), ((k + 1) / n - u).max(1))
    share = (distance > ks.dkw_threshold(n, epsilon)).mean()
    mc_se = math.sqrt(epsilon * (1 - epsilon) / repeats)
    assert share == pytest.approx(epsilon, abs=0.02 + 3 * mc_se)  # DKW is asymptotically sharp
    assert share <= epsilon + 3 * mc_se


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n", "said"),
    [
        (500, ("in 0 %", "in 5 % with 500", "in 26 % and")),
        (5000, ("in 0 %", "49 % with 5,000", "and 75 %")),
    ],
)
def test_false_alarms_are_those_of_the_page(n, said):
    page = " ".join(Path("docs/methods/robust-test.md").read_text("utf-8").split())
    for shift, text in zip((0, 0.1, 0.2), said, strict=True):
        rng, alarms = np.random.default_rng(0), 0
        for _ in range(400):
            shifts = rng.normal(0, shift, (51, 1))
            gaps = rng.normal(1, 1, (51, n)) + shifts
            reference = ks.reference_function(gaps[1:])
            alarms += alpha_hat(gaps[0], reference, ks.algorithm_threshold(n)) > 0
        assert text in page
        assert f"{alarms / 4:.0f} %" in text


def test_clip():
    gap = [-20.0, -15.0, 3.0, 15.0, 99.0]
    np.testing.assert_array_equal(clip_logit_gap(gap), [-15, -15, 3, 15, 15])
    np.testing.assert_array_equal(clip_logit_gap(gap, outside="zero"), [0, 0, 3, 0, 0])
    with pytest.raises(ValueError, match="outside"):
        clip_logit_gap(gap, outside="both")


def test_bootstrap_is_deterministic_and_matches_a_plain_loop():
    gaps = np.random.default_rng(12).normal(size=(5, 121)) * [[1], [1.2], [0.7], [1], [2]]
    result, again = (
        bootstrap_alpha_hat(gaps, rng=np.random.default_rng(3), n_bootstrap=6, delta=0.15)
        for _ in range(2)
    )
    np.testing.assert_array_equal(result.replicates, again.replicates)
    assert result.n == 60
    assert (result.mean > 0.02).sum() >= 3
    rng = np.random.default_rng(3)
    for row in result.replicates:
        draw = rng.integers(121, size=120)
        for m in range(5):
            others = np.delete(gaps, m, axis=0)[:, draw[60:]]
            level = alpha_hat(gaps[m, draw[:60]], ks.reference_function(others), result.delta)
            assert row[m] == pytest.approx(float(level), abs=1e-12)
    np.testing.assert_allclose(result.mean, result.replicates.mean(0))
    np.testing.assert_allclose(result.mc_se, result.replicates.std(0, ddof=1) / 6**0.5)


def test_bootstrap_identifies_the_different_model():
    rng = np.random.default_rng(13)
    references = rng.normal(size=(20, 2000))
    candidates = np.vstack([rng.normal(size=2000), rng.normal(1.0, 1.0, size=2000)])
    for grid in (None, AUTHORS_GRID):
        for resample in (True, False):
            result = bootstrap_alpha_hat(candidates, references, rng=rng, n_bootstrap=8,
                                                  grid=grid, resample=resample)  # fmt: skip
            assert result.mean[0] < 0.02 < 0.3 < result.mean[1]
    assert result.delta == ks.algorithm_threshold(1000)
    assert set(result.replicates.ravel()) <= {*AUTHORS_GRID, 0.5}


def test_degenerate_inputs():
    reference = ks.reference_function(np.random.default_rng(14).normal(size=(3, 50)))
    assert alpha_hat(np.full(9, 0.1), reference, 0.05) == 1.0  # constant: no trimming can help
    assert alpha_hat([0.0], reference, 1.0) == 0.0
    same = ks.reference_function([[2.0], [2.0]])
    assert alpha_hat([2.0], same, 0.0) == 0.0  # single sample, all tied
    assert alpha_hat([2.0, 2.0], same, 0.0) == 0.0
    assert trimmed_ks_distance([3.0], same, 0.5) == 1.0


@pytest.mark.parametrize(("call", "message"), [
    (lambda r: alpha_hat([], r, 0.1), "candidate needs"),
    (lambda r: alpha_hat([np.nan, 1], r, 0.1), "NaN"),
    (lambda r: alpha_hat([1.0], r, -0.1), "delta"),
    (lambda r: alpha_hat([1.0], r, np.nan), "delta"),
    (lambda r: trimmed_ks_distance([1.0], r, 1.0), "alpha"),
    (lambda r: ks.reference_function([[]]), "samples needs"),
    (lambda r: ks.dkw_threshold(0, 0.1), "n must be"),
    (lambda r: ks.algorithm_threshold(0), "n must be"),
    (lambda r: ks.two_sample_threshold(5, 5, 1.0), "epsilon"),
    (lambda r: bootstrap_alpha_hat([[1.0, 2]], rng=None), "at least two models"),
    (lambda r: bootstrap_alpha_hat([[1.0], [2]], rng=None), "two items"),
    (lambda r: bootstrap_alpha_hat([[1.0, 2]], [[1.0]], rng=None), "items"),
])  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(ks.reference_function([0.0, 1.0]))
