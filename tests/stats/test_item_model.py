"""Item-level differences: against statsmodels, mixed designs and known truth."""

import numpy as np
import pytest
import statsmodels.api as sm
from reseed.stats import item_model
from reseed.stats.factorial_variance import factorial_variance
from reseed.stats.item_model import Factor, item_difference, item_mean
from reseed.stats.skewness import correct_t
from scipy import stats


def _scores(seeds=4, items=60, rng_seed=0):
    rng = np.random.default_rng(rng_seed)
    common = rng.normal(size=items)
    return [
        common + rng.normal(0, 0.3, (seeds, 1)) + rng.normal(size=(seeds, items)) for _ in range(2)
    ]


def test_one_seed_equals_cluster_robust_errors():
    """Of equal clusters: statsmodels' sandwich with G/(G − 1), as Inspect's stderr(cluster=…)."""
    a, b = (values[0] for values in _scores())
    clusters = np.repeat(np.arange(12), 5)
    ours = item_difference(a, b, clusters=clusters)
    ols = sm.OLS(a - b, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "df_correction": True}, use_t=True
    )
    # statsmodels multiplies by (n − 1)/(n − 1) for one coefficient, so both factors are G/(G − 1).
    assert ours.se == pytest.approx(float(ols.bse[0]), rel=1e-10)
    assert ours.p_value == pytest.approx(float(ols.pvalues[0]), rel=1e-10)
    assert (ours.low, ours.high) == pytest.approx(tuple(ols.conf_int()[0]), rel=1e-10)


def test_unequal_clusters_are_cr2_by_explicit_matrices():
    """Bell and McCaffrey (2002): residuals adjusted by (I − H)^(−1/2) of each cluster, and tr²/tr.

    The working model is of independent items.
    """
    clusters = np.repeat(np.arange(5), [30, 12, 9, 5, 4])
    a, b = (values[0] for values in _scores())
    d, n = a - b, 60
    hat = np.full((n, n), 1 / n)
    vectors = []
    for label in range(5):
        own = clusters == label
        values, axes = np.linalg.eigh((np.eye(n) - hat)[np.ix_(own, own)])
        root = axes @ np.diag(values**-0.5) @ axes.T
        vectors.append((np.eye(n) - hat)[:, own] @ root @ np.ones(own.sum()) / n)
    g = np.array(vectors).T
    result = item_difference(a, b, clusters=clusters)
    assert result.se == pytest.approx(np.sqrt(((g.T @ d) ** 2).sum()))
    form = g.T @ g
    expected = np.trace(form) ** 2 / np.trace(form @ form)
    assert result.cluster_df == pytest.approx(expected)
    assert 2 < expected < 3  # below 4: one cluster holds half of the items


def test_unequal_clusters_keep_the_level():
    """Equal models, lognormal sizes, effects of clusters: 1,000 simulations (SE .007)."""
    wrong = 0
    for number in range(1000):
        rng = np.random.default_rng([5, number])
        weights = np.exp(rng.normal(size=10))
        index = np.r_[0:10, rng.choice(10, 90, p=weights / weights.sum())]
        d = rng.normal(0, 0.5, 10)[index] + rng.normal(size=100)
        wrong += item_difference(d, np.zeros(100), clusters=index).p_value <= 0.05
    assert 0.03 < wrong / 1000 < 0.075


def test_order_of_items_and_labels_of_clusters_do_not_matter():
    a, b = _scores()
    clusters = np.repeat(np.arange(12), 5)
    order = np.random.default_rng(2).permutation(60)
    first = item_difference(a, b, [Factor("seed", True)], clusters=clusters)
    names = np.array([f"passage {label}" for label in clusters])
    second = item_difference(
        a[:, order], b[:, order], [Factor("seed", True)], clusters=names[order]
    )
    assert (first.se, first.p_value) == pytest.approx((second.se, second.p_value))


def test_mcnemar_for_binary_scores_of_one_run():
    rng = np.random.default_rng(3)
    a, b = (rng.random(200) < share for share in (0.7, 0.6))
    result = item_difference(a, b)
    assert result.method == "McNemar"
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    chi2 = (only_a - only_b) ** 2 / (only_a + only_b)  # McNemar, without continuity correction
    assert result.p_value == pytest.approx(stats.chi2.sf(chi2, 1))
    edge = result.interval(1 - result.p_value)
    assert min(map(abs, edge)) == pytest.approx(0, abs=1e-6)
    assert result.low < a.mean() - b.mean() < result.high
    assert result.se == pytest.approx(stats.sem(a.astype(float) - b))
    assert result.parts == ((1.0, 199.0),)
    assert item_difference(a, b, clusters=np.arange(200) // 2).method == "t"


@pytest.mark.nightly
def test_variance_of_three_crossed_factors_is_unbiased():
    """Seeds, prompts and clusters with all interactions: mean of se² and of each contribution."""
    rng = np.random.default_rng(4)
    shape = (4, 3, 20)
    sds = {(0,): 0.5, (1,): 0.4, (2,): 1.0, (0, 1): 0.3, (0, 2): 0.8, (1, 2): 0.7, (0, 1, 2): 1.2}
    truth = sum(sd**2 / np.prod([shape[axis] for axis in axes]) for axes, sd in sds.items())
    squared, means = [], []
    for _ in range(3000):
        d = np.zeros(shape)
        for axes, sd in sds.items():
            size = [count if axis in axes else 1 for axis, count in enumerate(shape)]
            d = d + rng.normal(0, sd, size)
        result = item_difference(d, np.zeros(shape), [Factor("seed", True), Factor("prompt", True)])
        squared.append(result.se**2)
        means.append(result.difference)
    # Truncation at 0 makes the mean of se² greater, never smaller.
    error = np.std(squared) / np.sqrt(len(squared))
    assert truth - 3 * error < np.mean(squared) < 1.1 * truth
    assert np.var(means) == pytest.approx(truth, rel=0.1)


def test_contributions_sum_to_the_variance():
    a, b = _scores(seeds=6, items=400)
    result = item_difference(
        a, b, [Factor("seed", True)], clusters=np.repeat(np.arange(40), 10), repeat_variance=1e-4
    )
    by_source = {one.sources: one.variance for one in result.contributions}
    assert by_source["seed", "item", "repeat"] == pytest.approx(1e-4)
    assert sum(by_source.values()) == pytest.approx(result.se**2, rel=0.2)
    assert min(by_source.values()) >= 0


def test_contributions_equal_the_analysis_of_variance():
    """Three crossed factors: `factorial_variance`, itself checked against statsmodels."""
    d = np.random.default_rng(9).normal(size=(3, 4, 12)) + 3 * np.arange(12)
    d = d + np.arange(3)[:, None, None] + np.array([0, 2, 1, 5])[:, None]
    names = ["seed", "prompt", "item"]
    parts = factorial_variance(d, names, n_draws=1, rng=np.random.default_rng(0)).components
    result = item_difference(d, 0 * d, [Factor("seed", True), Factor("prompt", True)])
    by_source = {one.sources: one.variance for one in result.contributions}
    assert len(by_source) == len(parts)
    for part in parts:
        sources = tuple(names if part.name == "residual" else part.name.split(":"))
        levels = np.prod([d.shape[names.index(name)] for name in sources])
        assert by_source[sources] == pytest.approx(max(part.raw, 0) / levels, abs=1e-12)


def test_score_tests_at_the_ends_of_the_score_interval():
    a, b = np.repeat([1, 1, 0, 0], [40, 9, 3, 8]), np.repeat([1, 0, 1, 0], [40, 9, 3, 8])
    result = item_difference(a, b)
    assert result.one_sided_p(result.low) == pytest.approx(0.025, abs=1e-6)
    assert result.one_sided_p(result.high, greater=False) == pytest.approx(0.025, abs=1e-6)


@pytest.mark.parametrize("bound", [0.0, 0.1, -0.3])
def test_one_sided_p_of_graded_scores_is_that_of_the_t_test(bound):
    a, b = np.random.default_rng(4).normal(size=(2, 30))
    result = item_difference(a, b)
    for greater, alternative in ((True, "greater"), (False, "less")):
        expected = stats.ttest_1samp(a - b, bound, alternative=alternative).pvalue
        assert result.one_sided_p(bound, greater=greater) == pytest.approx(expected)


def test_one_sided_p_at_0_is_half_of_the_two_sided():
    a, b = np.repeat([1, 1, 0, 0], [40, 9, 3, 8]), np.repeat([1, 0, 1, 0], [40, 9, 3, 8])
    result = item_difference(a, b)
    assert result.one_sided_p(0) == pytest.approx(result.p_value / 2)
    assert result.one_sided_p(0, greater=False) == pytest.approx(1 - result.p_value / 2)


def test_without_variance_the_difference_decides():
    result = item_difference(np.full((3, 5), 0.75), np.full((3, 5), 0.5), [Factor("seed", True)])
    assert [result.one_sided_p(bound) for bound in (0.2, 0.25, 0.3)] == [0, 1, 1]
    large = item_difference(np.full((3, 5), 75.0), np.full((3, 5), 50.0), [Factor("seed", True)])
    assert (large.difference, large.low, large.high) == (25, 25, 25)


def test_a_variance_of_exactly_the_limit_is_none(monkeypatch):
    a, b = np.array([0.5, 0.25]), np.array([0.25, 0.25])
    se = item_difference(a, b).se
    assert se > 0
    monkeypatch.setattr(item_model, "_NO_VARIANCE", se**2)  # 1/64, without rounding
    assert item_difference(a, b).se == 0


def test_contributions_of_clusters_have_the_unit_of_scores():
    a, b = _scores()
    clusters = np.repeat(np.arange(12), 5)
    a = a + 2 * np.cos(clusters)
    small, large = (
        item_difference(k * a, k * b, [Factor("seed", True)], clusters=clusters).contributions
        for k in (1, 1024)
    )
    for one, other in zip(small, large, strict=True):
        assert other.variance == pytest.approx(1024**2 * one.variance, rel=1e-9)
    assert any(one.sources == ("cluster",) and one.variance > 0 for one in small)


def test_two_seeds_suffice():
    a, b = _scores(seeds=2)
    assert item_difference(a, b, [Factor("seed", True)]).levels["seed"] == 2


@pytest.mark.nightly
def test_few_clusters_keep_the_size():
    """8 unequal clusters with effects of their own: the t test over items claims far too often."""
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(8), [40, 20, 10, 10, 8, 6, 4, 2])
    by_cluster, by_item = [], []
    for _ in range(1500):
        d = rng.normal(size=8)[clusters] + rng.normal(size=100)
        by_cluster.append(item_difference(d, np.zeros(100), clusters=clusters).p_value <= 0.05)
        by_item.append(stats.ttest_1samp(d, 0).pvalue <= 0.05)
    assert np.mean(by_cluster) < 0.065
    assert np.mean(by_item) > 0.3


def test_scale_does_not_matter():
    a, b = _scores()
    for scale in (1e-150, 1e150):
        small = item_difference(a * scale, b * scale, [Factor("seed", True)])
        one = item_difference(a, b, [Factor("seed", True)])
        assert small.p_value == pytest.approx(one.p_value)
        assert small.se == pytest.approx(one.se * scale)


@pytest.mark.parametrize(
    "arguments",
    [
        ([[1.0, 2.0]], [[1.0, 2.0]]),
        ([1.0], [2.0]),
        ([1.0, 2.0], [1.0, 2.0, 3.0]),
        ([1.0, np.nan], [1.0, 2.0]),
    ],
)
def test_invalid_scores_are_refused(arguments):
    with pytest.raises(ValueError, match=r"values|items"):
        item_difference(*arguments)
    with pytest.raises(ValueError, match="values need 2 axes"):
        item_difference([1.0, 2.0], [1.0, 2.0], [Factor("seed", True)])


def test_one_cluster_is_refused():
    with pytest.raises(ValueError, match="clusters must be at least 2"):
        item_difference([1.0, 2.0], [0.0, 0.5], clusters=["a", "a"])


def test_factor_with_one_level_is_averaged():
    a, b = np.random.default_rng(23).normal(size=(2, 3, 20))
    for first in (a[:1], a):
        averaged = item_difference(first, b[:1], [Factor("seed", False)])
        assert averaged == item_difference(first.mean(axis=0), b[0])


def test_equal_scores_have_no_variance():
    result = item_difference(np.full((3, 5), 0.7), np.full((3, 5), 0.7), [Factor("seed", True)])
    assert (result.se, result.p_value, result.low, result.high) == (0, 1, 0, 0)


def test_interval_of_a_mean_covers_it():
    """New seeds and items each time: 95 % of the intervals hold the true mean, 0."""
    rng, covered = np.random.default_rng(3), []
    for _ in range(400):
        values = rng.normal(size=(5, 1)) * 0.2 + rng.normal(size=60) + rng.normal(size=(5, 60))
        result = item_mean(values, ["seed"])
        covered.append(result.low < 0 < result.high)
    assert 0.93 < np.mean(covered) < 0.985


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_mean_near_its_end_is_covered(seeds):
    """Shares of which 2 % differ from 1, and losses whose tail a t interval does not reach."""
    rng, covered = np.random.default_rng(4), []
    for _ in range(400):
        right = (rng.random((seeds, 60)) < 0.98).astype(float)
        mean, loss = item_mean(right, ["seed"], bounds=(0, 1)), item_mean(rng.lognormal(size=30))
        covered.append((mean.low <= 0.98 <= mean.high, loss.low <= np.exp(0.5) <= loss.high))
    assert (np.mean(covered, axis=0) >= [0.95, 0.9]).all()  # 0.70 and 0.88 by t alone


def test_limits_of_a_share_are_those_of_clopper_and_pearson():
    """Two equal seeds give the limits by Gaffke's test; one run, the exact ones of a share."""
    right = np.repeat([1.0, 0.0], [57, 3])
    ends = stats.binomtest(57, 60).proportion_ci(method="exact")
    for values, factors in ((right, []), (np.stack([right] * 2), ["seed"])):
        found = item_mean(values, factors, bounds=(0, 1))
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high), abs=1e-5)


def test_equal_levels_of_a_factor_are_one():
    """All right under three seeds: the limits are those of one run, not a point."""
    right, most = np.ones((3, 100)), np.ones((3, 100))
    most[:, :4] = 0
    seed = [Factor("seed", True)]
    for values in (right, most):
        found, one = item_difference(values, right, seed), item_difference(values[0], right[0])
        assert (found.low, found.high, found.p_value) == (one.low, one.high, one.p_value)
        assert found.low < found.difference < found.high
    mean = item_mean(right, ["seed"])
    assert (mean.low, mean.method) == (item_mean(right[0]).low, "exact")
    varied = most.copy()
    varied[0, 4] = 0
    assert item_difference(varied, right, seed).levels == {"seed": 3, "item": 100}


def test_own_seeds_without_variance_over_items_are_welchs_test():
    a, b = stats.norm.ppf(np.arange(1, 9) / 9), 1 + 3 * stats.norm.ppf(np.arange(1, 9) / 9)
    items = np.zeros(20)
    test = item_difference(a[:, None] + items, b[:, None] + items, [Factor("seed", False)])
    other = stats.ttest_ind(a, b, equal_var=False)
    assert test.p_value == pytest.approx(other.pvalue, rel=1e-6)
    assert test.df == pytest.approx(other.df, rel=1e-6)


def test_a_tail_corrects_one_sided_tests():
    one = np.random.default_rng(4).normal(1, 0.3, size=40)
    one[3] = -20
    test = item_difference(one, np.zeros(40))
    for bound, greater in ((-3.0, True), (4.0, False)):
        t = (1 if greater else -1) * (test.difference - bound) / test.se
        skew = test.tail.skewness * (1 if greater else -1)
        expected = stats.t.sf(float(correct_t(t, skew)), 39)
        assert test.one_sided_p(bound, greater=greater) == pytest.approx(expected)


def test_either_model_may_lack_an_axis():
    for shapes in (((3, 9), (9,)), ((9,), (3, 9))):
        with pytest.raises(ValueError, match="values need 2 axes"):
            item_difference(*map(np.zeros, shapes), [Factor("seed", True)])
