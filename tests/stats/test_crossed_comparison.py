"""Seeds crossed with items: against scikit-learn, mixed models, enumeration and known truth."""

from itertools import combinations, product

import numpy as np
import pytest
from reseed.stats import crossed_comparison
from reseed.stats.bootstrap import WEIGHTED_METRICS
from reseed.stats.crossed_comparison import item_values, seed_item_bootstrap, seed_permutation_test
from reseed.stats.item_model import Factor, item_difference
from reseed.stats.variance import crossed_variance
from scipy import stats
from sklearn.metrics import f1_score, roc_auc_score


def _rng(seed=0):
    return np.random.default_rng(seed)


def test_integers_do_not_overflow():
    y, predicted = np.int32([0, 100_000]), np.int32([[70_000, 30_000]])
    assert item_values("mse", y, predicted).tolist() == [[70_000.0**2] * 2]
    assert item_values("mae", np.uint8([0, 250]), np.uint8([[1, 251]])).tolist() == [[1, 1]]


def test_item_values_average_to_the_metric():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    scores = np.round(y + rng.normal(0, 1, (3, 80)), 1)
    labels = (scores > 0.5).astype(int)
    for metric, predicted, truth in [
        ("accuracy", labels, [np.mean(one == y) for one in labels]),
        ("auc", scores, [roc_auc_score(y, one) for one in scores]),
        ("f1", labels, [f1_score(y, one) for one in labels]),
        (f1_score, labels, [f1_score(y, one) for one in labels]),
        ("mse", scores, ((scores - y) ** 2).mean(axis=1)),
    ]:
        values = item_values(metric, y, predicted)
        assert values.shape == (3, 80)
        np.testing.assert_allclose(values.mean(axis=1), truth)
    np.testing.assert_allclose(item_values("f1", y, labels), item_values(f1_score, y, labels))


@pytest.mark.parametrize("metric", ["f1", f1_score])
def test_item_values_of_a_metric_of_0(metric):
    values = item_values(metric, np.array([0, 1, 1, 0, 1]), np.array([[1, 0, 0, 1, 0]]))
    np.testing.assert_array_equal(values, np.zeros((1, 5)))


def test_auc_values_and_pseudo_values_agree_to_first_order():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    scores = y + rng.normal(0, 1, (1, 400))
    exact = item_values("auc", y, scores)
    jackknife = item_values(roc_auc_score, y, scores)
    assert np.corrcoef(exact[0], jackknife[0])[0, 1] > 0.9999
    assert exact.var() == pytest.approx(jackknife.var(), rel=0.01)


def test_shared_seeds_with_the_anova_of_the_grid():
    """The variance of the mean equals that of `crossed_variance` (checked against MixedLM)."""
    rng = np.random.default_rng(2)
    d = rng.normal(0, 1, (6, 1)) + rng.normal(0, 1, 40) + rng.normal(0, 1, (6, 40))
    parts = crossed_variance(d, ("seed", "item"), n_draws=1, rng=rng)
    seed, item, rest = (parts[name].raw for name in ("seed", "item", "residual"))
    result = item_difference(d, np.zeros_like(d), [Factor("seed", True)])
    assert result.se**2 == pytest.approx(seed / 6 + item / 40 + rest / 240)
    assert result.factor_share * result.se**2 == pytest.approx(seed / 6)
    assert result.difference == pytest.approx(d.mean())
    means = d.mean(axis=1).var(ddof=1) / 6
    share = means / result.se**2
    quantile = share * stats.t.isf(0.025, 5) + (1 - share) * stats.t.isf(0.025, 39)
    assert result.high - result.difference == pytest.approx(quantile * result.se)
    assert stats.t.isf(0.025, result.df) == pytest.approx(quantile)


def test_part_of_the_items_stays_for_any_number_of_seeds():
    """s²(item means)/n less the interaction, in the unit of the scores."""
    rng = np.random.default_rng(21)
    a, b = (rng.normal(size=40) + rng.normal(size=(s, 40)) for s in (6, 4))
    rest = 0.0
    for one in (a, b):
        parts = crossed_variance(one, ("seed", "item"), n_draws=1, rng=rng)
        rest += parts["residual"].raw / one.size
    expected = (a.mean(axis=0) - b.mean(axis=0)).var(ddof=1) / 40 - rest
    result = item_difference(a, b, [Factor("seed", False)])
    assert result.item_variance == pytest.approx(expected)
    larger = item_difference(1000 * a, 1000 * b, [Factor("seed", False)])
    assert larger.item_variance == pytest.approx(1e6 * expected)


def test_single_runs_give_the_paired_t_test_over_items():
    a, b = np.random.default_rng(3).normal(size=(2, 1, 30))
    result = item_difference(a, b, [Factor("seed", False)])
    test = stats.ttest_rel(a[0], b[0])
    assert "seed" not in result.levels
    assert result.df == 29
    assert result.p_value == pytest.approx(test.pvalue)
    assert (result.low, result.high) == pytest.approx(tuple(test.confidence_interval()))


@pytest.mark.parametrize("seeds", [(4, 4), (5, 3)])
def test_parts_of_own_seeds_are_those_of_welch(seeds):
    """Equal numbers of seeds: one part with Welch's degrees of freedom; else one part for each."""
    rng = np.random.default_rng(22)
    a, b = (sd * rng.normal(size=(s, 1)) + rng.normal(size=(s, 30))
            for s, sd in zip(seeds, (2.0, 0.5), strict=True))  # fmt: skip
    result = item_difference(a, b, [Factor("seed", False)])
    means = [x.mean(axis=1) for x in (a, b)]
    own = [np.var(x, ddof=1) / x.size for x in means]
    welch = stats.ttest_ind(*means, equal_var=False).df
    expected = [(sum(own), welch)] if seeds == (4, 4) else [(own[0], 4), (own[1], 2)]
    unit = result.se**2 / sum(part for part, _ in result.parts)
    assert len(result.parts) == len(expected) + 1
    for (part, df), (variance, other) in zip(result.parts, expected, strict=False):
        assert (part * unit, df) == pytest.approx((variance, other))
    assert result.parts[-1][1] == 29
    total = [part * unit for part, _ in result.parts]
    quantiles = stats.t.isf(0.025, [df for _, df in result.parts])
    half = np.dot(total, quantiles) / np.sum(total) * result.se
    assert result.high == pytest.approx(a.mean() - b.mean() + half)
    assert result.low == pytest.approx(a.mean() - b.mean() - half)


def test_p_values_and_intervals_agree():
    rng = np.random.default_rng(12)
    for seeds, shared in ((2, True), (2, False), (5, True)):
        a, b = rng.normal(0, 1, (2, seeds, 1)) + rng.normal(0, 1, (2, seeds, 50))
        result = item_difference(a + 0.4, b, [Factor("seed", shared)])
        edge = item_difference(a + 0.4, b, [Factor("seed", shared)], level=1 - result.p_value)
        assert min(abs(edge.low), abs(edge.high)) == pytest.approx(0, abs=1e-6)
        # The one-sided test of a bound is significant at 5 % beyond the end of the 90 % interval.
        ninety = item_difference(a + 0.4, b, [Factor("seed", shared)], level=0.9)
        assert ninety.one_sided_p(ninety.low) == pytest.approx(0.05)
        assert ninety.one_sided_p(ninety.high, greater=False) == pytest.approx(0.05)


def test_equal_scores_of_two_seeds_are_not_certain():
    """If the accuracies of two seeds are equal by chance, the items still give uncertainty."""
    rng = np.random.default_rng(13)
    a, b = (np.stack([rng.permuted(np.repeat([0.0, 1.0], n)) for _ in "12"])
            for n in ((20, 30), (25, 25)))  # fmt: skip
    result = item_difference(a, b, [Factor("seed", True)])
    assert result.factor_share == 0
    by_item = (a - b).mean(axis=0)
    assert result.se == pytest.approx(by_item.std(ddof=1) / np.sqrt(50))


def test_zero_variance_gives_a_point_interval():
    ones = np.full((3, 10), 2.0)
    assert item_difference(ones, ones, [Factor("seed", True)]).p_value == 1
    noise = ones * (1 + 1e-16)
    assert item_difference(ones, noise - 1e-16, [Factor("seed", True)]).p_value == 1
    assert item_difference(ones, 0 * ones, [Factor("seed", False)]).p_value == 0
    apart = item_difference(ones, 0 * ones, [Factor("seed", False)])
    assert (apart.se, apart.factor_share, apart.low, apart.high) == (0, 0, 2, 2)
    assert (apart.item_variance, apart.df) == (0, np.inf)


def trained(rng, seeds, items, shift, seed_sd=0.15):
    """Simulate correctness of two procedures with item difficulties and seed effects."""
    difficulty, out = rng.normal(0, 1.5, items), []
    for k in (0, 1):
        own = difficulty + rng.normal(0, 0.5, items) + rng.normal(0, seed_sd, (seeds, 1))
        out.append((own + shift[k] + rng.normal(size=(seeds, items)) > 0).astype(float))
    sd = np.sqrt(1 + 1.5**2 + 0.5**2 + seed_sd**2)
    return out, float(np.diff(stats.norm.cdf(np.array(shift[::-1]) / sd))[0])


@pytest.mark.parametrize(
    ("seeds", "shared", "seed_sd"),
    [(2, True, 0.5), (3, False, 0.15), (8, False, 0.15), (8, True, 0.15)],
)
def test_interval_covers_over_new_seeds_and_items(seeds, shared, seed_sd):
    rng, hits, n = np.random.default_rng(4), 0, 300
    for _ in range(n):
        (a, b), truth = trained(rng, seeds, 200, (1.5, 1.2), seed_sd)
        result = item_difference(a, b, [Factor("seed", shared)])
        hits += result.low <= truth <= result.high
    # The measured coverage is 0.94 to 0.99; the tolerance is 4 SE.
    assert 0.90 <= hits / n <= 1.0


def test_level_holds_where_single_runs_reject():
    from reseed.stats.two_models import mcnemar

    rng, over_both, single, n = np.random.default_rng(5), 0, 0, 200
    for _ in range(n):
        (a, b), _ = trained(rng, 5, 1000, (1.5, 1.5), seed_sd=0.3)
        over_both += item_difference(a, b, [Factor("seed", False)]).p_value <= 0.05
        single += mcnemar(a[0], b[0]).mid_p <= 0.05
    assert over_both / n <= 0.05 + 4 * np.sqrt(0.0475 / n)
    assert single / n > 0.25


def test_bootstrap_has_moments_of_crossed_resampling():
    """For a mean the bootstrap variance is exactly the sum of squares of Owen (2007)."""
    rng = np.random.default_rng(6)
    y = np.zeros(25)
    a, b = rng.normal(size=(2, 4, 25)) + rng.normal(size=(2, 4, 1))
    result = seed_item_bootstrap("mse", y, a, b, 20_000, shared_seeds=True, rng=rng)
    d = a**2 - b**2
    rows, columns = d.mean(axis=1), d.mean(axis=0)
    by_row, by_column = rows.var() / 4, columns.var() / 25
    rest = ((d - rows[:, None] - columns + d.mean()) ** 2).mean() / 100
    assert result.se**2 == pytest.approx(by_row + by_column + rest, rel=0.05)
    assert result.low < result.difference < result.high


def test_single_seed_bootstrap_resamples_items_only():
    """With one seed in A, the different seeds of B are not resampled either."""
    rng = np.random.default_rng(14)
    a = rng.normal(size=(3, 40)) + np.array([[0.0], [5.0], [10.0]])
    b = rng.normal(size=(1, 40))
    for first, second in ((a, b), (b, a)):
        result = seed_item_bootstrap("mse", np.zeros(40), first, second, 20_000,
                                    shared_seeds=False, rng=rng)  # fmt: skip
        d = (first**2).mean(axis=0) - (second**2).mean(axis=0)
        assert result.se == pytest.approx(d.std() / np.sqrt(40), rel=0.03)


def test_bootstrap_accepts_any_metric_and_skips_nan():
    rng = np.random.default_rng(7)
    y = np.r_[np.ones(2), np.zeros(12)].astype(int)
    a, b = y + rng.normal(0, 1, (2, 3, 14))
    result = seed_item_bootstrap("auc", y, a, b, 500, shared_seeds=False, rng=rng)
    assert result.n_boot < 500
    one = seed_item_bootstrap("auc", y, a[:1], b[:1], 500, shared_seeds=False, rng=rng)
    weights = WEIGHTED_METRICS["auc"](y, a[:1], np.ones((1, 14)))
    assert one.difference == pytest.approx(float(weights[0, 0]) - roc_auc_score(y, b[0]), abs=1e-12)


def test_permutation_p_equals_enumeration():
    rng = np.random.default_rng(8)
    a, b = rng.normal(0.6, 1, 5), rng.normal(0, 1, 4)
    pooled = np.r_[a, b]
    gaps = [
        np.mean(pooled[list(pick)]) - np.mean(np.delete(pooled, pick))
        for pick in combinations(range(9), 5)
    ]
    exact = np.mean(np.abs(gaps) >= abs(a.mean() - b.mean()) - 1e-12)
    assert seed_permutation_test(a, b, shared_seeds=False, rng=rng) == pytest.approx(exact)
    drawn = seed_permutation_test(a, b, shared_seeds=False, n_permutations=100, rng=rng)
    assert drawn == pytest.approx(exact, abs=0.2)
    d = a[:4] - b
    sums = [np.dot(s, d) for s in product((-1, 1), repeat=4)]
    exact = np.mean(np.abs(sums) >= abs(d.sum()) - 1e-12)
    assert seed_permutation_test(a[:4], b, shared_seeds=True, rng=rng) == pytest.approx(exact)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: item_values("bleu", [0, 1], [[0, 1]]), "unknown metric"),
        (lambda: item_values("mse", [0, 1], [[0, 1, 2]]), "must be"),
        (lambda: item_values("mse", [0.0, 1], [[0, np.nan]]), "NaN"),
        (lambda: item_values("mse", ["1", "2"], [["1", "2"]]), "real numbers"),
        (lambda: item_values("accuracy", ["0", "1"], [[0, 1]]), "text"),
        (lambda: item_values("accuracy", np.array([0, np.nan], dtype=object), [[0, 1]]), "NaN"),
        (lambda: item_values("auc", [1, 1], [[0.2, 0.3]]), "both present"),
        (
            lambda: item_difference(np.ones((2, 3)), np.ones((3, 3)), [Factor("seed", True)]),
            "shared",
        ),
        (
            lambda: item_difference(np.ones((2, 3)), np.ones((2, 4)), [Factor("seed", False)]),
            "same",
        ),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_bootstrap_in_blocks_has_the_requested_size(monkeypatch):
    monkeypatch.setattr(crossed_comparison, "_CHUNK", 30 * 4)
    y, a, b = np.array([0, 1, 0, 1]), np.eye(4)[:2], np.eye(4)[2:]
    result = seed_item_bootstrap("mse", y, a, b, 100, shared_seeds=True, rng=_rng())
    assert result.n_boot == 100  # blocks of 30, 30, 30 and 10


def test_permutations_are_enumerated_up_to_the_limit():
    def p_value(a, b, shared_seeds, n):
        return seed_permutation_test(a, b, shared_seeds=shared_seeds, n_permutations=n, rng=_rng())

    three, zeros = np.array([1.0, 2.0, 4.0]), np.zeros(3)
    assert p_value(three, zeros, True, 8) == 2 / 8
    assert p_value([8.0, 9.0], [1.0, 2.0], False, 6) == 2 / 6
    assert p_value([1.0], [1.0], True, 1) == 1
    with pytest.raises(ValueError, match="n_permutations must be at least 1"):
        p_value([1.0], [1.0], True, 0)
    # Above the limit, p is (1 + extreme) / (1 + draws).
    sampled = p_value([1.0, 2.0, 4.0, 8.0], np.zeros(4), True, 10) * 11
    assert sampled == pytest.approx(round(sampled))
    assert p_value(np.ones(4), np.ones(4), True, 10) == 1
    assert p_value(np.ones(4), np.ones(4), False, 10) == 1


def test_sampled_signs_agree_with_all_signs():
    d = np.random.default_rng(2).normal(0.4, 1, 10)
    exact = seed_permutation_test(d, 0 * d, shared_seeds=True, rng=_rng())
    assert 0.1 < exact < 0.9
    sampled = seed_permutation_test(d, 0 * d, shared_seeds=True, n_permutations=1000, rng=_rng())
    assert sampled == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 1000))
    most = seed_permutation_test(np.ones(14), np.zeros(14), shared_seeds=True, rng=_rng()) * 10_001
    assert most == pytest.approx(round(most), abs=1e-9)  # (1 + extreme) / (1 + 10,000 draws)


def test_equal_scores_of_0_have_p_1():
    assert seed_permutation_test([0.0, 0.0], [0.0, 0.0], shared_seeds=False, rng=_rng()) == 1


def test_bootstrap_needs_two_resamples():
    y, a, b = np.array([0, 1, 0, 1]), np.eye(4)[:2], np.eye(4)[2:]
    assert seed_item_bootstrap("mse", y, a, b, 2, shared_seeds=True, rng=_rng()).n_boot == 2
    with pytest.raises(ValueError, match="n_boot must be at least 2"):
        seed_item_bootstrap("mse", y, a, b, 1, shared_seeds=True, rng=_rng())


def test_rounding_noise_of_permutations_grows_with_the_scores():
    gap = 2e-12  # below 1e-12 times four scores of size 1
    a, b = [1 + gap, 0.5 + gap], [1.0, 0.5]
    assert seed_permutation_test(a, b, shared_seeds=False, rng=_rng()) == 1
    a = [1 + 4 * gap, 0.5 + 4 * gap]
    assert seed_permutation_test(a, b, shared_seeds=False, rng=_rng()) == 4 / 6


def test_items_of_one_cluster_are_resampled_together():
    """Every item twice, in a cluster with its copy, has the bootstrap of the single items."""
    a, b = _rng(1).normal(size=(2, 3, 8))
    single = seed_item_bootstrap("mse", np.zeros(8), a, b, 50, shared_seeds=True, rng=_rng())
    twice = seed_item_bootstrap("mse", np.zeros(16), np.repeat(a, 2, axis=1),
                                np.repeat(b, 2, axis=1), 50, shared_seeds=True, rng=_rng(),
                                clusters=np.repeat(list("abcdefgh"), 2))  # fmt: skip
    assert (twice.se, twice.low) == pytest.approx((single.se, single.low))
