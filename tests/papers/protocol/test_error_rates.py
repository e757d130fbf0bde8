import numpy as np
import pytest
from papers.protocol.error_rates import (
    estimate_rate,
    measure_error_rates,
    nadeau_bengio_holm,
    pseudo_models,
    simulate_cv,
    wilcoxon_holm,
)
from scipy import stats
from sklearn.neighbors import NearestCentroid
from statsmodels.stats.proportion import proportion_confint


def _rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("count", "n"), [(0, 20), (3, 20), (20, 20), (50, 1000)])
def test_wilson_interval_agrees_with_statsmodels(count, n):
    result = estimate_rate(np.arange(n) < count)
    low, high = proportion_confint(count, n, method="wilson")
    assert (result.rate, result.low, result.high) == (
        count / n,
        pytest.approx(low, abs=1e-12),
        pytest.approx(high, abs=1e-12),
    )
    # Of a mean of zeros and ones.
    assert result.se == pytest.approx(np.std(np.arange(n) < count) / np.sqrt(n), abs=1e-12)


def test_no_experiments_is_refused():
    with pytest.raises(ValueError, match="no experiments"):
        estimate_rate([])
    with pytest.raises(ValueError, match="booleans"):
        estimate_rate([0.0, np.nan])
    with pytest.raises(ValueError, match="level must lie"):
        estimate_rate([True], level=95)


def test_simulated_accuracy_matches_bayes_rule_with_much_data():
    s = simulate_cv(30, n_samples=4000, n_features=2, separation=1.5, n_repeats=1, rng=_rng(1))
    assert s.shape == (30, 3, 5)
    # Φ(separation / 2); SE of the mean over 30·4000·3 items, plus O(p/n) training loss
    assert s.mean() == pytest.approx(stats.norm.cdf(0.75), abs=4 * 0.42 / np.sqrt(360_000) + 5e-4)


@pytest.mark.nightly
def test_simulated_null_is_null_and_the_effect_is_not():
    s = simulate_cv(800, rng=_rng(2)).mean(axis=2)
    d = s - s[:, [1, 2, 0]]
    assert np.all(np.abs(d.mean(axis=0)) < 4 * d.std(axis=0) / np.sqrt(800))
    better = simulate_cv(800, effect=0.5, rng=_rng(2)).mean(axis=2)
    assert (better[:, 0] - better[:, 1]).mean() > 0.05
    others = better[:, 1] - better[:, 2]
    assert abs(others.mean()) < 4 * others.std() / np.sqrt(800)


@pytest.mark.nightly
def test_error_rates_agree_with_the_published_table():
    """Global null with three models: the test of the protocol fails, the corrected one does not.

    Monte Carlo SE of each rate: at most √(0.25/600) = 0.020, and 0.009 at 0.05.
    """
    rates = {}
    for repeats in (1, 2, 10):
        s = simulate_cv(600, n_repeats=repeats, rng=_rng(5))
        rates[repeats] = (
            measure_error_rates(s, wilcoxon_holm()).family_wise,
            measure_error_rates(s, nadeau_bengio_holm(1 / 4)).family_wise,
        )
    assert rates[1][0].count == 0  # five folds can never be significant
    assert rates[2][0].low > 0.10  # nominal 0.05
    assert rates[10][0].low > 0.60
    for _, corrected in rates.values():
        assert corrected.low < 0.05
        assert corrected.rate < 0.05 + 4 * np.sqrt(0.0475 / 600)


def test_independent_folds_keep_the_nominal_level():
    n_sim = 2000
    s = _rng(6).normal(size=(n_sim, 3, 10))
    tolerance = 4 * np.sqrt(0.0475 / n_sim)
    assert measure_error_rates(s, wilcoxon_holm()).family_wise.rate < 0.05 + tolerance
    t = measure_error_rates(s, nadeau_bengio_holm(0.0))
    assert 0.03 - tolerance < t.family_wise.rate < 0.05 + tolerance


def test_power_grows_with_effect_and_null_pairs_are_separate():
    null_pairs = [False, False, True]  # model 0 is better
    power = []
    for effect in (0.3, 1.0):
        s = simulate_cv(300, effect=effect, rng=_rng(7))
        result = measure_error_rates(s, nadeau_bengio_holm(1 / 4), null_pairs)
        power.append(result.power)
        assert result.family_wise.rate < 0.05 + 4 * np.sqrt(0.0475 / 300)
        assert result.power_se < 0.03
    assert power[0] < power[1]
    none = measure_error_rates(s, nadeau_bengio_holm(1 / 4))
    assert none.power is None
    assert measure_error_rates(s, wilcoxon_holm(), [False] * 3).family_wise is None


def test_decisions_of_the_wrong_shape_are_refused():
    s = _rng(8).normal(size=(5, 3, 10))
    with pytest.raises(ValueError, match=r"must return \(5, 3\) decisions"):
        measure_error_rates(s, lambda table: np.zeros(3, bool))
    with pytest.raises(ValueError, match="null_pairs"):
        measure_error_rates(s, wilcoxon_holm(), [True])


def test_pseudo_models_can_use_all_seeds():
    stored = np.arange(6.0).reshape(2, 3)
    result = pseudo_models(stored, 2, 50, rng=_rng(12))
    np.testing.assert_array_equal(np.sort(result, axis=1), np.broadcast_to(stored, (50, 2, 3)))


def test_five_folds_of_one_sign_are_not_significant():
    scores = np.array([[1.0, 2, 3, 4, 5], np.zeros(5)])  # p = 2 / 32
    assert not wilcoxon_holm()(scores).any()
    assert wilcoxon_holm(2 / 32)(scores).all()


@pytest.mark.parametrize("seed_per_fold", [False, True])
def test_pseudo_models_are_distinct_stored_seeds(seed_per_fold):
    seeds, folds = 6, 4
    scores = np.arange(seeds * folds, dtype=float).reshape(seeds, folds)
    result = pseudo_models(scores, 3, 500, seed_per_fold=seed_per_fold, rng=_rng(9))
    assert result.shape == (500, 3, folds)
    seed, fold = result // folds, result % folds
    assert np.all(fold == np.arange(folds))  # scores remain in their folds
    assert np.all(np.diff(np.sort(seed, axis=1), axis=1) > 0)  # distinct seeds in each fold
    one_seed = np.all(seed == seed[:, :, :1])
    assert one_seed != seed_per_fold
    shares = np.bincount(seed.astype(int).ravel(), minlength=seeds) / seed.size
    np.testing.assert_allclose(shares, 1 / seeds, atol=0.03)


def test_pseudo_models_of_independent_trials_keep_the_level():
    n_sim, hits = 300, 0
    rng = _rng(10)
    for _ in range(n_sim):
        stored = rng.normal(size=(12, 10)) + rng.normal(size=10)  # fold effects are shared
        s = pseudo_models(stored, 3, 1, seed_per_fold=True, rng=rng)
        hits += measure_error_rates(s, wilcoxon_holm()).family_wise.count
    assert hits / n_sim < 0.05 + 4 * np.sqrt(0.0475 / n_sim)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pseudo_models(np.ones((2, 3)), 3, 1, rng=_rng()),
        lambda: pseudo_models(np.ones((2, 3)), 1, 1, rng=_rng()),
        lambda: simulate_cv(1, n_samples=15, rng=_rng()),
        lambda: simulate_cv(1, n_samples=16, rng=_rng()),
        lambda: simulate_cv(1, n_models=1, rng=_rng()),
        lambda: simulate_cv(1, test_share=0.001, rng=_rng()),
        lambda: simulate_cv(1, test_share=1.0, rng=_rng()),
        lambda: measure_error_rates(np.full((1, 3, 4), np.nan), wilcoxon_holm()),
        lambda: measure_error_rates(np.empty((0, 3, 4)), wilcoxon_holm()),
    ],
)
def test_impossible_experiments_are_refused(call):
    with pytest.raises(ValueError, match=r"number of seeds|needs|NaN"):
        call()


def test_all_tied_scores_reject_nothing():
    s = np.full((4, 3, 10), 0.8)
    assert measure_error_rates(s, wilcoxon_holm()).family_wise.count == 0
    assert measure_error_rates(s, nadeau_bengio_holm(0.25)).family_wise.count == 0


@pytest.mark.parametrize(("samples", "share"), [(22, None), (20, 0.3)])
def test_each_accuracy_equals_a_nearest_centroid(samples, share):
    """The same numbers are drawn again, and scikit-learn classifies the test items."""
    sizes = {"n_models": 2, "n_samples": samples, "n_features": 3, "n_repeats": 3}
    sizes |= {"separation": 1.0, "effect": 0.5}
    ours = simulate_cv(2, n_folds=5, test_share=share, rng=_rng(30), **sizes)
    rng, half, y = _rng(30), samples // 2, np.repeat([0, 1], samples // 2)
    centre = np.array([1.5, 1.0])[:, None, None] / (2 * np.sqrt(3))
    x = rng.standard_normal((2, 2, samples, 3)) + (2 * y - 1)[:, None] * centre
    ranks = rng.random((2, 3, 2, half)).argsort(axis=-1).argsort(axis=-1)
    for experiment, model in np.ndindex(2, 2):
        expected = []
        for rank in ranks[experiment]:
            if share is None:
                # Folds in turn, one class after the other.
                fold = np.r_[rank[0] % 5, (rank[1] + half) % 5]
                tested = [fold == one for one in range(5)]
            else:
                tested = [rank.ravel() < 3]
            one = x[experiment, model]
            for test in tested:
                found = NearestCentroid().fit(one[~test], y[~test])
                expected.append(found.score(one[test], y[test]))
        assert ours[experiment, model] == pytest.approx(expected)


def test_smallest_designs_are_accepted():
    assert simulate_cv(3, n_models=2, n_folds=2, n_samples=8, rng=_rng(31)).shape == (3, 2, 4)
    for changed in ({"n_folds": 1}, {"n_samples": 6}, {"n_models": 1}, {"n_samples": 9}):
        with pytest.raises(ValueError, match="needs n_"):
            simulate_cv(3, **{"n_models": 2, "n_folds": 2, "n_samples": 8, "rng": _rng()} | changed)
