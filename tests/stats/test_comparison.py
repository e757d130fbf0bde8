import numpy as np
import pytest
from baycomp import CorrelatedTTest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from papers.protocol.signed_rank import wilcoxon_p
from reseed.stats.bootstrap import resample_counts
from reseed.stats.comparison import (
    bca_mean_interval,
    crossed_seeds,
    differences,
    holm,
    merge_rounding_noise,
    nadeau_bengio,
    pair_differences,
)
from reseed.stats.unpaired import welch
from scipy import stats
from statsmodels.stats.multitest import multipletests

P_VALUES = arrays(np.float64, st.tuples(st.integers(1, 2), st.integers(1, 12)),
                  elements=st.floats(0, 1))  # fmt: skip


def _rng(seed=0):
    return np.random.default_rng(seed)


@given(P_VALUES)
@settings(max_examples=15)
def test_holm_agrees_with_statsmodels_on_every_row(p):
    result = holm(p)
    for row, ours in zip(p, result, strict=True):
        np.testing.assert_allclose(ours, multipletests(row, method="holm")[1], rtol=1e-12)


def test_holm_of_the_smallest_p_values_at_ten_folds():
    # 2/1024 is the smallest p-value of ten folds, adjusted for 3, 21 and 28 pairs.
    p = 2 / 1024
    for pairs, adjusted in [(3, 0.00586), (21, 0.0410), (28, 0.0547)]:
        assert holm(np.full(pairs, p))[0] == pytest.approx(adjusted, abs=5e-5)
    for bad in ([], [0.1, np.nan], [1.2], [-0.1]):
        with pytest.raises(ValueError, match=r"needs at least|NaN|\[0, 1\]"):
            holm(bad)


def test_differences_restore_ties_lost_to_rounding():
    d = differences([0.9, 0.8, 0.3], [0.8, 0.7, 0.4])
    assert d[0] == d[1] == -d[2]
    assert np.all(differences([0.1 + 0.2, 5e-13], [0.3, 0.0])[0] == 0)
    assert np.all(differences(np.zeros(3), np.zeros(3)) == 0)


@pytest.mark.parametrize("n", [1, 5, 9, 30, 50, 51, 60])
@pytest.mark.parametrize("kind", ["continuous", "tied", "zeros"])
def test_wilcoxon_equals_scipy_auto_without_zeros(n, kind):
    rng = _rng(n)
    d = rng.normal(0.3, 1, (5, n))
    if kind != "continuous":
        d = np.round(d * 3)
    if kind == "tied":
        d[d == 0] = 1
    result = wilcoxon_p(d)
    for row, p in zip(d, result, strict=True):
        if np.any(row):
            with np.errstate(invalid="ignore", divide="ignore"):
                assert p == pytest.approx(
                    stats.wilcoxon(row[row != 0], method="auto").pvalue, rel=1e-9
                )
        else:
            assert p == 1


def test_diverged_run_does_not_tie_other_runs():
    rng = _rng(40)
    a, b = rng.normal(0.5, 0.01, (2, 9))
    result = differences(np.append(a, 0.5), np.append(b, 3e15))
    np.testing.assert_allclose(result[:9], a - b, atol=1e-12)
    assert result[9] == pytest.approx(-3e15)
    assert wilcoxon_p(result) == pytest.approx(stats.wilcoxon(np.append(a - b, -3e15)).pvalue)
    # Ties hidden by rounding are restored, for decimals of any size.
    for unit in (1.0, 1e-9, 1e7):
        tied = differences(unit * np.array([0.9, 0.8, 0.3]), unit * np.array([0.8, 0.7, 0.2]))
        assert len(set(tied.tolist())) == 1
    assert (differences([0.0, 0.0, 0.0, 0.25], [0.0, 0.0, 0.0, 0.5]) == [0, 0, 0, -0.25]).all()


def test_zeros_do_not_trigger_the_approximation():
    # Five differences of one sign: 2 of 32 sign patterns, for any number of zeros.
    d = np.r_[np.zeros(15), 0.01, 0.02, 0.02, 0.04, 0.05]
    assert wilcoxon_p(d) == 2 / 32
    # All signs of 8 tied and untied sizes with 12 zeros: the level is never exceeded.
    sizes = np.r_[np.zeros(12), 1, 1, 2, 3, 3, 3, 4, 5]
    signs = ((np.arange(2**8)[:, None] >> np.arange(8)) & 1) * 2 - 1
    p = wilcoxon_p(np.concatenate([np.zeros((2**8, 12)), signs * sizes[12:]], axis=1))
    for level in (0.01, 0.05, 0.1):
        assert np.mean(p <= level) <= level


def test_corrected_t_without_overlap_is_the_paired_t_test():
    a, b = _rng(2).normal(size=(2, 9))
    result = nadeau_bengio(a - b, 0.0)
    theirs = stats.ttest_rel(a, b)
    assert (result.t, result.p_value) == (
        pytest.approx(theirs.statistic),
        pytest.approx(theirs.pvalue),
    )
    interval = theirs.confidence_interval()
    np.testing.assert_allclose((result.low, result.high), (interval.low, interval.high))


def test_corrected_t_p_value_is_twice_baycomp_smaller_tail():
    a, b = _rng(4).normal(0.8, 0.02, size=(2, 10))
    tails = CorrelatedTTest.probs(a, b, rope=0, runs=2)
    assert nadeau_bengio(a - b, 1 / 4).p_value == pytest.approx(2 * min(tails), rel=1e-9)


def test_bca_of_ten_independent_folds_covers_as_known():
    rng = _rng(8)
    n_sim = 600
    low, high = bca_mean_interval(rng.normal(size=(n_sim, 10)), n_boot=1000, rng=rng)
    covered = ((low <= 0) & (high >= 0)).mean()
    assert abs(covered - 0.90) < 4 * np.sqrt(0.09 / n_sim)  # not 0.95: too short at ten folds


def test_batched_bca_agrees_with_scipy_on_skewed_differences():
    d = _rng(30).exponential(size=(3, 25)) - 0.5
    low, high = bca_mean_interval(d, rng=_rng(31))
    for i, row in enumerate(d):
        theirs = stats.bootstrap((row,), np.mean, n_resamples=10_000, rng=_rng(32))
        ends = theirs.confidence_interval
        assert (low[i], high[i]) == pytest.approx(ends, abs=0.04 * (ends.high - ends.low))


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1.0, 1e160, 1e300])
def test_p_values_do_not_depend_on_the_size_of_the_scores(size):
    d = _rng(35).normal(0.5, 1, 12)
    result, base = nadeau_bengio(d * size, 0.25), nadeau_bengio(d, 0.25)
    assert result.p_value == pytest.approx(base.p_value, rel=1e-9)
    assert result.low == pytest.approx(base.low * size, rel=1e-9)
    assert wilcoxon_p(differences(d * size, 0 * d)) == pytest.approx(wilcoxon_p(d))
    a, b = d[:6], d[6:] + 1
    assert welch(a * size, b * size).p == pytest.approx(welch(a, b).p)
    low, high = bca_mean_interval(d * size, n_boot=500, rng=_rng())
    assert (low / size, high / size) == pytest.approx(bca_mean_interval(d, n_boot=500, rng=_rng()))


def test_rounding_noise_does_not_change_results():
    rng = _rng(38)
    levels = rng.integers(0, 20, (200, 40))
    # Multiples of half the rounding unit of numbers near 3, each with separate noise.
    magnitudes = (levels * 10.0**9 + 0.5) * 2.0**-38
    noisy = magnitudes * (1 + rng.uniform(-4e-16, 4e-16, magnitudes.shape))
    signs = rng.choice([-1.0, 1.0], noisy.shape)
    seen = merge_rounding_noise(signs * noisy, np.array(3.0))
    np.testing.assert_allclose(seen, signs * magnitudes, atol=2.0**-38)
    np.testing.assert_array_equal(
        stats.rankdata(np.abs(seen), axis=1), stats.rankdata(levels, axis=1)
    )


def test_one_diverged_model_does_not_change_the_other_pairs():
    d = _rng(36).normal(0.5, 1, (2, 12))
    alone = nadeau_bengio(d[0], 0.25)
    with_large = nadeau_bengio([d[0], d[1] * 1e200], 0.25)
    assert with_large.p_value[0] == pytest.approx(alone.p_value)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.floats(0.1, 10), st.floats(-5, 5))
@example(6326, 5.533030920845097, -4.0)  # noise on both sides of a rounding boundary
def test_pair_tests_ignore_fold_order_unit_and_origin(seed, scale, shift):
    rng = _rng(seed)
    scores = rng.integers(60, 80, (3, 10)) / 80
    moved = scale * scores[:, rng.permutation(10)] + shift
    d, e = pair_differences(scores), pair_differences(moved)
    np.testing.assert_allclose(wilcoxon_p(d), wilcoxon_p(e))
    a, b = nadeau_bengio(d, 0.25), nadeau_bengio(e, 0.25)
    np.testing.assert_allclose(a.p_value, b.p_value, rtol=1e-6)
    np.testing.assert_allclose(scale * a.high, b.high, rtol=1e-6, atol=1e-9)
    flipped = nadeau_bengio(-d, 0.25)
    np.testing.assert_allclose(a.low, -flipped.high)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.ones((3, 1)), "at least 2 values"),
        (np.ones(5), "at least 2 models"),
        ([[0.1, 0.2]], "at least 2 models"),
        (np.empty((0, 0)), "needs at least"),
        ([[1, np.nan], [1, 2]], "NaN"),
    ],
)
def test_bad_score_tables_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        nadeau_bengio(pair_differences(scores), 0.25)


@pytest.mark.parametrize("ratio", [-0.1, np.nan, np.inf])
def test_bad_ratio_is_refused(ratio):
    with pytest.raises(ValueError, match="test_train_ratio"):
        nadeau_bengio([1.0, 2.0], ratio)


@pytest.mark.parametrize("level", [95, 0.0, 1.0, np.nan])
def test_level_outside_0_to_1_is_refused(level):
    for call in (
        lambda: nadeau_bengio([1.0, 2.0, 4.0], 0.25, level),
        lambda: welch([1.0, 2.0], [1.0, 4.0], level),
        lambda: bca_mean_interval([1.0, 2.0, 4.0], level, rng=_rng()),
    ):
        with pytest.raises(ValueError, match="level must lie"):
            call()


def test_corrected_t_has_its_level_under_its_assumption():
    # Equicorrelated Gaussian folds, correlation n_test / (n_test + n_train): t is exact.
    rng, n_sim, ratio = _rng(13), 20_000, 0.25
    rho = ratio / (1 + ratio)
    d = np.sqrt(rho) * rng.normal(size=(n_sim, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n_sim, 10))
    tolerance = 4 * np.sqrt(0.0475 / n_sim)
    assert (nadeau_bengio(d, ratio).p_value <= 0.05).mean() == pytest.approx(0.05, abs=tolerance)
    assert (nadeau_bengio(d, 0.0).p_value <= 0.05).mean() > 0.2


def test_resamples_in_blocks_give_the_same_bits(monkeypatch):
    """Weights that are drawn for each use, in blocks, and those that are kept."""
    d = np.random.default_rng(0).normal(size=(7, 401))
    kept = bca_mean_interval(d, n_boot=3001, rng=np.random.default_rng(1))
    monkeypatch.setattr("reseed.stats.comparison._MOST_KEPT", 0)
    monkeypatch.setattr("reseed.stats.comparison._CHUNK", 200_000)
    drawn = []

    def draw(n_boot, n, **options):
        drawn.append(n_boot)
        return resample_counts(n_boot, n, **options)

    monkeypatch.setattr("reseed.stats.comparison.resample_counts", draw)
    blocks = bca_mean_interval(d, n_boot=3001, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(blocks, kept)
    assert max(drawn) <= 500


def test_crossed_seeds_by_mean_squares():
    d = _rng(3).normal(size=(2, 6, 4)) + 2 * _rng(4).normal(size=(2, 1, 4))
    split, seed = np.indices((6, 4)).reshape(2, -1)
    rest = d - d.mean(axis=2, keepdims=True) - d.mean(axis=1, keepdims=True)
    rest = ((rest + d.mean(axis=(1, 2), keepdims=True)) ** 2).sum(axis=(1, 2)) / (5 * 3)
    expected = d.mean(axis=1).var(axis=1, ddof=1) / 4 - rest / 24
    added, df = crossed_seeds(d.reshape(2, -1), split, seed)
    assert added**2 == pytest.approx(expected)
    assert df == 3
    shuffled = _rng(5).permutation(24)
    again, _ = crossed_seeds(
        1e200 * d.reshape(2, -1)[:, shuffled], split[shuffled] + 7, -seed[shuffled]
    )
    assert again / 1e200 == pytest.approx(added)


def test_crossed_seeds_of_an_incomplete_grid():
    """Nearly unbiased for the variance that seeds give the mean over splits."""
    split, seed = np.indices((8, 5)).reshape(2, -1)
    kept = _rng(6).random(40) < 0.8
    effects = _rng(7).normal(size=(20_000, 1, 5)) * np.ones((8, 1))
    d = effects.reshape(20_000, -1) + 0.3 * _rng(8).normal(size=(20_000, 40))
    added, _ = crossed_seeds(d[:, kept], split[kept], seed[kept])
    weights = np.bincount(seed[kept], 1 / (8 * np.bincount(split[kept]))[split[kept]])
    assert (added**2).mean() == pytest.approx((weights**2).sum(), rel=0.1)


def test_seeds_that_are_not_crossed_add_nothing():
    d, runs = _rng(9).normal(size=12), np.arange(12)
    assert crossed_seeds(d, runs // 3, runs) == (0, 0)
    assert crossed_seeds(d, runs, runs) == (0, 0)
    assert crossed_seeds(d, runs // 3, 0 * runs) == (0, 0)
    assert crossed_seeds(0 * d + 0.3, runs // 3, runs % 3)[0] == 0
